#include <gtest/gtest.h>

#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/train/picture/heatmap.h>

#include "error_of.h"
#include "serialization/scratch.h"
#include "train/picture/svg_text.h"

namespace tern::train {
namespace {

TEST(HeatmapSvg, ShowsValuesWithTheLabels) {
  const Tensor values = tensor({{0.0, 0.75, 1.0}, {1.0, 0.0, 0.5}});
  const std::string svg = heatmap_svg(
      values,
      HeatmapOptions().row_labels({"a", "b"}).column_labels({"<", "é", "z"}).title("Weights"));
  show("heatmap.svg", svg);
  EXPECT_EQ(occurrences(svg, "<rect x="), 6);
  for (const char* text : {">a<", ">b<", ">&lt;<", ">é<", ">z<", ">Weights<"}) {
    EXPECT_EQ(occurrences(svg, text), 1) << text;
  }
  EXPECT_EQ(occurrences(svg, "rotate"), 0);
  EXPECT_EQ(occurrences(svg, "fill=\"rgb(255,255,255)\""), 2);
  EXPECT_EQ(occurrences(svg, "fill=\"rgb(70,112,161)\""), 1) << "three quarters of the way";
  EXPECT_EQ(occurrences(svg, "fill=\"rgb(8,64,129)\""), 2);
  EXPECT_EQ(heatmap_svg(values.mul(6).sub(3)), heatmap_svg(values)) << "lowest to highest value";
  EXPECT_EQ(heatmap_svg(values.gt(0.9)), heatmap_svg(values.gt(0.9).to(kHalf)));
}

TEST(HeatmapSvg, ClipsToTheRangeAndShowsWhatIsNotFiniteInGrey) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor values = tensor({{-5.0, 2.0, 9.0, infinity, -infinity, infinity - infinity}});
  for (const auto& options : {HeatmapOptions().value_range({{0, 4}}), HeatmapOptions()}) {
    const std::string svg = heatmap_svg(values, options);
    EXPECT_EQ(occurrences(svg, "fill=\"rgb(255,255,255)\""), 1);
    EXPECT_EQ(occurrences(svg, "fill=\"rgb(132,160,192)\""), 1);
    EXPECT_EQ(occurrences(svg, "fill=\"rgb(8,64,129)\""), 1);
    EXPECT_EQ(occurrences(svg, "fill=\"rgb(187,187,187)\""), 3);
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(heatmap_svg(tensor({{-kMost, 0.0, kMost}}, kDouble)),
            heatmap_svg(tensor({{0.0, 0.5, 1.0}})));
  EXPECT_EQ(occurrences(heatmap_svg(full({2, 2}, 7)), "fill=\"rgb(255,255,255)\""), 4);
  EXPECT_EQ(occurrences(heatmap_svg(full({2, 2}, infinity)), "fill=\"rgb(187,187,187)\""), 4);
}

TEST(HeatmapSvg, HasRoomForManyCellsAndLongNames) {
  const std::vector<std::string> words = {"nobody", "found", "the", "very long name of a thing"};
  const std::string svg =
      heatmap_svg(eye(4), HeatmapOptions().row_labels(words).column_labels(words));
  show("heatmap_long.svg", svg);
  EXPECT_EQ(occurrences(svg, "rotate(-90"), 4);
  const std::string many =
      heatmap_svg(eye(200), HeatmapOptions().column_labels(std::vector<std::string>(200, "x")));
  show("heatmap_200.svg", many);
  EXPECT_EQ(occurrences(many, "<rect x="), 40000);
  EXPECT_EQ(occurrences(many, "stroke="), 1) << "lines would hide the colours of small cells";
  EXPECT_EQ(occurrences(many, "font-size="), 2 + 200) << "XML allows an attribute once";
}

TEST(HeatmapSvg, RefusesWhatDoesNotFit) {
  const Tensor values = zeros({2, 3});
  EXPECT_EQ(error_of([&] { heatmap_svg(Tensor()); }),
            "heatmap_svg: expected a tensor, got an undefined one");
  for (const Tensor& wrong : {zeros({3}), zeros({1, 2, 3})}) {
    EXPECT_EQ(error_of<ShapeError>([&] {
                heatmap_svg(wrong);
              }).find("heatmap_svg: expected a matrix with at least one element, got sizes ["),
              0u);
  }
  EXPECT_EQ(error_of<ShapeError>([&] {
              heatmap_svg(zeros({0, 3}));
            }),
            "heatmap_svg: expected a matrix with at least one element, got sizes [0, 3]");
  EXPECT_EQ(error_of<ShapeError>([&] { heatmap_svg(values, HeatmapOptions().row_labels({"a"})); }),
            "heatmap_svg: expected 2 row labels, got 1");
  EXPECT_EQ(error_of<ShapeError>([&] {
              heatmap_svg(values, HeatmapOptions().column_labels({"a", "b"}));
            }),
            "heatmap_svg: expected 3 column labels, got 2");
  EXPECT_EQ(error_of([&] {
              heatmap_svg(values, HeatmapOptions().value_range({{2, 1}}));
            }),
            "heatmap_svg: value_range must go from low to high, got 2 and 1");
  const Scratch scratch;
  EXPECT_EQ(error_of<FileError>([&] {
              save_heatmap(values, "x.png");
            }).find("save_heatmap: 'x.png': the name must end in .svg"),
            0u);
  save_heatmap(values, scratch.path("x.svg"));
  EXPECT_EQ(read_file(scratch.path("x.svg")), heatmap_svg(values));
}

}  // namespace
}  // namespace tern::train
