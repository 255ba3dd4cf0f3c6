#include <cmath>

#include "nn/nn_test.h"

namespace tern {
namespace {

namespace init = nn::init;

TEST(Init, DrawsPyTorchsNumbers) {
  const auto seeded = [](const auto& make) {
    manual_seed(3);
    return make();
  };
  EXPECT_TRUE(same_bits(seeded([] {
                          return init::xavier_uniform_(empty({4, 6}), 0.5);
                        }),
                        golden_tensor("xavier_uniform")));
  EXPECT_TRUE(same_bits(seeded([] {
                          return init::xavier_normal_(empty({4, 6}), 2.0);
                        }),
                        golden_tensor("xavier_normal")));
  EXPECT_TRUE(same_bits(seeded([] {
                          return init::kaiming_uniform_(empty({4, 3, 2}), 0, kFanIn, kReLU);
                        }),
                        golden_tensor("kaiming_uniform")));
  EXPECT_TRUE(same_bits(seeded([] {
                          return init::kaiming_normal_(empty({4, 6}), 0.2, kFanOut);
                        }),
                        golden_tensor("kaiming_normal")));
  EXPECT_TRUE(same_bits(seeded([] {
                          return init::sparse_(empty({7, 3}), 0.3);
                        }),
                        golden_tensor("sparse")));
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

TEST(Init, MakesIdentityFilters) {
  const Tensor filter = init::dirac_(empty({4, 2, 3}), /*groups=*/2);
  EXPECT_EQ(filter.sum().item<float>(), 4);
  for (std::int64_t group = 0; group < 2; ++group) {
    for (std::int64_t i = 0; i < 2; ++i) {
      EXPECT_EQ(filter[2 * group + i][i][1].item<float>(), 1);
    }
  }
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
  EXPECT_EQ(init::kaiming_uniform_(empty({0, 3})).numel(), 0);
  const auto [fan_in, fan_out] = init::_calculate_fan_in_and_fan_out(ones({4, 3, 5, 5}));
  EXPECT_EQ(fan_in, 75);
  EXPECT_EQ(fan_out, 100);
}

}  // namespace
}  // namespace tern
