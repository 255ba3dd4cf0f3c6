#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

using namespace nn::utils::rnn;

/// Sequences of these lengths, of rows of two elements.
std::vector<Tensor> drawn_sequences(std::initializer_list<std::int64_t> lengths) {
  std::vector<Tensor> sequences;
  for (const std::int64_t length : lengths) sequences.push_back(randn({length, 2}));
  return sequences;
}

TEST(PackedSequences, HaveThePyTorchLayout) {
  const Tensor x = arange(12).view({4, 3});  // lengths 4 2 1
  const PackedSequence packed = pack_padded_sequence(x, tensor({4, 2, 1}));
  EXPECT_TRUE(same_bits(packed.data(), tensor({0, 1, 2, 3, 4, 6, 9})));
  EXPECT_TRUE(same_bits(packed.batch_sizes(), tensor({3, 2, 1, 1})));
  EXPECT_FALSE(packed.sorted_indices().defined());
  EXPECT_FALSE(packed.unsorted_indices().defined());

  const PackedSequence sorted = pack_padded_sequence(x, tensor({1, 4, 2}), false, false);
  EXPECT_TRUE(same_bits(sorted.data(), tensor({1, 2, 0, 4, 5, 7, 10})));
  EXPECT_TRUE(same_bits(sorted.batch_sizes(), tensor({3, 2, 1, 1})));
  EXPECT_TRUE(same_bits(sorted.sorted_indices(), tensor({1, 2, 0})));
  EXPECT_TRUE(same_bits(sorted.unsorted_indices(), tensor({2, 0, 1})));

  const PackedSequence turned = pack_padded_sequence(x.t(), tensor({1, 4, 2}), true, false);
  EXPECT_TRUE(same_bits(turned.data(), sorted.data()));
  // Equal lengths keep their order, and lengths of other dtypes are converted.
  const PackedSequence ties = pack_padded_sequence(x, tensor({2., 4., 4.}), false, false);
  EXPECT_TRUE(same_bits(ties.sorted_indices(), tensor({1, 2, 0})));
}

TEST(PackedSequences, ArePaddedAgain) {
  for (const bool batch_first : {false, true}) {
    const Tensor x = randn({4, 3, 2}), lengths = tensor({2, 4, 1});
    const Tensor input = batch_first ? x.transpose(0, 1) : x;
    const auto packed = pack_padded_sequence(input, lengths, batch_first, false);
    const auto [padded, again] = pad_packed_sequence(packed, batch_first, -1);
    EXPECT_TRUE(same_bits(again, lengths));
    Tensor want = x.clone();
    want.slice(0, 2).select(1, 0).fill_(-1);
    want.slice(0, 1).select(1, 2).fill_(-1);
    EXPECT_TRUE(same_bits(padded, batch_first ? want.transpose(0, 1) : want));
    const auto [longer, same] = pad_packed_sequence(packed, batch_first, 0, 6);
    EXPECT_EQ(longer.size(batch_first ? 1 : 0), 6);
    EXPECT_TRUE(same_bits(same, lengths));
  }
}

TEST(PackedSequences, ComeFromLists) {
  const auto sequences = drawn_sequences({1, 3, 2});
  const auto back = unpack_sequence(pack_sequence(sequences, false));
  ASSERT_EQ(back.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(back[i], sequences[i]));
  const Tensor padded = pad_sequence(sequences, false, 7);
  EXPECT_EQ(padded.sizes(), IntArrayRef({3, 3, 2}));
  EXPECT_TRUE(same_bits(padded.select(1, 0), cat({sequences[0], full({2, 2}, 7.)})));
  const Tensor left = pad_sequence(sequences, true, 7, "left");
  EXPECT_TRUE(same_bits(left[0], cat({full({2, 2}, 7.), sequences[0]})));
  // Lengths of 0, and the dtype of the first.
  const Tensor mixed = pad_sequence({tensor({1, 2}), zeros({0}), tensor({2.5})}, true);
  EXPECT_TRUE(same_bits(mixed, tensor({{1, 2}, {0, 0}, {2, 0}})));
  const Tensor before = padded.clone();
  const auto parts = unpad_sequence(padded, tensor({1, 3, 2}));
  EXPECT_TRUE(same_bits(padded, before));
  EXPECT_TRUE(same_bits(parts[2], sequences[2]));
}

TEST(PackedSequences, HaveGradients) {
  const auto round_trip = [](const std::vector<Tensor>& inputs) {
    const auto packed = pack_padded_sequence(inputs[0], tensor({2, 4, 1}), false, false);
    return std::vector<Tensor>{packed.data() * 2, std::get<0>(pad_packed_sequence(packed))};
  };
  const Tensor x = randn({4, 3, 2}, kDouble).requires_grad_();
  EXPECT_TRUE(autograd::gradcheck(round_trip, {x}));
  EXPECT_TRUE(autograd::gradgradcheck(round_trip, {x}));
  pack_padded_sequence(x, tensor({2, 4, 1}), false, false).data().sum().backward();
  EXPECT_TRUE(same_bits(x.grad().select(1, 2).slice(0, 1), zeros({3, 2}, kDouble)));
}

TEST(PackedSequences, MoveAndCast) {
  const PackedSequence packed = pack_sequence(drawn_sequences({1, 3, 2}), false);
  const PackedSequence same = packed.to(kCPU);
  EXPECT_TRUE(same.data().is_same(packed.data()));
  EXPECT_EQ(packed.to(kDouble).data().dtype(), kDouble);
  const PackedSequence away = packed.to(Device(1));
  EXPECT_TRUE(away.is_cuda());
  EXPECT_EQ(away.sorted_indices().device(), Device(1));
  EXPECT_EQ(away.batch_sizes().device(), kCPU);
  EXPECT_TRUE(same_bits(away.cpu().data(), packed.data()));
  EXPECT_EQ(packed.cuda().data().device(), Device(0));
  EXPECT_FALSE(packed.is_pinned());
  EXPECT_TRUE(packed.pin_memory().is_pinned());
  EXPECT_TRUE(same_bits(invert_permutation(tensor({2, 0, 1})), tensor({1, 2, 0})));
  EXPECT_FALSE(invert_permutation({}).defined());
}

TEST(PackedSequences, RefuseWrongLengths) {
  const Tensor x = zeros({4, 3, 2});
  const auto error = [&](const Tensor& lengths) {
    return error_of([&] { pack_padded_sequence(x, lengths); });
  };
  EXPECT_TRUE(has_text(error(tensor({1, 2, 3})),
                       "`lengths` array must be sorted in decreasing order when `enforce_sorted` "
                       "is True. You can pass `enforce_sorted=False`"));
  EXPECT_TRUE(has_text(error(tensor({2, 1, 0})),
                       "Length of all samples has to be greater than 0, but found an element in "
                       "'lengths' that is <= 0: sequence 2 has length 0"));
  EXPECT_TRUE(has_text(error({}), "an undefined Tensor in C++) for argument #1 'lengths'"));
  EXPECT_TRUE(has_text(error_of([] { pack_padded_sequence({}, tensor({1})); }),
                       "an undefined Tensor in C++) for argument #0 'input'"));
  EXPECT_TRUE(has_text(error(tensor({2, 1})),
                       "Expected `len(lengths)` to be equal to batch_size, but got 2 "
                       "(batch_size=3)"));
  EXPECT_TRUE(has_text(error(tensor({5, 2, 1})),
                       "Expected each length to be at most 4, the padded length of the input, but "
                       "sequence 0 has length 5"));
  EXPECT_TRUE(has_text(error(tensor({4, 2, 1}).to(Device(0))),
                       "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda Long "
                       "tensor"));
  EXPECT_TRUE(has_text(error(tensor({{4, 2, 1}})), "but got 2D cpu Long tensor"));
  EXPECT_TRUE(has_text(error_of([] {
                         pack_padded_sequence(zeros({4, 0, 2}), zeros({0}, kLong));
                       }),
                       "Cannot pack empty tensors."));
  EXPECT_TRUE(has_text(error_of([] { pad_sequence({}); }), "received an empty list of sequences"));
  EXPECT_TRUE(has_text(error_of([] { pad_sequence({zeros({2})}, false, 0, "x"); }),
                       "Expected padding_side to be one of left or right, but got x."));
  const PackedSequence packed = pack_padded_sequence(x, tensor({4, 2, 1}));
  EXPECT_TRUE(has_text(error_of([&] { pad_packed_sequence(packed, false, 0, 3); }),
                       "Expected total_length to be at least the length of the longest sequence in "
                       "input, but got total_length=3 and max sequence length being 4"));
  EXPECT_TRUE(has_text(
      error_of([&] { PackedSequence(packed.data(), packed.batch_sizes().to(Device(0))); }),
      "batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
      "manually. "));
}

// These once wrote beside the memory of the lengths.
TEST(PackedSequences, RefuseWhatDoesNotFitTogether) {
  const Tensor data = zeros({5, 2});
  const auto error = [&](const Tensor& batch_sizes, const Tensor& sorted_indices = {},
                         const Tensor& unsorted_indices = {}) {
    return error_of<ShapeError>([&] {
      pad_packed_sequence(PackedSequence(data, batch_sizes, sorted_indices, unsorted_indices));
    });
  };
  EXPECT_TRUE(has_text(error(tensor({2, 1, 2})),
                       "batch_sizes must be positive and must not grow, got 2 at step 2"));
  EXPECT_TRUE(
      has_text(error(tensor({2, 2})), "batch_sizes add up to 4, but the packed data has 5 rows"));
  EXPECT_TRUE(has_text(error(zeros({0}, kLong)), "a 1-d int64 tensor that is not empty"));
  EXPECT_TRUE(has_text(error(tensor(5)), "got Long of sizes []"));
  const Tensor sizes = tensor({2, 2, 1});
  EXPECT_TRUE(has_text(error(sizes, tensor({0, 7}), tensor({0, 1})),
                       "sorted_indices must be a permutation of 2 sequences, got [0, 7]"));
  EXPECT_TRUE(has_text(error(sizes, tensor({0, 1, 2})), "2 sequences, got [0, 1, 2]"));
}

// The numbers of rows were once on the default device, which a PackedSequence refuses.
TEST(PackedSequences, HaveTheirLengthsOnTheCpuForAnyDefaultDevice) {
  struct OnADevice {
    OnADevice() { set_default_device(Device(0)); }
    ~OnADevice() { set_default_device(kCPU); }
  };
  const OnADevice guard;
  const PackedSequence packed = pack_sequence({ones({2, 2}), ones({3, 2})}, false);
  EXPECT_TRUE(packed.data().is_cuda());
  EXPECT_TRUE(same_bits(packed.batch_sizes(), tensor({2, 2, 1}, kCPU)));
  const Tensor lengths = std::get<1>(pad_packed_sequence(packed));
  EXPECT_TRUE(same_bits(lengths, tensor({2, 3}, kCPU)));
}

}  // namespace
}  // namespace tern
