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

/// Writes the format's name, such as ChannelsLast.
TERN_API std::ostream& operator<<(std::ostream& stream, MemoryFormat format);

}  // namespace tern
