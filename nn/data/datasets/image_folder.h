#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/data/dataset.h>
#include <tern/nn/data/image_file.h>

namespace tern::data::datasets {

/// Images in one folder per class, as torchvision.datasets.ImageFolder: root/dog/x.jpg,
/// root/cat/y.png. The sorted names of the folders are the classes; files whose name ends in .jpg,
/// .jpeg or .png count, also in folders below, in sorted order. get() reads the file, so workers
/// decode in parallel.
///
/// Shape: data uint8 [3, H, W], target int64 []
///
/// Example:
///   auto train = datasets::ImageFolder("photos/train")
///                    .map(transforms::RandomResizedCrop(224))
///                    .map(transforms::ConvertImageDtype())
///                    .map(transforms::Stack<>());
///   auto loader = data::make_data_loader(train, data::DataLoaderOptions(64).workers(4));
class TERN_API ImageFolder : public Dataset<ImageFolder> {
 public:
  /// Lists the files below `root`. Throws FileError if it is no folder, has no folder of a class,
  /// or a class has no image.
  explicit ImageFolder(const std::string& root, ImageMode mode = ImageMode::kRgb);

  /// Reads image `index`. Throws IndexError out of range, FileError as read_image().
  Example<> get(std::size_t index) override;
  std::optional<std::size_t> size() const override;

  /// Returns the names of the classes, sorted.
  const std::vector<std::string>& classes() const;
  /// Returns the number of each class.
  std::map<std::string, std::int64_t> class_to_idx() const;
  /// Returns path and class number of all images.
  const std::vector<std::pair<std::string, std::int64_t>>& samples() const;
  /// Returns the class numbers of all images, for example to compute the weights of a sampler.
  std::vector<std::int64_t> targets() const;

 private:
  struct Listing;
  std::shared_ptr<const Listing> listing_;
  ImageMode mode_;
};

}  // namespace tern::data::datasets
