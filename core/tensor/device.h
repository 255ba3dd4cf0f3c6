#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include <tern/core/base/visibility.h>

namespace tern {

enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1, Meta = 2 };
constexpr int kDeviceTypes = 3;
using DeviceIndex = std::int32_t;

constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kMeta = DeviceType::Meta;

/// Where a tensor lives: a kind of device and an ordinal. Index -1 means the current device of that
/// kind; `cuda` is not equal to `cuda:0`.
///
/// Device("cpu"), Device("cuda"), Device("cuda:1"), Device(0) (an ordinal of cuda), kCUDA.
/// A device that does not exist can be named; using it is the error.
class TERN_API Device {
 public:
  constexpr Device(DeviceType type) : type_(type), index_(-1) {}
  /// Throws DeviceError for an index below -1, or a CPU index above 0.
  Device(DeviceType type, DeviceIndex index);
  /// Throws DeviceError for anything but name[:index] with a known name.
  Device(std::string_view text);
  Device(const std::string& text) : Device(std::string_view(text)) {}
  Device(const char* text) : Device(std::string_view(text)) {}
  /// cuda:index. Explicit: a bare integer is a device only where nothing else can be meant.
  explicit Device(int index);

  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool has_index() const { return index_ >= 0; }
  constexpr bool is_cpu() const { return type_ == kCPU; }
  constexpr bool is_cuda() const { return type_ == kCUDA; }
  constexpr bool is_meta() const { return type_ == kMeta; }
  /// cpu, cuda:1.
  std::string str() const;

  friend constexpr bool operator==(Device a, Device b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

/// cpu, cuda or meta.
TERN_API const char* device_type_name(DeviceType type);
TERN_API std::ostream& operator<<(std::ostream& out, Device device);
TERN_API std::ostream& operator<<(std::ostream& out, DeviceType type);

}  // namespace tern

template <>
struct std::hash<tern::Device> {
  std::size_t operator()(tern::Device device) const noexcept {
    return static_cast<std::size_t>(device.type()) * 1024 +
           static_cast<std::size_t>(device.index() + 1);
  }
};
