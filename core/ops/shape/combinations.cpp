// Compiled for size.

#include <algorithm>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace {

// Returns n! / (k! * (n - k)!). Throws ShapeError if it exceeds int64.
std::int64_t count_choices(std::int64_t n, std::int64_t k) {
  if (k > n) return 0;
  k = std::min(k, n - k);
  __int128 count = 1;
  for (std::int64_t i = 1; i <= k; ++i) {
    count = count * (n - k + i) / i;
    TERN_CHECK(count <= INT64_MAX, ShapeError, "there are too many choices of ", k, " of ", n,
               " elements");
  }
  return static_cast<std::int64_t>(count);
}

// Returns the indices of all choices of r of n elements, one choice after the other.
Tensor choices_of(std::int64_t n, std::int64_t r, bool with_replacement) {
  std::int64_t total = n;
  TERN_CHECK(!with_replacement || !__builtin_add_overflow(n, r - 1, &total), ShapeError,
             "there are too many choices of ", r, " of ", n, " elements");
  const std::int64_t count = with_replacement && n == 0 ? 0 : count_choices(total, r);
  Tensor indices = detail::make_tensor({count, r}, kLong, kCPU);
  auto row = static_cast<std::int64_t*>(indices.data_ptr());
  const std::int64_t step = with_replacement ? 0 : 1;  // between neighbours at least
  for (std::int64_t i = 0; i < count; ++i, row += r) {
    std::int64_t at = 0, next = 0;
    if (i > 0) {
      // Raises the last index that is not at its largest value, and resets all after it.
      std::copy(row - r, row, row);
      at = r - 1;
      while (row[at] == n - 1 - step * (r - 1 - at)) --at;
      next = row[at] + 1;
    }
    for (; at < r; ++at, next += step) row[at] = next;
  }
  return indices;
}

}  // namespace

Tensor combinations(const Tensor& input, StrictInt r, StrictBool with_replacement) {
  TERN_OP("combinations", input);
  TERN_CHECK(input.dim() == 1, ShapeError, "Expect a 1D vector, but got shape ", input.sizes());
  TERN_CHECK(r >= 0, Error, "Expect a non-negative number, but got ", r);
  if (r == 0) return empty({0}, input.options());
  const Tensor choices = choices_of(input.numel(), r, with_replacement).to(input.device());
  const Tensor flat = choices.view({-1});
  Tensor out = input.detach().index_select(0, flat);
  out.self().set_geometry(0, choices.sizes(), contiguous_strides(choices.sizes()));
  if (!needs_grad(input)) return out;
  return record("IndexBackward0", out,
                wrt(
                    input,
                    [shape = input.self().sizes](const Tensor& g, const Tensor& at) {
                      return g.new_zeros(shape).index_add(0, at, g.reshape({-1}));
                    },
                    flat));
}

}  // namespace tern
