#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/tensor.h>

namespace tern::metrics::detail {

/// How a batch for metrics of classes is read.
struct ClassRule {
  const char* metric;                        // name in error texts
  std::optional<std::int64_t> num_classes;   // required number of classes, if fixed
  std::optional<std::int64_t> ignore_index;  // targets with this value do not count
  double threshold = 0.5;                    // lowest probability of class 1
};

/// A batch of M samples.
struct ClassBatch {
  Tensor scores;      // [M, C]; undefined if the input holds classes or probabilities of class 1
  Tensor prediction;  // int64 [M]; undefined if the input holds scores
  Tensor target;      // int64 [M], 0 where `counted` is false
  Tensor counted;     // bool [M]: neither ignored nor out of range
  Tensor invalid;     // int64 []: the number of targets and predictions out of range
};

/// Reads a batch in one of three forms:
/// - scores [N, C] or [N, C, d1, ..] of a floating dtype with targets [N] or [N, d1, ..];
/// - predicted classes of an integer dtype, of the target's shape;
/// - probabilities of class 1 of a floating dtype, of the target's shape; floating targets are then
///   class 1 from 0.5 on.
///
/// On the CPU throws IndexError for a class out of range; on other devices counts them in
/// `invalid`. Throws ShapeError and DTypeError for other forms.
ClassBatch read_batch(const Tensor& input, const Tensor& target, const ClassRule& rule);

/// Returns the predicted class of each sample: the first largest score, where NaN is the largest.
Tensor predictions(const ClassBatch& batch);

/// Throws IndexError if `invalid` is not 0: the error that update() could not report without
/// waiting for a device.
void check_none_invalid(std::int64_t invalid, const char* metric);

}  // namespace tern::metrics::detail
