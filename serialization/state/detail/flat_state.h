#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/tensor/state.h>

namespace tern::detail {

/// What a file of any format stores: tensors by name, and one text for everything else.
struct FlatState {
  /// The names are the keys on the way to a tensor, joined by dots, and differ from each other.
  std::vector<std::pair<std::string, Tensor>> tensors;
  /// The tree as JSON: {"epoch": 3, "w": {"$tensor": "model.w"}}. A number that JSON has no word
  /// for is {"$double": "NaN"}; a key of the user's that begins with $ gets one more. Empty for a
  /// dictionary of tensors only, where the names say everything.
  std::string tree;
  /// The tree of such a dictionary, for files in which its names lose their order.
  std::string order = {};
};

/// How the text of a tree is laid out.
enum class TreeLayout {
  /// All of it on one line.
  kOneLine,
  /// A line for each item of a dictionary, for people.
  kLines,
};

/// The key of the tree in the metadata of a file. JSON files of version 2 do not use it.
constexpr std::string_view kTreeKey = "tern.state";

/// How many values a tree may have; what stands for a tensor is two.
constexpr std::size_t kMaxTreeValues = 1 << 22;

/// The most dimensions of a tensor in any format, as in PyTorch. A file may hold a tensor of more
/// dimensions than kernels take (kernels::kMaxDims).
constexpr std::size_t kMaxFileDims = 64;

/// The elements of a contiguous tensor on the host.
inline std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

/// Throws Error for more values beside the elements of tensors than kMaxTreeValues.
FlatState flatten(const State& state, TreeLayout layout = TreeLayout::kOneLine);
/// Takes the tree from the text. Throws Error for a tree that `flatten` cannot have written or that
/// does not fit the tensors.
State unflatten(const FlatState& flat);

}  // namespace tern::detail
