#include <vector>

#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/index/detail/indices.h>
#include <tern/core/ops/ops.h>

// The index language: integers, slices, None and "..." make a view; masks and tensors of indices
// are left for the ops.

namespace tern::detail {

using indexing::Slice;
using indexing::TensorIndex;

bool is_mask(const Tensor& tensor) { return tensor.dtype() == kBool || tensor.dtype() == kByte; }

namespace {

// Returns the number of dimensions of self that an index names.
std::int64_t dims_of(const TensorIndex& index) {
  switch (index.kind()) {
    case TensorIndex::Kind::kInteger:
    case TensorIndex::Kind::kSlice:
      return 1;
    case TensorIndex::Kind::kTensor:
      return is_mask(index.tensor()) ? index.tensor().dim() : 1;
    default:
      return 0;
  }
}

Tensor select_index(const Tensor& view, std::size_t dim, std::size_t own_dim, std::int64_t index) {
  const std::int64_t size = view.sizes()[dim];
  TERN_CHECK(index >= -size && index < size, IndexError, "index ", index,
             " is out of bounds for dimension ", own_dim, " with size ", size);
  return view.select(static_cast<std::int64_t>(dim), index);
}

Tensor slice_index(const Tensor& view, std::size_t dim, const Slice& slice, bool always) {
  TERN_CHECK(slice.step() != 0, Error, "slice step cannot be zero");
  TERN_CHECK(slice.step() > 0, Error, "step must be greater than zero, got ", slice.step());
  const bool whole = slice.step() == 1 && slice.start().value_or(0) == 0 &&
                     (!slice.stop() || *slice.stop() >= view.sizes()[dim]);
  if (whole && !always) return view;
  return view.slice(static_cast<std::int64_t>(dim), slice.start(), slice.stop(), slice.step());
}

}  // namespace

Indexed apply_indices(const Tensor& self, Indices indices) {
  std::int64_t named = 0;
  for (const TensorIndex& index : indices) named += dims_of(index);
  TERN_CHECK(named <= self.dim(), IndexError, "too many indices for tensor of dimension ",
             self.dim(), ", got ", named);
  Indexed result{self, {}};
  Tensor& view = result.view;
  std::size_t dim = 0;      // of the view
  std::size_t own_dim = 0;  // of self
  bool has_ellipsis = false;
  const auto add_flag = [&](bool flag) {
    view = view.unsqueeze(static_cast<std::int64_t>(dim));
    result.selectors.push_back(
        {dim++, zeros({flag ? 1 : 0}, TensorOptions(kLong).device(self.device()))});
  };
  for (const TensorIndex& index : indices) {
    switch (index.kind()) {
      case TensorIndex::Kind::kNone:
        view = view.unsqueeze(static_cast<std::int64_t>(dim++));
        break;
      case TensorIndex::Kind::kEllipsis: {
        TERN_CHECK(!has_ellipsis, IndexError, "an index can have only one ellipsis ('...')");
        has_ellipsis = true;
        const auto others = static_cast<std::size_t>(self.dim() - named);
        dim += others;
        own_dim += others;
        break;
      }
      case TensorIndex::Kind::kInteger:
        view = select_index(view, dim, own_dim++, index.integer());
        break;
      case TensorIndex::Kind::kBool:
        add_flag(index.integer() != 0);
        break;
      case TensorIndex::Kind::kSlice:
        view = slice_index(view, dim, index.slice(), /*always=*/indices.size() == 1);
        ++dim;
        ++own_dim;
        break;
      case TensorIndex::Kind::kTensor: {
        const Tensor& tensor = index.tensor();
        TERN_CHECK(
            !is_floating_point(tensor.dtype()) && (tensor.dim() == 0 || tensor.dtype() == kLong ||
                                                   tensor.dtype() == kInt || is_mask(tensor)),
            IndexError, "tensors used as indices must be long, int, byte or bool tensors, got ",
            tensor.scalar_type(), " for dimension ", own_dim);
        if (tensor.dim() == 0 && is_mask(tensor)) {
          add_flag(tensor.item<std::int64_t>() != 0);
        } else if (tensor.dim() == 0) {
          view = select_index(view, dim, own_dim++, tensor.item<std::int64_t>());
        } else {
          result.selectors.push_back({dim, tensor});
          const auto count = static_cast<std::size_t>(dims_of(index));
          dim += count;
          own_dim += count;
        }
        break;
      }
    }
  }
  return result;
}

}  // namespace tern::detail
