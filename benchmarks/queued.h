#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "bench.h"

namespace bench {

/// How long to measure on a GPU, as in queued.py, and how long small problems, which only show that
/// a program works.
constexpr Effort kOnGpu{5e7, 7}, kBriefly{1e6, 1};

/// Returns the nanoseconds of a step on a GPU. Steps queue up there, so the clock stops only when a
/// whole batch is done, which takes a turn: the smallest of several batches.
template <class Step>
double queued_ns(const Step& step, const Effort& effort) {
  const auto batch = [&](long steps) {
    const double spent = nanoseconds([&] {
      for (long i = 0; i < steps; ++i) step();
      torch::cuda::synchronize();
    });
    return spent / static_cast<double>(steps);
  };
  batch(5);  // plans and memory; a GraphedStep is captured
  const long steps = std::clamp(static_cast<long>(effort.turn_ns / batch(5)), 1L, 2000L);
  double best = batch(steps);
  for (int i = 1; i < effort.turns; ++i) best = std::min(best, batch(steps));
  return best;
}

/// Reports the nanoseconds of a step on a GPU.
template <class Step>
void report_queued(const std::string& name, const Step& step, const Effort& effort) {
  std::printf("%s\t%.1f\n", name.c_str(), queued_ns(step, effort));
  std::fflush(stdout);
}

/// Returns whether there is a GPU, and says why not.
inline bool has_gpu() {
  if (torch::cuda::is_available()) return true;
#ifdef TERN_MODULE
  std::fprintf(stderr, "no GPU: %s\n", tern::cuda::unavailable_reason().c_str());
#endif
  return false;
}

}  // namespace bench
