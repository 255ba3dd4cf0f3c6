#pragma once

#include <string>
#include <string_view>

// What the pictures in SVG share.

namespace tern::train::detail {

/// Returns the beginning of a document with a white background.
std::string begin_svg(double width, double height);

/// Appends a text whose "start", "middle" or "end" is at (x, y). `more` are further attributes.
void draw_text(std::string& svg, double x, double y, std::string_view text, const char* anchor,
               std::string_view more = "");

}  // namespace tern::train::detail
