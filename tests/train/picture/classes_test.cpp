#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/train/picture/classes.h>

#include "error_of.h"
#include "serialization/scratch.h"
#include "train/picture/svg_text.h"

namespace tern::train {
namespace {

metrics::ConfusionMatrix three_classes() {
  metrics::ConfusionMatrix matrix(3);
  matrix.update(tensor({0, 0, 0, 1, 1, 2, 0}), tensor({0, 0, 0, 0, 1, 1, 1}));
  return matrix;
}

TEST(ConfusionSvg, ShowsCountsAndShares) {
  const std::string svg = confusion_svg(
      three_classes(), ClassPictureOptions().labels({"cat", "dog & co", "bird"}).title("Animals"));
  show("confusion.svg", svg);
  EXPECT_EQ(occurrences(svg, "<rect x="), 9);
  EXPECT_EQ(occurrences(svg, ">cat</text>"), 2);  // beside its row and below its column
  EXPECT_EQ(occurrences(svg, ">dog &amp; co</text>"), 2);
  EXPECT_EQ(occurrences(svg, ">3</text>"), 1);
  EXPECT_EQ(occurrences(svg, ">1</text>"), 4);
  EXPECT_EQ(occurrences(svg, ">0</text>"), 0);
  for (const char* text : {">Animals<", ">target<", ">predicted<"}) {
    EXPECT_EQ(occurrences(svg, text), 1) << text;
  }
  // Three of four cats: three quarters of the way from white to dark blue. No bird: a white row.
  EXPECT_EQ(occurrences(svg, "fill=\"rgb(70,112,161)\""), 1);
  EXPECT_EQ(occurrences(svg, "fill=\"rgb(255,255,255)\""), 4);
  EXPECT_NE(confusion_svg(three_classes()).find(">2</text>"), std::string::npos) << "numbers";
}

TEST(ConfusionSvg, HasRoomForManyClassesAndLongNames) {
  metrics::ConfusionMatrix matrix(100);
  const Tensor classes = arange(100);
  matrix.update(classes, classes);
  const std::string svg = confusion_svg(matrix);
  show("confusion_100.svg", svg);
  EXPECT_EQ(occurrences(svg, "<rect x="), 10000);
  show("confusion_long.svg",
       confusion_svg(three_classes(),
                     ClassPictureOptions().labels({"a very long name of a class", "short", "c"})));
  // XML allows an attribute once.
  const std::string small = confusion_svg(
      matrix, ClassPictureOptions().labels(std::vector<std::string>(100, std::string(30, 'm'))));
  EXPECT_EQ(occurrences(small, "font-size=\"8\""), 200);
  EXPECT_EQ(occurrences(small, "font-size="), 2 + 200);  // of the document and of the title
  EXPECT_EQ(error_of([&] { confusion_svg(matrix, ClassPictureOptions().labels({"a"})); }),
            "confusion_svg: expected 100 labels, got 1");
}

TEST(PredictionsSvg, ShowsWrongOnesFirstInRed) {
  const Tensor images = linspace(0, 1, 5 * 3 * 4 * 4).reshape({5, 3, 4, 4});
  const Tensor predicted = tensor({0, 1, 2, 1, 0}), targets = tensor({0, 1, 1, 1, 2});
  const auto options = ClassPictureOptions().labels({"cat", "dog", "bird"}).nrow(3);
  const std::string svg = predictions_svg(images, predicted, targets, options);
  show("predictions.svg", svg);
  EXPECT_EQ(occurrences(svg, "data:image/png;base64,iVBORw0KGgo"), 5);
  EXPECT_EQ(occurrences(svg, "stroke=\"#d00\""), 2);
  const auto order = {">bird (dog)</text>", ">cat (bird)</text>", ">cat</text>", ">dog</text>"};
  std::size_t before = 0;
  for (const char* text : order) {
    const std::size_t at = svg.find(text);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_GT(at, before) << text;
    before = at;
  }
  const std::string two =
      predictions_svg(images, predicted, targets, ClassPictureOptions(options).count(2));
  EXPECT_EQ(occurrences(two, "<image "), 2);
  EXPECT_EQ(occurrences(two, "stroke=\"#d00\""), 2);
}

TEST(PredictionsSvg, RefusesWhatDoesNotFit) {
  const Tensor images = zeros({2, 1, 4, 4}), classes = tensor({0, 3});
  EXPECT_EQ(error_of<ShapeError>([&] { predictions_svg(images, classes, tensor({0})); }),
            "predictions_svg: expected images [N, C, H, W] and classes [N] and [N], got sizes "
            "[2, 1, 4, 4], [2] and [1]");
  EXPECT_EQ(error_of<DTypeError>([&] { predictions_svg(images, classes, classes.to(kFloat)); }),
            "predictions_svg: classes must have an integer dtype, got Long and Float");
  EXPECT_EQ(error_of<IndexError>([&] {
              predictions_svg(images, classes, classes, ClassPictureOptions().labels({"a"}));
            }),
            "predictions_svg: there is no label for class 3, there are 1");
  EXPECT_EQ(
      error_of([&] { predictions_svg(images, classes, classes, ClassPictureOptions().nrow(0)); }),
      "predictions_svg: count and nrow must be positive, got 30 and 0");
  const Scratch scratch;
  EXPECT_EQ(error_of<FileError>([&] {
              save_predictions(images, classes, classes, "x.png");
            }).find("save_predictions: 'x.png': the name must end in .svg"),
            0u);
  save_predictions(images, classes, classes, scratch.path("x.svg"));
  EXPECT_EQ(read_file(scratch.path("x.svg")), predictions_svg(images, classes, classes));
}

}  // namespace
}  // namespace tern::train
