#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <tern/core/ops/creation.h>
#include <tern/core/ops/index.h>
#include <tern/nn/data/example.h>

// What `dataset.map(..)` applies: to one example, or to the whole batch.

namespace tern::data::transforms {

/// Makes one batch from another.
template <class InputBatch, class OutputBatch>
class BatchTransform {
 public:
  using InputBatchType = InputBatch;
  using OutputBatchType = OutputBatch;

  virtual ~BatchTransform() = default;
  virtual OutputBatch apply_batch(InputBatch batch) = 0;
};

/// Makes one example from another; a batch is done one by one.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  using InputType = Input;
  using OutputType = Output;

  virtual Output apply(Input input) = 0;

  std::vector<Output> apply_batch(std::vector<Input> batch) override {
    std::vector<Output> result;
    result.reserve(batch.size());
    for (Input& input : batch) result.push_back(apply(std::move(input)));
    return result;
  }
};

/// A function of a whole batch.
template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
 public:
  explicit BatchLambda(std::function<Output(Input)> function) : function_(std::move(function)) {}
  Output apply_batch(Input batch) override { return function_(std::move(batch)); }

 private:
  std::function<Output(Input)> function_;
};

/// A function of one example.
template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output> {
 public:
  explicit Lambda(std::function<Output(Input)> function) : function_(std::move(function)) {}
  Output apply(Input input) override { return function_(std::move(input)); }

 private:
  std::function<Output(Input)> function_;
};

/// Changes the data of an example and leaves its target alone: override operator().
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  virtual Tensor operator()(Tensor input) = 0;

  Example<Tensor, Target> apply(Example<Tensor, Target> input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

/// A function of the data of an example.
template <class Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  explicit TensorLambda(std::function<Tensor(Tensor)> function) : function_(std::move(function)) {}
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  std::function<Tensor(Tensor)> function_;
};

/// (image - mean) / stddev for images {C, H, W}, with one mean and one stddev, or one per channel.
template <class Target = Tensor>
class Normalize : public TensorTransform<Target> {
 public:
  Normalize(ArrayRef<double> means, ArrayRef<double> stddevs)
      : mean(per_channel(means)), stddev(per_channel(stddevs)) {}

  Tensor operator()(Tensor input) override { return input.sub(mean).div(stddev); }

  /// The same for images that are stacked already, {N, C, H, W}.
  Example<Tensor, Target> apply_stacked(Example<Tensor, Target> batch) {
    if (batch.data.dim() >= 4) return this->apply(std::move(batch));
    std::vector<Tensor> images = batch.data.unbind();
    for (Tensor& image : images) image = (*this)(image);
    batch.data = stack(images);
    return batch;
  }

  Tensor mean;
  Tensor stddev;

 private:
  static Tensor per_channel(ArrayRef<double> values) {
    return tensor(values.vec(), kFloat).unsqueeze(1).unsqueeze(2);
  }
};

/// Makes one example from the examples of a batch.
template <class T, class BatchType = std::vector<T>>
using Collation = BatchTransform<BatchType, T>;
template <class T, class BatchType = std::vector<T>>
using Collate = BatchLambda<BatchType, T>;

/// Stacks the tensors of a batch along a new first dimension: Stack<>() for examples with a target,
/// Stack<TensorExample>() for those without.
template <class T = Example<>>
class Stack;

template <>
class Stack<Example<>> : public Collation<Example<>> {
 public:
  Example<> apply_batch(std::vector<Example<>> examples) override {
    std::vector<Tensor> data, targets;
    for (Example<>& example : examples) {
      data.push_back(std::move(example.data));
      targets.push_back(std::move(example.target));
    }
    return {stack(data), stack(targets)};
  }
};

template <>
class Stack<TensorExample> : public Collation<TensorExample> {
 public:
  TensorExample apply_batch(std::vector<TensorExample> examples) override {
    std::vector<Tensor> data;
    data.reserve(examples.size());
    for (TensorExample& example : examples) data.push_back(std::move(example.data));
    return stack(data);
  }
};

}  // namespace tern::data::transforms
