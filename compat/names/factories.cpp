#include <utility>

#include <tern/compat/names/ops/factories.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>

namespace tern::compat {
namespace {

/// Returns the options of a new tensor, which libtorch's functions also take one by one.
TensorOptions options_of(std::optional<ScalarType> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin_memory) {
  return TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory);
}

/// Returns the number of a tensor without dimensions.
Scalar number_of(const char* function, const char* name, const Tensor& value) {
  TERN_CHECK(value.dim() == 0, Error, function,
             " only supports 0-dimensional start and end tensors, but got ", name, " with ",
             value.dim(), " dimension(s).");
  return value.item();
}

}  // namespace

// Ends that are tensors without dimensions.
Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps,
                const TensorOptions& options) {
  return ::tern::linspace(number_of("linspace", "start", start), number_of("linspace", "end", end),
                          steps, options);
}

Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps,
                const TensorOptions& options) {
  return ::tern::linspace(number_of("linspace", "start", start), end, steps, options);
}

Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps,
                const TensorOptions& options) {
  return ::tern::linspace(start, number_of("linspace", "end", end), steps, options);
}

Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps, double base,
                const TensorOptions& options) {
  return ::tern::logspace(number_of("logspace", "start", start), number_of("logspace", "end", end),
                          steps, base, options);
}

Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps, double base,
                const TensorOptions& options) {
  return ::tern::logspace(number_of("logspace", "start", start), end, steps, base, options);
}

Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps, double base,
                const TensorOptions& options) {
  return ::tern::logspace(start, number_of("logspace", "end", end), steps, base, options);
}

Tensor randint_like(const Tensor& self, const Tensor& high, const TensorOptions& options,
                    std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high.item().toLong(), options, memory_format);
}

Tensor randint_like(const Tensor& self, const Tensor& high, std::optional<Generator> generator,
                    const TensorOptions& options, std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high.item().toLong(), std::move(generator), options,
                              memory_format);
}
#define TERN_OPTIONS                                                                           \
  std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device, \
      std::optional<bool> pin_memory
#define TERN_PARTS dtype, layout, device, pin_memory
Tensor arange(const Scalar& end, TERN_OPTIONS) {
  return ::tern::arange(end, options_of(TERN_PARTS));
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TERN_OPTIONS) {
  return ::tern::arange(start, end, step, options_of(TERN_PARTS));
}

Tensor arange(const Scalar& start, const Scalar& end, TERN_OPTIONS) {
  return ::tern::arange(start, end, options_of(TERN_PARTS));
}

Tensor empty(IntArrayRef size, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::empty(size, options_of(TERN_PARTS), memory_format);
}

Tensor empty_like(const Tensor& self, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::empty_like(self, options_of(TERN_PARTS), memory_format);
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TERN_OPTIONS) {
  return ::tern::empty_strided(size, stride, options_of(TERN_PARTS));
}

Tensor eye(std::int64_t n, std::int64_t m, TERN_OPTIONS) {
  return ::tern::eye(n, m, options_of(TERN_PARTS));
}

Tensor eye(std::int64_t n, TERN_OPTIONS) { return ::tern::eye(n, options_of(TERN_PARTS)); }

Tensor full(IntArrayRef size, const Scalar& fill_value, TERN_OPTIONS) {
  return ::tern::full(size, fill_value, options_of(TERN_PARTS));
}

Tensor full_like(const Tensor& self, const Scalar& fill_value, TERN_OPTIONS,
                 std::optional<MemoryFormat> memory_format) {
  return ::tern::full_like(self, fill_value, options_of(TERN_PARTS), memory_format);
}

Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS) {
  return ::tern::linspace(start, end, steps, options_of(TERN_PARTS));
}

Tensor logspace(const Scalar& start, const Scalar& end, std::int64_t steps, double base,
                TERN_OPTIONS) {
  return ::tern::logspace(start, end, steps, base, options_of(TERN_PARTS));
}

Tensor normal(double mean, double std, IntArrayRef size, std::optional<Generator> generator,
              TERN_OPTIONS) {
  return ::tern::normal(mean, std, size, std::move(generator), options_of(TERN_PARTS));
}

Tensor ones(IntArrayRef size, TERN_OPTIONS) { return ::tern::ones(size, options_of(TERN_PARTS)); }

Tensor ones_like(const Tensor& self, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::ones_like(self, options_of(TERN_PARTS), memory_format);
}

Tensor rand(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::rand(size, std::move(generator), options_of(TERN_PARTS));
}

Tensor rand(IntArrayRef size, TERN_OPTIONS) { return ::tern::rand(size, options_of(TERN_PARTS)); }

Tensor rand_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                 std::optional<MemoryFormat> memory_format) {
  return ::tern::rand_like(self, std::move(generator), options_of(TERN_PARTS), memory_format);
}

Tensor rand_like(const Tensor& self, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::rand_like(self, options_of(TERN_PARTS), memory_format);
}

Tensor randint(std::int64_t high, IntArrayRef size, std::optional<Generator> generator,
               TERN_OPTIONS) {
  return ::tern::randint(high, size, std::move(generator), options_of(TERN_PARTS));
}

Tensor randint(std::int64_t high, IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randint(high, size, options_of(TERN_PARTS));
}

Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size,
               std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randint(low, high, size, std::move(generator), options_of(TERN_PARTS));
}

Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randint(low, high, size, options_of(TERN_PARTS));
}

Tensor randint_like(const Tensor& self, std::int64_t high, std::optional<Generator> generator,
                    TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high, std::move(generator), options_of(TERN_PARTS),
                              memory_format);
}

Tensor randint_like(const Tensor& self, std::int64_t high, TERN_OPTIONS,
                    std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high, options_of(TERN_PARTS), memory_format);
}

Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high,
                    std::optional<Generator> generator, TERN_OPTIONS,
                    std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, low, high, std::move(generator), options_of(TERN_PARTS),
                              memory_format);
}

Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high, TERN_OPTIONS,
                    std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, low, high, options_of(TERN_PARTS), memory_format);
}

Tensor randn(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randn(size, std::move(generator), options_of(TERN_PARTS));
}

Tensor randn(IntArrayRef size, TERN_OPTIONS) { return ::tern::randn(size, options_of(TERN_PARTS)); }

Tensor randn_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                  std::optional<MemoryFormat> memory_format) {
  return ::tern::randn_like(self, std::move(generator), options_of(TERN_PARTS), memory_format);
}

Tensor randn_like(const Tensor& self, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::randn_like(self, options_of(TERN_PARTS), memory_format);
}

Tensor randperm(std::int64_t n, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randperm(n, std::move(generator), options_of(TERN_PARTS));
}

Tensor randperm(std::int64_t n, TERN_OPTIONS) {
  return ::tern::randperm(n, options_of(TERN_PARTS));
}

Tensor bartlett_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::bartlett_window(window_length, options_of(TERN_PARTS));
}
Tensor bartlett_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::bartlett_window(window_length, periodic, options_of(TERN_PARTS));
}
Tensor blackman_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::blackman_window(window_length, options_of(TERN_PARTS));
}
Tensor blackman_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::blackman_window(window_length, periodic, options_of(TERN_PARTS));
}
Tensor hamming_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, options_of(TERN_PARTS));
}
Tensor hamming_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, periodic, options_of(TERN_PARTS));
}
Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, periodic, alpha, options_of(TERN_PARTS));
}
Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, double beta,
                      TERN_OPTIONS) {
  return ::tern::hamming_window(window_length, periodic, alpha, beta, options_of(TERN_PARTS));
}
Tensor hann_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::hann_window(window_length, options_of(TERN_PARTS));
}
Tensor hann_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::hann_window(window_length, periodic, options_of(TERN_PARTS));
}
Tensor kaiser_window(std::int64_t window_length, TERN_OPTIONS) {
  return ::tern::kaiser_window(window_length, options_of(TERN_PARTS));
}
Tensor kaiser_window(std::int64_t window_length, bool periodic, TERN_OPTIONS) {
  return ::tern::kaiser_window(window_length, periodic, options_of(TERN_PARTS));
}
Tensor kaiser_window(std::int64_t window_length, bool periodic, double beta, TERN_OPTIONS) {
  return ::tern::kaiser_window(window_length, periodic, beta, options_of(TERN_PARTS));
}
Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, TERN_OPTIONS) {
  return ::tern::range(start, end, step, options_of(TERN_PARTS));
}
Tensor range(const Scalar& start, const Scalar& end, TERN_OPTIONS) {
  return ::tern::range(start, end, options_of(TERN_PARTS));
}
Tensor scalar_tensor(const Scalar& s, TERN_OPTIONS) {
  return ::tern::scalar_tensor(s, options_of(TERN_PARTS));
}

Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS) {
  return ::tern::tril_indices(row, col, offset, options_of(TERN_PARTS));
}

Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS) {
  return ::tern::triu_indices(row, col, offset, options_of(TERN_PARTS));
}

Tensor zeros(IntArrayRef size, TERN_OPTIONS) { return ::tern::zeros(size, options_of(TERN_PARTS)); }

Tensor zeros_like(const Tensor& self, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::zeros_like(self, options_of(TERN_PARTS), memory_format);
}

Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS) {
  return linspace(start, end, steps, options_of(TERN_PARTS));
}

Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS) {
  return linspace(start, end, steps, options_of(TERN_PARTS));
}

Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS) {
  return linspace(start, end, steps, options_of(TERN_PARTS));
}

Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps, double base,
                TERN_OPTIONS) {
  return logspace(start, end, steps, base, options_of(TERN_PARTS));
}

Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps, double base,
                TERN_OPTIONS) {
  return logspace(start, end, steps, base, options_of(TERN_PARTS));
}

Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps, double base,
                TERN_OPTIONS) {
  return logspace(start, end, steps, base, options_of(TERN_PARTS));
}

Tensor randint_like(const Tensor& self, const Tensor& high, TERN_OPTIONS,
                    std::optional<MemoryFormat> memory_format) {
  return randint_like(self, high, options_of(TERN_PARTS), memory_format);
}

Tensor randint_like(const Tensor& self, const Tensor& high, std::optional<Generator> generator,
                    TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return randint_like(self, high, std::move(generator), options_of(TERN_PARTS), memory_format);
}
#undef TERN_PARTS
#undef TERN_OPTIONS

}  // namespace tern::compat
