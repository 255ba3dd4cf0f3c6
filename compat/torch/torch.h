#pragma once

// Lets programs written for the C++ frontend of PyTorch compile against tern: provides #include
// <torch/torch.h>, the namespaces torch, at and c10, and their macros. All names are aliases:
// torch::Tensor is tern::Tensor. Including this header makes tensors and modules print as libtorch
// does, in the whole program.

// Standard headers that such programs get from torch.h and rely on.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tern/compat/macros.h>
#include <tern/compat/print.h>
#include <tern/nn/data/data.h>
#include <tern/nn/nn.h>
#include <tern/nn/optim/optim.h>
#include <tern/tern.h>

/// The major version of PyTorch whose names, rules and error texts tern follows, for programs that
/// ask for it. TERN_VERSION is tern's own version.
#define TORCH_VERSION_MAJOR 2
/// The minor version of PyTorch.
#define TORCH_VERSION_MINOR 15
/// The patch version of PyTorch.
#define TORCH_VERSION_PATCH 0
/// The whole version of PyTorch as text.
#define TORCH_VERSION "2.15.0"

/// Expands to nothing: a program decides itself what it exports.
#define TORCH_API

/// Defines the holder `Name` of the module `NameImpl`, like TERN_MODULE.
#define TORCH_MODULE(Name) TERN_MODULE(Name)
/// Defines the holder `Name` of the module `Impl`, like TERN_MODULE_IMPL.
#define TORCH_MODULE_IMPL(Name, Impl) TERN_MODULE_IMPL(Name, Impl)
/// Defines an option with its getter and setter, like TERN_ARG.
#define TORCH_ARG(Type, name) TERN_ARG(Type, name)
/// Gives the last arguments of forward() their defaults, like TERN_FORWARD_HAS_DEFAULT_ARGS.
#define FORWARD_HAS_DEFAULT_ARGS(...) TERN_FORWARD_HAS_DEFAULT_ARGS(__VA_ARGS__)

namespace tern::compat {

/// Makes the program print like libtorch before main() starts.
inline const bool printing_is_libtorch = use_libtorch_printing();

// The norms with libtorch's last argument, whether cuDNN may compute them. It changes nothing.

/// Returns tern::batch_norm().
inline Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                         const Tensor& running_mean, const Tensor& running_var, StrictBool training,
                         double momentum, double eps, StrictBool /*cudnn_enabled*/) {
  return tern::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
}
/// Returns tern::instance_norm().
inline Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                            const Tensor& running_mean, const Tensor& running_var,
                            StrictBool use_input_stats, double momentum, double eps,
                            StrictBool /*cudnn_enabled*/) {
  return tern::instance_norm(input, weight, bias, running_mean, running_var, use_input_stats,
                             momentum, eps);
}
/// Returns tern::layer_norm().
inline Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                         const Tensor& bias, double eps, StrictBool /*cudnn_enable*/) {
  return tern::layer_norm(input, normalized_shape, weight, bias, eps);
}
/// Returns tern::group_norm().
inline Tensor group_norm(const Tensor& input, StrictInt num_groups, const Tensor& weight,
                         const Tensor& bias, double eps, StrictBool /*cudnn_enabled*/) {
  return tern::group_norm(input, num_groups, weight, bias, eps);
}

/// Returns tern::softmax(), of the input converted to `dtype` if one is given.
inline Tensor softmax(const Tensor& input, std::int64_t dim,
                      std::optional<ScalarType> dtype = std::nullopt) {
  return tern::softmax(dtype ? input.to(*dtype) : input, dim);
}
/// Returns tern::log_softmax(), of the input converted to `dtype` if one is given.
inline Tensor log_softmax(const Tensor& input, std::int64_t dim,
                          std::optional<ScalarType> dtype = std::nullopt) {
  return tern::log_softmax(dtype ? input.to(*dtype) : input, dim);
}
/// Returns tern::maximum().
inline Tensor max(const Tensor& input, const Tensor& other) { return maximum(input, other); }
/// Returns tern::minimum().
inline Tensor min(const Tensor& input, const Tensor& other) { return minimum(input, other); }

}  // namespace tern::compat

namespace tern::autograd {
/// The former name of a tensor with autograd.
using Variable = Tensor;
/// A list of tensors, such as the gradients of a Function.
using tensor_list = variable_list;
}  // namespace tern::autograd

namespace c10 {
using namespace ::tern;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;
using ::tern::compat::TypeError;
using ::tern::compat::ValueError;

/// Makes a device current until the end of its scope, or does nothing without a device.
class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  /// Does the same as reset_device(), unless `device` is empty.
  explicit OptionalDeviceGuard(optional<Device> device) {
    if (device) reset_device(*device);
  }
  /// Makes `device` current; the end of the scope restores the device before the guard.
  void reset_device(Device device) {
    guard_.reset();
    guard_.emplace(device);
  }

 private:
  optional<DeviceGuard> guard_;
};

/// Returns the arguments as one string, each written with operator<<.
template <class... Parts>
std::string str(const Parts&... parts) {
  return ::tern::detail::text_of(parts...);
}
}  // namespace c10

namespace at {
using namespace ::tern;
using c10::make_optional;
using c10::nullopt;
using c10::nullopt_t;
using c10::optional;
using c10::OptionalDeviceGuard;
using c10::str;
using c10::string_view;
using ::tern::batch_norm;
using ::tern::group_norm;
using ::tern::instance_norm;
using ::tern::layer_norm;
using ::tern::max;
using ::tern::min;
using ::tern::compat::batch_norm;
using ::tern::compat::group_norm;
using ::tern::compat::instance_norm;
using ::tern::compat::layer_norm;
using ::tern::compat::log_softmax;
using ::tern::compat::max;
using ::tern::compat::min;
using ::tern::compat::softmax;

/// The class of the CPU's generators, for make_generator().
struct CPUGeneratorImpl {};
/// Returns a generator for the CPU, seeded with `seed`.
template <class Impl>
Generator make_generator(std::uint64_t seed = Mt19937::kDefaultSeed) {
  static_assert(std::is_same_v<Impl, CPUGeneratorImpl>,
                "make_generator makes generators for the CPU; write Generator(Device(\"cuda:0\"))");
  return Generator().manual_seed(seed);
}

namespace detail {
using namespace ::tern::detail;
/// Returns a generator for the CPU, seeded with `seed`.
inline Generator createCPUGenerator(std::uint64_t seed = Mt19937::kDefaultSeed) {
  return Generator().manual_seed(seed);
}
/// Returns the CPU's default generator.
inline Generator& getDefaultCPUGenerator() { return default_generator(kCPU); }
}  // namespace detail

/// Returns the device of a tensor, nothing for an undefined one.
inline optional<Device> device_of(const Tensor& tensor) {
  return tensor.defined() ? optional<Device>(tensor.device()) : nullopt;
}

/// How float32 matrix products may round; see set_float32_matmul_precision().
enum class Float32MatmulPrecision { HIGHEST, HIGH, MEDIUM };

/// The settings of libtorch that tern has.
class Context {
 public:
  /// Does the same as set_float32_matmul_precision().
  void setFloat32MatmulPrecision(const std::string& precision) {
    ::tern::set_float32_matmul_precision(precision);
  }
  /// Returns the precision named by get_float32_matmul_precision().
  Float32MatmulPrecision float32MatmulPrecision() const {
    const string_view name = ::tern::get_float32_matmul_precision();
    if (name == "highest") return Float32MatmulPrecision::HIGHEST;
    return name == "high" ? Float32MatmulPrecision::HIGH : Float32MatmulPrecision::MEDIUM;
  }

  /// Lets float32 products round to 10 bits of fraction, or forbids it.
  void setAllowTF32CuBLAS(bool on) {
    ::tern::set_float32_matmul_precision(on ? "high" : "highest");
  }
  /// Returns true unless the precision is "highest".
  bool allowTF32CuBLAS() const { return ::tern::get_float32_matmul_precision() != "highest"; }
  /// Returns cuda::is_available().
  bool hasCUDA() const { return ::tern::cuda::is_available(); }

  /// Does the same as use_deterministic_algorithms().
  void setDeterministicAlgorithms(bool on, bool warn_only) {
    ::tern::use_deterministic_algorithms(on, warn_only);
  }
  /// Returns are_deterministic_algorithms_enabled().
  bool deterministicAlgorithms() const { return ::tern::are_deterministic_algorithms_enabled(); }
  /// Returns is_deterministic_algorithms_warn_only_enabled().
  bool deterministicAlgorithmsWarnOnly() const {
    return ::tern::is_deterministic_algorithms_warn_only_enabled();
  }

  /// Sets backends::cudnn.enabled.
  void setUserEnabledCuDNN(bool on) { ::tern::backends::cudnn.enabled = on; }
  /// Returns backends::cudnn.enabled.
  bool userEnabledCuDNN() const { return ::tern::backends::cudnn.enabled; }
  /// Sets backends::cudnn.benchmark.
  void setBenchmarkCuDNN(bool on) { ::tern::backends::cudnn.benchmark = on; }
  /// Returns backends::cudnn.benchmark.
  bool benchmarkCuDNN() const { return ::tern::backends::cudnn.benchmark; }
  /// Sets backends::cudnn.deterministic.
  void setDeterministicCuDNN(bool on) { ::tern::backends::cudnn.deterministic = on; }
  /// Returns backends::cudnn.deterministic.
  bool deterministicCuDNN() const { return ::tern::backends::cudnn.deterministic; }
  /// Sets backends::cudnn.allow_tf32.
  void setAllowTF32CuDNN(bool on) { ::tern::backends::cudnn.allow_tf32 = on; }
  /// Returns backends::cudnn.allow_tf32.
  bool allowTF32CuDNN() const { return ::tern::backends::cudnn.allow_tf32; }
};

/// Returns the one Context.
inline Context& globalContext() {
  static Context context;
  return context;
}
}  // namespace at

namespace torch {
using namespace ::tern;
using c10::make_optional;
using c10::nullopt;
using c10::nullopt_t;
using c10::optional;
using c10::OptionalDeviceGuard;
using c10::str;
using c10::string_view;
using ::tern::batch_norm;
using ::tern::group_norm;
using ::tern::instance_norm;
using ::tern::layer_norm;
using ::tern::max;
using ::tern::min;
using ::tern::compat::batch_norm;
using ::tern::compat::group_norm;
using ::tern::compat::instance_norm;
using ::tern::compat::layer_norm;
using ::tern::compat::log_softmax;
using ::tern::compat::max;
using ::tern::compat::min;
using ::tern::compat::softmax;

using at::device_of;

using ::tern::is_floating_point;
/// Returns Tensor::is_floating_point().
inline bool is_floating_point(const Tensor& tensor) { return tensor.is_floating_point(); }
/// Returns the size of an element in bytes.
inline std::size_t elementSize(ScalarType dtype) { return element_size(dtype); }
/// Returns the name of a dtype, such as "Float".
inline const char* toString(ScalarType dtype) { return dtype_info(dtype).name; }
/// Returns its argument: tern's tensors have one class of dtypes.
inline ScalarType typeMetaToScalarType(ScalarType dtype) { return dtype; }
/// Changes nothing: one thread pool computes all ops.
inline void set_num_interop_threads(int /*threads*/) {}
/// Changes nothing: the thread pool starts at its first use.
inline void init_num_threads() {}

/// Writes a tensor in libtorch's form. Wide matrices are divided into blocks of `linesize` columns.
inline std::ostream& print(std::ostream& stream, const Tensor& tensor, std::int64_t linesize) {
  ::tern::compat::print(stream, tensor, linesize);
  return stream;
}
}  // namespace torch

namespace caffe2 {
/// The class of Tensor::dtype().
using TypeMeta = ::tern::ScalarType;
}  // namespace caffe2

namespace tern::compat {
/// Returns a number in a form that no locale changes; returns other values unchanged.
template <class T>
decltype(auto) in_no_locale(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return Scalar(value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) > 1) {
    return std::to_string(value);
  } else {
    return (value);
  }
}

/// Writes at most 100 elements with spaces between them.
template <class Sequence>
std::ostream& print_sequence(std::ostream& out, const Sequence& elements) {
  int index = 0;
  for (const auto& element : elements) {
    if (index == 100) return out << " ...";
    out << (index++ > 0 ? " " : "") << in_no_locale(element);
  }
  return out;
}
}  // namespace tern::compat

// libtorch prints containers of the standard library, too: the elements with spaces between them.
// NOLINTBEGIN(cert-dcl58-cpp): only there operator<< finds them
namespace std {
/// Prints a pair as libtorch does.
template <class First, class Second>
ostream& operator<<(ostream& out, const pair<First, Second>& both) {
  return out << '(' << ::tern::compat::in_no_locale(both.first) << ", "
             << ::tern::compat::in_no_locale(both.second) << ')';
}
/// Prints a vector as libtorch does.
template <class... Types>
ostream& operator<<(ostream& out, const vector<Types...>& elements) {
  return ::tern::compat::print_sequence(out, elements);
}
/// Prints a map as libtorch does.
template <class... Types>
ostream& operator<<(ostream& out, const map<Types...>& elements) {
  return ::tern::compat::print_sequence(out, elements);
}
/// Prints a set as libtorch does.
template <class... Types>
ostream& operator<<(ostream& out, const set<Types...>& elements) {
  return ::tern::compat::print_sequence(out, elements);
}
}  // namespace std
// NOLINTEND(cert-dcl58-cpp)
