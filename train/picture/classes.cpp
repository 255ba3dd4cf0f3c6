#include <tern/train/picture/classes.h>

#include <algorithm>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/plain_text.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/file/detail/base64.h>
#include <tern/serialization/save_bytes.h>
#include <tern/train/detail/utf8.h>
#include <tern/train/picture/detail/check_name.h>
#include <tern/train/picture/detail/png.h>
#include <tern/train/picture/detail/svg.h>

namespace tern::train {
namespace {

using detail::draw_text;
using detail::font_for;
using detail::kFont;
using detail::kLetter;
using tern::detail::text_of;

std::string label_of(const char* function, const ClassPictureOptions& options,
                     std::int64_t number) {
  if (options.labels().empty()) return std::to_string(number);
  TERN_CHECK(number >= 0 && number < std::ssize(options.labels()), IndexError, function,
             ": there is no label for class ", number, ", there are ", options.labels().size());
  return options.labels()[static_cast<std::size_t>(number)];
}

}  // namespace

std::string confusion_svg(const metrics::ConfusionMatrix& matrix,
                          const ClassPictureOptions& options) {
  constexpr const char* kName = "confusion_svg";
  const std::int64_t classes = matrix.num_classes();
  TERN_CHECK(options.labels().empty() || std::ssize(options.labels()) == classes, Error, kName,
             ": expected ", classes, " labels, got ", options.labels().size());
  const auto counts = matrix.compute().reshape({-1}).to_vector<std::int64_t>();
  const auto shares =
      matrix.normalized(metrics::Normalize::Target).reshape({-1}).to_vector<double>();
  std::size_t longest = 1;
  for (std::int64_t i = 0; i < classes; ++i) {
    longest = std::max(longest, detail::code_points_in(label_of(kName, options, i)));
  }
  const double cell = std::clamp(640 / static_cast<double>(classes), 10.0, 56.0);
  const double side = cell * static_cast<double>(classes);
  const double name = std::min(kLetter * static_cast<double>(longest), 180.0);
  const double left = name + 40, top = options.title().empty() ? 16 : 48, bottom = top + side;
  // Names that are wider than their column stand upright.
  const bool is_upright = name > cell - 4;
  std::string svg =
      detail::begin_svg(std::max(left + side, 220.0) + 20, bottom + (is_upright ? name : 13) + 46);
  draw_text(svg, left, 30, options.title(), "start", "font-size=\"17\" font-weight=\"600\"");
  for (std::int64_t row = 0; row < classes; ++row) {
    const double y = top + cell * static_cast<double>(row);
    const std::string label = label_of(kName, options, row);
    const std::string font = font_for(label, name, cell < 14 ? cell * 0.8 : kFont);
    draw_text(svg, left - 8, y + cell / 2 + 4.5, label, "end", font);
    const double x = left + cell * (static_cast<double>(row) + 0.5), end = bottom + 10;
    if (is_upright) {
      draw_text(svg, x + 4.5, end, label, "end",
                font + text_of("transform=\"rotate(-90 ", x + 4.5, ' ', end, ")\""));
    } else {
      draw_text(svg, x, end + 8, label, "middle", font);
    }
    for (std::int64_t column = 0; column < classes; ++column) {
      const auto index = static_cast<std::size_t>(row * classes + column);
      const double at = left + cell * static_cast<double>(column);
      detail::draw_cell(svg, at, y, cell, shares[index]);
      if (counts[index] == 0 || cell < 18) continue;
      const std::string text = std::to_string(counts[index]);
      draw_text(svg, at + cell / 2, y + cell / 2 + 4.5, text, "middle",
                font_for(text, cell - 4) + (shares[index] > 0.5 ? "fill=\"white\"" : ""));
    }
  }
  draw_text(svg, left + side / 2, bottom + (is_upright ? name : 13) + 36, "predicted", "middle");
  const double middle = top + side / 2;
  draw_text(svg, 18, middle, "target", "middle",
            text_of("transform=\"rotate(-90 18 ", middle, ")\""));
  return svg += "</svg>\n";
}

void save_confusion(const metrics::ConfusionMatrix& matrix, const std::string& path,
                    const ClassPictureOptions& options) {
  detail::check_name("save_confusion", path, ".svg");
  save_bytes(confusion_svg(matrix, options), path);
}

std::string predictions_svg(const Tensor& images, const Tensor& predicted, const Tensor& targets,
                            const ClassPictureOptions& options) {
  constexpr const char* kName = "predictions_svg";
  TERN_CHECK(images.defined() && predicted.defined() && targets.defined(), Error, kName,
             ": expected three tensors, got an undefined one");
  const bool fits = images.dim() == 4 && images.numel() > 0 && predicted.dim() == 1 &&
                    predicted.sizes() == targets.sizes() && predicted.size(0) == images.size(0);
  TERN_CHECK(fits, ShapeError, kName,
             ": expected images [N, C, H, W] and classes [N] and [N], got sizes ", images.sizes(),
             ", ", predicted.sizes(), " and ", targets.sizes());
  TERN_CHECK(!predicted.is_floating_point() && !targets.is_floating_point(), DTypeError, kName,
             ": classes must have an integer dtype, got ", predicted.scalar_type(), " and ",
             targets.scalar_type());
  TERN_CHECK(options.count() > 0 && options.nrow() > 0, Error, kName,
             ": count and nrow must be positive, got ", options.count(), " and ", options.nrow());
  const NoGradGuard no_grad;
  const auto given = predicted.to(kCPU, kLong).to_vector<std::int64_t>();
  const auto right = targets.to(kCPU, kLong).to_vector<std::int64_t>();
  std::vector<std::int64_t> order;
  for (const bool is_right : {false, true}) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if ((given[i] == right[i]) == is_right) order.push_back(static_cast<std::int64_t>(i));
    }
  }
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.count())));
  const std::int64_t shown = std::ssize(order), across = std::min(options.nrow(), shown);
  const std::int64_t down = (shown + across - 1) / across;
  constexpr double kPicture = 76, kWidth = 88, kHeight = 104;  // of an image, and of its place
  const double top = options.title().empty() ? 8 : 44;
  std::string svg = detail::begin_svg(kWidth * static_cast<double>(across) + 8,
                                      top + kHeight * static_cast<double>(down));
  draw_text(svg, 10, 28, options.title(), "start", "font-size=\"17\" font-weight=\"600\"");
  for (std::int64_t i = 0; i < shown; ++i) {
    const std::int64_t at = order[static_cast<std::size_t>(i)];
    const double x = 4 + kWidth * static_cast<double>(i % across) + (kWidth - kPicture) / 2;
    const std::int64_t row = i / across;
    const double y = top + kHeight * static_cast<double>(row);
    const std::int64_t own = given[static_cast<std::size_t>(at)];
    const std::int64_t wanted = right[static_cast<std::size_t>(at)];
    const bool is_right = own == wanted;
    const Tensor image = images[at].detach();
    svg += text_of("<image x=\"", x, "\" y=\"", y, "\" width=\"", kPicture, "\" height=\"",
                   kPicture, "\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,",
                   tern::detail::base64_encode(detail::encode_png(image, kName).bytes), "\"/>\n");
    std::string text = label_of(kName, options, own);
    if (!is_right) {
      text += " (" + label_of(kName, options, wanted) + ")";
      svg += text_of("<rect x=\"", x - 1.5, "\" y=\"", y - 1.5, "\" width=\"", kPicture + 3,
                     "\" height=\"", kPicture + 3,
                     "\" fill=\"none\" stroke=\"#d00\" stroke-width=\"3\"/>\n");
    }
    draw_text(svg, x + kPicture / 2, y + kPicture + 17, text, "middle",
              font_for(text, kWidth - 4) + (is_right ? "" : "fill=\"#d00\""));
  }
  return svg += "</svg>\n";
}

void save_predictions(const Tensor& images, const Tensor& predicted, const Tensor& targets,
                      const std::string& path, const ClassPictureOptions& options) {
  detail::check_name("save_predictions", path, ".svg");
  save_bytes(predictions_svg(images, predicted, targets, options), path);
}

}  // namespace tern::train
