#include <cmath>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Texts that PyTorch users search for; the op records contain those of common mistakes.

namespace tern {
namespace {

struct Mistake {
  std::function<void()> call;
  const char* text;
};

template <class E>
void expect_all(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.text);
    const std::string text = error_of<E>(mistake.call);
    EXPECT_NE(text.find(mistake.text), text.npos) << text;
  }
}

// Made by the first test, not before main(), so that a program that cannot start says why.
class Messages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    one = ones({1}), two = ones({2}), rect = ones({2, 3}), cube = ones({2, 3, 4});
  }
  static void TearDownTestSuite() { one = two = rect = cube = Tensor(); }
  static inline Tensor one, two, rect, cube;
};

TEST_F(Messages, OfShapes) {
  expect_all<ShapeError>({
      {[] {
         rect + ones({2, 4});
       },
       "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"},
      {[] { rect.view({4}); }, "shape '[4]' is invalid for input of size 6"},
      {[] {
         rect.view({-1, -1});
       },
       "only one dimension can be inferred"},
      {[] {
         rect.view({2, -2});
       },
       "invalid shape dimension -2"},
      {[] { rect.t().view({6}); },
       "view size is not compatible with input tensor's size and stride (at least one dimension "
       "spans across two contiguous subspaces). Use .reshape(...) instead."},
      {[] {
         ones({0, 3}).view({-1, 0});
       },
       "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension "
       "size -1 can be any value and is ambiguous"},
      {[] {
         rect.expand({4, 3});
       },
       "The expanded size of the tensor (4) must match the existing size (2) at non-singleton "
       "dimension 0.  Target sizes: [4, 3].  Tensor sizes: [2, 3]"},
      {[] { rect.expand({3}); },
       "the number of sizes provided (1) must be greater or equal to the number of dimensions in "
       "the tensor (2)"},
      {[] {
         ones({3}).expand({-1, 3});
       },
       "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0"},
      {[] {
         rect.permute({0, 0});
       },
       "permute(): duplicate dims are not allowed"},
      {[] { rect.permute({0}); },
       "number of dimensions in the tensor input does not match the length of the desired ordering "
       "of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1"},
      {[] { cube.t(); }, "t() expects a tensor with <= 2 dimensions, but self is 3D"},
      {[] {
         ones({3, 2}).matmul(ones({3, 2}));
       },
       "mat1 and mat2 shapes cannot be multiplied (3x2 and 3x2)"},
      {[] { ones({3}).dot(two); },
       "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of "
       "elements, but got 3 and 2 elements respectively"},
      {[] { rect.mv(two); }, "size mismatch, got input (2), mat (2x3), vec (2)"},
      {[] { rect.matmul(ones({})); }, "both arguments to matmul need to be at least 1D"},
      {[] {
         rect.bmm(ones({2, 4, 2}));
       },
       "batch1 must be a 3D tensor"},
      {[] { cube.mm(two); }, "mm: self must be a matrix, got 3-D tensor"},
      {[] {
         cat({ones({}), ones({})});
       },
       "zero-dimensional tensor (at position 0) cannot be concatenated"},
      {[] {
         stack({one, two});
       },
       "stack expects each tensor to be equal size, but got [1] at entry 0"},
      {[] { ones({2}).as_strided({2}, {-1}); }, "as_strided: Negative strides are not supported"},
  });
  expect_all<Error>({
      {[] { cat({}); }, "torch.cat(): expected a non-empty list of Tensors"},
      {[] { stack({}); }, "stack expects a non-empty TensorList"},
      {[] {
         rect.sum({0, 0});
       },
       "dim 0 appears multiple times in the list of dims"},
      {[] { rect.flatten(1, 0); },
       "flatten() has invalid args: start_dim cannot come after end_dim"},
      {[] { ones({3}).narrow(0, 0, -1); }, "narrow(): length must be non-negative"},
      {[] { ones({3}).narrow(0, 2, 5); }, "start (2) + length (5) exceeds dimension size (3)."},
      {[] { two.slice(0, 0, 2, 0); }, "slice step cannot be zero"},
      {[] { two.slice(0, 0, 2, -1); }, "slice step must be positive"},
      {[] { two.split(0); },
       "split_size can only be 0 if dimension size is 0, but got dimension size of 2"},
      {[] { two.split(-1); }, "split expects split_size be non-negative, but got split_size=-1"},
      {[] { two.chunk(0); }, "chunk expects `chunks` to be greater than 0, got: 0"},
      {[] { ones({3}).copy_(rect); }, "output with shape [3] doesn't match the broadcast shape"},
      {[] { ones({2}).copy_(ones({3})); },
       "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
  });
}

TEST_F(Messages, OfIndices) {
  const auto index = [](std::initializer_list<std::int64_t> values) { return tensor(values); };
  expect_all<IndexError>({
      {[] { rect.sum(2); },
       "Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
      {[] { rect.transpose(0, 2); }, "Dimension out of range"},
      {[] { rect.unsqueeze(4); },
       "Dimension out of range (expected to be in range of [-3, 2], but got 4)"},
      {[] { two.softmax(1); }, "Dimension out of range"},
      {[] { two.select(0, 4); },
       "select(): index 4 out of range for tensor of size [2] at dimension 0"},
      {[] { ones({})[0]; }, "select() cannot be applied to a 0-dim tensor."},
      {[] { ones({3}).narrow(0, -5, 1); },
       "start out of range (expected to be in range of [-3, 3], but got -5)"},
      {[&] { two.index_select(0, index({5})); }, "index out of range in self"},
      {[&] { two.index_select(0, index({-1})); }, "index out of range in self"},
      {[&] {
         rect.gather(1, index({5}).view({1, 1}));
       },
       "index 5 is out of bounds for dimension"},
      {[&] {
         rect.scatter_add(1, index({-1}).view({1, 1}), ones({1, 1}));
       },
       "index -1 is out of bounds for dimension"},
      {[&] { two.index_add(0, index({9}), one); }, "index out of range in self"},
      {[] {
         ones({2, 0}).amax(1);
       },
       "amax(): Expected reduction dim 1 to have non-zero size."},
      {[] {
         ones({2, 0}).max(1);
       },
       "max(): Expected reduction dim 1 to have non-zero size."},
      {[] {
         ones({2, 0}).argmax(1);
       },
       "argmax(): Expected reduction dim 1 to have non-zero size."},
      {[] { ones({0}).argmax(); },
       "argmax(): Expected reduction dim to be specified for input.numel() == 0."},
      {[] { ones({0}).min(); },
       "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
       "reduction "
       "dim with the 'dim' argument."},
  });
  expect_all<Error>({
      {[] { two.index_select(0, one); }, "index_select(): Expected dtype int"},
      {[&] {
         two.index_select(0, index({1}).view({1, 1}));
       },
       "index_select(): Index is supposed to be a vector"},
      {[&] { rect.gather(1, index({1})); },
       "Index tensor must have the same number of dimensions as input tensor"},
      {[&] {
         rect.gather(1, ones({1, 1}));
       },
       "gather(): Expected dtype int"},
  });
}

TEST_F(Messages, OfDtypes) {
  const Tensor i = ones({2}, kLong), b = ones({2}, kBool), d = ones({2}, kDouble);
  expect_all<DTypeError>({
      {[&] { b - b; },
       "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
       "`logical_xor()` operator instead."},
      {[&] { 1 - b; },
       "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
       "invert a mask, use the `~` or `logical_not()` operator instead."},
      {[&] { i.add(i, 1.5); },
       "For integral input tensors, argument alpha must not be a floating point number."},
      {[&] { Tensor(i).add_(1.5); },
       "result type Float can't be cast to the desired output type Long"},
      {[&] { two.lerp(d, 0.5); }, "for `end` but got dtype"},
      {[&] { (void)two.allclose(d); }, "Float did not match Double"},
      {[&] { i.mean(); },
       "mean(): could not infer output dtype. Input dtype must be either a floating point or "
       "complex "
       "dtype. Got: Long"},
      {[&] { i.var(); }, "std and var only support floating point and complex dtypes"},
      {[&] { i.norm(); }, "Long"},
      {[&] { two.masked_fill(two, 1); }, "masked_fill_ only supports boolean masks"},
      {[&] { where(two, two, two); },
       "where expected condition to be a boolean tensor, but got a tensor with dtype Float"},
      {[&] {
         rect.mm(ones({3, 2}, kDouble));
       },
       "expected m1 and m2 to have the same dtype, but got: "},
      {[&] { two.dot(d); },
       "dot : expected both vectors to have same dtype, but found Float and Double"},
      {[&] {
         cube.bmm(ones({2, 4, 2}, kDouble));
       },
       "expected scalar type Float but found Double"},
      {[&] {
         linear(rect, ones({2, 3}, kDouble));
       },
       "dtype"},
  });
  expect_all<Error>({
      {[&] { i.softmax(0); }, "not implemented for 'Long'"},
      {[&] { Tensor(i).uniform_(); }, "not implemented for 'Long'"},
      {[&] {
         ones({2, 2}, kBool).mm(ones({2, 2}, kBool));
       },
       "not implemented for 'Bool'"},
      {[&] { i.pow(-1); }, "Integers to negative integer powers are not allowed."},
      {[&] { i % 0; }, "ZeroDivisionError"},
  });
}

TEST_F(Messages, OfArguments) {
  expect_all<Error>({
      {[] { two.clamp(); }, "torch.clamp: At least one of 'min' or 'max' must not be None"},
      {[] { ones({2}).uniform_(2, 1); },
       "uniform_ expects to return a [from, to) range, but found from=2 > to=1"},
      {[] { ones({2}).normal_(0, -1); }, "normal expects std >= 0.0, but found std -1"},
      {[] { ones({2}).bernoulli_(1.5); }, "bernoulli_ expects p to be in [0, 1], but got p=1.5"},
      {[] { randint(3, 3, {2}); },
       "random_ expects 'from' to be less than 'to', but got from=3 >= to=3"},
      {[] { ones({5}).as_strided({9}, {1}); }, "are out of bounds for storage of"},
      {[] { ones({2}).fill_(two); },
       "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions."},
      {[] { dropout(two, 1.5, true); },
       "dropout probability has to be between 0 and 1, but got 1.5"},
  });
}

}  // namespace
}  // namespace tern
