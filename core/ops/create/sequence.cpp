// Compiled for size.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <tern/core/ops/common/detail/host_copy.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/detail/creation.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// linspace and logspace.

namespace tern {
namespace {

// Follows PyTorch to the last bit: each half is computed in T from its own end and rounded once.
template <class T>
void fill_linspace(const Tensor& out, T from, T to) {
  const ScalarType dtype = dtype_of<T>();
  const std::int64_t steps = out.numel(), half = steps / 2;
  const T range = to - from, count_less_one = static_cast<T>(std::max<std::int64_t>(steps - 1, 1));
  const T by = steps == 1 ? T{0}  // the difference of two infinities is NaN
               : std::isfinite(range) || !std::isfinite(to) || !std::isfinite(from)
                   ? range / count_less_one
                   : to / count_less_one - from / count_less_one;
  const bool casts = out.dtype() != dtype;
  const bool exact = steps <= std::int64_t{1} << std::numeric_limits<T>::digits;
  const std::int64_t piece = detail::factory_piece(out.device(), steps);
  const Tensor buffer = casts ? detail::make_tensor({piece}, dtype, out.device()) : out;
  // Computes `count` elements, whose distances from `end` are first, first + direction, ...
  const auto fill = [&](T end, T step, std::int64_t begin, std::int64_t count, std::int64_t first,
                        std::int64_t direction) {
    for (std::int64_t i = 0; i < count; i += piece) {
      const std::int64_t n = std::min(piece, count - i);
      const Tensor part = buffer.narrow(0, casts ? 0 : begin + i, n);
      if (exact) {
        detail::fill_range(part, first + direction * i, direction);
      } else {
        const Tensor distances = detail::make_tensor({n}, kLong, out.device());
        detail::fill_range(distances, first + direction * i, direction);
        detail::copy_elements(part, distances);
      }
      detail::run_elementwise({"linspace", kernels::ElementwiseOp::add, dtype, false, step},
                              {Scalar(end), part}, part);
      if (casts) detail::copy_elements(out.narrow(0, begin + i, n), part);
    }
  };
  fill(from, by, 0, half, 0, 1);
  fill(to, -by, half, steps - half, steps - 1 - half, -1);
}

}  // namespace

Tensor linspace(const Scalar& start, const Scalar& end, StrictInt steps,
                const TensorOptions& options) {
  TERN_OP("linspace");
  TERN_CHECK(steps >= 0, ShapeError, "number of steps must be non-negative, got ", steps);
  TERN_CHECK(options.dtype() != kBool || steps < 2, NotImplementedError,
             "\"linspace_cpu\" not implemented for 'Bool'");
  const bool is_integral = !is_floating_point(options.dtype()) && options.dtype() != kBool;
  // Integers are computed from integers: the ends are cast first.
  const auto value = [&](const Scalar& number) {
    if (steps == 0) return Scalar(0.0);  // unused, so it may be out of range
    if (!is_integral) {
      detail::check_representable(number, options.dtype());
      return number;
    }
    return visit_dtype(options.dtype(), [&](auto tag) -> Scalar {
      return static_cast<double>(number.to<typename decltype(tag)::type>());
    });
  };
  const Scalar first = value(start), last = value(steps == 1 ? start : end);
  const Tensor out =
      detail::make_tensor({steps}, options.dtype(), detail::resolve_device(options.device()));
  if (options.dtype() == kFloat) {
    fill_linspace(out, first.toFloat(), last.toFloat());
  } else {
    fill_linspace(out, first.toDouble(), last.toDouble());
  }
  return detail::finish_factory(out, options);
}

namespace {

// Follows PyTorch to the last bit: exponents are computed from the nearer end, in T or, for
// integers, in double.
template <class T>
void fill_logspace(T* out, const Scalar& start, const Scalar& end, std::int64_t steps, T base) {
  using Step = std::conditional_t<is_floating_point(dtype_of<T>()), T, double>;
  // Halves are raised in float.
  using Power =
      std::conditional_t<is_floating_point(dtype_of<T>()) && sizeof(T) < 8, float, double>;
  const Step from = static_cast<Step>(start.to<T>()), to = static_cast<Step>(end.to<T>());
  const Step step =
      steps > 1 ? static_cast<Step>((to - from) / static_cast<Step>(steps - 1)) : Step(0);
  for (std::int64_t i = 0; i < steps; ++i) {
    const bool near_start = i < steps / 2 || steps == 1;
    const std::int64_t distance = near_start ? i : steps - 1 - i;
    const Step reach = static_cast<Step>(step * static_cast<Step>(distance));
    const Step exponent = static_cast<Step>(near_start ? from + reach : to - reach);
    out[i] = static_cast<T>(std::pow(static_cast<Power>(base), static_cast<Power>(exponent)));
  }
}

}  // namespace

Tensor logspace(const Scalar& start, const Scalar& end, StrictInt steps, double base,
                const TensorOptions& options) {
  TERN_OP("logspace");
  TERN_CHECK(steps >= 0, ShapeError, "number of steps must be non-negative, got ", steps);
  TERN_CHECK(options.dtype() != kBool || steps < 2, NotImplementedError,
             "\"logspace_cpu\" not implemented for 'Bool'");
  const Device device = detail::resolve_device(options.device());
  const Tensor out =
      detail::make_tensor({steps}, options.dtype(), device.is_meta() ? device : kCPU);
  if (steps != 0 && !out.is_meta()) {
    visit_dtype(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, bool>) {
        fill_logspace(out.data_ptr<T>(), start, end, steps, Scalar(base).to<T>());
      } else {
        out.data_ptr<T>()[0] = std::pow(base, start.toDouble()) != 0;
      }
    });
  }
  return detail::finish_factory(detail::copy_of_host(out, device), options);
}

}  // namespace tern
