#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern::data {

/// The content of an IDX file of unsigned bytes.
struct IdxArray {
  /// The size of every dimension.
  std::vector<std::int64_t> sizes;
  /// The bytes in row-major order.
  std::vector<std::uint8_t> values;
};

constexpr std::uint32_t kIdxImages = 2051;  ///< Magic number: bytes, three dimensions.
constexpr std::uint32_t kIdxLabels = 2049;  ///< Magic number: bytes, one dimension.

/// Reads one IDX file whose magic number must be `magic` (kIdxImages or kIdxLabels). Decompresses a
/// file whose name ends in .gz if tern was built with zlib.
///
/// Throws: FileError that names the file, the expected and the found value, if the file cannot be
/// read, has another magic number, an empty dimension after the first, or a length that does not
/// match its sizes.
TERN_API IdxArray read_idx(const std::string& path, std::uint32_t magic);

/// Images [N, rows, columns] and their labels [N].
struct IdxImages {
  /// The images.
  IdxArray images;
  /// The labels.
  IdxArray labels;
};

/// Reads the pair train-images-idx3-ubyte and train-labels-idx1-ubyte (or t10k-...) of a folder:
/// the layout of MNIST and its successors. Each name may end in .gz and may have a dot before idx.
///
/// Throws: FileError like read_idx(), if a file is missing, and if the counts differ.
TERN_API IdxImages read_idx_images(const std::string& root, StrictBool train);

}  // namespace tern::data
