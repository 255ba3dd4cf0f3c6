#include <algorithm>
#include <numeric>
#include <utility>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/nn/detail/recurrent.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/utils/rnn.h>

namespace tern::nn::utils::rnn {
namespace {

using Integers = std::vector<std::int64_t>;

Tensor moved_like(const Tensor& indices, const Tensor& data) {
  return indices.defined() ? indices.to(data.device()) : indices;
}

Integers integers_of(const Tensor& tensor) {
  const Tensor dense = tensor.to(kCPU, kLong).contiguous();
  const auto* const first = static_cast<const std::int64_t*>(dense.data_ptr());
  return {first, first + dense.numel()};
}

Integers checked_lengths(const Tensor& lengths) {
  TERN_CHECK(lengths.dim() == 1 && lengths.device().is_cpu(), DeviceError,
             "'lengths' argument should be a 1D CPU int64 tensor, but got ", lengths.dim(), "D ",
             tern::detail::text_of(lengths.device().type()), " ",
             tern::detail::text_of(lengths.scalar_type()), " tensor");
  return integers_of(lengths);
}

void check_lengths(const Integers& lengths, std::int64_t batch, std::int64_t steps) {
  const auto count = static_cast<std::int64_t>(lengths.size());
  TERN_CHECK(count == batch, ShapeError,
             "Expected `len(lengths)` to be equal to batch_size, but got ", count,
             " (batch_size=", batch, ")");
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    TERN_CHECK(lengths[b] > 0, ShapeError,
               "Length of all samples has to be greater than 0, but found an element in 'lengths' "
               "that is <= 0: sequence ",
               b, " has length ", lengths[b]);
    TERN_CHECK(lengths[b] <= steps, ShapeError, "Expected each length to be at most ", steps,
               ", the padded length of the input, but sequence ", b, " has length ", lengths[b]);
  }
}

void check_order(const Integers& lengths) {
  TERN_CHECK(std::is_sorted(lengths.rbegin(), lengths.rend()), Error,
             "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
             "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
             "sidestep this requirement if you do not need ONNX exportability.");
}

/// Returns the number of sequences that have step t, for each t; the lengths never grow.
Integers sizes_of_steps(const Integers& sorted_lengths) {
  Integers sizes(static_cast<std::size_t>(sorted_lengths[0]), 0);
  for (const std::int64_t length : sorted_lengths) {
    for (std::int64_t t = 0; t < length; ++t) ++sizes[static_cast<std::size_t>(t)];
  }
  return sizes;
}

/// Returns numbers on the CPU, whatever the default device is.
Tensor host_tensor(const Integers& numbers) {
  return tensor(numbers, TensorOptions(kLong).device(kCPU));
}

/// Returns, for each packed row, the row of a padded batch [T, B] or [B, T] whose first two
/// dimensions are one. `order` has the sequence in the padded batch of each packed sequence.
Tensor padded_rows(const Integers& sizes, const Integers& order, std::int64_t steps,
                   bool batch_first, Device device) {
  const auto batch = static_cast<std::int64_t>(order.size());
  Integers rows;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const auto time = static_cast<std::int64_t>(t);
    for (std::int64_t b = 0; b < sizes[t]; ++b) {
      const std::int64_t sequence = order[static_cast<std::size_t>(b)];
      rows.push_back(batch_first ? sequence * steps + time : time * batch + sequence);
    }
  }
  return host_tensor(rows).to(device);
}

Integers counted(std::int64_t count) {
  Integers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Returns the caller's indices of the packed sequences, which must be a permutation.
Integers order_of(const PackedSequence& sequence, std::int64_t batch) {
  if (!sequence.sorted_indices().defined()) return counted(batch);
  Integers order = integers_of(sequence.sorted_indices());
  Integers sorted = order;
  std::sort(sorted.begin(), sorted.end());
  TERN_CHECK(sorted == counted(batch), ShapeError, "sorted_indices must be a permutation of ",
             batch, " sequences, got ", IntArrayRef(order));
  return order;
}

/// Replaces the first `dims` sizes.
std::vector<std::int64_t> with_front(Integers front, const Tensor& tensor, std::int64_t dims) {
  for (std::int64_t d = dims; d < tensor.dim(); ++d) front.push_back(tensor.size(d));
  return front;
}

}  // namespace

PackedSequence::PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices,
                               Tensor unsorted_indices)
    : data_(std::move(data)),
      batch_sizes_(std::move(batch_sizes)),
      sorted_indices_(std::move(sorted_indices)),
      unsorted_indices_(std::move(unsorted_indices)) {
  if (!unsorted_indices_.defined()) unsorted_indices_ = invert_permutation(sorted_indices_);
  TERN_CHECK(data_.defined() && batch_sizes_.defined(), Error,
             "PackedSequence needs data and batch_sizes, got an undefined tensor");
  TERN_CHECK(batch_sizes_.device().is_cpu(), DeviceError,
             "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
             "created manually. They should be instantiated by functions like pack_sequence and "
             "pack_padded_sequence in nn::utils::rnn, got batch_sizes on ",
             batch_sizes_.device());
}

PackedSequence PackedSequence::pin_memory() const {
  return PackedSequence(data_.pin_memory(), batch_sizes_, sorted_indices_, unsorted_indices_);
}

PackedSequence PackedSequence::to(const TensorOptions& options) const {
  const Tensor data = data_.to(options);
  if (data.is_same(data_)) return *this;
  return PackedSequence(data, batch_sizes_, moved_like(sorted_indices_, data),
                        moved_like(unsorted_indices_, data));
}

PackedSequence PackedSequence::cuda() const { return to(TensorOptions(kCUDA)); }
PackedSequence PackedSequence::cpu() const { return to(TensorOptions(kCPU)); }

Tensor invert_permutation(const Tensor& permutation) {
  if (!permutation.defined()) return {};
  return zeros_like(permutation)
      .scatter_(0, permutation, arange(permutation.numel(), permutation.options()));
}

PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                    StrictBool batch_first, StrictBool enforce_sorted) {
  tern::detail::check_arguments("input, lengths", input, lengths);
  Integers sorted = checked_lengths(lengths);
  TERN_CHECK(input.dim() >= 2, ShapeError,
             "pack_padded_sequence: expected an input of 2 dimensions or more, got ", input.dim());
  const std::int64_t steps = input.size(batch_first ? 1 : 0),
                     batch = input.size(batch_first ? 0 : 1);
  TERN_CHECK(input.numel() > 0, ShapeError, "Cannot pack empty tensors.");
  check_lengths(sorted, batch, steps);
  Integers order = counted(batch);
  Tensor sorted_indices;
  if (enforce_sorted) {
    check_order(sorted);
  } else {
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return sorted[static_cast<std::size_t>(a)] > sorted[static_cast<std::size_t>(b)];
    });
    std::sort(sorted.rbegin(), sorted.rend());
    sorted_indices = host_tensor(order).to(input.device());
  }
  const Integers sizes = sizes_of_steps(sorted);
  const Tensor rows = padded_rows(sizes, order, steps, batch_first, input.device());
  const Tensor data = index_select(input.reshape(with_front({steps * batch}, input, 2)), 0, rows);
  return PackedSequence(data, host_tensor(sizes), sorted_indices);
}

std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                               StrictBool batch_first, double padding_value,
                                               std::optional<std::int64_t> total_length) {
  const Tensor& data = sequence.data();
  const Integers sizes = tern::detail::checked_batch_sizes(data, sequence.batch_sizes());
  const std::int64_t longest = static_cast<std::int64_t>(sizes.size()), batch = sizes[0];
  const std::int64_t steps = total_length.value_or(longest);
  TERN_CHECK(steps >= longest, ShapeError,
             "Expected total_length to be at least the length of the longest sequence in input, "
             "but got total_length=",
             steps, " and max sequence length being ", longest);
  const Integers order = order_of(sequence, batch);
  const Tensor rows = padded_rows(sizes, order, steps, batch_first, data.device());
  const Integers front = batch_first ? Integers{batch, steps} : Integers{steps, batch};
  const Tensor padding = full(with_front({steps * batch}, data, 1), padding_value,
                              data.options().requires_grad(false));
  Integers lengths(order.size(), 0);
  for (const std::int64_t size : sizes) {
    for (std::int64_t b = 0; b < size; ++b) {
      ++lengths[static_cast<std::size_t>(order[static_cast<std::size_t>(b)])];
    }
  }
  return {index_copy(padding, 0, rows, data).view(with_front(front, data, 1)),
          host_tensor(lengths)};
}

Tensor pad_sequence(TensorList sequences, StrictBool batch_first, double padding_value,
                    std::string_view padding_side) {
  TERN_CHECK(!sequences.empty(), Error, "received an empty list of sequences");
  TERN_CHECK(padding_side == "left" || padding_side == "right", Error,
             "Expected padding_side to be one of left or right, but got ", padding_side, ".");
  std::int64_t longest = 0;
  for (const Tensor& sequence : sequences) {
    TERN_CHECK(sequence.defined() && sequence.dim() > 0, ShapeError,
               "pad_sequence: expected sequences of 1 dimension or more, got ",
               sequence.defined() ? "a 0-d tensor" : "an undefined tensor");
    longest = std::max(longest, sequence.size(0));
  }
  std::vector<Tensor> padded;
  for (const Tensor& sequence : sequences) {
    Integers amounts(static_cast<std::size_t>(2 * sequence.dim()), 0);
    amounts[amounts.size() - (padding_side == "left" ? 2 : 1)] = longest - sequence.size(0);
    padded.push_back(constant_pad_nd(sequence.to(sequences[0].dtype()), amounts, padding_value));
  }
  return stack(padded, batch_first ? 0 : 1);
}

std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths,
                                   StrictBool batch_first) {
  TERN_CHECK(padded_sequences.dim() >= 2, ShapeError,
             "unpad_sequence: expected padded sequences of 2 dimensions or more, got ",
             padded_sequences.dim());
  const Integers all = integers_of(lengths);
  const std::int64_t batch = padded_sequences.size(batch_first ? 0 : 1);
  const std::int64_t steps = padded_sequences.size(batch_first ? 1 : 0);
  TERN_CHECK(static_cast<std::int64_t>(all.size()) == batch, ShapeError,
             "Expected `len(lengths)` to be equal to batch_size, but got ", all.size(),
             " (batch_size=", batch, ")");
  std::vector<Tensor> sequences;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length =
        std::clamp<std::int64_t>(all[static_cast<std::size_t>(b)], 0, steps);
    const Tensor sequence = padded_sequences.select(batch_first ? 0 : 1, b);
    sequences.push_back(sequence.narrow(0, 0, length).clone());
  }
  return sequences;
}

PackedSequence pack_sequence(TensorList sequences, StrictBool enforce_sorted) {
  Integers lengths;
  for (const Tensor& sequence : sequences) {
    lengths.push_back(sequence.defined() && sequence.dim() > 0 ? sequence.size(0) : 0);
  }
  return pack_padded_sequence(pad_sequence(sequences), host_tensor(lengths), false, enforce_sorted);
}

std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences) {
  const auto [padded, lengths] = pad_packed_sequence(packed_sequences, true);
  return unpad_sequence(padded, lengths, true);
}

}  // namespace tern::nn::utils::rnn
