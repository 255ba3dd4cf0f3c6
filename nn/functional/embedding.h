#pragma once

#include <tern/core/ops/nn/embedding.h>
#include <tern/nn/options/embedding.h>

namespace tern::nn::functional {

/// Returns the rows of the table `weight` that the integers `input` name; see tern::embedding().
/// With `max_norm`, first shortens the used rows of `weight` itself to that norm. Throws IndexError
/// for an index out of range and for a padding_idx out of range.
///
/// Shape: input [*], weight [rows, dim] -> [*, dim]
TERN_API Tensor embedding(const Tensor& input, const Tensor& weight,
                          const EmbeddingFuncOptions& options = {});
/// Combines rows of the table `weight` in bags; see tern::embedding_bag(). Each row of an input of
/// two dimensions is a bag; the option `offsets` says where the bags of a vector start. With
/// `max_norm`, first shortens the used rows of `weight` itself to that norm.
///
/// Shape: input [bags, length], or [n] with offsets [bags]; weight [rows, dim] -> [bags, dim]
TERN_API Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                              const EmbeddingBagFuncOptions& options = {});
/// Returns 1 at the class that each element names, and 0 elsewhere; see tern::one_hot().
inline Tensor one_hot(const Tensor& tensor, StrictInt num_classes = -1) {
  return tern::one_hot(tensor, num_classes);
}

}  // namespace tern::nn::functional
