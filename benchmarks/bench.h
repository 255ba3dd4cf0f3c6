#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

// Every benchmark is one source against <torch/torch.h>, compiled once with tern and once with
// libtorch. It prints a line per figure: name, tab, nanoseconds.

namespace bench {

/// How long to measure.
struct Effort {
  double batch_ns = 4e7;
  int batches = 7;
};

/// Nanoseconds of one call of `fn`: the best of several batches, after a warm-up.
template <class Fn>
double time_of(const Fn& fn, const Effort& effort = {}) {
  using Clock = std::chrono::steady_clock;
  const auto batch = [&fn](long calls) {
    const auto start = Clock::now();
    for (long i = 0; i < calls; ++i) fn();
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  };
  fn();
  long calls = 1;
  double spent = batch(calls);
  while (spent < effort.batch_ns / 4) spent = batch(calls *= 4);
  calls = std::max(1L, static_cast<long>(static_cast<double>(calls) * effort.batch_ns / spent));
  double best = spent;
  for (int i = 0; i < effort.batches; ++i) {
    const double each = batch(calls) / static_cast<double>(calls);
    best = i == 0 ? each : std::min(best, each);
  }
  return best;
}

template <class Fn>
void report(const char* name, const Fn& fn, const Effort& effort = {}) {
  std::printf("%s\t%.1f\n", name, time_of(fn, effort));
  std::fflush(stdout);
}

/// The threads to use: the program's first argument, 2 without.
inline int threads(int argc, char** argv) { return argc > 1 ? std::atoi(argv[1]) : 2; }

}  // namespace bench
