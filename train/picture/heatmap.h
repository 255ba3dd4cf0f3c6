#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>
#include <tern/train/picture/image.h>

namespace tern::train {

/// Options of heatmap_svg() and save_heatmap().
struct HeatmapOptions {
  /// The text beside each row; none if empty.
  TERN_ARG(std::vector<std::string>, row_labels);
  /// The text above each column; none if empty.
  TERN_ARG(std::vector<std::string>, column_labels);
  /// The text above the picture.
  TERN_ARG(std::string, title);
  /// The values that are white and dark blue; other values are clipped. nullopt: the lowest and the
  /// highest finite value.
  TERN_ARG(std::optional<ValueRange>, value_range);
};

/// Returns a matrix as an SVG document: a cell for each value, the darker, the larger the value.
/// Values that are not finite are grey.
///
/// Shape: values [rows, columns]
///
/// Throws: ShapeError for other shapes, for an empty matrix, and unless there is a label for each
/// row or none, and for each column or none; Error for a value_range whose first number is the
/// larger one.
TERN_API std::string heatmap_svg(const Tensor& values, const HeatmapOptions& options = {});

/// Writes heatmap_svg() to a file, completely or not at all. Throws FileError, too, also for a name
/// that does not end in .svg.
///
/// Example:
///   auto [y, weights] = attention(queries, words, words);
///   train::save_heatmap(weights[0], "attention.svg",
///                       train::HeatmapOptions().column_labels({"the", "red", "cat"}));
TERN_API void save_heatmap(const Tensor& values, const std::string& path,
                           const HeatmapOptions& options = {});

}  // namespace tern::train
