#pragma once

#include <cstdint>
#include <iosfwd>

#include <tern/core/base/visibility.h>

namespace tern {

/// The order of a tensor's elements in memory; see docs/memory-formats.md.
enum class MemoryFormat : std::int8_t {
  /// Row-major: the last dimension is the fastest.
  Contiguous,
  /// As the input: its strides if it has no gaps, otherwise its order of dimensions.
  Preserve,
  /// [N, C, H, W] with the channels as the fastest dimension: in memory [N, H, W, C].
  ChannelsLast,
  /// [N, C, D, H, W] with the channels as the fastest dimension: in memory [N, D, H, W, C].
  ChannelsLast3d
};

/// How the elements of a tensor are stored. All of tern's tensors are strided; the other names
/// exist for programs that name them.
enum class Layout : std::int8_t { Strided, Sparse, SparseCsr, SparseCsc, SparseBsr, SparseBsc };
/// Short names of the layouts.
constexpr Layout kStrided = Layout::Strided;
constexpr Layout kSparse = Layout::Sparse;

/// Writes the layout's name, such as Strided.
TERN_API std::ostream& operator<<(std::ostream& stream, Layout layout);
/// Writes the format's name, such as ChannelsLast.
TERN_API std::ostream& operator<<(std::ostream& stream, MemoryFormat format);

}  // namespace tern
