#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// The kinds of devices: the CPU, CUDA GPUs (or simulated ones), and meta, whose tensors have sizes
/// and a dtype but no elements.
enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1, Meta = 2 };
/// The number of kinds of devices.
constexpr int kDeviceTypes = 3;
/// The number of a device of one kind, from 0; -1 means the current one.
using DeviceIndex = std::int32_t;
/// A DeviceIndex as a parameter. No bool converts to it.
using StrictDeviceIndex = StrictInteger<DeviceIndex>;

/// Short names of the kinds of devices.
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kMeta = DeviceType::Meta;

/// The location of a tensor: a kind of device and an index. Index -1 means the current device of
/// that kind; `cuda` is not equal to `cuda:0`.
///
/// A device that does not exist can be named. Its use throws DeviceError.
///
/// Example:
///   tern::Device("cpu");
///   tern::Device("cuda");    // the current CUDA device
///   tern::Device("cuda:1");
///   tern::Device(0);         // cuda:0
///   tern::kCUDA;             // a kind; converts to Device
class TERN_API Device {
 public:
  /// The type of a kind.
  using Type = DeviceType;

  /// Makes the current device of a kind.
  constexpr Device(DeviceType type) : type_(type), index_(-1) {}
  /// Makes one device. Throws DeviceError for an index below -1, and for a CPU index above 0.
  Device(DeviceType type, DeviceIndex index);
  /// Parses "cpu", "cuda", "cuda:1" or "meta". Throws DeviceError for any other text and for a null
  /// pointer.
  Device(std::string_view text);
  Device(const std::string& text) : Device(std::string_view(text)) {}
  Device(const char* text) : Device(text ? std::string_view(text) : std::string_view()) {}
  /// Makes cuda:index. Explicit, because an integer is a device only where it cannot be anything
  /// else. Throws DeviceError for a negative index.
  explicit Device(int index);
  /// Refuses a bool.
  template <class T>
  requires detail::kIsBool<T>
  explicit Device(T) = delete;
  Device(std::nullptr_t) = delete;

  /// Returns the kind of the device.
  constexpr DeviceType type() const { return type_; }
  /// Returns the index of the device; -1 for the current one.
  constexpr DeviceIndex index() const { return index_; }
  /// Returns true when the device has an index.
  constexpr bool has_index() const { return index_ >= 0; }
  /// Replaces the index. Throws DeviceError as the constructor does.
  void set_index(DeviceIndex index) { *this = Device(type_, index); }
  /// Returns true for the CPU.
  constexpr bool is_cpu() const { return type_ == kCPU; }
  /// Returns true for a CUDA device.
  constexpr bool is_cuda() const { return type_ == kCUDA; }
  /// Returns true for meta.
  constexpr bool is_meta() const { return type_ == kMeta; }
  /// Returns the text that names the device: cpu, cuda:1.
  std::string str() const;

  /// Compares kind and index.
  friend constexpr bool operator==(Device a, Device b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

/// Returns "cpu", "cuda" or "meta".
TERN_API const char* device_type_name(DeviceType type);
/// Prints cpu, cuda:1 or cuda.
TERN_API std::ostream& operator<<(std::ostream& out, Device device);
TERN_API std::ostream& operator<<(std::ostream& out, DeviceType type);

}  // namespace tern

/// Makes Device a key of unordered containers.
template <>
struct std::hash<tern::Device> {
  /// Returns a different number for every device.
  std::size_t operator()(tern::Device device) const noexcept {
    return static_cast<std::size_t>(device.type()) * 1024 +
           static_cast<std::size_t>(device.index() + 1);
  }
};
