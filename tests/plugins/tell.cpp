#include <cstdio>

#include <tern/tern.h>

// Says why there is no CUDA, and that all else works.

int main() {
  tern::manual_seed(1);  // seeds every device there is: none
  tern::cuda::empty_cache();
  if (tern::cuda::is_available() || tern::cuda::device_count() != 0) return 1;
  if (tern::ones({2, 2}).sum().item<float>() != 4) return 2;
  try {
    tern::ones({2}, tern::kCUDA);
    return 3;
  } catch (const tern::DeviceError& error) {
    const std::string text = error.what();
    if (text != "CUDA is not available: " + tern::cuda::unavailable_reason()) return 4;
  }
  std::puts(tern::cuda::unavailable_reason().c_str());
  return 0;
}
