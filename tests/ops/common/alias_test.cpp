#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Names in core/ops/aliases.txt: `make generate` writes the same forms of each.

namespace tern {
namespace {

TEST(Alias, HasEveryOverload) {
  const Tensor a = tensor({-2., 1., 3.}), b = tensor({1., 1., -1.});
  EXPECT_TRUE(absolute(a).equal(a.abs()));
  EXPECT_TRUE(greater(a, b).equal(a > b));
  EXPECT_TRUE(greater(a, 1).equal(a > 1));
  EXPECT_TRUE(a.greater(b).equal(a > b));
  EXPECT_TRUE(a.greater(1).equal(a > 1));
  EXPECT_TRUE(a.subtract(b, 2).equal(a - 2 * b));
  EXPECT_TRUE(concat({a, b}).equal(cat({a, b})));
  EXPECT_TRUE(concatenate({a.unsqueeze(0), b.unsqueeze(0)}, 1).equal(cat({a, b}).unsqueeze(0)));
  EXPECT_TRUE(clip(a, std::nullopt, 0).equal(a.clamp_max(0)));
}

TEST(Alias, IsTheSameOpToAutograd) {
  const Tensor x = ones({2, 3}).requires_grad_();
  EXPECT_EQ(x.multiply(2).grad_fn()->name(), "MulBackward0");
  const Tensor view = x.swapaxes(0, 1);
  EXPECT_EQ(view.grad_fn()->name(), "TransposeBackward0");
  EXPECT_TRUE(view.is_view());
}

TEST(Alias, ChangesInPlace) {
  Tensor x = tensor({1.5, -2.5});
  EXPECT_TRUE(x.multiply_(2).equal(tensor({3., -5.})));
  EXPECT_TRUE(negative_(x).equal(tensor({-3., 5.})));
  EXPECT_TRUE(x.divide_(2).fix_().equal(tensor({-1., 2.})));
}

TEST(Alias, ReusesATemporary) {
  Tensor x = ones({4});
  const void* const memory = x.data_ptr();
  EXPECT_EQ(negative(std::move(x)).data_ptr(), memory);
}

TEST(Alias, NamesTheOpInErrors) {
  const Tensor flags = tensor({true});
  EXPECT_EQ(error_of([&] { flags.subtract(flags); }), error_of([&] { flags.sub(flags); }));
}

}  // namespace
}  // namespace tern
