#pragma once

#include <cstdint>

#include <tern/core/tensor/tensor.h>

// What the ops with masks share. Finding the number of true elements waits for a GPU.

namespace tern::detail {

/// A mask whose true elements are counted.
struct CountedMask {
  Tensor mask;  // bool, contiguous
  Tensor ends;  // MaskArgs::ends
  std::int64_t total = 0;
};

/// Counts the true elements of a bool tensor. Throws Error for a meta tensor.
CountedMask count_mask(const char* name, const Tensor& mask);
/// Returns the indices of the true elements: [1, total], as if the mask had one dimension.
Tensor mask_positions(const char* name, const CountedMask& mask);
/// Returns the elements of `self`, which has the mask's sizes, where the mask is true. Records
/// nothing, as the next function.
Tensor select_masked(const char* name, const Tensor& self, const CountedMask& mask);
/// Writes the elements of `source`, of which there are at least mask.total, to the elements of
/// `out` where the mask is true. `out` has the mask's sizes.
void scatter_masked(const char* name, const Tensor& out, const CountedMask& mask,
                    const Tensor& source);

}  // namespace tern::detail
