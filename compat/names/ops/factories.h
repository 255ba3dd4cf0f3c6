#pragma once

// Factories with the options of a tensor one by one, and numbers in tensors.

#include <cstdint>
#include <optional>

#include <tern/compat/names/generated/names.h>
#include <tern/core/base/visibility.h>

namespace tern::compat {

// Ends that are tensors without dimensions.
TERN_API Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps,
                         const TensorOptions& options = {});
TERN_API Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps,
                         const TensorOptions& options = {});
TERN_API Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps,
                         const TensorOptions& options = {});
TERN_API Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps,
                         double base = 10.0, const TensorOptions& options = {});
TERN_API Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps,
                         double base = 10.0, const TensorOptions& options = {});
TERN_API Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps,
                         double base = 10.0, const TensorOptions& options = {});

/// Returns tern's randint_like() with the number in `high`.
TERN_API Tensor randint_like(const Tensor& self, const Tensor& high,
                             const TensorOptions& options = {},
                             std::optional<MemoryFormat> memory_format = std::nullopt);
TERN_API Tensor randint_like(const Tensor& self, const Tensor& high,
                             std::optional<Generator> generator, const TensorOptions& options = {},
                             std::optional<MemoryFormat> memory_format = std::nullopt);

// Options one by one.
#define TERN_OPTIONS                                                                           \
  std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device, \
      std::optional<bool> pin_memory
TERN_API Tensor arange(const Scalar& end, TERN_OPTIONS);
TERN_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TERN_OPTIONS);
TERN_API Tensor arange(const Scalar& start, const Scalar& end, TERN_OPTIONS);
TERN_API Tensor empty(IntArrayRef size, TERN_OPTIONS, std::optional<MemoryFormat> memory_format);
TERN_API Tensor empty_like(const Tensor& self, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format);
TERN_API Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TERN_OPTIONS);
TERN_API Tensor eye(std::int64_t n, std::int64_t m, TERN_OPTIONS);
TERN_API Tensor eye(std::int64_t n, TERN_OPTIONS);
TERN_API Tensor full(IntArrayRef size, const Scalar& fill_value, TERN_OPTIONS);
TERN_API Tensor full_like(const Tensor& self, const Scalar& fill_value, TERN_OPTIONS,
                          std::optional<MemoryFormat> memory_format);
TERN_API Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS);
TERN_API Tensor logspace(const Scalar& start, const Scalar& end, std::int64_t steps, double base,
                         TERN_OPTIONS);
TERN_API Tensor normal(double mean, double std, IntArrayRef size,
                       std::optional<Generator> generator, TERN_OPTIONS);
TERN_API Tensor ones(IntArrayRef size, TERN_OPTIONS);
TERN_API Tensor ones_like(const Tensor& self, TERN_OPTIONS,
                          std::optional<MemoryFormat> memory_format);
TERN_API Tensor rand(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS);
TERN_API Tensor rand(IntArrayRef size, TERN_OPTIONS);
TERN_API Tensor rand_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                          std::optional<MemoryFormat> memory_format);
TERN_API Tensor rand_like(const Tensor& self, TERN_OPTIONS,
                          std::optional<MemoryFormat> memory_format);
TERN_API Tensor randint(std::int64_t high, IntArrayRef size, std::optional<Generator> generator,
                        TERN_OPTIONS);
TERN_API Tensor randint(std::int64_t high, IntArrayRef size, TERN_OPTIONS);
TERN_API Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size,
                        std::optional<Generator> generator, TERN_OPTIONS);
TERN_API Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, TERN_OPTIONS);
TERN_API Tensor randint_like(const Tensor& self, std::int64_t high,
                             std::optional<Generator> generator, TERN_OPTIONS,
                             std::optional<MemoryFormat> memory_format);
TERN_API Tensor randint_like(const Tensor& self, std::int64_t high, TERN_OPTIONS,
                             std::optional<MemoryFormat> memory_format);
TERN_API Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high,
                             std::optional<Generator> generator, TERN_OPTIONS,
                             std::optional<MemoryFormat> memory_format);
TERN_API Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high, TERN_OPTIONS,
                             std::optional<MemoryFormat> memory_format);
TERN_API Tensor randn(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS);
TERN_API Tensor randn(IntArrayRef size, TERN_OPTIONS);
TERN_API Tensor randn_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format);
TERN_API Tensor randn_like(const Tensor& self, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format);
TERN_API Tensor randperm(std::int64_t n, std::optional<Generator> generator, TERN_OPTIONS);
TERN_API Tensor randperm(std::int64_t n, TERN_OPTIONS);
TERN_API Tensor bartlett_window(std::int64_t window_length, TERN_OPTIONS);
TERN_API Tensor bartlett_window(std::int64_t window_length, bool periodic, TERN_OPTIONS);
TERN_API Tensor blackman_window(std::int64_t window_length, TERN_OPTIONS);
TERN_API Tensor blackman_window(std::int64_t window_length, bool periodic, TERN_OPTIONS);
TERN_API Tensor hamming_window(std::int64_t window_length, TERN_OPTIONS);
TERN_API Tensor hamming_window(std::int64_t window_length, bool periodic, TERN_OPTIONS);
TERN_API Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha,
                               TERN_OPTIONS);
TERN_API Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, double beta,
                               TERN_OPTIONS);
TERN_API Tensor hann_window(std::int64_t window_length, TERN_OPTIONS);
TERN_API Tensor hann_window(std::int64_t window_length, bool periodic, TERN_OPTIONS);
TERN_API Tensor kaiser_window(std::int64_t window_length, TERN_OPTIONS);
TERN_API Tensor kaiser_window(std::int64_t window_length, bool periodic, TERN_OPTIONS);
TERN_API Tensor kaiser_window(std::int64_t window_length, bool periodic, double beta, TERN_OPTIONS);
TERN_API Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, TERN_OPTIONS);
TERN_API Tensor range(const Scalar& start, const Scalar& end, TERN_OPTIONS);
TERN_API Tensor scalar_tensor(const Scalar& s, TERN_OPTIONS);
TERN_API Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS);
TERN_API Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS);
TERN_API Tensor zeros(IntArrayRef size, TERN_OPTIONS);
TERN_API Tensor zeros_like(const Tensor& self, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format);
TERN_API Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS);
TERN_API Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS);
TERN_API Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS);
TERN_API Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps, double base,
                         TERN_OPTIONS);
TERN_API Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps, double base,
                         TERN_OPTIONS);
TERN_API Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps, double base,
                         TERN_OPTIONS);
TERN_API Tensor randint_like(const Tensor& self, const Tensor& high, TERN_OPTIONS,
                             std::optional<MemoryFormat> memory_format);
TERN_API Tensor randint_like(const Tensor& self, const Tensor& high,
                             std::optional<Generator> generator, TERN_OPTIONS,
                             std::optional<MemoryFormat> memory_format);
#undef TERN_OPTIONS

}  // namespace tern::compat

namespace at {
using ::tern::compat::arange;
using ::tern::compat::bartlett_window;
using ::tern::compat::blackman_window;
using ::tern::compat::empty;
using ::tern::compat::empty_like;
using ::tern::compat::empty_strided;
using ::tern::compat::eye;
using ::tern::compat::full;
using ::tern::compat::full_like;
using ::tern::compat::hamming_window;
using ::tern::compat::hann_window;
using ::tern::compat::kaiser_window;
using ::tern::compat::linspace;
using ::tern::compat::logspace;
using ::tern::compat::normal;
using ::tern::compat::ones;
using ::tern::compat::ones_like;
using ::tern::compat::rand;
using ::tern::compat::rand_like;
using ::tern::compat::randint;
using ::tern::compat::randint_like;
using ::tern::compat::randn;
using ::tern::compat::randn_like;
using ::tern::compat::randperm;
using ::tern::compat::range;
using ::tern::compat::scalar_tensor;
using ::tern::compat::tril_indices;
using ::tern::compat::triu_indices;
using ::tern::compat::zeros;
using ::tern::compat::zeros_like;
}  // namespace at
