#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::train {

/// One line of a chart: y over x, point by point. A point that is not finite (or, on a logarithmic
/// axis, not positive) leaves a gap.
struct Series {
  /// The name in the legend. Empty: not in the legend.
  std::string name;
  /// The positions of the points.
  std::vector<double> x;
  /// The values, as many as `x` has.
  std::vector<double> y;
};

/// A chart of lines with axes, round ticks and a legend.
///
/// Example:
///   train::Chart chart{"Loss", "epoch", "loss", {{"train", {1, 2, 3}, {0.9, 0.5, 0.4}}}};
///   chart.log_y = true;
///   train::save_chart(chart, "loss.svg");
struct Chart {
  /// The text above the chart.
  std::string title;
  /// The text below the x axis.
  std::string x_label;
  /// The text beside the y axis.
  std::string y_label;
  /// The lines, which may have different numbers of points, also none.
  std::vector<Series> series;
  /// True: the x axis is logarithmic.
  bool log_x = false;
  /// True: the y axis is logarithmic.
  bool log_y = false;
  /// The width of the picture in pixels.
  std::int64_t width = 840;
  /// The height of the picture in pixels.
  std::int64_t height = 460;
};

/// Returns the chart as an SVG document. Throws ShapeError if a series has not as many x as y
/// values, Error for a picture of less than 240 x 160 pixels.
TERN_API std::string chart_svg(const Chart& chart);

/// Writes chart_svg() to a file, completely or not at all. Throws FileError, too, also for a name
/// that does not end in .svg.
TERN_API void save_chart(const Chart& chart, const std::string& path);

}  // namespace tern::train
