#include <tern/core/base/error.h>
#include <tern/nn/data/image_file.h>

#include "input.h"

// Any bytes as an image file: an error, or an image with the channels that were asked for.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tern::data::ImageMode;
  for (const ImageMode mode : {ImageMode::kRgb, ImageMode::kGray, ImageMode::kUnchanged}) {
    try {
      const tern::Tensor image = tern::data::decode_image(data, size, mode);
      const std::int64_t channels = image.size(0);
      const bool fits = mode == ImageMode::kRgb    ? channels == 3
                        : mode == ImageMode::kGray ? channels == 1 || channels == 3  // four inks
                                                   : channels >= 1 && channels <= 4;
      if (image.dim() != 3 || !fits) throw std::logic_error("another image than asked for");
    } catch (const tern::FileError&) {
    } catch (const tern::NotImplementedError&) {
    }
  }
  return 0;
}
