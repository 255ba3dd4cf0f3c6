#pragma once

#include <cstdint>

#include <tern/core/base/array_ref.h>

namespace support {

/// How the pen continues after a point of a glyph.
enum class Pen : std::int8_t { kCurve, kCorner, kLift };

/// A point that the pen passes through: x to the right, y down, both within about 0 to 100.
struct GlyphPoint {
  std::int8_t x;
  std::int8_t y;
  Pen pen = Pen::kCurve;
};

/// One way to write a digit; the last point of each stroke lifts the pen.
using Glyph = tern::ArrayRef<GlyphPoint>;

/// Returns the ways to write `digit` (0 to 9).
tern::ArrayRef<Glyph> glyphs_of(int digit);

}  // namespace support
