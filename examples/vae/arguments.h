#pragma once

#include <cstdint>
#include <string>

#include <tern/core/tensor/device.h>

/// The arguments of the command line.
struct Arguments {
  std::size_t epochs = 10;
  std::int64_t batch_size = 128;
  double lr = 1e-3;
  std::uint64_t seed = 1;
  tern::Device device = tern::kCPU;
  bool graph = false;
  std::string amp;
  std::string data;
  std::string out = "results";
  std::string save;
  std::string resume;
  int threads = 0;
  std::int64_t log_interval = 10;
  bool no_progress = false;
};
