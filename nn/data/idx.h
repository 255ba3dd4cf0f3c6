#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::data {

/// What an IDX file of unsigned bytes holds: row-major `values` of shape `sizes`.
struct IdxArray {
  std::vector<std::int64_t> sizes;
  std::vector<std::uint8_t> values;
};

constexpr std::uint32_t kIdxImages = 2051;  ///< Magic number: bytes, three dimensions.
constexpr std::uint32_t kIdxLabels = 2049;  ///< Magic number: bytes, one dimension.

/// Reads one IDX file whose magic number must be `magic` (kIdxImages or kIdxLabels).
///
/// A name that ends in .gz is unpacked on the way, where tern was built with zlib.
/// Throws: FileError, naming the file, what was expected and what was found, when it cannot be
/// read, has another magic number, an empty dimension after the first, or another length than its
/// sizes say.
TERN_API IdxArray read_idx(const std::string& path, std::uint32_t magic);

/// Images {N, rows, columns} and their labels {N}.
struct IdxImages {
  IdxArray images;
  IdxArray labels;
};

/// Reads the pair train-images-idx3-ubyte and train-labels-idx1-ubyte (or t10k-...) of a folder:
/// the layout of MNIST and of the sets made after it. Each may end in .gz and may have a dot before
/// idx.
///
/// Throws: FileError as read_idx does, when a file is missing, and when the counts differ.
TERN_API IdxImages read_idx_images(const std::string& root, bool train);

}  // namespace tern::data
