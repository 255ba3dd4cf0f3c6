// Compiled for size.

#include <tern/core/kernels/backend.h>
#include <tern/core/ops/linalg/detail/linalg.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::detail {

IntArrayRef batch_of(const Tensor& matrices) {
  return matrices.sizes().slice(0, matrices.sizes().size() - 2);
}

DimVector with_matrix(IntArrayRef batch, std::int64_t rows, std::int64_t columns) {
  DimVector sizes = with_vector(batch, rows);
  sizes.push_back(columns);
  return sizes;
}

DimVector with_vector(IntArrayRef batch, std::int64_t size) {
  DimVector sizes(batch);
  sizes.push_back(size);
  return sizes;
}

void check_is_matrix(const char* argument, const Tensor& tensor) {
  TERN_CHECK(tensor.dim() >= 2, ShapeError, "The input tensor ", argument,
             " must have at least 2 dimensions. Got sizes ", tensor.sizes());
}

void check_matrices(const Tensor& a) {
  TERN_CHECK(is_floating_point(a.dtype()), NotImplementedError,
             "Expected a floating point or complex tensor as input. Got ", a.scalar_type());
  TERN_CHECK(a.dtype() == kFloat || a.dtype() == kDouble, NotImplementedError,
             "Low precision dtypes not supported. Got ", a.scalar_type(), ": use to(kFloat) first");
  check_is_matrix("A", a);
}

void check_square(const Tensor& a) {
  check_matrices(a);
  TERN_CHECK(a.size(-1) == a.size(-2), ShapeError,
             "A must be batches of square matrices, but they are ", a.size(-2), " by ", a.size(-1),
             " matrices");
}

Tensor run_linalg(const char* name, kernels::LinalgArgs args, const Tensor& a, const Tensor& b) {
  args.m = a.size(-2);
  args.n = a.size(-1);
  args.batch = 1;
  for (const std::int64_t size : batch_of(a)) args.batch *= size;
  if (a.numel() == 0) return {};
  args.dtype = a.dtype();
  if (b.defined()) args.columns = b.size(-1);
  const Tensor matrices = a.detach().contiguous();
  const Tensor right_hand_side = b.defined() ? b.detach().contiguous() : Tensor();
  Tensor info = make_tensor(batch_of(a), kLong, a.device());
  args.a = matrices.data_ptr();
  args.b = b.defined() ? right_hand_side.data_ptr() : nullptr;
  args.info = info.data_ptr<std::int64_t>();
  kernels::run(name, a.device(), a.dtype(), args);
  return info;
}

Tensor info_of(const Tensor& info, const Tensor& a) {
  return info.defined() ? info.to(kInt)
                        : zeros(batch_of(a), TensorOptions(kInt).device(a.device()));
}

Failure first_failure(const Tensor& info) {
  if (!info.defined() || info.is_meta()) return {};
  TERN_CHECK(
      !kernels::is_capturing(info.device()), DeviceError,
      "CUDA error: operation not permitted when stream is capturing\nOnly a replay finds out "
      "which matrices have a result.");
  const Tensor host = info.cpu();
  const auto* const data = host.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    if (data[i] == 0) continue;
    return {info.dim() == 0 ? "" : text_of("(Batch element ", i, "): "), data[i]};
  }
  return {};
}

Tensor as_matrices(const Tensor& numbers) { return numbers.unsqueeze(-1).unsqueeze(-1); }

Tensor lower_mask(std::int64_t n, std::int64_t diagonal, const TensorOptions& options) {
  const Tensor columns = arange(n, options.dtype(kLong)), rows = columns.unsqueeze(1);
  return (columns - rows).le(diagonal).to(options.dtype());
}

Tensor diagonal_of(const Tensor& matrices) {
  const std::size_t rank = matrices.sizes().size();
  DimVector sizes(matrices.sizes().slice(0, rank - 1)), strides(matrices.strides());
  const std::int64_t last = strides.back();
  strides.pop_back();
  strides.back() += last;
  return matrices.as_strided(sizes, strides, matrices.storage_offset());
}

}  // namespace tern::detail
