#include <tern/core/tensor/device.h>

#include <charconv>
#include <ostream>

#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/error.h>

namespace tern {
namespace {

// The names of PyTorch's devices, of which tern supports three.
constexpr const char* kKnownNames =
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
    "mps, meta, hpu, mtia, privateuseone";

bool is_listed(std::string_view name) {
  std::string_view rest = kKnownNames;
  while (!rest.empty()) {
    const std::size_t end = rest.find(", ");
    if (rest.substr(0, end) == name) return true;
    rest = end == std::string_view::npos ? "" : rest.substr(end + 2);
  }
  return false;
}

DeviceType parse_type(std::string_view name) {
  for (DeviceType type : {kCPU, kCUDA, kMeta}) {
    if (name == device_type_name(type)) return type;
  }
  TERN_CHECK(!is_listed(name), DeviceError, "tern is not linked with support for ", name,
             " devices, only for cpu, cuda and meta");
  detail::raise<DeviceError>("Expected one of ",
                             detail::as_libtorch ? kKnownNames : "cpu, cuda, meta",
                             " device type at start of device string: ", name);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == text.npos;
}

// Returns true for digits without a leading zero.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos &&
         (text.size() == 1 || text[0] != '0');
}

DeviceIndex parse_index(std::string_view digits, std::string_view text) {
  DeviceIndex index = -1;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  TERN_CHECK(error == std::errc(), DeviceError, "Could not parse device index '", digits,
             "' in device string '", text, "'");
  return index;
}

void check_index(DeviceType type, DeviceIndex index) {
  TERN_CHECK(index >= -1, DeviceError, "Device index must be -1 or non-negative, got ", index);
  TERN_CHECK(type != kCPU || index <= 0, DeviceError, "CPU device index must be -1 or zero, got ",
             index);
}

}  // namespace

Device::Device(DeviceType type, DeviceIndex index) : type_(type), index_(index) {
  check_index(type, index);
}

Device::Device(int index) : type_(kCUDA), index_(index) {
  TERN_CHECK(index >= 0, DeviceError, "Device index must not be negative, got ", index);
}

Device::Device(std::string_view text) : type_(kCPU), index_(-1) {
  TERN_CHECK(!text.empty(), DeviceError, "Device string must not be empty");
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const bool has_index = colon != std::string_view::npos;
  const std::string_view digits = has_index ? text.substr(colon + 1) : "0";
  TERN_CHECK(is_name(name) && is_number(digits), DeviceError, "Invalid device string: '", text,
             "'");
  type_ = parse_type(name);
  if (has_index) index_ = parse_index(digits, text);
  check_index(type_, index_);
}

std::string Device::str() const {
  const std::string name = device_type_name(type_);
  return has_index() ? name + ":" + std::to_string(index_) : name;
}

const char* device_type_name(DeviceType type) {
  switch (type) {
    case DeviceType::CPU:
      return "cpu";
    case DeviceType::CUDA:
      return "cuda";
    case DeviceType::Meta:
      return "meta";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, Device device) { return out << device.str(); }
std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << device_type_name(type);
}

}  // namespace tern
