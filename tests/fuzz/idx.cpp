#include <tern/core/base/error.h>
#include <tern/nn/data/idx.h>

#include "input.h"

// Any bytes as a data set's file, plain and packed: an error, or as many values as its sizes say.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tern::fuzz::Folder folder;
  const bool packed = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
  const std::string path = folder.file(packed ? "input.gz" : "input", data, size);
  for (const std::uint32_t magic : {tern::data::kIdxImages, tern::data::kIdxLabels}) {
    try {
      const tern::data::IdxArray array = tern::data::read_idx(path, magic);
      std::int64_t count = 1;
      for (const std::int64_t each : array.sizes) count *= each;
      if (count != static_cast<std::int64_t>(array.values.size())) {
        throw std::logic_error("another count of values than the sizes say");
      }
    } catch (const tern::FileError&) {
    }
  }
  return 0;
}
