#include <cstdio>

#include <tern/tern.h>

// Says which CUDA devices there are, or why there are none, and that all else works.

extern "C" [[gnu::visibility("default")]] int tell() {
  tern::manual_seed(1);  // seeds every device there is
  tern::cuda::empty_cache();
  const int count = tern::cuda::device_count();
  if (tern::cuda::is_available() != (count > 0)) return 1;
  if (tern::ones({2, 2}).sum().item<float>() != 4) return 2;
  for (int i = 0; i < count; ++i) {
    if (tern::ones({2, 2}, tern::Device(i)).sum().item<float>() != 4) return 3;
  }
  if (count > 0) {
    std::printf("%d devices, the first is %s\n", count, tern::cuda::get_device_name(0).c_str());
    return 0;
  }
  try {
    tern::ones({2}, tern::kCUDA);
    return 4;
  } catch (const tern::DeviceError& error) {
    const std::string text = error.what();
    if (text != "CUDA is not available: " + tern::cuda::unavailable_reason()) return 5;
  }
  std::puts(tern::cuda::unavailable_reason().c_str());
  return 0;
}
