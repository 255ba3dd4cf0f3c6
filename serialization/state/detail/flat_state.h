#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/tensor/state.h>

namespace tern::detail {

/// The content of a file in any format: tensors by name, and one text for everything else.
struct FlatState {
  /// The tensors. A name consists of the keys that lead to the tensor, joined by dots. All names
  /// differ.
  std::vector<std::pair<std::string, Tensor>> tensors;
  /// The tree as JSON: {"epoch": 3, "w": {"$tensor": "model.w"}}. NaN and infinities, which JSON
  /// does not have, are {"$double": "NaN"}. A user's key that begins with $ gets a second $. Empty
  /// for a dictionary with only tensors, which the names describe completely.
  std::string tree;
  /// The tree of a dictionary with only tensors, for files that lose the order of the names.
  std::string order = {};
};

/// The line breaks in the text of a tree.
enum class TreeLayout {
  /// The whole tree on one line.
  kOneLine,
  /// One line for each item of a dictionary, easier to read for people.
  kLines,
};

/// The key of the tree in the metadata of a file. JSON files of version 2 do not use it.
constexpr std::string_view kTreeKey = "tern.state";

/// The largest number of values in a tree. The reference to a tensor counts as two values.
constexpr std::size_t kMaxTreeValues = 1 << 22;

/// The largest number of dimensions of a tensor in a file, as in PyTorch. A file may hold a tensor
/// of more dimensions than kernels take (kernels::kMaxDims).
constexpr std::size_t kMaxFileDims = 64;

/// Returns the bytes of a contiguous tensor on the CPU.
inline std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

/// Divides `state` into tensors and a tree. Throws Error for a tree of more than kMaxTreeValues
/// values.
FlatState flatten(const State& state, TreeLayout layout = TreeLayout::kOneLine);
/// Builds the State from the tree's text and the tensors. Throws Error for a tree that `flatten`
/// cannot have written or that does not fit the tensors.
State unflatten(const FlatState& flat);

}  // namespace tern::detail
