#pragma once

#include <cstdlib>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// These tests run on ranks that are threads, and once more under mpirun (CMakeLists.txt), where
// each process runs all of them.

namespace tern::testing {

using distributed::ProcessGroup;
using distributed::ReduceOp;

inline bool is_under_mpirun() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The device of a rank: the ranks of a machine need one each. There are four, which are simulated
/// unless TERN_REQUIRE_GPU asks for real ones.
inline Device device_of(const ProcessGroup& group, DeviceType type) {
  return type == kCPU ? Device(kCPU) : Device(kCUDA, static_cast<DeviceIndex>(group.rank()));
}

class FourDevices : public ::testing::Environment {
 public:
  void SetUp() override {
    const bool is_simulated = std::getenv("TERN_REQUIRE_GPU") == nullptr;
    setenv(is_simulated ? "TERN_SIMULATE_CUDA" : "TERN_CUDA_VIRTUAL_DEVICES", "4", /*overwrite=*/1);
  }
};
[[maybe_unused]] inline const auto* const kFourDevices =
    ::testing::AddGlobalTestEnvironment(new FourDevices);

/// Runs `program` on `size` threads, or on the processes of mpirun, each time in a group of its
/// own.
inline void on_ranks(int size, const std::function<void(ProcessGroup&)>& program) {
  if (!is_under_mpirun()) return distributed::run(size, program);
  ProcessGroup group = distributed::init_process_group().split(0);
  group.set_timeout(60);
  program(group);
}

}  // namespace tern::testing

/// For a test of ranks that are threads.
#define TERN_NEEDS_THREADS() \
  if (::tern::testing::is_under_mpirun()) GTEST_SKIP() << "for ranks that are threads"
