#include <tern/train/picture/heatmap.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/save_bytes.h>
#include <tern/train/detail/utf8.h>
#include <tern/train/picture/detail/check_name.h>
#include <tern/train/picture/detail/svg.h>

namespace tern::train {
namespace {

using detail::draw_text;
using detail::font_for;
using detail::kFont;
using detail::kLetter;
using tern::detail::text_of;

void check_labels(const std::vector<std::string>& labels, std::int64_t count, const char* of) {
  TERN_CHECK(labels.empty() || std::ssize(labels) == count, ShapeError, "heatmap_svg: expected ",
             count, ' ', of, " labels, got ", labels.size());
}

/// Returns the width that the longest label takes, at most 180 pixels.
double width_of(const std::vector<std::string>& labels) {
  std::size_t longest = 0;
  for (const std::string& label : labels) {
    longest = std::max(longest, detail::code_points_in(label));
  }
  return std::min(kLetter * static_cast<double>(longest), 180.0);
}

/// Maps the range to 0 to 1, and values that are not finite to NaN.
std::vector<double> shares_of(std::vector<double> values, const std::optional<ValueRange>& given) {
  ValueRange range{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range = {std::min(range.first, value), std::max(range.second, value)};
  }
  if (given) range = *given;
  for (double& value : values) {
    // Halves, because differences of large numbers are infinite.
    const double share = value / 2 - range.first / 2;
    const double all = std::max(range.second / 2 - range.first / 2, 1e-300);
    value = std::isfinite(value) ? std::clamp(share / all, 0.0, 1.0)
                                 : std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

}  // namespace

std::string heatmap_svg(const Tensor& values, const HeatmapOptions& options) {
  TERN_CHECK(values.defined(), Error, "heatmap_svg: expected a tensor, got an undefined one");
  TERN_CHECK(values.dim() == 2 && values.numel() > 0, ShapeError,
             "heatmap_svg: expected a matrix with at least one element, got sizes ",
             values.sizes());
  const std::int64_t rows = values.size(0), columns = values.size(1);
  check_labels(options.row_labels(), rows, "row");
  check_labels(options.column_labels(), columns, "column");
  const auto& range = options.value_range();
  TERN_CHECK(!range || range->first <= range->second, Error,
             "heatmap_svg: value_range must go from low to high, got ", range ? range->first : 0,
             " and ", range ? range->second : 0);
  const NoGradGuard no_grad;
  const std::vector<double> shares =
      shares_of(values.to(kCPU, kDouble).reshape({-1}).to_vector<double>(), range);

  const double cell = std::clamp(
      std::min(800 / static_cast<double>(columns), 600 / static_cast<double>(rows)), 4.0, 26.0);
  const double font = std::min(kFont, cell);
  const double row_names = width_of(options.row_labels());
  const double column_names = width_of(options.column_labels());
  // Names that are wider than their column stand upright.
  const bool is_upright = column_names > std::max(cell - 2, kLetter);
  const double above = column_names == 0 ? 0 : (is_upright ? column_names : kFont) + 8;
  const double left = 14 + (row_names == 0 ? 0 : row_names + 8);
  const double top = (options.title().empty() ? 14 : 46) + above;
  const double title = kLetter * 1.4 * static_cast<double>(detail::code_points_in(options.title()));
  std::string svg =
      detail::begin_svg(std::max(left + cell * static_cast<double>(columns), 14 + title) + 14,
                        top + cell * static_cast<double>(rows) + 14);
  draw_text(svg, 14, 30, options.title(), "start", "font-size=\"17\" font-weight=\"600\"");
  for (std::int64_t column = 0; column < columns && above > 0; ++column) {
    const std::string& label = options.column_labels()[static_cast<std::size_t>(column)];
    const double x = left + cell * (static_cast<double>(column) + 0.5), y = top - 8;
    if (is_upright) {
      draw_text(svg, x + 4.5, y, label, "start",
                font_for(label, column_names, font) +
                    text_of("transform=\"rotate(-90 ", x + 4.5, ' ', y, ")\""));
    } else {
      draw_text(svg, x, y, label, "middle", font_for(label, column_names, font));
    }
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const double y = top + cell * static_cast<double>(row);
    if (row_names > 0) {
      const std::string& label = options.row_labels()[static_cast<std::size_t>(row)];
      draw_text(svg, left - 8, y + cell / 2 + 4.5, label, "end", font_for(label, row_names, font));
    }
    for (std::int64_t column = 0; column < columns; ++column) {
      detail::draw_cell(svg, left + cell * static_cast<double>(column), y, cell,
                        shares[static_cast<std::size_t>(row * columns + column)]);
    }
  }
  svg += text_of("<path fill=\"none\" stroke=\"#bbb\" d=\"M", left, ' ', top, "h",
                 cell * static_cast<double>(columns), "v", cell * static_cast<double>(rows), "H",
                 left, "Z\"/>\n");
  return svg += "</svg>\n";
}

void save_heatmap(const Tensor& values, const std::string& path, const HeatmapOptions& options) {
  detail::check_name("save_heatmap", path, ".svg");
  save_bytes(heatmap_svg(values, options), path);
}

}  // namespace tern::train
