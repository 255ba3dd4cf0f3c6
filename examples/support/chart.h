#pragma once

#include <string>
#include <vector>

namespace support {

/// One line of a chart: y over x, point by point. A point that is not finite (or, on a logarithmic
/// axis, not positive) leaves a gap.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  bool log_x = false;
  bool log_y = false;
};

/// Draws the chart as SVG with axes, ticks and a legend. Throws tern::FileError.
void write_chart(const std::string& path, const Chart& chart);

/// Writes one line of names and then the rows, with the shortest decimals that read back to the
/// same numbers. Throws tern::FileError.
void write_csv(const std::string& path, const std::vector<std::string>& names,
               const std::vector<std::vector<double>>& rows);

}  // namespace support
