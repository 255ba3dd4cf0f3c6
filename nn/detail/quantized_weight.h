#pragma once

#include <optional>
#include <ostream>
#include <string>

#include <tern/core/base/block_format.h>
#include <tern/nn/module.h>

// What Linear and Embedding share of a weight that is quantised: a buffer of blocks in place of the
// parameter `weight`.

namespace tern::nn::detail {

/// The parts of a module that hold its weight.
struct WeightMembers {
  Module& module;
  const char* type;  // for errors
  Tensor &weight, &blocks;
  std::optional<BlockFormat>& format;
};

/// Returns the name of the buffer: "weight_q8_0".
std::string blocks_name(BlockFormat format);

/// Makes the blocks of a weight [rows, columns] without elements, on the default device unless
/// given.
Tensor empty_blocks(BlockFormat format, std::int64_t rows, std::int64_t columns,
                    const std::optional<Device>& device);

/// Replaces the parameter, or blocks of the same format, by blocks. Throws, with nothing changed,
/// unless they are uint8 blocks of a weight [rows, columns], and for a module without a weight.
void set_blocks(const WeightMembers& members, const Tensor& blocks, BlockFormat format,
                std::int64_t rows, std::int64_t columns);

/// Throws Error if a weight is quantised: then it has no numbers to draw.
void check_not_quantized(const char* type, const std::optional<BlockFormat>& format);

/// Prints ", weight=Q8_0" for a quantised weight.
void print_format(std::ostream& stream, const std::optional<BlockFormat>& format);

/// Gives quantised weights to `to`, which reset() of a parent has made, and to modules below it
/// where those of `from` have them: the blocks have no elements yet. Modules that share blocks in
/// `from` share them in `to`.
void adopt_blocks(Module& to, const Module& from);

/// Returns what to do if a state lacks the weight `missing` ("fc.weight" or "fc.weight_q8_0")
/// because it has the key `unexpected` in its place: one of the two is quantised. Empty for other
/// keys.
std::string cure_of_format(const std::string& missing, const std::string& unexpected);

}  // namespace tern::nn::detail
