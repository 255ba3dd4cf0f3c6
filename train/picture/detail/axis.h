#pragma once

#include <string>
#include <vector>

namespace tern::train::detail {

/// Maps values to positions along one side of a chart and finds its ticks.
class Axis {
 public:
  struct Tick {
    double position;
    std::string text;
  };

  /// Spans `values`; `from` and `to` are positions in the picture. Values that the axis cannot show
  /// are ignored.
  Axis(const std::vector<double>& values, bool logarithmic, double from, double to);

  bool shows(double value) const;
  double position(double value) const;
  /// Returns round numbers: steps of 1, 2 or 5 times a power of ten. On a logarithmic axis, powers
  /// of ten, with 2 and 5 between them if there are few.
  std::vector<Tick> ticks() const;

 private:
  double scaled(double value) const;

  bool logarithmic_;
  double from_;
  double to_;
  double low_ = 0;
  double high_ = 1;
};

}  // namespace tern::train::detail
