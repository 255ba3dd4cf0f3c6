#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>

// Batches of sequences of different lengths, padded to one length or packed.

namespace tern::nn::utils::rnn {

/// The rows of sequences of different lengths without padding: first step 0 of all sequences, then
/// step 1 of those that still run, and so on. The sequences are sorted, the longest first.
/// pack_padded_sequence() and pack_sequence() make it; a recurrent layer takes it in
/// forward_with_packed_input().
class TERN_API PackedSequence {
 public:
  /// Takes the rows, the number of rows of each step (int64, on the CPU), and the sorted order of
  /// the caller's sequences and its inverse, both undefined where the caller sorted them. The
  /// inverse is computed if only it is missing. Throws DeviceError for batch_sizes on another
  /// device.
  explicit PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                          Tensor unsorted_indices = {});

  /// The rows [sum of all lengths, ...].
  const Tensor& data() const { return data_; }
  /// The number of rows of each step.
  const Tensor& batch_sizes() const { return batch_sizes_; }
  /// The caller's indices of the sorted sequences; may be undefined.
  const Tensor& sorted_indices() const { return sorted_indices_; }
  /// The position of each of the caller's sequences among the sorted ones; may be undefined.
  const Tensor& unsorted_indices() const { return unsorted_indices_; }

  /// Returns the same sequences with pinned data.
  PackedSequence pin_memory() const;
  /// Returns the same sequences with the data on another device or in another dtype. The indices
  /// move with the data, batch_sizes stays on the CPU.
  PackedSequence to(const TensorOptions& options) const;
  /// Moves the data to the current CUDA device.
  PackedSequence cuda() const;
  /// Moves the data to the CPU.
  PackedSequence cpu() const;
  /// Returns true if the data is on a CUDA device.
  bool is_cuda() const { return data_.is_cuda(); }
  /// Returns true if the data is pinned.
  bool is_pinned() const { return data_.is_pinned(); }

 private:
  Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

/// Returns the inverse of a permutation of 0 .. n - 1; undefined for an undefined tensor.
TERN_API Tensor invert_permutation(const Tensor& permutation);

/// Packs padded sequences. `lengths` is 1-d and on the CPU. With `enforce_sorted` the lengths must
/// not grow; otherwise the sequences are sorted first. What lies behind the end of a sequence is
/// not read, and its gradient is zero.
///
/// Shape: input [T, B, ...] or, with batch_first, [B, T, ...]; lengths [B], each from 1 to T
/// Throws: ShapeError for lengths that do not fit, DeviceError for lengths on another device
///
/// Example:
///   auto packed = nn::utils::rnn::pack_padded_sequence(x, tensor({5, 3, 2}));
TERN_API PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                             StrictBool batch_first = false,
                                             StrictBool enforce_sorted = true);
/// Returns the padded sequences [T, B, ...], or [B, T, ...] with batch_first, in the caller's
/// order, and their lengths (int64, on the CPU). T is `total_length`, by default the longest
/// length. Throws ShapeError for a total_length below the longest length.
TERN_API std::tuple<Tensor, Tensor> pad_packed_sequence(
    const PackedSequence& sequence, StrictBool batch_first = false, double padding_value = 0,
    std::optional<std::int64_t> total_length = std::nullopt);
/// Returns sequences [length, ...] of one batch, padded on the "right" or "left" to the longest
/// length, in the dtype of the first. Throws Error for an empty list and another side.
///
/// Shape: [T, B, ...] or, with batch_first, [B, T, ...]
TERN_API Tensor pad_sequence(TensorList sequences, StrictBool batch_first = false,
                             double padding_value = 0, std::string_view padding_side = "right");
/// Returns the sequences [length, ...] of a padded batch as tensors of their own.
TERN_API std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths,
                                            StrictBool batch_first = false);
/// Packs sequences [length, ...]; see pack_padded_sequence().
TERN_API PackedSequence pack_sequence(TensorList sequences, StrictBool enforce_sorted = true);
/// Returns the sequences of a packed batch as tensors of their own, in the caller's order.
TERN_API std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences);

}  // namespace tern::nn::utils::rnn
