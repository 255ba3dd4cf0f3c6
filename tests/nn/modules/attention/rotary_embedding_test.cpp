#include <cmath>

#include <tern/core/autograd/gradcheck.h>

#include "nn/modules/attention/recorded.h"

namespace tern {
namespace {

using nn::RotaryScalingOptions, nn::RotaryEmbeddingOptions;
using recorded::Json, recorded::wave;

/// Returns the layer of a recorded case.
nn::RotaryEmbedding rotary_of(const std::string& name) {
  RotaryEmbeddingOptions options(8);
  if (name.starts_with("part")) options.rotary_dim(6).base(100);
  options.interleaved(name.ends_with("neighbours"));
  if (name == "scaling") {
    options.base(100).scaling(RotaryScalingOptions().original_max_position_embeddings(64));
  }
  return nn::RotaryEmbedding(options);
}

/// Returns the angles of position 1.
Tensor frequencies_of(const RotaryEmbeddingOptions& options) {
  const auto [cos, sin] = nn::RotaryEmbedding(options)->tables(tensor({1}));
  return atan2(sin, cos).squeeze(0);
}

TEST(RotaryEmbedding, IsHuggingFaces) {
  for (const Json& recorded : testing::golden("modules/attention_parts").at("rotary")) {
    const std::string name = recorded.at("name");
    for (const ScalarType dtype : {kDouble, kFloat}) {
      SCOPED_TRACE(name + (dtype == kFloat ? " float" : ""));
      const Tensor x = wave({2, 2, 3, 8}, 1).to(dtype).requires_grad_();
      const Tensor positions =
          name == "positions" ? tensor({{{5, 0, 7}}, {{1, 900, 4}}}) : Tensor();
      const std::int64_t offset = name == "halves" || name == "positions" ? 0 : 70;
      const Tensor out = rotary_of(name)(x, offset, positions);
      EXPECT_EQ(out.dtype(), dtype);
      // float32 angles of position 900 are right up to 3e-5.
      const double tolerance = name == "positions" ? 3e-5 : 5e-6;
      EXPECT_TRUE(close(out, testing::golden_tensor(recorded.at("out")).to(dtype), tolerance));
      (out * wave(out.sizes(), 2).to(dtype)).sum().backward();
      EXPECT_TRUE(
          close(x.grad(), testing::golden_tensor(recorded.at("gradient")).to(dtype), tolerance));
    }
  }
}

TEST(RotaryEmbedding, FollowsTheFormula) {
  const Tensor x = wave({5, 6}, 0);
  const Tensor halves = nn::RotaryEmbedding(6)(x, 20);
  const Tensor pairs = nn::RotaryEmbedding(RotaryEmbeddingOptions(6).interleaved(true))(x, 20);
  const auto at = [](const Tensor& t, std::int64_t row, std::int64_t column) {
    return t.select(0, row).select(0, column).item<double>();
  };
  for (std::int64_t t = 0; t < 5; ++t) {
    for (std::int64_t i = 0; i < 3; ++i) {
      const double angle =
          static_cast<double>(20 + t) * std::pow(10000.0, -2 * static_cast<double>(i) / 6);
      const double cos = std::cos(angle), sin = std::sin(angle);
      EXPECT_NEAR(at(halves, t, i), at(x, t, i) * cos - at(x, t, i + 3) * sin, 5e-6);
      EXPECT_NEAR(at(halves, t, i + 3), at(x, t, i + 3) * cos + at(x, t, i) * sin, 5e-6);
      EXPECT_NEAR(at(pairs, t, 2 * i), at(x, t, 2 * i) * cos - at(x, t, 2 * i + 1) * sin, 5e-6);
      EXPECT_NEAR(at(pairs, t, 2 * i + 1), at(x, t, 2 * i + 1) * cos + at(x, t, 2 * i) * sin, 5e-6);
    }
  }
}

TEST(RotaryEmbedding, ScalesFrequenciesAsLlama3) {
  const auto options = RotaryEmbeddingOptions(128).base(5e5).scaling(RotaryScalingOptions());
  const Tensor w = frequencies_of(options);
  const Tensor wanted = testing::golden_tensor(
      testing::golden("modules/attention_parts").at("frequencies of Llama 3"));
  EXPECT_LT(((w - wanted) / wanted).abs().max().item<double>(), 5e-7);
  EXPECT_NEAR(w[28].item<double>(), 3.2114461e-3, 2e-9);
  EXPECT_NEAR(w[34].item<double>(), 1.7850779e-4, 1e-10);
  EXPECT_NEAR(w[63].item<double>(), 3.0689259e-7, 2e-13);
}

TEST(RotaryEmbedding, KeepsDistancesAndRowsApart) {
  const nn::RotaryEmbedding rope(8);
  const Tensor q = randn({1, 8}, kDouble), k = randn({1, 8}, kDouble);
  const auto score = [&](std::int64_t i, std::int64_t j) {
    return (rope(q, i) * rope(k, j)).sum().item<double>();
  };
  EXPECT_NEAR(score(7, 3), score(104, 100), 2e-5);
  EXPECT_GT(std::abs(score(7, 3) - score(7, 4)), 1e-3);
  // A row has the same bits alone and among others, so a cached step equals the full run.
  const Tensor x = randn({2, 3, 40, 8});
  EXPECT_TRUE(same_bits(rope(x.narrow(2, 33, 1), 33), rope(x).narrow(2, 33, 1)));
  EXPECT_TRUE(same_bits(rope(x, 3), rope(x, 0, arange(3, 43))));
  EXPECT_TRUE(same_bits(rope(x, 3), rope(x, 1, arange(2, 42, kInt))));
}

TEST(RotaryEmbedding, RoundsHalfTypesOnce) {
  for (const bool interleaved : {false, true}) {
    const nn::RotaryEmbedding rope(
        RotaryEmbeddingOptions(8).rotary_dim(6).interleaved(interleaved));
    for (const ScalarType dtype : {kBFloat16, kHalf}) {
      const Tensor x = randn({2, 5, 8}).to(dtype);
      EXPECT_TRUE(same_bits(rope(x, 300), rope(x.to(kFloat), 300).to(dtype)));
      rope->to(dtype);  // a model of this dtype has the same angles
      EXPECT_TRUE(same_bits(rope(x, 300), rope(x.to(kFloat), 300).to(dtype)));
    }
  }
}

TEST(RotaryEmbedding, HasDerivatives) {
  const auto check = [](const RotaryEmbeddingOptions& options) {
    const nn::RotaryEmbedding rope(options);
    const autograd::GradcheckFunction fn = [=](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{rope(in[0], 3).pow(2)};
    };
    const Tensor x = randn({2, 3, 6}, kDouble).requires_grad_();
    EXPECT_TRUE(autograd::gradcheck(fn, {x}));
    EXPECT_TRUE(autograd::gradgradcheck(fn, {x}));
  };
  check(RotaryEmbeddingOptions(6));
  check(RotaryEmbeddingOptions(6).rotary_dim(4).interleaved(true));
}

TEST(RotaryEmbedding, FollowsTheDevice) {
  const nn::RotaryEmbedding rope(8);
  const Tensor x = randn({2, 3, 5, 8});
  const Tensor there = rope(x.to("cuda:1"), 4);
  EXPECT_EQ(there.device(), Device("cuda:1"));
  EXPECT_TRUE(close(there, rope(x, 4), 1e-5));
  EXPECT_EQ(rope(x.to(kMeta)).sizes(), x.sizes());
  EXPECT_TRUE(has_text(
      error_of<DeviceError>([&] { rope(x, 0, arange(5, TensorOptions(kLong).device("cuda:1"))); }),
      "cuda:1"));
}

TEST(RotaryEmbedding, TakesEmptyInputs) {
  const nn::RotaryEmbedding rope(8);
  EXPECT_EQ(rope(ones({0, 2, 5, 8})).sizes(), IntArrayRef({0, 2, 5, 8}));
  EXPECT_EQ(rope(ones({2, 0, 8}), 7).sizes(), IntArrayRef({2, 0, 8}));
}

TEST(RotaryEmbedding, PrintsClonesAndHasNoState) {
  const nn::RotaryEmbedding rope(
      RotaryEmbeddingOptions(8).rotary_dim(4).base(5e5).scaling(RotaryScalingOptions()));
  EXPECT_EQ(printed(rope),
            "tern::nn::RotaryEmbedding(8, rotary_dim=4, base=500000, interleaved=false, factor=8)");
  EXPECT_EQ(printed(nn::RotaryEmbedding(8)),
            "tern::nn::RotaryEmbedding(8, base=10000, interleaved=false)");
  EXPECT_TRUE(rope->state_dict().keys().empty());
  const auto copy = std::dynamic_pointer_cast<nn::RotaryEmbeddingImpl>(rope->clone());
  const Tensor x = randn({3, 8});
  EXPECT_TRUE(same_bits(copy->forward(x, 9), rope(x, 9)));
  const nn::AnyModule any(rope);
  EXPECT_TRUE(same_bits(any.forward(x), rope(x)));
}

TEST(RotaryEmbedding, RefusesWrongSizes) {
  const auto option_error = [](const RotaryEmbeddingOptions& options) {
    return error_of([&] { nn::RotaryEmbedding rope(options); });
  };
  EXPECT_TRUE(has_text(option_error(RotaryEmbeddingOptions(7)),
                       "nn::RotaryEmbedding: rotary_dim must be even, positive and at most dim, "
                       "got rotary_dim=7 and dim=7"));
  EXPECT_TRUE(has_text(option_error(RotaryEmbeddingOptions(4).rotary_dim(6)),
                       "got rotary_dim=6 and dim=4"));
  EXPECT_TRUE(has_text(option_error(RotaryEmbeddingOptions(0)), "got rotary_dim=0 and dim=0"));
  EXPECT_TRUE(has_text(option_error(RotaryEmbeddingOptions(4).base(0)), "base must be positive"));
  EXPECT_TRUE(has_text(
      option_error(RotaryEmbeddingOptions(4).scaling(RotaryScalingOptions().low_freq_factor(4))),
      "low_freq_factor < high_freq_factor, got factor=8, low_freq_factor=4, "
      "high_freq_factor=4, original_max_position_embeddings=8192"));
  const nn::RotaryEmbedding rope(8);
  const auto text = [&](const Tensor& x, const Tensor& positions = {}) {
    return error_of([&] { rope(x, 0, positions); });
  };
  EXPECT_TRUE(has_text(text(ones({5, 6})), "expected an input [..., T, 8], got [5, 6]"));
  EXPECT_TRUE(has_text(text(ones({8})), "expected an input [..., T, 8], got [8]"));
  EXPECT_TRUE(has_text(text(ones({5, 8}, kLong)), "expected a floating input, got Long"));
  // [batch, T] beside [batch, heads, T, 8] would be taken for heads.
  EXPECT_TRUE(has_text(text(ones({2, 2, 5, 8}), zeros({2, 5}, kLong)),
                       "expected positions of sizes [5], or one for each row of the input of sizes "
                       "[2, 2, 5, 8], got [2, 5]"));
  EXPECT_TRUE(has_text(text(ones({2, 5, 8}), zeros({4}, kLong)), "got [4]"));
  EXPECT_TRUE(has_text(text(ones({2, 5, 8}), zeros({3, 5}, kLong)), "must match"));
  const auto functional_error = [](const Tensor& x, const Tensor& cos, const Tensor& sin) {
    return error_of<ShapeError>([&] { nn::functional::rotary_embedding(x, cos, sin); });
  };
  EXPECT_TRUE(has_text(functional_error(ones({5, 6}), ones({5, 4}), ones({5, 4})),
                       "rotary_embedding: cos and sin of sizes [5, 4] rotate 8 elements, but the "
                       "last size of the input is 6"));
  EXPECT_TRUE(has_text(functional_error(ones({5, 6}), ones({5, 3}), ones({5, 2})),
                       "cos and sin of the same sizes [..., R / 2], got [5, 6], [5, 3] and "
                       "[5, 2]"));
  EXPECT_TRUE(has_text(functional_error(ones({1, 6}), ones({5, 3}), ones({5, 3})),
                       "do not broadcast to the input of sizes [1, 6]"));
}

}  // namespace
}  // namespace tern
