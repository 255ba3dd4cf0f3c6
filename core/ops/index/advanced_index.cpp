// Compiled for size.

#include <tern/core/kernels/backend.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::detail {
namespace {

using kernels::AdvancedIndexArgs;
using kernels::IndexAction;

// Some dimensions of a tensor as one row.
struct MergedDims {
  std::int64_t size = 1, stride = 0;
  bool possible = true;

  // Adds the dimensions [first, first + count), which lie behind those added before.
  void add(const Tensor& tensor, std::size_t first, std::size_t count) {
    for (std::size_t d = first; d < first + count; ++d) {
      const std::int64_t next = tensor.sizes()[d], step = tensor.strides()[d];
      if (next == 1) continue;
      possible = possible && (size == 1 || stride == next * step);
      size *= next;
      stride = step;
    }
  }
};

// The dimensions of a tensor by their role in an index. Fails if a role's dimensions do not lie as
// one row.
struct Roles {
  MergedDims outer, inner;
  SmallVector<std::int64_t, 4> sizes, strides;
  bool possible = true;

  Roles(const Tensor& tensor, const AdvancedIndex& index) {
    std::size_t others = 0, next = 0;
    const auto add_others = [&](std::size_t end) {
      for (; next < end; ++next) (others++ < index.position ? outer : inner).add(tensor, next, 1);
    };
    for (const IndexedDims& dims : index.dims) {
      add_others(dims.first);
      MergedDims row;
      row.add(tensor, dims.first, dims.count);
      possible = possible && row.possible;
      sizes.push_back(row.size);
      strides.push_back(row.stride);
      next = dims.first + dims.count;
    }
    add_others(tensor.sizes().size());
    possible = possible && outer.possible && inner.possible;
  }
};

// Returns `tensor` with the dimensions in the order outer, indexed, inner, and renames them in
// `index`. A contiguous copy of the result has merged roles.
Tensor by_roles(const Tensor& tensor, AdvancedIndex& index) {
  DimVector outer, indexed, inner;
  std::size_t next = 0;
  const auto add_others = [&](std::size_t end) {
    for (; next < end; ++next) {
      (outer.size() < index.position ? outer : inner).push_back(static_cast<std::int64_t>(next));
    }
  };
  for (IndexedDims& dims : index.dims) {
    add_others(dims.first);
    dims.first = index.position + indexed.size();
    for (const std::size_t end = next + dims.count; next < end; ++next) {
      indexed.push_back(static_cast<std::int64_t>(next));
    }
  }
  add_others(tensor.sizes().size());
  DimVector order = outer;
  for (const std::int64_t d : indexed) order.push_back(d);
  for (const std::int64_t d : inner) order.push_back(d);
  return tensor.permute(order);
}

void run_advanced(const Tensor& strided, const AdvancedIndex& index, const Roles& roles,
                  IndexAction action, const Tensor& dense, bool one_value) {
  AdvancedIndexArgs args{};
  args.op = index.op;
  args.action = action;
  args.dtype = strided.dtype();
  args.indexed = static_cast<std::int32_t>(index.dims.size());
  args.wraps = index.wraps ? 1 : 0;
  args.one_value = one_value ? 1 : 0;
  args.outer = roles.outer.size;
  args.outer_stride = roles.outer.stride;
  args.inner = roles.inner.size;
  args.inner_stride = roles.inner.stride;
  args.count = index.at.numel() / static_cast<std::int64_t>(index.dims.size());
  for (std::size_t d = 0; d < index.dims.size(); ++d) {
    args.sizes[d] = roles.sizes[d];
    args.strides[d] = roles.strides[d];
    // Several dimensions as one have no number.
    args.dims[d] = index.dims[d].count == 1 ? static_cast<std::int32_t>(index.dims[d].first) : -1;
    TERN_CHECK(roles.sizes[d] > 0 || args.count == 0, IndexError,
               "index is out of bounds for dimension with size 0, got ", args.count, " indices");
  }
  if (args.outer == 0 || args.inner == 0 || args.count == 0) return;
  args.index = index.at.data_ptr<std::int64_t>();
  const bool gets = action == IndexAction::kGet;
  args.in = (gets ? strided : dense).data_ptr();
  args.out = (gets ? dense : strided).data_ptr();
  args.in_order = are_deterministic_algorithms_enabled() ? 1 : 0;
  kernels::run(index.name, strided.device(), strided.dtype(), args);
}

}  // namespace

DimVector AdvancedIndex::result_sizes(IntArrayRef sizes) const {
  DimVector result;
  std::size_t next = 0, others = 0;
  const auto add_index = [&] {
    if (others != position) return;
    for (std::size_t d = 1; d < at.sizes().size(); ++d) result.push_back(at.sizes()[d]);
  };
  add_index();
  const auto add_others = [&](std::size_t end) {
    for (; next < end; ++next) {
      result.push_back(sizes[next]);
      ++others;
      add_index();
    }
  };
  for (const IndexedDims& row : dims) {
    add_others(row.first);
    next = row.first + row.count;
  }
  add_others(sizes.size());
  return result;
}

Tensor get_advanced(const Tensor& self, const AdvancedIndex& index) {
  const NoGradGuard no_grad;
  Tensor out = make_tensor(index.result_sizes(self.sizes()), self.dtype(), self.device());
  Tensor from = self.detach();
  AdvancedIndex used = index;
  Roles roles(from, used);
  if (!roles.possible) {
    from = by_roles(from, used).contiguous();
    roles = Roles(from, used);
    for (std::size_t d = 0; d < used.dims.size(); ++d) used.dims[d].first = index.dims[d].first;
  }
  run_advanced(from, used, roles, IndexAction::kGet, out, false);
  return out;
}

void put_advanced(const Tensor& out, const AdvancedIndex& index, const Tensor& values,
                  bool accumulate) {
  const NoGradGuard no_grad;
  if (accumulate && (out.dtype() == kHalf || out.dtype() == kBFloat16)) {  // rounds sums once
    const Tensor sums = out.detach().to(kFloat);
    put_advanced(sums, index, values.to(kFloat), true);
    return copy_elements(out.detach(), sums);
  }
  AdvancedIndex used = index;
  used.at = apart_from(out, index.at);
  const DimVector sizes = index.result_sizes(out.sizes());
  const bool one_value = values.numel() == 1;
  const Tensor source = apart_from(out, values.detach());
  const Tensor dense = one_value ? source : source.expand(sizes).contiguous();
  const IndexAction action = accumulate ? IndexAction::kAccumulate : IndexAction::kPut;
  Tensor to = out.detach();
  Roles roles(to, used);
  if (roles.possible) return run_advanced(to, used, roles, action, dense, one_value);
  to = by_roles(to, used);
  const Tensor copy = detached_copy(to);
  roles = Roles(copy, used);
  for (std::size_t d = 0; d < used.dims.size(); ++d) used.dims[d].first = index.dims[d].first;
  run_advanced(copy, used, roles, action, dense, one_value);
  copy_elements(to, copy);
}

}  // namespace tern::detail
