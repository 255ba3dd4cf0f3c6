#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/ops/reduce/detail/reduce.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::detail {

namespace {

// Marks the dimensions of `dim` (all if empty).
DimMask reduced_dims(IntArrayRef dim, std::int64_t ndim) {
  const auto count = static_cast<std::size_t>(ndim);
  if (dim.empty()) return DimMask(count, true);
  DimMask reduced = marked_dims(dim, ndim);
  reduced.resize(count);  // a 0-d tensor accepts 0 and -1
  return reduced;
}

// Returns the sizes of the result: reduced dimensions become 1, or are removed without keepdim.
DimVector kept_sizes(const Tensor& self, const DimMask& reduced, bool keepdim) {
  DimVector sizes;
  for (std::size_t d = 0; d < reduced.size(); ++d) {
    if (!reduced[d]) {
      sizes.push_back(self.sizes()[d]);
    } else if (keepdim) {
      sizes.push_back(1);
    }
  }
  return sizes;
}

// Collects dimensions; merges a dimension with the previous one if the strides allow it.
struct Walk {
  std::int64_t* sizes;
  std::int64_t* in_strides;
  std::int64_t* out_strides;  // null for reduced dimensions
  std::int32_t& ndim;

  void add(std::int64_t size, std::int64_t in, std::int64_t out) {
    if (size == 1) return;
    const bool merges = ndim > 0 && in_strides[ndim - 1] == in * size &&
                        (out_strides == nullptr || out_strides[ndim - 1] == out * size);
    if (merges) {
      sizes[ndim - 1] *= size;
    } else {
      sizes[ndim++] = size;
    }
    in_strides[ndim - 1] = in;
    if (out_strides != nullptr) out_strides[ndim - 1] = out;
  }
};

}  // namespace

Tensor run_reduce(const ReduceCall& call, const Tensor& self, IntArrayRef dim, Tensor* values) {
  const DimMask reduced = reduced_dims(dim, self.dim());
  TERN_CHECK(self.dim() <= kernels::kMaxDims, ShapeError, "tensors may have up to ",
             kernels::kMaxDims, " dimensions, got ", self.dim());
  Tensor out = make_tensor(kept_sizes(self, reduced, call.keepdim), call.dtype, self.device());
  if (values != nullptr) *values = make_tensor(out.sizes(), self.dtype(), self.device());
  if (out.numel() == 0) return out;

  kernels::ReduceArgs args;
  args.op = call.op;
  args.in_dtype = self.dtype();
  args.out_dtype = call.dtype;
  args.in = self.data_ptr();
  args.out = out.data_ptr();
  args.values = values != nullptr ? values->data_ptr() : nullptr;
  args.scale = call.scale;
  args.kept_ndim = args.reduced_ndim = 0;
  Walk kept{args.kept_sizes, args.kept_in_strides, args.kept_out_strides, args.kept_ndim};
  Walk gone{args.reduced_sizes, args.reduced_in_strides, nullptr, args.reduced_ndim};
  std::size_t out_dim = 0;
  for (std::size_t d = 0; d < reduced.size(); ++d) {
    const std::int64_t size = self.sizes()[d], stride = self.strides()[d];
    if (reduced[d]) {
      gone.add(size, stride, 0);
      if (call.keepdim) ++out_dim;
    } else {
      kept.add(size, stride, out.strides()[out_dim++]);
    }
  }
  kernels::run(call.name, self.device(), self.dtype(), args);
  return out;
}

Tensor restore_dims(const Tensor& reduced, IntArrayRef dim, std::int64_t ndim, bool keepdim) {
  if (keepdim || ndim == 0) return reduced;
  const DimMask gone = reduced_dims(dim, ndim);
  DimVector sizes;
  std::size_t next = 0;
  for (std::size_t d = 0; d < gone.size(); ++d) {
    sizes.push_back(gone[d] ? 1 : reduced.sizes()[next++]);
  }
  return reduced.reshape(sizes);
}

std::int64_t reduced_count(const Tensor& self, IntArrayRef dim) {
  const DimMask reduced = reduced_dims(dim, self.dim());
  std::int64_t count = 1;
  for (std::size_t d = 0; d < reduced.size(); ++d) {
    if (reduced[d]) count *= self.sizes()[d];
  }
  return count;
}

}  // namespace tern::detail
