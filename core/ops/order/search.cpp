// Compiled for size.

#include <string>

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/search.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Search in sorted sequences.

namespace tern {
namespace {

// Throws unless the sorter names elements of the sequence. Waits for a GPU, as PyTorch does.
void check_sorter(const Tensor& sequence, const Tensor& sorter) {
  TERN_CHECK(sorter.sizes() == sequence.sizes(), ShapeError,
             "boundary and sorter must have the same size, but got boundary tensor ",
             sequence.sizes(), " and got sorter tensor ", sorter.sizes());
  TERN_CHECK(sorter.dtype() == kLong, DTypeError,
             "sorter must be a tensor of long dtype but got dtype ", sorter.scalar_type());
  detail::check_same_device("searchsorted", {&sequence, &sorter}, {"boundaries", "sorter"});
  if (sorter.numel() == 0 || sorter.is_meta()) return;
  const auto low = sorter.min().item<std::int64_t>(), high = sorter.max().item<std::int64_t>();
  TERN_CHECK(low >= 0 && high < sequence.size(-1), IndexError,
             "sorter index out of range: ", low < 0 ? low : high, " for a dimension of size ",
             sequence.size(-1));
}

void check_sequence(const Tensor& sequence, const Tensor& input, bool is_number) {
  TERN_CHECK(sequence.dim() > 0, ShapeError,
             "boundaries tensor should have positive dimension, but got 0 dimension, sizes ",
             sequence.sizes());
  if (sequence.dim() == 1) return;
  TERN_CHECK(!is_number && input.dim() > 0, ShapeError,
             "input value can be a scalar only when boundaries tensor dimension is 1, but we got ",
             "boundaries tensor dim(", sequence.dim(), ") and input value's dim(", input.dim(),
             ") numel(", input.numel(), ")");
  const std::size_t rows = sequence.sizes().size() - 1;
  bool fits = sequence.dim() == input.dim();
  for (std::size_t d = 0; fits && d < rows; ++d) fits = sequence.sizes()[d] == input.sizes()[d];
  TERN_CHECK(fits, ShapeError, "boundaries tensor should be 1 dimension or the first N-1 ",
             "dimensions of boundaries tensor and input value tensor must match, but we got ",
             "boundaries tensor ", sequence.sizes(), " and input value tensor ", input.sizes());
}

Tensor search(const Tensor& sequence, const Tensor& input, bool is_number, bool out_int32,
              bool right, const Tensor& sorter) {
  check_sequence(sequence, input, is_number);
  if (sorter.defined()) check_sorter(sequence, sorter);
  TERN_CHECK(!out_int32 || sequence.size(-1) < INT32_MAX, Error, "the size of boundaries' last ",
             "dimension should be less than 2147483647 for int32 indices, but we got ",
             sequence.size(-1));
  const ScalarType dtype = detail::result_type({sequence, input});
  TERN_CHECK(dtype != kBool, NotImplementedError, "\"searchsorted_out_cpu\" not implemented for '",
             dtype, '\'');
  kernels::SearchArgs args{};
  args.dtype = dtype;
  args.out_dtype = out_int32 ? kInt : kLong;
  Tensor out = detail::make_tensor(input.sizes(), args.out_dtype, sequence.device());
  if (out.numel() == 0) return out;
  const Tensor elements = sequence.detach().to(dtype).contiguous();
  const Tensor values = input.detach().to(sequence.device(), dtype).contiguous();
  const Tensor order = sorter.defined() ? sorter.contiguous() : sorter;
  args.right = right ? 1 : 0;
  args.shared = sequence.dim() == 1 ? 1 : 0;
  args.size = sequence.size(-1);
  args.count = args.shared != 0 ? input.numel() : input.size(-1);
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the result has elements, so the count is not 0
  args.rows = out.numel() / args.count;
  args.sequence = elements.data_ptr();
  args.sorter = order.defined() ? order.data_ptr<std::int64_t>() : nullptr;
  args.in = values.data_ptr();
  args.out = out.data_ptr();
  kernels::run("searchsorted", out.device(), dtype, args);
  return out;
}

// Returns whether to search behind equal elements.
bool is_right(bool right, const std::optional<std::string_view>& side) {
  if (!side) return right;
  TERN_CHECK(*side == "left" || *side == "right", Error,
             "side can only be 'left' or 'right' but got ", std::string(*side));
  TERN_CHECK(!right || *side == "right", Error, "side and right can't be set to opposites, got ",
             "side of left while right was True");
  return *side == "right";
}

Tensor tensor_of(const Scalar& number, Device device) {
  const ScalarType dtype = number.is_floating_point() ? kDouble : kLong;
  return scalar_tensor(number, TensorOptions(dtype).device(device));
}

void check_boundaries(const Tensor& boundaries) {
  TERN_CHECK(boundaries.dim() == 1, ShapeError,
             "boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ')');
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& input, StrictBool out_int32,
                    StrictBool right, std::optional<std::string_view> side, const Tensor& sorter) {
  TERN_OP("searchsorted", sorted_sequence, input);
  detail::check_same_device("searchsorted", {&sorted_sequence, &input}, {"boundaries", "input"});
  return search(sorted_sequence, input, false, out_int32, is_right(right, side), sorter);
}
Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& input, StrictBool out_int32,
                    StrictBool right, std::optional<std::string_view> side, const Tensor& sorter) {
  TERN_OP("searchsorted", sorted_sequence);
  return search(sorted_sequence, tensor_of(input, sorted_sequence.device()), true, out_int32,
                is_right(right, side), sorter);
}

Tensor bucketize(const Tensor& input, const Tensor& boundaries, StrictBool out_int32,
                 StrictBool right) {
  TERN_OP("bucketize", input, boundaries);
  detail::check_same_device("bucketize", {&input, &boundaries}, {"input", "boundaries"});
  check_boundaries(boundaries);
  return search(boundaries, input, false, out_int32, right, {});
}
Tensor bucketize(const Scalar& input, const Tensor& boundaries, StrictBool out_int32,
                 StrictBool right) {
  TERN_OP("bucketize", input, boundaries);
  check_boundaries(boundaries);
  return search(boundaries, tensor_of(input, boundaries.device()), true, out_int32, right, {});
}

}  // namespace tern
