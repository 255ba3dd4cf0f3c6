#pragma once

#include <utility>

#include <tern/core/tensor/tensor.h>

namespace tern::data {

namespace example {
/// The target of an example that has none.
using NoTarget = void;
}  // namespace example

/// What a dataset gives for one index: data and the target that belongs to it. A stacked batch has
/// the same type, with one dimension more in front.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data its_data, Target its_target)
      : data(std::move(its_data)), target(std::move(its_target)) {}

  Data data;
  Target target;
};

/// Data alone; converts from and to it.
template <class Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;
  using TargetType = example::NoTarget;

  Example() = default;
  Example(Data its_data) : data(std::move(its_data)) {}
  operator Data&() { return data; }
  operator const Data&() const { return data; }

  Data data;
};

using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace tern::data
