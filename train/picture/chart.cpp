#include <tern/train/picture/chart.h>

#include <algorithm>
#include <string_view>

#include <tern/core/base/error.h>
#include <tern/serialization/save_bytes.h>
#include <tern/train/picture/detail/axis.h>
#include <tern/train/picture/detail/check_name.h>
#include <tern/train/picture/detail/svg.h>

namespace tern::train {
namespace {

using detail::Axis;
using detail::draw_text;
using tern::detail::text_of;

constexpr double kLeft = 74;
constexpr double kTop = 52;
constexpr double kBelow = 58;
// Colours that colour-blind readers can also tell apart (Okabe and Ito).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                    "#cc79a7", "#e69f00", "#56b4e9"};

/// Returns the attributes of the line of series `i`. Lines after the sixth repeat the colours with
/// dashes.
std::string stroke_of(std::size_t i) {
  constexpr const char* kDashes[] = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""};
  constexpr std::size_t kCount = std::size(kColours);
  return text_of("stroke=\"", kColours[i % kCount], "\"", kDashes[i / kCount % std::size(kDashes)]);
}

/// Where the parts of the picture lie.
struct Layout {
  explicit Layout(const Chart& chart)
      : width(static_cast<double>(chart.width)),
        height(static_cast<double>(chart.height)),
        bottom(height - kBelow) {
    std::size_t longest = 0;
    for (const Series& series : chart.series) {
      longest = std::max(longest, series.name.size());
      named += series.name.empty() ? 0 : 1;
    }
    // The legend's text begins 45 pixels to the right of the chart. A letter takes about 7 pixels.
    constexpr double kLegend = 140;
    const double legend = std::max(kLegend, 50 + 7.2 * static_cast<double>(longest));
    right = width - (named == 0 ? 30 : std::min(legend, width / 2));
  }

  double width, height, bottom;
  double right = 0;
  std::size_t named = 0;  // series in the legend
};

void draw_axes(std::string& svg, const Chart& chart, const Layout& at, const Axis& x_axis,
               const Axis& y_axis) {
  svg += "<g stroke=\"#e3e3e3\">\n";
  for (const Axis::Tick& tick : x_axis.ticks()) {
    svg += text_of("<path d=\"M", tick.position, ' ', kTop, "V", at.bottom, "\"/>\n");
  }
  for (const Axis::Tick& tick : y_axis.ticks()) {
    svg += text_of("<path d=\"M", kLeft, ' ', tick.position, "H", at.right, "\"/>\n");
  }
  svg += text_of("</g>\n<path d=\"M", kLeft, ' ', kTop, "V", at.bottom, "H", at.right,
                 "\" fill=\"none\" stroke=\"#555\"/>\n");
  for (const Axis::Tick& tick : x_axis.ticks()) {
    draw_text(svg, tick.position, at.bottom + 20, tick.text, "middle");
  }
  for (const Axis::Tick& tick : y_axis.ticks()) {
    draw_text(svg, kLeft - 9, tick.position + 4.5, tick.text, "end");
  }
  const double middle = (kTop + at.bottom) / 2;
  draw_text(svg, (kLeft + at.right) / 2, at.height - 14, chart.x_label, "middle");
  draw_text(svg, 18, middle, chart.y_label, "middle",
            text_of("transform=\"rotate(-90 18 ", middle, ")\""));
  draw_text(svg, kLeft, 30, chart.title, "start", "font-size=\"17\" font-weight=\"600\"");
}

/// Draws the line, and a dot at each point of a short series. A point between two gaps always has a
/// dot, because no line shows it. Returns true if any point was drawn.
bool draw_series(std::string& svg, const Series& series, std::size_t index, const Axis& x_axis,
                 const Axis& y_axis) {
  constexpr std::size_t kMostDots = 60;
  const std::size_t count = series.x.size();
  const auto shown = [&](std::size_t i) {
    return i < count && x_axis.shows(series.x[i]) && y_axis.shows(series.y[i]);
  };
  std::string line, dots;
  for (std::size_t i = 0; i < count; ++i) {
    if (!shown(i)) continue;
    const bool pen_down = i > 0 && shown(i - 1);
    const double x = x_axis.position(series.x[i]);
    const double y = y_axis.position(series.y[i]);
    line += text_of(pen_down ? "L" : "M", x, ' ', y);
    if (count <= kMostDots || (!pen_down && !shown(i + 1))) {
      dots += text_of("<circle cx=\"", x, "\" cy=\"", y, "\" r=\"3\"/>\n");
    }
  }
  svg += text_of("<path fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" ",
                 stroke_of(index), " d=\"", line, "\"/>\n");
  if (!dots.empty()) {
    svg += text_of("<g fill=\"", kColours[index % std::size(kColours)], "\">\n", dots, "</g>\n");
  }
  return !line.empty();
}

/// Draws a piece of each line with its name, to the right of the chart.
void draw_legend(std::string& svg, const Chart& chart, const Layout& at) {
  const double room = (at.bottom - kTop) / static_cast<double>(std::max<std::size_t>(at.named, 1));
  double y = kTop + 12;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].name.empty()) continue;
    svg += text_of("<path stroke-width=\"3\" ", stroke_of(i), " d=\"M", at.right + 16, ' ', y,
                   "h22\"/>\n");
    draw_text(svg, at.right + 45, y + 4.5, chart.series[i].name, "start");
    y += std::min(22.0, room);
  }
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  TERN_CHECK(chart.width >= 240 && chart.height >= 160, Error,
             "chart_svg: expected a picture of at least 240 x 160 pixels, got ", chart.width, " x ",
             chart.height);
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Series& series : chart.series) {
    TERN_CHECK(series.x.size() == series.y.size(), ShapeError, "chart_svg: series '", series.name,
               "' must have as many x as y values, got ", series.x.size(), " and ",
               series.y.size());
    xs.insert(xs.end(), series.x.begin(), series.x.end());
    ys.insert(ys.end(), series.y.begin(), series.y.end());
  }
  const Layout at(chart);
  const Axis x_axis(xs, chart.log_x, kLeft, at.right);
  const Axis y_axis(ys, chart.log_y, at.bottom, kTop);

  std::string svg = detail::begin_svg(at.width, at.height);
  draw_axes(svg, chart, at, x_axis, y_axis);
  bool any = false;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    any |= draw_series(svg, chart.series[i], i, x_axis, y_axis);
  }
  if (!any) {
    draw_text(svg, (kLeft + at.right) / 2, (kTop + at.bottom) / 2, "no values", "middle");
  }
  draw_legend(svg, chart, at);
  return svg += "</svg>\n";
}

void save_chart(const Chart& chart, const std::string& path) {
  detail::check_name("save_chart", path, ".svg");
  save_bytes(chart_svg(chart), path);
}

}  // namespace tern::train
