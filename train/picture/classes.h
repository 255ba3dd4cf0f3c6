#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/options_arg.h>
#include <tern/train/metrics/confusion_matrix.h>

namespace tern::train {

/// Options of the pictures of classes.
struct ClassPictureOptions {
  /// The name of each class; its number if empty.
  TERN_ARG(std::vector<std::string>, labels);
  /// The text above the picture.
  TERN_ARG(std::string, title);
  /// Of save_predictions(): the largest number of images.
  TERN_ARG(std::int64_t, count) = 30;
  /// Of save_predictions(): the largest number of images in a row.
  TERN_ARG(std::int64_t, nrow) = 10;
};

/// Returns a confusion matrix as an SVG document: a row for each class of targets, a column for
/// each predicted class. A cell shows its count and is the darker, the larger its share of the row.
///
/// Throws: Error unless there is a label for each class or none, and what matrix.compute() throws.
TERN_API std::string confusion_svg(const metrics::ConfusionMatrix& matrix,
                                   const ClassPictureOptions& options = {});
/// Writes confusion_svg() to a file, completely or not at all. Throws FileError, too, also for a
/// name that does not end in .svg.
///
/// Example:
///   train::save_confusion(matrix, "confusion.svg",
///                         train::ClassPictureOptions().labels({"cat", "dog", "bird"}));
TERN_API void save_confusion(const metrics::ConfusionMatrix& matrix, const std::string& path,
                             const ClassPictureOptions& options = {});

/// Returns images with their predicted classes as an SVG document. Wrong predictions come first, in
/// a red frame and with the right class in parentheses. Values of images are those of save_image().
///
/// Shape: images [N, C, H, W] with 1, 3 or 4 channels, predicted [N], targets [N]
///
/// Throws: ShapeError for other sizes, DTypeError for classes that are no integers, Error for
/// options out of range, IndexError for a class without a label.
TERN_API std::string predictions_svg(const Tensor& images, const Tensor& predicted,
                                     const Tensor& targets,
                                     const ClassPictureOptions& options = {});
/// Writes predictions_svg() to a file, as save_confusion() does.
///
/// Example:
///   train::save_predictions(images, net(images).argmax(1), targets, "predictions.svg");
TERN_API void save_predictions(const Tensor& images, const Tensor& predicted, const Tensor& targets,
                               const std::string& path, const ClassPictureOptions& options = {});

}  // namespace tern::train
