#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/shape/join.h>
#include <tern/nn/data/example.h>

// Transforms for `dataset.map(..)`, which convert single examples or whole batches.

namespace tern::data::transforms {

namespace detail {
/// Throws Error, which names the transform, unless its function is set.
TERN_API void check_function(const char* transform, bool is_set);
}  // namespace detail

/// Converts a batch into another batch; override apply_batch().
template <class InputBatch, class OutputBatch>
class BatchTransform {
 public:
  /// The types of the batches that go in and come out.
  using InputBatchType = InputBatch;
  using OutputBatchType = OutputBatch;

  /// Frees the transform.
  virtual ~BatchTransform() = default;
  /// Returns the transformed batch.
  virtual OutputBatch apply_batch(InputBatch batch) = 0;
};

/// Converts an example into another example; override apply(). A batch is converted example by
/// example.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  /// The types of the examples that go in and come out.
  using InputType = Input;
  using OutputType = Output;

  /// Returns the transformed example.
  virtual Output apply(Input input) = 0;

  /// Applies apply() to every example.
  std::vector<Output> apply_batch(std::vector<Input> batch) override {
    std::vector<Output> result;
    result.reserve(batch.size());
    for (Input& input : batch) result.push_back(apply(std::move(input)));
    return result;
  }
};

/// Applies a function to a whole batch. An empty function throws Error.
template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
 public:
  /// The type of the function.
  using FunctionType = std::function<Output(Input)>;

  /// Applies `function`.
  explicit BatchLambda(FunctionType function) : function_(std::move(function)) {
    detail::check_function("BatchLambda", function_ != nullptr);
  }
  Output apply_batch(Input batch) override { return function_(std::move(batch)); }

 private:
  FunctionType function_;
};

/// Applies a function to each example. An empty function throws Error.
template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output> {
 public:
  /// The type of the function.
  using FunctionType = std::function<Output(Input)>;

  /// Applies `function`.
  explicit Lambda(FunctionType function) : function_(std::move(function)) {
    detail::check_function("Lambda", function_ != nullptr);
  }
  Output apply(Input input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

/// Changes the data of each example and keeps its target; override operator().
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  /// Returns the transformed data.
  virtual Tensor operator()(Tensor input) = 0;

  /// Applies operator() to the data.
  Example<Tensor, Target> apply(Example<Tensor, Target> input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

/// Applies a function to the data of each example. An empty function throws Error.
template <class Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  /// The type of the function.
  using FunctionType = std::function<Tensor(Tensor)>;

  /// Applies `function`.
  explicit TensorLambda(FunctionType function) : function_(std::move(function)) {
    detail::check_function("TensorLambda", function_ != nullptr);
  }
  /// Returns the function's result for the data.
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  FunctionType function_;
};

namespace detail {
/// Returns (image - mean) / stddev. Throws DTypeError unless the image has a floating dtype,
/// ShapeError for another number of channels.
TERN_API Tensor normalize(const Tensor& image, const Tensor& mean, const Tensor& stddev);
/// Returns the statistics as [C, 1, 1]. Throws Error for NaN, for infinity, and for a stddev that
/// is not positive.
TERN_API Tensor per_channel(ArrayRef<double> values, bool is_stddev);
/// Throws Error unless there are as many means as standard deviations, or one of them.
TERN_API void check_statistics(const Tensor& mean, const Tensor& stddev);
/// Stacks the tensors of a batch. Throws ShapeError with a hint if their sizes differ.
TERN_API Tensor stack_examples(const std::vector<Tensor>& tensors);
}  // namespace detail

/// Normalises images: (image - mean) / stddev, with one mean and one stddev for all channels or one
/// per channel. Throws DTypeError for images of integers, ShapeError for images with another number
/// of channels.
///
/// Shape: [C, H, W]
///
/// Example:
///   datasets::MNIST(root).map(transforms::Normalize<>(0.1307, 0.3081)).map(transforms::Stack<>());
template <class Target = Tensor>
class Normalize : public TensorTransform<Target> {
 public:
  /// Sets the statistics. A bare number applies to all channels. Throws Error for lists of
  /// different lengths, for a stddev that is not positive, and for NaN and infinity.
  Normalize(ArrayRef<double> means, ArrayRef<double> stddevs)
      : mean(detail::per_channel(means, false)), stddev(detail::per_channel(stddevs, true)) {
    detail::check_statistics(mean, stddev);
  }

  /// Returns the normalised image.
  Tensor operator()(Tensor input) override { return detail::normalize(input, mean, stddev); }

  /// Normalises images that are already stacked, [N, C, H, W].
  Example<Tensor, Target> apply_stacked(Example<Tensor, Target> batch) {
    if (batch.data.dim() >= 4) return this->apply(std::move(batch));
    std::vector<Tensor> images = batch.data.unbind();
    for (Tensor& image : images) image = (*this)(image);
    batch.data = stack(images);
    return batch;
  }

  /// The mean, [C, 1, 1].
  Tensor mean;
  /// The standard deviation, [C, 1, 1].
  Tensor stddev;
};

/// A transform that combines the examples of a batch into one example.
template <class T, class BatchType = std::vector<T>>
using Collation = BatchTransform<BatchType, T>;
/// A function that combines the examples of a batch into one example.
template <class T, class BatchType = std::vector<T>>
using Collate = BatchLambda<BatchType, T>;

/// Stacks the tensors of a batch along a new first dimension: Stack<>() for examples with a target,
/// Stack<TensorExample>() for examples without.
template <class T = Example<>>
class Stack;

/// Stacks data and targets of examples.
template <>
class Stack<Example<>> : public Collation<Example<>> {
 public:
  /// Returns the stacked data and the stacked targets.
  Example<> apply_batch(std::vector<Example<>> examples) override {
    std::vector<Tensor> data, targets;
    for (Example<>& example : examples) {
      data.push_back(std::move(example.data));
      targets.push_back(std::move(example.target));
    }
    return {detail::stack_examples(data), detail::stack_examples(targets)};
  }
};

/// Stacks the data of examples without a target.
template <>
class Stack<TensorExample> : public Collation<TensorExample> {
 public:
  /// Returns the stacked data.
  TensorExample apply_batch(std::vector<TensorExample> examples) override {
    std::vector<Tensor> data;
    data.reserve(examples.size());
    for (TensorExample& example : examples) data.push_back(std::move(example.data));
    return detail::stack_examples(data);
  }
};

}  // namespace tern::data::transforms
