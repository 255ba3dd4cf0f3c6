#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// The layout of a tensor's elements in its storage.
struct Geometry {
  explicit Geometry(const Tensor& tensor)
      : sizes(tensor.self().sizes),
        strides(tensor.self().strides),
        offset(tensor.storage_offset()) {}

  DimVector sizes, strides;
  std::int64_t offset;
};

/// Returns a copy of the part of `whole`, which has base's sizes, that `view` shows.
/// Differentiable.
Tensor take_strided(const Tensor& whole, const Geometry& base, const Geometry& view);
/// Returns a copy of `whole` with zeros in the elements that `view` shows. Differentiable.
Tensor clear_strided(const Tensor& whole, const Geometry& base, const Geometry& view);
/// Returns zeros of base's sizes with `part` added to the elements that `view` shows: the adjoint
/// of take_strided. Differentiable.
Tensor put_strided(const Tensor& part, const Geometry& base, const Geometry& view);

}  // namespace tern::detail
