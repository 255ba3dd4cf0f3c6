#include <tern/tern.h>

#include <cstdio>

// The plugin that libtern finds, or why there is none.
int main() {
  if (tern::cuda::is_available()) {
    std::printf("%d devices\n", static_cast<int>(tern::cuda::device_count()));
  } else {
    std::printf("%s\n", tern::cuda::unavailable_reason().c_str());
  }
}
