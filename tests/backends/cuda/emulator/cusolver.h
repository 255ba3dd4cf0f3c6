#pragma once

#include <atomic>
#include <cstddef>

namespace tern::emulator {

/// The replacement for cuSOLVER and for cuBLAS's functions of linear algebra: plain loops over host
/// memory that run immediately. A call that breaks the libraries' rules throws std::logic_error.
/// Where the libraries leave something undefined, the replacement writes NaN or a wrong number.
/// Tests read the recorded calls here and set what the library refuses.
struct Cusolver {
  std::atomic<int> batched_calls = 0;  // of functions for batches
  std::atomic<int> calls = 0;          // of functions for one matrix
  std::atomic<int> create_status = 0;  // of cusolverDnCreate
  std::atomic<int> factor_status = 0;  // of every function that factors
  std::atomic<bool> never_converges = false;
};
Cusolver& cusolver();

/// Records the blocks of Scratch, which are device memory for sure.
void add_scratch(const void* block, std::size_t bytes);
void remove_scratch(const void* block);
/// Returns true if the bytes lie within one block of Scratch.
bool is_scratch(const void* memory, std::size_t bytes);

}  // namespace tern::emulator
