#pragma once

#include <ostream>
#include <vector>

#include <tern/compat/names/torch.h>

// What libtorch prints and tern does not, in the namespaces where operator<< finds it.

namespace tern {

/// Writes the number as a float.
inline std::ostream& operator<<(std::ostream& out, Half number) {
  return out << static_cast<float>(number);
}
/// Writes the number as a float.
inline std::ostream& operator<<(std::ostream& out, BFloat16 number) {
  return out << static_cast<float>(number);
}

/// Writes the number of the reduction: 0, 1 for the mean, 2 for the sum.
inline std::ostream& operator<<(std::ostream& out, Reduction reduction) {
  return out << static_cast<int>(reduction);
}

namespace indexing {

/// Writes a slice as start:stop:step. What it leaves out is written as libtorch's bound for it.
TERN_API std::ostream& operator<<(std::ostream& out, const Slice& slice);
/// Writes one index: 3, true, 1:5:2, None, ... or a tensor.
TERN_API std::ostream& operator<<(std::ostream& out, const TensorIndex& index);
/// Writes a list of indices in brackets.
TERN_API std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices);

}  // namespace indexing
}  // namespace tern
