#pragma once

#include <atomic>

namespace tern::emulator {

/// The replacement for cuBLASLt: plain loops over host memory that run immediately. A call that
/// breaks the library's rules throws std::logic_error, so that no fallback hides it. Tests read the
/// recorded calls here and set what the library refuses.
struct Cublas {
  std::atomic<int> searches = 0;         // for an algorithm
  std::atomic<int> products = 0;         // computed
  std::atomic<int> live_operations = 0;  // created and not destroyed
  std::atomic<int> compute_type = 0;     // of the last product, like the next four
  std::atomic<int> epilogue = 0;
  std::atomic<const void*> a = nullptr;
  std::atomic<const void*> b = nullptr;
  std::atomic<const void*> bias = nullptr;
  std::atomic<bool> refuse_epilogues = false;  // all but the default
  std::atomic<bool> refuse_products = false;   // all of them
  std::atomic<bool> refuse_rounding = false;   // TensorFloat-32 and bfloat16
  std::atomic<int> create_status = 0;          // of cublasLtCreate
  std::atomic<int> product_status = 0;         // of cublasLtMatmul
};
Cublas& cublas();

}  // namespace tern::emulator
