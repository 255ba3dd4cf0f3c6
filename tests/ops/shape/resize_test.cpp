#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

namespace tern {
namespace {

TEST(Resize, KeepsTheElementsInMemoryOrder) {
  Tensor x = arange(6, kFloat);
  EXPECT_TRUE(x.resize_({2, 2}).equal(tensor({{0.f, 1.f}, {2.f, 3.f}})));
  EXPECT_TRUE(x.resize_({6}).equal(arange(6, kFloat)));
  Tensor turned = tensor({{1, 2}, {3, 4}}).t();
  EXPECT_TRUE(turned.resize_({3}).equal(tensor({1, 2, 3})));
  EXPECT_EQ(x.resize_({0, 4}).numel(), 0);
  EXPECT_EQ(x.resize_({}).dim(), 0);
}

TEST(Resize, GetsMoreMemory) {
  Tensor base = arange(4), part = base.slice(0, 1, 3);
  part.resize_({3});  // still in the memory of the base
  EXPECT_TRUE(part.is_alias_of(base));
  EXPECT_TRUE(part.equal(tensor({1, 2, 3})));
  part.resize_({5});
  EXPECT_FALSE(part.is_alias_of(base) || part.is_view());
  EXPECT_TRUE(part.slice(0, 0, 3).equal(tensor({1, 2, 3})));
  part.fill_(7);
  EXPECT_TRUE(base.equal(arange(4)));
  EXPECT_TRUE(ones({2, 3}).resize_as_(zeros({3})).equal(ones({3})));
}

TEST(Resize, TakesAMemoryFormat) {
  const Tensor x = empty({2}).resize_({2, 3, 4, 5}, MemoryFormat::ChannelsLast);
  EXPECT_EQ(x.strides(), (IntArrayRef{60, 1, 15, 3}));
  EXPECT_EQ(empty({2, 3, 4, 5}).resize_({2, 3, 4, 5}, MemoryFormat::ChannelsLast).strides(),
            x.strides());
  EXPECT_EQ(empty({2}).resize_as_(x, MemoryFormat::Preserve).strides(), x.strides());
  EXPECT_EQ(empty({2}).resize_as_(x).strides(), (IntArrayRef{60, 20, 5, 1}));
  EXPECT_EQ(error_of([&] { x.resize_({2}, MemoryFormat::Preserve); }),
            "resize_: Unsupported memory format Preserve");
  EXPECT_THROW(empty({2, 3}).resize_({2, 3}, MemoryFormat::ChannelsLast), ShapeError);
}

TEST(Resize, SetsRowsWithoutStrides) {
  const Tensor source = arange(6);
  Tensor x = zeros({1}, kLong);
  x.set_(source, 1, {2, 2});
  EXPECT_TRUE(x.equal(tensor({{1, 2}, {3, 4}})));
  EXPECT_TRUE(x.is_alias_of(source));
  x.set_(source, 2, {});
  EXPECT_EQ(x.item<std::int64_t>(), 2);
}

TEST(Resize, RefusesWhatItCannotDo) {
  Tensor x = ones({3});
  EXPECT_THROW(x.resize_({-2}), ShapeError);
  EXPECT_THROW(x.resize_({std::int64_t{1} << 40, std::int64_t{1} << 40}), ShapeError);
  EXPECT_TRUE(x.equal(ones({3})));
  Tensor w = ones({3}).requires_grad_();
  EXPECT_EQ(error_of([&] { w.resize_({2}); }),
            "resize_: cannot resize variables that require grad");
}

TEST(Set, ShowsOtherElements) {
  Tensor x = ones({3});
  const Tensor source = arange(6, kFloat).view({2, 3});
  x.set_(source);
  EXPECT_TRUE(x.is_alias_of(source));
  EXPECT_TRUE(x.equal(source));
  x.set_(source, 1, {2, 2}, {3, 1});
  EXPECT_TRUE(x.equal(tensor({{1.f, 2.f}, {4.f, 5.f}})));
  EXPECT_EQ(x.set_().sizes(), IntArrayRef({0}));
  EXPECT_FALSE(x.is_alias_of(source));
}

TEST(Set, RefusesOtherTensors) {
  Tensor x = ones({3});
  EXPECT_EQ(error_of<DTypeError>([&] { x.set_(ones({3}, kDouble)); }),
            "set_: Could not set tensor of type Double to a tensor of type Float");
  EXPECT_THROW(x.set_(ones({3}), 2, {3}, {1}), Error);
  EXPECT_THROW(x.set_(ones({3}), 0, {3}, {-1}), Error);
  Tensor w = ones({3}).requires_grad_();
  EXPECT_NE(error_of([&] { w.set_(x); }).find("a leaf Variable that requires grad"),
            std::string::npos);
  EXPECT_TRUE(x.equal(ones({3})));
}

}  // namespace
}  // namespace tern
