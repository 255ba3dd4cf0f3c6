#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/nn/data/datasets/tensor_dataset.h>

namespace support {

/// Height and width of a picture of draw_shapes() in pixels, those of CIFAR-10.
constexpr std::int64_t kShapeSize = 32;

/// Returns the names of the ten shapes.
const std::vector<std::string>& shape_names();

/// Draws `count` pictures of coloured shapes, turned at random, on noise: data uint8 [N, 3, 32,
/// 32], targets int64 [N]. Picture i shows shape i % 10. The same seed gives the same bytes on
/// every machine.
tern::data::datasets::PairDataset draw_shapes(std::int64_t count, std::uint64_t seed);

/// Returns CIFAR-10's pictures for training or for testing from its binary files in `folder`, or
/// 5,000 and 1,000 drawn shapes if it is empty; as draw_shapes(). Throws FileError for a file that
/// is missing or damaged.
tern::data::datasets::PairDataset load_pictures(const std::string& folder, bool is_training);

}  // namespace support
