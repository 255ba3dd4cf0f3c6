#pragma once

// Factories with the options of a tensor one by one, and numbers in tensors.

#include <cstdint>
#include <optional>
#include <utility>

#include <tern/compat/names/at.h>

namespace tern::compat {

/// Returns the options of a new tensor, which libtorch's functions also take one by one.
inline TensorOptions options_of(std::optional<ScalarType> dtype, std::optional<Layout> layout,
                                std::optional<Device> device, std::optional<bool> pin_memory) {
  return TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory);
}

/// Returns the number of a tensor without dimensions.
inline Scalar number_of(const char* function, const char* name, const Tensor& value) {
  TERN_CHECK(value.dim() == 0, Error, function,
             " only supports 0-dimensional start and end tensors, but got ", name, " with ",
             value.dim(), " dimension(s).");
  return value.item();
}

}  // namespace tern::compat

namespace at {
namespace compat = ::tern::compat;

// Ends that are tensors without dimensions.
inline Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps,
                       const TensorOptions& options = {}) {
  return ::tern::linspace(compat::number_of("linspace", "start", start),
                          compat::number_of("linspace", "end", end), steps, options);
}
inline Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps,
                       const TensorOptions& options = {}) {
  return ::tern::linspace(compat::number_of("linspace", "start", start), end, steps, options);
}
inline Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps,
                       const TensorOptions& options = {}) {
  return ::tern::linspace(start, compat::number_of("linspace", "end", end), steps, options);
}
inline Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps,
                       double base = 10.0, const TensorOptions& options = {}) {
  return ::tern::logspace(compat::number_of("logspace", "start", start),
                          compat::number_of("logspace", "end", end), steps, base, options);
}
inline Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps,
                       double base = 10.0, const TensorOptions& options = {}) {
  return ::tern::logspace(compat::number_of("logspace", "start", start), end, steps, base, options);
}
inline Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps,
                       double base = 10.0, const TensorOptions& options = {}) {
  return ::tern::logspace(start, compat::number_of("logspace", "end", end), steps, base, options);
}

/// Returns tern's randint_like() with the number in `high`.
inline Tensor randint_like(const Tensor& self, const Tensor& high,
                           const TensorOptions& options = {},
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return ::tern::randint_like(self, high.item().toLong(), options, memory_format);
}
inline Tensor randint_like(const Tensor& self, const Tensor& high,
                           std::optional<Generator> generator, const TensorOptions& options = {},
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return ::tern::randint_like(self, high.item().toLong(), std::move(generator), options,
                              memory_format);
}
// Options one by one; see compat::options_of().
#define TERN_OPTIONS                                                                           \
  std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device, \
      std::optional<bool> pin_memory
#define TERN_PARTS dtype, layout, device, pin_memory
inline Tensor arange(const Scalar& end, TERN_OPTIONS) {
  return ::tern::arange(end, compat::options_of(TERN_PARTS));
}
inline Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TERN_OPTIONS) {
  return ::tern::arange(start, end, step, compat::options_of(TERN_PARTS));
}
inline Tensor arange(const Scalar& start, const Scalar& end, TERN_OPTIONS) {
  return ::tern::arange(start, end, compat::options_of(TERN_PARTS));
}
inline Tensor bartlett_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::bartlett_window(window_length, compat::options_of(TERN_PARTS));
}
inline Tensor bartlett_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::bartlett_window(window_length, periodic, compat::options_of(TERN_PARTS));
}
inline Tensor blackman_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::blackman_window(window_length, compat::options_of(TERN_PARTS));
}
inline Tensor blackman_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::blackman_window(window_length, periodic, compat::options_of(TERN_PARTS));
}
inline Tensor empty(IntArrayRef size, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::empty(size, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor empty_like(const Tensor& self, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::empty_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TERN_OPTIONS) {
  return ::tern::empty_strided(size, stride, compat::options_of(TERN_PARTS));
}
inline Tensor eye(std::int64_t n, std::int64_t m, TERN_OPTIONS) {
  return ::tern::eye(n, m, compat::options_of(TERN_PARTS));
}
inline Tensor eye(std::int64_t n, TERN_OPTIONS) {
  return ::tern::eye(n, compat::options_of(TERN_PARTS));
}
inline Tensor full(IntArrayRef size, const Scalar& fill_value, TERN_OPTIONS) {
  return ::tern::full(size, fill_value, compat::options_of(TERN_PARTS));
}
inline Tensor full_like(const Tensor& self, const Scalar& fill_value, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::full_like(self, fill_value, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor hamming_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, compat::options_of(TERN_PARTS));
}
inline Tensor hamming_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, periodic, compat::options_of(TERN_PARTS));
}
inline Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha,
                             TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, periodic, alpha, compat::options_of(TERN_PARTS));
}
inline Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, double beta,
                             TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, periodic, alpha, beta,
                                compat::options_of(TERN_PARTS));
}
inline Tensor hann_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::hann_window(window_length, compat::options_of(TERN_PARTS));
}
inline Tensor hann_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::hann_window(window_length, periodic, compat::options_of(TERN_PARTS));
}
inline Tensor kaiser_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::kaiser_window(window_length, compat::options_of(TERN_PARTS));
}
inline Tensor kaiser_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::kaiser_window(window_length, periodic, compat::options_of(TERN_PARTS));
}
inline Tensor kaiser_window(std::int64_t window_length, bool periodic, double beta, TERN_OPTIONS) {
  return ::tern::kaiser_window(window_length, periodic, beta, compat::options_of(TERN_PARTS));
}
inline Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS) {
  return ::tern::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Scalar& start, const Scalar& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return ::tern::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor normal(double mean, double std, IntArrayRef size, std::optional<Generator> generator,
                     TERN_OPTIONS) {
  return ::tern::normal(mean, std, size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor ones(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::ones(size, compat::options_of(TERN_PARTS));
}
inline Tensor ones_like(const Tensor& self, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::ones_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor rand(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::rand(size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor rand(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::rand(size, compat::options_of(TERN_PARTS));
}
inline Tensor rand_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::rand_like(self, std::move(generator), compat::options_of(TERN_PARTS),
                           memory_format);
}
inline Tensor rand_like(const Tensor& self, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::rand_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randint(std::int64_t high, IntArrayRef size, std::optional<Generator> generator,
                      TERN_OPTIONS) {
  return ::tern::randint(high, size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randint(std::int64_t high, IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randint(high, size, compat::options_of(TERN_PARTS));
}
inline Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size,
                      std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randint(low, high, size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randint(low, high, size, compat::options_of(TERN_PARTS));
}
inline Tensor randint_like(const Tensor& self, std::int64_t high,
                           std::optional<Generator> generator, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high, std::move(generator), compat::options_of(TERN_PARTS),
                              memory_format);
}
inline Tensor randint_like(const Tensor& self, std::int64_t high, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high,
                           std::optional<Generator> generator, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, low, high, std::move(generator), compat::options_of(TERN_PARTS),
                              memory_format);
}
inline Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, low, high, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randn(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randn(size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randn(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randn(size, compat::options_of(TERN_PARTS));
}
inline Tensor randn_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::randn_like(self, std::move(generator), compat::options_of(TERN_PARTS),
                            memory_format);
}
inline Tensor randn_like(const Tensor& self, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::randn_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randperm(std::int64_t n, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randperm(n, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randperm(std::int64_t n, TERN_OPTIONS) {
  return ::tern::randperm(n, compat::options_of(TERN_PARTS));
}
inline Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, TERN_OPTIONS) {
  return ::tern::range(start, end, step, compat::options_of(TERN_PARTS));
}
inline Tensor range(const Scalar& start, const Scalar& end, TERN_OPTIONS) {
  return ::tern::range(start, end, compat::options_of(TERN_PARTS));
}
inline Tensor scalar_tensor(const Scalar& s, TERN_OPTIONS) {
  return ::tern::scalar_tensor(s, compat::options_of(TERN_PARTS));
}
inline Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS) {
  return ::tern::tril_indices(row, col, offset, compat::options_of(TERN_PARTS));
}
inline Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS) {
  return ::tern::triu_indices(row, col, offset, compat::options_of(TERN_PARTS));
}
inline Tensor zeros(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::zeros(size, compat::options_of(TERN_PARTS));
}
inline Tensor zeros_like(const Tensor& self, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::zeros_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS) {
  return at::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS) {
  return at::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS) {
  return at::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return at::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return at::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return at::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor randint_like(const Tensor& self, const Tensor& high, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return at::randint_like(self, high, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randint_like(const Tensor& self, const Tensor& high,
                           std::optional<Generator> generator, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return at::randint_like(self, high, std::move(generator), compat::options_of(TERN_PARTS),
                          memory_format);
}
#undef TERN_PARTS
#undef TERN_OPTIONS

}  // namespace at
