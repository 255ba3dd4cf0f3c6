#pragma once

#include <string>
#include <vector>

namespace support {

/// Maps values to positions along one side of a chart and finds its ticks.
class Axis {
 public:
  struct Tick {
    double position;
    std::string text;
  };

  /// Spans `values`; `from` and `to` are positions in the picture. Values it cannot show are left
  /// out.
  Axis(const std::vector<double>& values, bool logarithmic, double from, double to);

  bool shows(double value) const;
  double position(double value) const;
  /// Round numbers: steps of 1, 2 or 5 times a power of ten; powers of ten on a logarithmic axis,
  /// with 2 and 5 between them when there are few.
  std::vector<Tick> ticks() const;

 private:
  double scaled(double value) const;

  bool logarithmic_;
  double from_;
  double to_;
  double low_ = 0;
  double high_ = 1;
};

}  // namespace support
