#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Where a tensor's elements lie in its storage.
struct Geometry {
  explicit Geometry(const Tensor& tensor)
      : sizes(tensor.self().sizes),
        strides(tensor.self().strides),
        offset(tensor.storage_offset()) {}

  DimVector sizes, strides;
  std::int64_t offset;
};

/// `whole` has base's sizes: the part that `view` shows of it, as a copy. Differentiable.
Tensor take_strided(const Tensor& whole, const Geometry& base, const Geometry& view);
/// `whole` with zeros where `view` lies, as a copy. Differentiable.
Tensor clear_strided(const Tensor& whole, const Geometry& base, const Geometry& view);
/// The adjoint of take_strided: zeros of base's sizes with `part` added where `view` lies.
/// Differentiable.
Tensor put_strided(const Tensor& part, const Geometry& base, const Geometry& view);

}  // namespace tern::detail
