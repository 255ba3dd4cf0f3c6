#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tern/compat/macros.h>
#include <tern/compat/names/dtype.h>
#include <tern/compat/names/generated/names.h>
#include <tern/compat/names/irange.h>
#include <tern/compat/names/tempfile.h>
#include <tern/compat/names/warning.h>
#include <tern/core/base/intrusive_ptr.h>
#include <tern/tern.h>

namespace tern::compat {

/// A guard that does nothing until it gets a device.
template <class Guard, class Device>
class OptionalGuard {
 public:
  OptionalGuard() = default;
  /// Does the same as reset_device(), unless `device` is empty.
  explicit OptionalGuard(std::optional<Device> device) {
    if (device) reset_device(*device);
  }
  /// Makes `device` current; the end of the scope restores the device before the guard.
  void reset_device(Device device) {
    guard_.reset();
    guard_.emplace(device);
  }

 private:
  std::optional<Guard> guard_;
};

}  // namespace tern::compat

namespace c10 {
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;
using ::tern::compat::TypeError;
using ::tern::compat::ValueError;

/// Makes a device current until the end of its scope, or does nothing without a device.
using OptionalDeviceGuard = ::tern::compat::OptionalGuard<DeviceGuard, Device>;

/// Returns the arguments as one string, each written with operator<<.
template <class... Parts>
std::string str(const Parts&... parts) {
  return ::tern::detail::text_of(parts...);
}

/// Returns the elements of a container as one string, with `delimiter` between them.
template <class Container>
std::string Join(const std::string& delimiter, const Container& elements) {
  std::string text;
  const char* before = "";
  for (const auto& element : elements) {
    text += before + str(element);
    before = delimiter.c_str();
  }
  return text;
}

/// The base class of objects that intrusive_ptr counts.
using intrusive_ptr_target = ::tern::RefCounted;
/// A pointer that shares the ownership of an object with a count.
template <class T>
using intrusive_ptr = ::tern::IntrusivePtr<T>;
using ::tern::make_intrusive;

}  // namespace c10
