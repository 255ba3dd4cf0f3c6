#pragma once

#include <string_view>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// What an equation of einsum() says about its operands. A label is the number of a letter, A-Z
/// before a-z; the dimensions of an ellipsis have the numbers after the letters.
struct EinsumEquation {
  std::vector<std::vector<int>> operands;  // the label of each dimension
  std::vector<int> output;
  std::vector<std::int64_t> sizes;  // of each label, after broadcasting

  /// Throws Error for an equation that is wrong or does not fit, ShapeError for sizes that do not.
  EinsumEquation(std::string_view equation, TensorList tensors);

 private:
  void read_operands(std::string_view text, TensorList tensors);
  void read_output(std::string_view equation, std::size_t arrow);
  void find_output();
  void expand_ellipses(TensorList tensors);
  void find_sizes(TensorList tensors);

  std::int64_t ellipsis_rank_ = 0;
};

}  // namespace tern::detail
