// Compiled for size.

#include <limits>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

namespace tern {

namespace {

void check_no_bool(ScalarType dtype) {
  TERN_CHECK(dtype != kBool, NotImplementedError,
             "Unsupported input type encountered for isin(): ", dtype,
             " is not implemented for 'isin': use to(kLong) first");
}

}  // namespace

Tensor isin(const Tensor& elements, const Tensor& test_elements, StrictBool /*assume_unique*/,
            StrictBool invert) {
  TERN_OP("isin", elements, test_elements);
  detail::check_same_device("isin", {&elements, &test_elements}, {"elements", "test_elements"});
  check_no_bool(elements.dtype());
  check_no_bool(test_elements.dtype());
  const NoGradGuard no_grad;
  if (elements.numel() == 0 || test_elements.numel() == 0) {
    return full(elements.sizes(), static_cast<bool>(invert), elements.options().dtype(kBool));
  }
  const ScalarType dtype = detail::result_type({elements, test_elements});
  const Tensor values = elements.to(dtype);
  // NaN has no place in the order, and equals nothing: the smallest number stands for it.
  Tensor tests = test_elements.flatten().to(dtype);
  const Tensor is_nan = isnan(tests);
  if (is_floating_point(dtype)) {
    const Tensor smallest =
        tests.masked_fill(is_nan, std::numeric_limits<double>::infinity()).amin();
    tests = where(is_nan, smallest, tests);
  }
  const Tensor sorted = std::get<0>(tests.sort());
  const Tensor place = searchsorted(sorted, values.contiguous()).clamp_max(sorted.numel() - 1);
  const Tensor found = (sorted.take(place) == values).logical_and(is_nan.all().logical_not());
  return invert ? found.logical_not() : found;
}

Tensor isin(const Tensor& elements, const Scalar& test_element, StrictBool /*assume_unique*/,
            StrictBool invert) {
  TERN_OP("isin", elements);
  check_no_bool(elements.dtype());
  check_no_bool(test_element.dtype());
  return invert ? ne(elements, test_element) : eq(elements, test_element);
}

Tensor isin(const Scalar& element, const Tensor& test_elements, StrictBool /*assume_unique*/,
            StrictBool invert) {
  TERN_OP("isin", element, test_elements);
  check_no_bool(element.dtype());
  check_no_bool(test_elements.dtype());
  const Tensor found = eq(test_elements, element).any();
  return invert ? logical_not(found) : found;
}

}  // namespace tern
