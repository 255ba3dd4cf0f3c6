#include <tern/core/base/error.h>
#include <tern/core/tensor/device.h>

#include "input.h"

// Any text as the name of a device: an error, or a device whose own name leads back to it.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tern::Device device(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!(tern::Device(device.str()) == device)) throw std::logic_error("another device");
  } catch (const tern::DeviceError&) {
  }
  return 0;
}
