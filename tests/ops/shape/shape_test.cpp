#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// What records of ops that rearrange, cut and join cannot say.

namespace tern {
namespace {

bool is_the_same(const Tensor& actual, const Tensor& expected) {
  return actual.dtype() == expected.dtype() && actual.sizes() == expected.sizes() &&
         equal(actual, expected);
}

template <class Fn>
void expect_error(const Fn& fn, const char* text) {
  const std::string error = error_of<Error>(fn);
  EXPECT_NE(error.find(text), std::string::npos) << error;
}

TEST(Shape, OneIntegerAndAListAreDifferentArguments) {
  const Tensor x = arange(6);
  EXPECT_EQ(x.tensor_split(3).size(), 3U);
  EXPECT_EQ(x.tensor_split({3}).size(), 2U);
  EXPECT_EQ(x.tensor_split({1, 3}).size(), 3U);
  EXPECT_EQ(x.tensor_split(std::vector<std::int64_t>{1, 3}).size(), 3U);
  EXPECT_EQ(x.split(4)[1].numel(), 2);
  EXPECT_EQ(x.split({4, 1, 1}).size(), 3U);
  EXPECT_EQ(x.hsplit({2}).size(), 2U);
  const Tensor y = ones({1, 2, 1}).requires_grad_();
  EXPECT_EQ(y.squeeze(0).grad_fn()->name(), "SqueezeBackward1");
  EXPECT_EQ(y.squeeze({0}).grad_fn()->name(), "SqueezeBackward2");
  EXPECT_EQ(y.squeeze({0, 2}).sizes(), IntArrayRef({2}));
  EXPECT_EQ(y.movedim(0, 1).sizes(), IntArrayRef({2, 1, 1}));
  EXPECT_EQ(y.movedim({0, 1}, {1, 0}).sizes(), IntArrayRef({2, 1, 1}));
}

TEST(Shape, TensorsThatNeedNoChangeAreReturnedThemselves) {
  const Tensor x = ones({2, 3}), line = ones({2});
  EXPECT_TRUE(atleast_1d(x).is_same(x));
  EXPECT_TRUE(atleast_2d(x).is_same(x));
  EXPECT_TRUE(atleast_3d(x.unsqueeze(0)).dim() == 3);
  EXPECT_TRUE(broadcast_tensors({x, x})[1].is_same(x));
  EXPECT_TRUE(cartesian_prod({line}).is_same(line));
  EXPECT_TRUE(atleast_1d(std::vector<Tensor>()).empty());
  EXPECT_TRUE(broadcast_tensors({}).empty());
}

TEST(Shape, TensorSplitReadsATensorOfTheHost) {
  const Tensor x = arange(7);
  EXPECT_EQ(x.tensor_split(tensor(3))[0].numel(), 3);
  EXPECT_EQ(x.tensor_split(tensor({1, 5}))[1].numel(), 4);
  expect_error(
      [&] {
        x.tensor_split(tensor({1., 2.}));
      },
      "tensor_split expected tensor_indices_or_sections to have dtype of long");
  expect_error([&] { x.tensor_split(tensor({{1}, {2}})); }, "but got a tensor with 2 dims");
}

TEST(Shape, JoinsTakeNumbersAndNothing) {
  EXPECT_EQ(block_diag({}).sizes(), IntArrayRef({1, 0}));
  EXPECT_TRUE(is_the_same(block_diag({tensor(2), tensor({3, 4})}), tensor({{2, 0, 0}, {0, 3, 4}})));
  EXPECT_EQ(block_diag({ones({2, 3}), ones({0})}).sizes(), IntArrayRef({3, 3}));
  EXPECT_EQ(block_diag({ones({1}), ones({1}, kDouble)}).dtype(), kDouble);
  const auto grid = meshgrid({tensor(1), tensor({2, 3})}, "xy");
  EXPECT_TRUE(is_the_same(grid[0], tensor({{1}, {1}})));
  EXPECT_TRUE(is_the_same(grid[1], tensor({{2}, {3}})));
  for (const auto& join : {hstack, vstack, dstack, column_stack}) {
    expect_error([&] { join({}); }, "stack expects a non-empty TensorList");
    expect_error([&] { join({Tensor()}); }, "Expected a proper Tensor but got None");
  }
  expect_error([] { meshgrid({}); }, "meshgrid expects a non-empty TensorList");
  expect_error([] { cartesian_prod({}); }, "meshgrid expects a non-empty TensorList");
}

TEST(Shape, GradientsOfJoinsReachNumbers) {
  const Tensor a = tensor(2.).requires_grad_(), b = tensor({3., 4.}).requires_grad_();
  (block_diag({a, b}) * tensor({{1., 0., 0.}, {0., 5., 6.}})).sum().backward();
  EXPECT_TRUE(is_the_same(a.grad(), tensor(1.)));
  EXPECT_TRUE(is_the_same(b.grad(), tensor({5., 6.})));
}

TEST(Shape, DiagonalsWrapInEveryLayout) {
  const Tensor expected = zeros({9, 2}).fill_diagonal_(1, true);
  EXPECT_EQ(expected.sum().item<float>(), 6);
  Tensor transposed = zeros({2, 9}).t(), wide = zeros({9, 4}).slice(1, 0, 4, 2);
  EXPECT_TRUE(equal(transposed.fill_diagonal_(1, true), expected));
  EXPECT_TRUE(equal(wide.fill_diagonal_(1, true), expected));
  expect_error([] { zeros({2, 2}, kChar).fill_diagonal_(300); }, "without overflow");
}

TEST(Shape, TrianglesInPlaceRefuseOverlap) {
  Tensor x = ones({1, 3}).expand({3, 3});
  expect_error([&] { x.triu_(); }, "triu_: unsupported operation: more than one element");
  EXPECT_TRUE(equal(x.triu(), ones({3, 3}).triu()));
  EXPECT_TRUE(equal(ones({2, 2}).tril(INT64_MIN), zeros({2, 2})));
  EXPECT_TRUE(equal(ones({2, 2}).tril(INT64_MAX), ones({2, 2})));
  EXPECT_TRUE(equal(ones({2, 2}).triu(INT64_MIN), ones({2, 2})));
}

TEST(Shape, IndicesOfTriangles) {
  EXPECT_TRUE(is_the_same(tril_indices(3, 2, -1), tensor({{1, 2, 2}, {0, 0, 1}})));
  EXPECT_TRUE(is_the_same(triu_indices(2, 3, 1, kInt), tensor({{0, 0, 1}, {1, 2, 2}}).to(kInt)));
  EXPECT_EQ(tril_indices(3, 4, -9).sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(triu_indices(3, 4, -9).sizes(), IntArrayRef({2, 12}));
  for (std::int64_t offset = -5; offset <= 5; ++offset) {
    const Tensor mask = ones({3, 4}).tril(offset), at = tril_indices(3, 4, offset);
    EXPECT_EQ(at.size(1), mask.sum().item<std::int64_t>());
    EXPECT_EQ(triu_indices(3, 4, offset + 1).size(1), 12 - at.size(1));
  }
  expect_error([] { tril_indices(-1, 2); }, "tril_indices: row must be non-negative, got -1");
  expect_error([] { triu_indices(1, -2); }, "triu_indices: col must be non-negative, got -2");
  expect_error([] { tril_indices(2, 2, 0, kFloat); }, "\"tril_indices\" not implemented for");
  expect_error([] { tril_indices(INT64_MAX, 2); }, "too many elements");
  EXPECT_EQ(tril_indices(std::int64_t{1} << 58, 2, -(std::int64_t{1} << 58)).numel(), 0);
}

TEST(Shape, HugeNumbersAreErrorsOrHarmless) {
  const Tensor x = arange(6.).view({2, 3});
  EXPECT_EQ(x.unfold(1, 3, INT64_MAX).sizes(), IntArrayRef({2, 1, 3}));
  expect_error([&] { constant_pad_nd(x, {INT64_MAX, 1}); }, "resulted in an invalid output size");
  expect_error([&] { constant_pad_nd(x, {INT64_MIN, 1}); }, "resulted in an invalid output size");
  expect_error([&] { constant_pad_nd(x, {INT64_MAX - 3, 0}); }, "too many elements");
  expect_error([&] { x.repeat_interleave(INT64_MAX); }, "are too many elements");
  expect_error([&] { x.flatten().diag_embed(INT64_MIN); }, "a matrix cannot have diagonal");
  expect_error([&] { x.flatten().diag_embed(INT64_MAX); }, "a matrix cannot have diagonal");
  expect_error([&] { pixel_shuffle(ones({4, 1, 1}), INT64_MAX); }, "is too large");
  expect_error([&] { x.unflatten(1, {INT64_MAX, INT64_MAX}); }, "don't multiply up");
  expect_error([&] { x.split({INT64_MAX, INT64_MAX}); }, "expects split_sizes to sum exactly");
  EXPECT_EQ(x.split(INT64_MAX).size(), 1U);
  expect_error([&] { combinations(ones({2}), INT64_MAX, true); }, "too many");
  EXPECT_TRUE(equal(x.roll(INT64_MIN, 0), x));
  EXPECT_TRUE(equal(x.roll({3, 5}, {1, 0}), x.flip(0)));
}

TEST(Shape, RepeatsReadATensor) {
  EXPECT_TRUE(is_the_same(repeat_interleave(tensor({1, 0, 2})), tensor({0, 2, 2})));
  EXPECT_TRUE(
      is_the_same(tensor({5, 6}).repeat_interleave(tensor({2, 1}), 0, 3), tensor({5, 5, 6})));
  EXPECT_TRUE(is_the_same(tensor({5, 6}).repeat_interleave(tensor(2)), tensor({5, 5, 6, 6})));
  expect_error(
      [] {
        tensor({5, 6}).repeat_interleave(tensor({2, 1}), 0, 4);
      },
      "Invalid output_size, expected 3 but got 4");
  expect_error([] { tensor(5).repeat_interleave(2, 0); },
               "Dimension specified as 0 but tensor has no dimensions");
}

TEST(Shape, FlipsRollsAndTurnsOfLargeTensors) {
  const Tensor x = arange(300 * 500).view({300, 500});
  for (const Tensor& each : {x, x.to(kByte), x.to(kDouble), x.t(), x.slice(1, 0, 500, 3)}) {
    const std::int64_t rows = each.size(0), columns = each.size(1);
    const auto reversed = [](std::int64_t n) { return arange(n - 1, -1, -1); };
    EXPECT_TRUE(equal(each.flip(1), each.index_select(1, reversed(columns))));
    EXPECT_TRUE(equal(each.flip(0), each.index_select(0, reversed(rows))));
    EXPECT_TRUE(equal(each.flip({0, 1}), each.flip(0).flip(1)));
    EXPECT_TRUE(equal(each.rot90(), each.flip(1).t()));
    EXPECT_TRUE(equal(each.rot90(-1), each.flip(0).t()));
    EXPECT_TRUE(equal(each.roll(7, 1), cat({each.slice(1, -7), each.slice(1, 0, -7)}, 1)));
    EXPECT_TRUE(equal(each.roll(7), each.flatten().roll(7, 0).view(each.sizes())));
    EXPECT_TRUE(equal(each.repeat({2, 3}),
                      cat({cat({each, each}), cat({each, each}), cat({each, each})}, 1)));
    EXPECT_TRUE(equal(each.tril(3) + each.triu(4), each));
  }
}

TEST(Shape, PowersAreDifferentiable) {
  const Tensor x = tensor({2., -3., 0.}).to(kDouble).requires_grad_();
  const Tensor powers = vander(x, 4);
  EXPECT_TRUE(
      is_the_same(powers.detach(),
                  tensor({{8., 4., 2., 1.}, {-27., 9., -3., 1.}, {0., 0., 0., 1.}}).to(kDouble)));
  powers.sum().backward();
  EXPECT_TRUE(is_the_same(x.grad(), tensor({17., 22., 1.}).to(kDouble)));
  EXPECT_FALSE(vander(x, 1).requires_grad());
  EXPECT_EQ(vander(tensor({2, 3}).to(kChar)).dtype(), kLong);
  EXPECT_EQ(vander(x.detach().to(kHalf)).dtype(), kHalf);
  EXPECT_EQ(vander(x, 0).sizes(), IntArrayRef({3, 0}));
}

TEST(Shape, ScattersKeepTheStorageOfStridedOnes) {
  const Tensor x = arange(9.).view({3, 3})[1];  // in the middle of its storage
  const Tensor out = x.as_strided_scatter(tensor({-1., -2.}), {2}, {1}, 4);
  EXPECT_TRUE(is_the_same(out, tensor({3., -1., -2.})));
  EXPECT_EQ(out.storage_offset(), 3);
  const Tensor outside = x.as_strided_scatter(tensor({-1.}), {1}, {1}, 0);
  EXPECT_TRUE(is_the_same(outside, x));
  expect_error(
      [&] {
        x.as_strided_scatter(tensor({1., 2.}), {2}, {0});
      },
      "more than one element of the written-to tensor");
  EXPECT_TRUE(is_the_same(tensor({1., 2.}).select_scatter(tensor(5), 0, 0), tensor({5., 2.})));
  // Of two mistakes, PyTorch names the part that is not there before the missing gradient.
  const Tensor source = ones({}, TensorOptions(kFloat16).requires_grad(true));
  EXPECT_THROW(tensor(true).select_scatter(source, 0, 0), IndexError);
  EXPECT_THROW(tensor({true}).select_scatter(source, 0, 0), DTypeError);
}

TEST(Shape, ArgumentsThatNoTensorFits) {
  const Tensor x = ones({2, 3}), line = ones({3}), image = ones({4, 2, 2});
  expect_error([&] { x.movedim({0, 0}, {1, 0}); }, "repeated dim in `source` ([0, 0])");
  expect_error([&] { x.movedim({0, 1}, {1, -1}); }, "repeated dim in `destination` ([1, -1])");
  expect_error([&] { x.movedim({0, 1}, 1); }, "source ([0, 1] dims) should contain the same");
  expect_error([&] { line.split({-1, 4}); }, "have only non-negative entries, but got");
  expect_error([&] { line.tensor_split(0); }, "number of sections must be larger than 0, got 0");
  expect_error([&] { line.hsplit(-3); }, "number of sections must be larger than 0, got -3");
  expect_error([] { ones({0}).unflatten(0, {0, -1}); }, "cannot infer the size -1 in [0, -1]");
  expect_error([&] { x.unflatten(0, {}); }, "sizes must be non-empty");
  expect_error([&] { x.unfold(0, -1, 1); }, "size is -1 but must be >= 0");
  expect_error([&] { x.unfold(0, 1, 0); }, "step is 0 but must be > 0");
  expect_error([&] { channel_shuffle(image, 0); }, "must be positive. Value of groups:0");
  expect_error([&] { pixel_shuffle(image, 0); }, "expects a positive upscale_factor, but got 0");
  expect_error([&] { pixel_unshuffle(image, -1); }, "a positive downscale_factor, but got -1");
  expect_error([&] { combinations(line, -1); }, "Expect a non-negative number, but got -1");
  expect_error([] { combinations(ones({120}), 60); }, "too many choices of 60 of 120 elements");
  expect_error([&] { constant_pad_nd(x, {1, 2, 3}); }, "must be even but instead it equals 3");
  expect_error([&] { x.repeat({2, -1}); }, "with negative dimension -3: [4, -3]");
  expect_error([&] { x.repeat({1, std::int64_t{1} << 62}); }, "repeats of size 3 are too many");
  expect_error([&] { x.repeat_interleave(-1); }, "Repeats must be non-negative, got -1");
  expect_error([&] { x.repeat_interleave(2, 0, 5); }, "Invalid output_size, expected 4 but got 5");
  expect_error([&] { x.roll({1, 2}, 0); }, "must align. shifts: 2, dims:1");
  expect_error([&] { x.rot90(1, {1, -1}); }, "different, but got dim0 = 1 and dim1 = -1");
  expect_error([&] { x.rot90(1, 1); }, "expected total rotation dims == 2, but got dims = 1");
  expect_error([&] { vander(line, -1); }, "N must be non-negative, got -1");
  expect_error([&] { x.diag_embed(0, 1, -2); }, "dimensions cannot be identical 1, -2");
  expect_error([&] { meshgrid({line, line}, "zy"); }, "must be one of \"xy\" or \"ij\"");
}

TEST(Shape, LogspaceFollowsPyTorch) {
  EXPECT_TRUE(is_the_same(logspace(0, 2, 3), tensor({1., 10., 100.})));
  EXPECT_TRUE(is_the_same(logspace(0, 4, 5, 2, kLong), tensor({1, 2, 4, 8, 16})));
  EXPECT_TRUE(is_the_same(logspace(1, 5, 1, 3), tensor({3.})));
  EXPECT_EQ(logspace(0, 2, 0).numel(), 0);
  expect_error([] { logspace(0, 1, -1); }, "number of steps must be non-negative, got -1");
  expect_error([] { logspace(0, 1, 3, 10, kBool); }, "\"logspace_cpu\" not implemented");
}

// The numbers, strides and rules are PyTorch's.
TEST(Shape, ShowsTheBytesAsAnotherDtype) {
  const Tensor x = tensor({{1.f, 2.f, -1.f, 0.5f}, {0.f, 1.f, 4.f, 8.f}});
  const Tensor bits = x.view(kInt);
  EXPECT_TRUE(bits[0].equal(tensor({0x3f800000, 0x40000000, -0x40800000, 0x3f000000}, kInt)));
  EXPECT_TRUE(bits.is_alias_of(x));
  EXPECT_TRUE(bits.view(kFloat).equal(x));
  const Tensor halves = x.slice(0, 1).view(kShort);
  EXPECT_EQ(halves.sizes(), (IntArrayRef{1, 8}));
  EXPECT_EQ(halves.strides(), (IntArrayRef{8, 1}));
  EXPECT_EQ(halves.storage_offset(), 8);
  EXPECT_EQ(halves[0][3].item<std::int64_t>(), 0x3f80);
  const Tensor wide = x.slice(0, 1).view(kLong);
  EXPECT_EQ(wide.sizes(), (IntArrayRef{1, 2}));
  EXPECT_EQ(wide.storage_offset(), 2);
  EXPECT_TRUE(wide.view(kFloat).equal(x.slice(0, 1)));
  EXPECT_EQ(ones({1}).view({}).dtype(), kFloat);  // {} are sizes
  EXPECT_EQ(scalar_tensor(1.).view(kInt).item<std::int64_t>(), 0x3f800000);
  EXPECT_FALSE(ones({2}).requires_grad_().view(kDouble).requires_grad());
  expect_error([&] { x.t().view(kShort); },
               "self.stride(-1) must be 1, but got 4 to view Float as Short");
  expect_error([] { scalar_tensor(1.).view(kShort); },
               "self.dim() cannot be 0 to view Float as Short (different element sizes)");
  expect_error(
      [] {
        zeros({2, 5}).view(kDouble);
      },
      "self.size(-1) must be divisible by 2, but got 5");
  expect_error([] { zeros({13}).slice(0, 1).view(kDouble); },
               "self.storage_offset() must be divisible by 2, but got 1");
  expect_error(
      [] {
        zeros({3, 5}).slice(1, 0, 4).view(kDouble);
      },
      "self.stride(0) must be divisible by 2, but got 5");
}

TEST(Shape, NarrowsFromATensor) {
  const Tensor x = arange(6);
  EXPECT_TRUE(x.narrow(0, tensor(2), 2).equal(tensor({2, 3})));
  EXPECT_TRUE(x.narrow(0, tensor(-2), 2).equal(tensor({4, 5})));
  for (const Tensor& wrong : {tensor(2.), tensor({2}), tensor(true)}) {
    expect_error([&] { x.narrow(0, wrong, 2); }, "start must be an 0-dim integral Tensor");
  }
}

}  // namespace
}  // namespace tern
