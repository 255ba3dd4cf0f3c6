#include <cmath>
#include <functional>
#include <map>

#include "nn/nn_test.h"

namespace tern {
namespace {

namespace init = nn::init;

/// Returns what a call of golden/nn/init.py draws here. The name of a kaiming or xavier call says
/// its shape and its arguments.
Tensor drawn_fans(const std::string& name) {
  const std::map<char, std::vector<std::int64_t>> shapes = {
      {'3', {4, 3, 2}}, {'4', {2, 3, 2, 2}}, {'5', {2, 2, 1, 2, 2}}};
  const bool is_uniform = name.find("uniform") != std::string::npos;
  const bool is_tanh = name.find("tanh") != std::string::npos;
  const bool is_xavier = name[0] == 'x';
  const Tensor x =
      empty(shapes.at(name[name.find("d") - 1]), is_xavier || is_tanh ? kDouble : kFloat);
  if (is_xavier) return (is_uniform ? init::xavier_uniform_ : init::xavier_normal_)(x, 1.5);
  const auto mode = name.find("fan_in") != std::string::npos ? kFanIn : kFanOut;
  return (is_uniform ? init::kaiming_uniform_ : init::kaiming_normal_)(
      x, is_tanh ? 0 : 0.3, mode, is_tanh ? kTanh : kLeakyReLU);
}

Tensor drawn(const std::string& name) {
  const TensorOptions wide = kDouble;
  const std::map<std::string, std::function<Tensor()>> calls = {
      {"trunc_normal",
       [] {
         return init::trunc_normal_(empty({6, 7}));
       }},
      {"trunc_normal, bounds",
       [] {
         return init::trunc_normal_(empty({6, 7}), 1, 2, 0.5, 4);
       }},
      {"trunc_normal, tail",
       [] {
         return init::trunc_normal_(empty({6, 7}), 0, 1, 1.5, 4);
       }},
      {"trunc_normal, outside", [] { return init::trunc_normal_(empty({20}), 3, 0.5, -1, 2); }},
      {"trunc_normal, double",
       [&] {
         return init::trunc_normal_(empty({6, 7}, wide), 0, 0.02, -0.02, 0.02);
       }},
      {"trunc_normal, half",
       [] { return init::trunc_normal_(empty({20}, kHalf), 0, 1, -0.7, 0.7); }},
      {"trunc_normal, strided",
       [] {
         return init::trunc_normal_(empty({5, 4}).t());
       }},
      {"orthogonal, wide",
       [] {
         return init::orthogonal_(empty({3, 5}));
       }},
      {"orthogonal, high",
       [] {
         return init::orthogonal_(empty({5, 3}), 2);
       }},
      {"orthogonal, 4d",
       [] {
         return init::orthogonal_(empty({4, 3, 2, 2}), 0.5);
       }},
      {"orthogonal, double",
       [&] {
         return init::orthogonal_(empty({4, 4}, wide));
       }},
      {"orthogonal, strided",
       [] {
         return init::orthogonal_(empty({4, 3}).t());
       }},
      {"sparse",
       [] {
         return init::sparse_(empty({7, 3}), 0.3);
       }},
      {"sparse, all",
       [] {
         return init::sparse_(empty({3, 2}), 1.5, 0.5);
       }},
      {"eye",
       [] {
         return init::eye_(empty({3, 5}));
       }},
      {"dirac, 3d",
       [] {
         return init::dirac_(empty({4, 2, 3}), 2);
       }},
      {"dirac, 4d",
       [] {
         return init::dirac_(empty({2, 3, 3, 4}));
       }},
      {"dirac, 5d",
       [] {
         return init::dirac_(empty({6, 2, 2, 3, 1}), 3);
       }},
      {"xavier_uniform",
       [] {
         return init::xavier_uniform_(empty({4, 6}), 0.5);
       }},
      {"xavier_normal",
       [] {
         return init::xavier_normal_(empty({4, 6}), 2.0);
       }},
  };
  const auto found = calls.find(name);
  return found == calls.end() ? drawn_fans(name) : found->second();
}

TEST(Init, DrawsPyTorchsNumbers) {
  for (const auto& [name, entry] : testing::golden("nn/init").items()) {
    if (name == "torch") continue;
    SCOPED_TRACE(name);
    manual_seed(3);
    const Tensor tensor = drawn(name), expected = testing::golden_tensor(entry);
    if (name.find("orthogonal") == std::string::npos) {
      EXPECT_TRUE(same_bits(tensor, expected));
    } else {  // the factorization rounds in its own order
      EXPECT_TRUE(close(tensor, expected, tensor.dtype() == kDouble ? 1e-14 : 1e-5));
    }
  }
}

TEST(Init, MakesOrthonormalRowsOrColumns) {
  const Tensor wide = init::orthogonal_(empty({3, 2, 4}, kDouble)).view({3, 8});
  EXPECT_TRUE(close(wide.mm(wide.t()), eye(3, kDouble), 1e-14));
  const Tensor high = init::orthogonal_(empty({8, 3}, kDouble), 3);
  EXPECT_TRUE(close(high.t().mm(high), eye(3, kDouble) * 9, 1e-13));
  EXPECT_EQ(init::orthogonal_(empty({0, 3})).numel(), 0);
}

TEST(Init, KnowsGains) {
  EXPECT_EQ(init::calculate_gain(kLinear), 1.0);
  EXPECT_EQ(init::calculate_gain(kConv2D), 1.0);
  EXPECT_EQ(init::calculate_gain(kSigmoid), 1.0);
  EXPECT_EQ(init::calculate_gain(kTanh), 5.0 / 3.0);
  EXPECT_EQ(init::calculate_gain(kReLU), std::sqrt(2.0));
  EXPECT_EQ(init::calculate_gain(kLeakyReLU, 0.2), std::sqrt(2.0 / (1 + 0.2 * 0.2)));
  EXPECT_EQ(init::calculate_gain(kSELU), 0.75);
}

TEST(Init, FillsInPlaceWithoutHistory) {
  const Tensor parameter = empty({2, 3}).requires_grad_();
  EXPECT_TRUE(init::constant_(parameter, 0.5).is_same(parameter));
  EXPECT_TRUE(parameter.is_leaf());
  EXPECT_TRUE(same_bits(parameter, full({2, 3}, 0.5)));
  EXPECT_TRUE(same_bits(init::ones_(parameter), ones({2, 3})));
  EXPECT_TRUE(same_bits(init::zeros_(parameter), zeros({2, 3})));
  EXPECT_TRUE(same_bits(init::eye_(parameter), eye(2, 3)));
  EXPECT_TRUE(same_bits(init::eye_(empty({3, 3}, kDouble)), eye(3, kDouble)));
}

TEST(Init, SaysWhatDoesNotFit) {
  EXPECT_EQ(error_of<ShapeError>([] { init::kaiming_uniform_(ones({3})); }),
            "kaiming_uniform_: Fan in and fan out cannot be computed for tensor with fewer than 2 "
            "dimensions, got sizes [3]");
  EXPECT_EQ(error_of<ShapeError>([] { init::xavier_normal_(ones({3})); }),
            "xavier_normal_: Fan in and fan out cannot be computed for tensor with fewer than 2 "
            "dimensions, got sizes [3]");
  EXPECT_EQ(error_of<ShapeError>([] { init::eye_(ones({3})); }),
            "eye_: Only tensors with 2 dimensions are supported, got sizes [3]");
  EXPECT_EQ(error_of<ShapeError>([] { init::sparse_(ones({3}), 0.1); }),
            "sparse_: Only tensors with 2 dimensions are supported, got sizes [3]");
  EXPECT_EQ(error_of<ShapeError>([] {
              init::dirac_(ones({3, 3}));
            }),
            "dirac_: Only tensors with 3, 4, or 5 dimensions are supported, got sizes [3, 3]");
  EXPECT_EQ(error_of<ShapeError>([] {
              init::dirac_(ones({4, 2, 3}), 3);
            }),
            "dirac_: dim 0 must be divisible by groups, got 4 and 3");
  EXPECT_EQ(error_of<ShapeError>([] { init::orthogonal_(ones({3})); }),
            "orthogonal_: Only tensors with 2 or more dimensions are supported, got sizes [3]");
  const Tensor kept = ones({3});
  EXPECT_EQ(error_of([&] { init::trunc_normal_(kept, 0, 1, 2, -2); }),
            "trunc_normal_: expects a <= b, but found a=2 > b=-2");
  EXPECT_EQ(error_of([&] { init::trunc_normal_(kept, 0, 0); }),
            "trunc_normal_: expects std > 0.0, but found std 0");
  EXPECT_TRUE(kept.equal(ones({3})));
  EXPECT_EQ(init::kaiming_uniform_(empty({0, 3})).numel(), 0);
  const auto [fan_in, fan_out] = init::_calculate_fan_in_and_fan_out(ones({4, 3, 5, 5}));
  EXPECT_EQ(fan_in, 75);
  EXPECT_EQ(fan_out, 100);
}

}  // namespace
}  // namespace tern
