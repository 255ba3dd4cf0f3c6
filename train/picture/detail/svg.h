#pragma once

#include <string>
#include <string_view>

// What the pictures in SVG share.

namespace tern::train::detail {

/// Returns the beginning of a document with a white background.
std::string begin_svg(double width, double height);

/// The size of the document's font, and the width of a letter of this size, in pixels.
constexpr double kFont = 13;
constexpr double kLetter = 7.4;

/// Returns the attribute of a font of at most `size` pixels, in which the text is at most `width`
/// wide.
std::string font_for(std::string_view text, double width, double size = kFont);

/// Appends a text whose "start", "middle" or "end" is at (x, y). `more` are further attributes.
void draw_text(std::string& svg, double x, double y, std::string_view text, const char* anchor,
               std::string_view more = "");

/// Appends a cell of a matrix, a square with the upper left corner (x, y). Its colour goes from
/// white (a share of 0) to dark blue (1); NaN is grey. Cells below 8 pixels have no frame, which
/// would hide their colours.
void draw_cell(std::string& svg, double x, double y, double side, double share);

}  // namespace tern::train::detail
