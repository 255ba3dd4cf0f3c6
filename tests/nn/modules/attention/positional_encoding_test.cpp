#include <cmath>
#include <limits>

#include <tern/core/autograd/gradcheck.h>

#include "nn/modules/attention/recorded.h"

namespace tern {
namespace {

using nn::PositionalEncodingOptions;
using nn::functional::alibi_bias, nn::functional::alibi_slopes;
using nn::functional::causal_lower_right, nn::functional::sinusoidal_positions;

Tensor golden_part(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/attention_parts").at(name));
}

TEST(SinusoidalPositions, FollowTheFormula) {
  EXPECT_TRUE(
      close(sinusoidal_positions(5, 6, 0, 10000, kDouble), golden_part("sinusoidal"), 1e-12));
  EXPECT_TRUE(close(sinusoidal_positions(3, 4, 1000, 10000, kDouble),
                    golden_part("sinusoidal offset"), 1e-12));
  EXPECT_TRUE(
      close(sinusoidal_positions(3, 4, 1000), golden_part("sinusoidal offset").to(kFloat), 1e-4));
  EXPECT_TRUE(same_bits(sinusoidal_positions(7, 4, 0, 50, kBFloat16),
                        sinusoidal_positions(7, 4, 0, 50).to(kBFloat16)));
  EXPECT_TRUE(close(sinusoidal_positions(4, 6, 0, 10000, "cuda:1"), sinusoidal_positions(4, 6)));
  EXPECT_EQ(sinusoidal_positions(0, 4).sizes(), IntArrayRef({0, 4}));
  EXPECT_TRUE(has_text(error_of<ShapeError>([] { sinusoidal_positions(5, 3); }),
                       "sinusoidal_positions: dim must be even and positive, got 3"));
  EXPECT_TRUE(has_text(error_of<ShapeError>([] { sinusoidal_positions(-1, 4); }),
                       "length must not be negative, got -1"));
}

TEST(PositionalEncoding, AddsPositions) {
  const Tensor wanted = golden_part("sinusoidal"), x = randn({5, 2, 6}, kDouble);
  nn::PositionalEncoding positions(6);
  EXPECT_TRUE(close(positions(x), x + wanted.unsqueeze(1), 1e-12));
  EXPECT_TRUE(close(positions(x.select(1, 0)), x.select(1, 0) + wanted, 1e-12));
  nn::PositionalEncoding first(PositionalEncodingOptions(6).batch_first(true));
  EXPECT_TRUE(close(first(x.transpose(0, 1)), x.transpose(0, 1) + wanted, 1e-12));
  // A later step has later positions.
  EXPECT_TRUE(same_bits(positions(x.narrow(0, 3, 2), 3), positions(x).narrow(0, 3, 2)));
  EXPECT_EQ(positions(ones({5, 0, 6})).sizes(), IntArrayRef({5, 0, 6}));
  EXPECT_EQ(positions(ones({5, 2, 6}, kMeta)).sizes(), IntArrayRef({5, 2, 6}));
  const Tensor y = x.to(kFloat);
  EXPECT_TRUE(close(positions(y.to("cuda:1")), positions(y)));
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    EXPECT_TRUE(same_bits(positions(y.to(dtype)), positions(y.to(dtype).to(kFloat)).to(dtype)));
  }
  EXPECT_TRUE(autograd::gradgradcheck(
      [&](const std::vector<Tensor>& in) { return std::vector{positions(in[0]).pow(2)}; },
      {randn({2, 1, 6}, kDouble).requires_grad_()}));
}

TEST(PositionalEncoding, DropsElements) {
  nn::PositionalEncoding positions(PositionalEncodingOptions(6).dropout(0.5));
  const Tensor x = ones({50, 6});
  manual_seed(1);
  const Tensor dropped = positions(x);
  manual_seed(1);
  EXPECT_TRUE(same_bits(dropped, dropout(x + sinusoidal_positions(50, 6), 0.5, true)));
  positions->eval();
  EXPECT_TRUE(same_bits(positions(x), x + sinusoidal_positions(50, 6)));
}

TEST(PositionalEncoding, PrintsClonesAndRefuses) {
  nn::PositionalEncoding positions(6);
  EXPECT_EQ(printed(positions), "tern::nn::PositionalEncoding(6, dropout=0)");
  EXPECT_TRUE(positions->state_dict().keys().empty());
  const auto copy = std::dynamic_pointer_cast<nn::PositionalEncodingImpl>(positions->clone());
  EXPECT_TRUE(same_bits(copy->forward(ones({5, 6}), 2), positions(ones({5, 6}), 2)));
  EXPECT_EQ(nn::Sequential(nn::Linear(3, 6), positions)->forward(ones({5, 3})).sizes(),
            IntArrayRef({5, 6}));
  EXPECT_TRUE(has_text(error_of<ShapeError>([] { nn::PositionalEncoding(5); }),
                       "nn::PositionalEncoding: d_model must be even and positive, got 5"));
  EXPECT_TRUE(has_text(
      error_of([] { nn::PositionalEncoding encoding(PositionalEncodingOptions(6).dropout(2)); }),
      "dropout probability has to be between 0 and 1, but got 2"));
  EXPECT_TRUE(has_text(error_of<ShapeError>([&] {
                         positions(ones({5, 4}));
                       }),
                       "expected an input [.., .., 6], or [T, 6] without a batch, got [5, 4]"));
  EXPECT_TRUE(has_text(error_of<DTypeError>([&] {
                         positions(ones({5, 6}, kLong));
                       }),
                       "expected a floating input, got Long"));
}

TEST(Alibi, HasTheSlopesOfThePaper) {
  EXPECT_TRUE(same_bits(alibi_slopes(8), exp2(-arange(1, 9, kFloat))));
  EXPECT_TRUE(same_bits(alibi_slopes(1, kDouble), tensor({1. / 256}, kDouble)));
  const Tensor twelve = alibi_slopes(12);
  EXPECT_TRUE(same_bits(twelve.narrow(0, 0, 8), alibi_slopes(8)));
  EXPECT_TRUE(close(twelve.narrow(0, 8, 4),
                    tensor({.70710677f, .35355338f, .17677669f, .08838835f}), 1e-7));
  EXPECT_TRUE(has_text(error_of<ShapeError>([] { alibi_slopes(0); }),
                       "alibi_slopes: num_heads must be greater than 0, got 0"));
}

TEST(Alibi, IsAMaskOfDistances) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(same_bits(alibi_bias(2, 2, 3).select(0, 0),
                        tensor({{-.0625f, -0.0f, -inf}, {-.125f, -.0625f, -0.0f}})));
  EXPECT_TRUE(close(alibi_bias(2, 2, 3, false).select(0, 0),
                    tensor({{-.0625f, 0.f, -.0625f}, {-.125f, -.0625f, 0.f}})));
  EXPECT_EQ(alibi_bias(3, 0, 4).sizes(), IntArrayRef({3, 0, 4}));
  EXPECT_EQ(alibi_bias(3, 2, 4, true, TensorOptions(kBFloat16).device("cuda:1")).dtype(),
            kBFloat16);
  EXPECT_TRUE(has_text(error_of<ShapeError>([] { alibi_bias(2, -1, 3); }),
                       "queries and keys must not be negative, got -1 and 3"));
  // The newest query of a cache has the last row of the full run.
  const Tensor q = randn({2, 3, 5, 4}), k = randn({2, 3, 5, 4}), v = randn({2, 3, 5, 4});
  const Tensor all = scaled_dot_product_attention(q, k, v, alibi_bias(3, 5, 5));
  const Tensor last = scaled_dot_product_attention(q.narrow(2, 4, 1), k, v, alibi_bias(3, 1, 5));
  EXPECT_TRUE(close(last, all.narrow(2, 4, 1)));
  // Hugging Face's form: the bias slope * j.
  const Tensor other = (alibi_slopes(3).view({3, 1, 1}) * arange(5, kFloat))
                           .masked_fill(causal_lower_right(5, 5).logical_not(), -inf);
  EXPECT_TRUE(close(scaled_dot_product_attention(q, k, v, other), all));
}

TEST(CausalLowerRight, FitsTheNewestQueries) {
  EXPECT_TRUE(same_bits(causal_lower_right(2, 4),
                        tensor({{true, true, true, false}, {true, true, true, true}})));
  EXPECT_TRUE(
      same_bits(causal_lower_right(3, 2), tensor({{false, false}, {true, false}, {true, true}})));
  EXPECT_EQ(causal_lower_right(2, 2, Device("cuda:1")).device(), Device("cuda:1"));
}

}  // namespace
}  // namespace tern
