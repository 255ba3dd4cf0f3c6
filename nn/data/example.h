#pragma once

#include <utility>

#include <tern/core/tensor/tensor.h>

namespace tern::data {

namespace example {
/// The target type of an example without a target.
using NoTarget = void;
}  // namespace example

/// One element of a dataset: data and its target. A stacked batch has the same type, with an
/// additional first dimension.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  /// The types of data and target.
  using DataType = Data;
  using TargetType = Target;

  /// Makes undefined data and an undefined target.
  Example() = default;
  /// Takes over data and target.
  Example(Data its_data, Target its_target)
      : data(std::move(its_data)), target(std::move(its_target)) {}

  /// The data, for example an image.
  Data data;
  /// The target, for example a class number.
  Target target;
};

/// An example without a target; converts from and to its data.
template <class Data>
struct Example<Data, example::NoTarget> {
  /// The types of data and target.
  using DataType = Data;
  using TargetType = example::NoTarget;

  /// Makes undefined data.
  Example() = default;
  /// Takes over the data.
  Example(Data its_data) : data(std::move(its_data)) {}
  /// Returns the data.
  operator Data&() { return data; }
  /// Returns the data.
  operator const Data&() const { return data; }

  /// The data.
  Data data;
};

/// An example of one tensor without a target.
using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace tern::data
