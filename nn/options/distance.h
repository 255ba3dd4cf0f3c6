#pragma once

#include <cstdint>

#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of CosineSimilarity.
struct CosineSimilarityOptions {
  /// The dimension of the vectors.
  TERN_ARG(std::int64_t, dim) = 1;
  /// The least length that a vector is divided by.
  TERN_ARG(double, eps) = 1e-8;
};

/// Options of PairwiseDistance.
struct PairwiseDistanceOptions {
  /// The order of the norm.
  TERN_ARG(double, p) = 2;
  /// A number added to each difference.
  TERN_ARG(double, eps) = 1e-6;
  /// True: the result keeps the last dimension, with size 1.
  TERN_ARG(bool, keepdim) = false;
};

namespace functional {
/// Options of cosine_similarity; the same as those of the layer.
using CosineSimilarityFuncOptions = CosineSimilarityOptions;
/// Options of pairwise_distance; the same as those of the layer.
using PairwiseDistanceFuncOptions = PairwiseDistanceOptions;
}  // namespace functional
}  // namespace tern::nn
