#include <algorithm>
#include <cmath>

#include <tern/core/base/text.h>
#include <tern/train/detail/utf8.h>
#include <tern/train/picture/detail/svg.h>

namespace tern::train::detail {
namespace {

/// Returns the text for XML. Control characters, which XML refuses, become blanks.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c >= 0 && c < ' ' ? ' ' : c;
    }
  }
  return result;
}

}  // namespace

std::string begin_svg(double width, double height) {
  return tern::detail::text_of(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
      "\" viewBox=\"0 0 ", width, ' ', height,
      "\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"13\" "
      "fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
}

void draw_text(std::string& svg, double x, double y, std::string_view text, const char* anchor,
               std::string_view more) {
  svg += tern::detail::text_of("<text x=\"", x, "\" y=\"", y, "\" text-anchor=\"", anchor, "\" ",
                               more, ">", escaped(text), "</text>\n");
}

std::string font_for(std::string_view text, double width, double size) {
  const double needed =
      kLetter * static_cast<double>(std::max<std::size_t>(code_points_in(text), 1));
  size = std::min(size, kFont * width / needed);
  return size >= kFont ? "" : tern::detail::text_of("font-size=\"", size, "\" ");
}

void draw_cell(std::string& svg, double x, double y, double side, double share) {
  const auto part = [&](double dark) {
    return std::isnan(share) ? 187 : static_cast<int>(std::lround(255 - (255 - dark) * share));
  };
  svg += tern::detail::text_of("<rect x=\"", x, "\" y=\"", y, "\" width=\"", side, "\" height=\"",
                               side, "\" fill=\"rgb(", part(8), ',', part(64), ',', part(129),
                               ")\"", side < 8 ? "" : " stroke=\"#ddd\"", "/>\n");
}

}  // namespace tern::train::detail
