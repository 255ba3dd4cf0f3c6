#include <cmath>

#include <gtest/gtest.h>

#include <tern/tern.h>

// Copies, casts, and which views share memory.

namespace tern {
namespace {

TEST(Copy, CastsBroadcastsAndWalksStrides) {
  Tensor x = zeros({2, 3});
  x.copy_(tensor({1, 2, 3}));
  EXPECT_TRUE(x.equal(tensor({{1., 2., 3.}, {1., 2., 3.}})));
  x.t().copy_(arange(6, kDouble).reshape({3, 2}));
  EXPECT_TRUE(x.equal(tensor({{0., 2., 4.}, {1., 3., 5.}})));
  x.slice(1, 0, 3, 2).copy_(tensor({true, false}));
  EXPECT_TRUE(x.equal(tensor({{1., 2., 0.}, {1., 3., 0.}})));
  x.copy_(x);
  EXPECT_EQ(x._version(), 4);  // a copy of itself counts as a change, as in PyTorch
}

TEST(Copy, OfOverlappingPartsIsAsIfTheSourceWereTaken) {
  Tensor x = arange(6);
  x.slice(0, 1).copy_(x.slice(0, 0, 5));
  EXPECT_TRUE(x.equal(tensor({0, 0, 1, 2, 3, 4})));
  Tensor y = arange(6);
  y.slice(0, 0, 5).copy_(y.slice(0, 1));
  EXPECT_TRUE(y.equal(tensor({1, 2, 3, 4, 5, 5})));
  Tensor square = arange(9).reshape({3, 3});
  square.copy_(square.t());
  EXPECT_TRUE(square.equal(arange(9).reshape({3, 3}).t()));
  Tensor z = arange(6);
  z.slice(0, 1).add_(z.slice(0, 0, 5));  // ops handle the overlap too
  EXPECT_TRUE(z.equal(tensor({0, 1, 3, 5, 7, 9})));
}

TEST(Copy, CastsAsX86Does) {
  const double inf = INFINITY;
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  for (const ScalarType dtype : {kFloat, kDouble}) {
    const Tensor x = tensor({1.9, -1.9, NAN, inf, -inf, 1e20}, dtype);
    EXPECT_TRUE(x.to(kLong).equal(
        tensor({std::int64_t{1}, std::int64_t{-1}, lowest, lowest, lowest, lowest})));
    EXPECT_TRUE(x.to(kBool).all().item<bool>());
  }
  EXPECT_TRUE(tensor({0., -0., 0.5}).to(kBool).equal(tensor({false, false, true})));
  EXPECT_TRUE(tensor({0, 2, -1}).to(kBool).equal(tensor({false, true, true})));
  EXPECT_EQ(tensor(1e300, kDouble).to(kFloat).item<double>(), inf);
}

TEST(To, ReturnsTheSameTensorWhenNothingChanges) {
  const Tensor x = ones({2});
  EXPECT_TRUE(x.to(kFloat).is_same(x));
  EXPECT_TRUE(x.to(kCPU).is_same(x));
  EXPECT_TRUE(x.to("cpu").is_same(x));
  EXPECT_TRUE(x.to("cpu:0").is_same(x));
  EXPECT_TRUE(x.cpu().is_same(x));
  EXPECT_TRUE(x.to(kCPU, kFloat).is_same(x));
  EXPECT_TRUE(x.to(TensorOptions()).is_same(x));
  EXPECT_TRUE(x.to(ones({1})).is_same(x));
  EXPECT_TRUE(x.type_as(ones({1})).is_same(x));
  EXPECT_TRUE(x.contiguous().is_same(x));
  EXPECT_FALSE(x.to(kFloat, false, /*copy=*/true).is_alias_of(x));
  EXPECT_FALSE(x.clone().is_alias_of(x));
  EXPECT_FALSE(x.to(kDouble).is_alias_of(x));
  EXPECT_EQ(ones({2, 3}).t().to(kDouble).strides(), IntArrayRef({1, 3}));  // keeps the order
  EXPECT_EQ(ones({2, 3}).t().clone().strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(ones({2, 3}).t().contiguous().strides(), IntArrayRef({2, 1}));
}

TEST(Meta, HasShapesButNoData) {
  const Tensor x = ones({2, 3}).to(kMeta);
  EXPECT_EQ((x.matmul(x.t()) + 1).sizes(), IntArrayRef({2, 2}));
  const auto message = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([&] { x.to(kCPU); }).find("Cannot copy out of meta tensor; no data!"),
            std::string::npos);
  EXPECT_NE(message([&] { x.sum().item(); }).find("Tensor.item() cannot be called on meta tensors"),
            std::string::npos);
}

TEST(Views, ShareMemoryAndVersion) {
  Tensor x = arange(12).reshape({3, 4});
  const Tensor views[] = {x[1],
                          x.t(),
                          x.view({12}),
                          x.slice(1, 1, 3),
                          x.unsqueeze(0),
                          x.expand({2, 3, 4}),
                          x.narrow(0, 1, 1).squeeze(0),
                          x.permute({1, 0}),
                          x.flatten(),
                          x.chunk(2)[1],
                          x.as_strided({2}, {5}, 1),
                          x.detach()};
  for (const Tensor& view : views) {
    EXPECT_TRUE(view.is_alias_of(x));
    EXPECT_GE(view.data_ptr<std::int64_t>(), x.data_ptr<std::int64_t>());
  }
  x.fill_(7);
  for (const Tensor& view : views) {
    EXPECT_TRUE((view == 7).all().item<bool>());
    EXPECT_EQ(view._version(), x._version());
  }
  EXPECT_FALSE(x.t().reshape({12}).is_alias_of(x));
  const Tensor t = x.t();
  EXPECT_TRUE(t._base().is_same(x._base().defined() ? x._base() : x));
  EXPECT_EQ(x.slice(1, 1, 3).storage_offset(), 1);
  EXPECT_EQ(x[2].storage_offset(), 8);
}

TEST(Views, ClipAndCountFromTheEnd) {
  const Tensor x = arange(5);
  EXPECT_TRUE(x.slice(0, -2).equal(tensor({3, 4})));
  EXPECT_TRUE(x.slice(0, 3, 100).equal(tensor({3, 4})));
  EXPECT_EQ(x.slice(0, 4, 2).numel(), 0);
  EXPECT_EQ(x.slice(0, -100, -100).numel(), 0);
  EXPECT_TRUE(x.slice(0, std::nullopt, std::nullopt, 2).equal(tensor({0, 2, 4})));
  EXPECT_EQ(x[-1].item<int>(), 4);
  const auto chunks = x.chunk(3);
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[2].numel(), 1);
  EXPECT_EQ(arange(4).chunk(3).size(), 2u);
  EXPECT_EQ(x.split(2).size(), 3u);
  EXPECT_EQ(zeros({0, 2}).split(1).size(), 1u);
  EXPECT_EQ(x.unbind().size(), 5u);
}

TEST(Views, HaveTheShapesOfPyTorch) {
  const Tensor x = zeros({2, 1, 3});
  EXPECT_EQ(x.squeeze().sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(x.squeeze(0).sizes(), IntArrayRef({2, 1, 3}));
  EXPECT_EQ(x.unsqueeze(-1).sizes(), IntArrayRef({2, 1, 3, 1}));
  EXPECT_EQ(x.expand({2, 4, -1}).strides(), IntArrayRef({3, 0, 1}));
  EXPECT_EQ(x.view({-1}).sizes(), IntArrayRef({6}));
  EXPECT_EQ(x.flatten(1).sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(zeros({}).flatten().sizes(), IntArrayRef({1}));
  EXPECT_EQ(zeros({0, 3}).view({-1, 3}).sizes(), IntArrayRef({0, 3}));
  EXPECT_EQ(x.permute({2, 0, 1}).sizes(), IntArrayRef({3, 2, 1}));
}

TEST(Strides, ResultsKeepTheOrderOfDenseOperands) {
  const Tensor t = ones({2, 3}).t();
  EXPECT_EQ((t + 1).strides(), t.strides());
  EXPECT_EQ(exp(t).strides(), t.strides());
  EXPECT_EQ((t + ones({3, 2})).strides(), t.strides());
  EXPECT_EQ((ones({3, 2}) + t).strides(), IntArrayRef({2, 1}));
  EXPECT_EQ((ones({2, 1}).expand({2, 3}) + 1).strides(), IntArrayRef({3, 1}));
  EXPECT_EQ((ones({2, 6}).slice(1, 0, 6, 2) + 1).strides(), IntArrayRef({3, 1}));
}

TEST(Access, ReadsAndChecks) {
  const Tensor x = tensor({1.5, 2.5});
  EXPECT_EQ(x[0].item<double>(), 1.5);
  EXPECT_EQ(x[1].item<int>(), 2);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1.5, 2.5}));
  EXPECT_EQ(x.expand({2, 2}).t().to_vector<float>(), (std::vector<float>{1.5, 1.5, 2.5, 2.5}));
  EXPECT_TRUE(static_cast<bool>(tensor(2)));
  EXPECT_FALSE(static_cast<bool>(tensor({0.})));
  const std::pair<std::function<void()>, const char*> wrong[] = {
      {[&] { x.item(); }, "a Tensor with 2 elements cannot be converted to Scalar"},
      {[] { zeros({0}).item(); }, "a Tensor with 0 elements cannot be converted to Scalar"},
      {[&] { (void)static_cast<bool>(x); },
       "Boolean value of Tensor with more than one value is ambiguous"},
      {[] { (void)static_cast<bool>(zeros({0})); },
       "Boolean value of Tensor with no values is ambiguous"},
      {[&] { x.data_ptr<double>(); }, "expected scalar type Double but found Float"},
      {[&] { x.to_vector<std::int64_t>(); }, "expected scalar type Long but found Float"},
      {[] { tensor(1e20).item<std::int64_t>(); },
       "value cannot be converted to type int64_t without overflow"},
      {[] { tensor(NAN).item<int>(); },
       "value cannot be converted to type int32_t without overflow"},
      {[] { tensor(300).item<std::int8_t>(); },
       "value cannot be converted to type int8_t without overflow"},
      {[] { Tensor().dtype(); },
       "Expected a proper Tensor but got None (or an undefined Tensor in C++)"},
      {[] { (void)(Tensor() + 1); }, "Expected a proper Tensor but got None"},
      {[] { Tensor().device(); }, "tensor does not have a device"},
      {[] { zeros({}).size(0); }, "Dimension specified as 0 but tensor has no dimensions"},
      {[&] { x.size(1); },
       "Dimension out of range (expected to be in range of [-1, 0], but got 1)"},
  };
  for (const auto& [call, text] : wrong) {
    try {
      call();
      ADD_FAILURE() << "expected: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(Tensor().sizes(), IntArrayRef({0}));
  EXPECT_EQ(Tensor().numel(), 0);
}

}  // namespace
}  // namespace tern
