#pragma once

#include <cstdint>
#include <vector>

#include <tern/core/kernels/families/recurrent.h>
#include <tern/core/tensor/tensor.h>

// What runs one recurrent layer in one direction.

namespace tern::detail {

using kernels::RecurrentCell;

/// The steps of a batch of sequences, whose rows follow each other in one matrix.
class RecurrentSteps {
 public:
  /// `count` steps of `batch` rows each.
  RecurrentSteps(std::int64_t count, std::int64_t batch) : count_(count), batch_(batch) {}
  /// A packed batch with these numbers of rows per step, at least one step.
  explicit RecurrentSteps(ArrayRef<std::int64_t> sizes);

  std::int64_t count() const { return count_; }
  /// The number of sequences.
  std::int64_t batch() const { return batch_; }
  std::int64_t rows() const { return start(count_); }
  /// The first row of step t.
  std::int64_t start(std::int64_t t) const {
    return starts_.empty() ? t * batch_ : starts_[static_cast<std::size_t>(t)];
  }
  std::int64_t size(std::int64_t t) const { return start(t + 1) - start(t); }
  bool is_packed() const { return !starts_.empty(); }
  /// Returns the first rows of all steps and the number of rows; null unless packed.
  const std::int64_t* host_starts() const { return is_packed() ? starts_.data() : nullptr; }
  /// Returns the same on a device; undefined unless packed.
  Tensor starts_on(Device device) const;

 private:
  std::int64_t count_, batch_;
  std::vector<std::int64_t> starts_;  // of a packed batch
};

/// Returns batch_sizes of packed sequences as numbers. Throws ShapeError unless batch_sizes is a
/// 1-d int64 tensor of positive numbers that never grow and add up to the rows of the data.
std::vector<std::int64_t> checked_batch_sizes(const Tensor& data, const Tensor& batch_sizes);

/// The parameters of a layer in one direction. The biases are defined or undefined together; w_hr
/// is defined for an LSTM with projections.
struct RecurrentWeights {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};

/// A layer and how it walks over the steps.
struct RecurrentLayer {
  RecurrentCell cell;
  bool reverse;
  RecurrentSteps steps;
};

/// The output of all steps, and the last states; c is undefined unless the layer is an LSTM.
struct RecurrentResult {
  Tensor out, h, c;
};

/// Runs a layer on input [rows, I] from the states h and c (undefined unless an LSTM), recorded as
/// one node. The arguments must fit and have one floating dtype.
RecurrentResult run_recurrent_layer(const RecurrentLayer& layer, const Tensor& input,
                                    const Tensor& h, const Tensor& c,
                                    const RecurrentWeights& weights);

/// Does the same with public ops, step by step: the oracle of the gradients, and what computes
/// their derivatives.
RecurrentResult compose_recurrent_layer(const RecurrentLayer& layer, const Tensor& input,
                                        const Tensor& h, const Tensor& c,
                                        const RecurrentWeights& weights);

}  // namespace tern::detail
