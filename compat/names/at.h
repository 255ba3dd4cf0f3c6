#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <tern/compat/names/c10.h>

namespace at {
using namespace c10;

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

// The norms with libtorch's last argument, whether cuDNN may compute them. It changes nothing.

/// Returns tern::batch_norm().
inline Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                         const Tensor& running_mean, const Tensor& running_var,
                         ::tern::StrictBool training, double momentum, double eps,
                         ::tern::StrictBool /*cudnn_enabled*/) {
  return tern::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps);
}
/// Returns tern::instance_norm().
inline Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                            const Tensor& running_mean, const Tensor& running_var,
                            ::tern::StrictBool use_input_stats, double momentum, double eps,
                            ::tern::StrictBool /*cudnn_enabled*/) {
  return tern::instance_norm(input, weight, bias, running_mean, running_var, use_input_stats,
                             momentum, eps);
}
/// Returns tern::layer_norm().
inline Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                         const Tensor& bias, double eps, ::tern::StrictBool /*cudnn_enable*/) {
  return tern::layer_norm(input, normalized_shape, weight, bias, eps);
}
/// Returns tern::group_norm().
inline Tensor group_norm(const Tensor& input, ::tern::StrictInt num_groups, const Tensor& weight,
                         const Tensor& bias, double eps, ::tern::StrictBool /*cudnn_enabled*/) {
  return tern::group_norm(input, num_groups, weight, bias, eps);
}

/// Returns the sizes that both broadcast to. Throws ShapeError if there are none.
inline std::vector<std::int64_t> infer_size(IntArrayRef a, IntArrayRef b) {
  return (::tern::empty(a, kMeta) + ::tern::empty(b, kMeta)).sizes().vec();
}
/// Returns a tensor without dimensions that holds a number in the dtype of Scalar::type().
inline Tensor scalar_to_tensor(const Scalar& number, Device device = kCPU) {
  return ::tern::scalar_tensor(number, ::tern::dtype(number.type()).device(device));
}

}  // namespace at
