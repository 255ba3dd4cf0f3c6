#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/base/error.h>
#include <tern/train/picture/chart.h>

#include "error_of.h"
#include "serialization/scratch.h"
#include "train/picture/svg_text.h"

namespace tern::train {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Returns the text of all paths of lines.
std::string lines_of(const std::string& svg) {
  std::string lines;
  for (std::size_t at = 0;
       (at = svg.find("<path fill=\"none\" stroke-width=\"2\"", at)) != std::string::npos;) {
    const std::size_t from = svg.find(" d=\"", at) + 4;
    at = svg.find('"', from);
    lines += svg.substr(from, at - from) + "\n";
  }
  return lines;
}

/// Checks that tags are closed in order.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos;) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find(' '));
    if (tag.starts_with("/")) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(name);
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Chart, DrawsSeriesWithGapsAndALegend) {
  Chart chart{"Title & <more>", "x", "y", {}};
  chart.series.push_back({"first", {1, 2, 3, 4, 5}, {1, kNan, 3, 4, INFINITY}});
  chart.series.push_back({"second", {1, 2}, {2, 1}});
  chart.series.push_back({"", {1}, {1}});
  chart.series.push_back({"empty", {}, {}});
  const std::string svg = chart_svg(chart);
  expect_well_formed(svg);
  EXPECT_EQ(occurrences(svg, "Title &amp; &lt;more>"), 1);
  EXPECT_EQ(occurrences(svg, "stroke-width=\"3\""), 3) << "lines of the legend";
  const std::string lines = lines_of(svg);
  EXPECT_EQ(occurrences(lines, "M"), 4) << lines;
  EXPECT_EQ(occurrences(lines, "L"), 2) << lines;
  EXPECT_EQ(occurrences(svg, "<circle"), 6);
}

TEST(Chart, LogarithmicAxesLeaveOutWhatIsNotPositive) {
  Chart chart{"", "", "", {{"loss", {1, 10, 100, 1000}, {0, -1, 0.01, 100}}}};
  chart.log_x = chart.log_y = true;
  const std::string svg = chart_svg(chart);
  expect_well_formed(svg);
  EXPECT_EQ(occurrences(lines_of(svg), "M"), 1);
  for (const char* tick : {">10<", ">100<", ">1000<", ">0.01<", ">1<"}) {
    EXPECT_EQ(occurrences(svg, tick) > 0, true) << tick;
  }
}

TEST(Chart, APointBetweenGapsHasADotInALongSeries) {
  Chart chart{"", "", "", {{"long", {}, {}}}};
  for (int i = 0; i < 200; ++i) {
    chart.series[0].x.push_back(i);
    chart.series[0].y.push_back(i % 50 == 1 || i % 50 == 3 ? kNan : i);
  }
  EXPECT_EQ(occurrences(chart_svg(chart), "<circle"), 5);
}

TEST(Chart, HasNoTickOfMinusZero) {
  EXPECT_EQ(occurrences(chart_svg({"", "", "", {{"s", {0, 100}, {-50, 50}}}}), ">-0<"), 0);
}

TEST(Chart, HoldsWithoutValues) {
  for (const std::vector<double>& values : {std::vector<double>{},
                                            {kNan, kNan},
                                            {1e308, -1e308},
                                            {1e-310, 2e-310},
                                            {5, 5},
                                            {1e15, std::nextafter(1e15, 2e15)}}) {
    std::vector<double> x(values.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    for (const bool log : {false, true}) {
      Chart chart{"", "", "", {{"s", x, values}}};
      chart.log_y = log;
      const std::string svg = chart_svg(chart);
      expect_well_formed(svg);
      EXPECT_LT(svg.size(), 20000u);
    }
  }
  EXPECT_EQ(occurrences(chart_svg(Chart{}), "no values"), 1);
}

TEST(Chart, IsSavedWholeOrNotAtAll) {
  const Scratch scratch;
  const std::string path = scratch.path("loss.svg");
  const Chart chart{"t", "x", "y", {{"s", {1, 2}, {3, 4}}}};
  save_chart(chart, path);
  EXPECT_EQ(read_file(path), chart_svg(chart));
  const Chart wrong{"t", "x", "y", {{"s", {1, 2}, {3}}}};
  EXPECT_EQ(error_of<ShapeError>([&] { save_chart(wrong, path); }),
            "chart_svg: series 's' must have as many x as y values, got 2 and 1");
  EXPECT_EQ(read_file(path), chart_svg(chart));
  Chart small = chart;
  small.width = 10;
  EXPECT_NE(error_of([&] { chart_svg(small); }).find("got 10 x 460"), std::string::npos);
  EXPECT_EQ(error_of<FileError>([&] { save_chart(chart, "loss.png"); }),
            "save_chart: 'loss.png': the name must end in .svg, the only format that save_chart "
            "writes");
  const std::string missing = scratch.path("none/loss.svg");
  EXPECT_NE(error_of<FileError>([&] { save_chart(chart, missing); }).find(missing),
            std::string::npos);
  EXPECT_EQ(scratch.count(), 1);
}

}  // namespace
}  // namespace tern::train
