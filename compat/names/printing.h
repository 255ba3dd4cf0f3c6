#pragma once

#include <cstdint>
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
inline std::ostream& operator<<(std::ostream& out, const Slice& slice) {
  constexpr std::int64_t kEnd = INT64_MAX / 2;
  return out << std::int64_t{slice.start().value_or(0)} << ':'
             << std::int64_t{slice.stop().value_or(kEnd)} << ':' << slice.step();
}

/// Writes one index: 3, true, 1:5:2, None, ... or a tensor.
inline std::ostream& operator<<(std::ostream& out, const TensorIndex& index) {
  switch (index.kind()) {
    case TensorIndex::Kind::kNone:
      return out << "None";
    case TensorIndex::Kind::kEllipsis:
      return out << "...";
    case TensorIndex::Kind::kInteger:
      return out << index.integer();
    case TensorIndex::Kind::kBool:
      return out << (index.integer() != 0 ? "true" : "false");
    case TensorIndex::Kind::kSlice:
      return out << index.slice();
    case TensorIndex::Kind::kTensor:
      break;
  }
  return out << index.tensor();
}
/// Writes a list of indices in brackets.
inline std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices) {
  const char* before = "(";
  for (const TensorIndex& index : indices) {
    out << before << index;
    before = ", ";
  }
  return out << (indices.empty() ? "()" : ")");
}

}  // namespace indexing
}  // namespace tern
