#include <atomic>
#include <ostream>

#include <tern/core/base/detail/libtorch.h>
#include <tern/core/tensor/options.h>

namespace tern {
namespace {
// Both fields fit in one word, so that a reader never sees half of a change.
struct DefaultDevice {
  DeviceType type = kCPU;
  DeviceIndex index = -1;
};
std::atomic<DefaultDevice> default_device{DefaultDevice{}};
}  // namespace

Device get_default_device() {
  const DefaultDevice chosen = default_device.load(std::memory_order_relaxed);
  return chosen.index < 0 ? Device(chosen.type) : Device(chosen.type, chosen.index);
}

void set_default_device(Device device) {
  default_device.store(DefaultDevice{device.type(), device.index()}, std::memory_order_relaxed);
}

Device TensorOptions::device() const { return device_ ? *device_ : get_default_device(); }

TensorOptions TensorOptions::layout(std::optional<Layout> layout) const {
  TERN_CHECK(!layout || *layout == kStrided, NotImplementedError, "the layout ", *layout,
             " is not supported: tern has no sparse tensors");
  TensorOptions result = *this;
  result.layout_ = layout;
  return result;
}

std::ostream& operator<<(std::ostream& out, const TensorOptions& options) {
  const auto open = [](bool is_open) { return is_open ? " (default)" : ""; };
  const auto shown = [](bool value) { return value ? "true" : "false"; };
  if (detail::as_libtorch) {
    out << std::boolalpha << "TensorOptions(dtype=" << options.dtype() << open(!options.has_dtype())
        << ", device=" << options.device() << open(!options.has_device())
        << ", layout=" << options.layout() << open(!options.has_layout())
        << ", requires_grad=" << shown(options.requires_grad())
        << open(!options.has_requires_grad())
        << ", pinned_memory=" << shown(options.pinned_memory())
        << open(!options.has_pinned_memory()) << ", memory_format=";
    if (options.has_memory_format()) return out << *options.memory_format_opt() << ')';
    return out << "(nullopt))";
  }
  return out << "TensorOptions(dtype=" << dtype_info(options.dtype().toScalarType()).python_name
             << open(!options.dtype_opt()) << ", device=" << options.device()
             << open(!options.device_opt()) << ", requires_grad=" << shown(options.requires_grad())
             << ", pinned_memory=" << shown(options.pinned_memory()) << ')';
}

}  // namespace tern
