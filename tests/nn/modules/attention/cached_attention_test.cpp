#include <tern/core/autograd/grad_mode.h>

#include "nn/nn_test.h"

// Generation with a cache against one call with all rows.

namespace tern {
namespace {

/// Calls `step` with the prompt, then with single rows and with two, and joins the results along
/// dimension `dim`, that of the rows.
template <class Step>
Tensor in_steps(const Tensor& x, std::int64_t dim, const Step& step) {
  std::vector<Tensor> results;
  std::int64_t row = 0;
  for (const std::int64_t rows : {4, 1, 1, 2}) {
    results.push_back(step(x.narrow(dim, row, rows)));
    row += rows;
  }
  return cat(results, dim);
}

double tolerance_of(ScalarType dtype) { return dtype == kDouble ? 1e-12 : 1e-6; }

Tensor causal_mask(std::int64_t rows) {
  return nn::functional::causal_lower_right(rows, rows).logical_not();
}

TEST(CachedAttention, EqualsTheFullRun) {
  const NoGradGuard no_grad;
  for (const ScalarType dtype : {kFloat, kDouble}) {
    for (const bool batch_first : {false, true}) {
      for (const bool zeros : {false, true}) {
        const nn::MultiheadAttention net(nn::MultiheadAttentionOptions(8, 2)
                                             .batch_first(batch_first)
                                             .add_zero_attn(zeros)
                                             .dtype(dtype));
        const Tensor x = batch_first ? randn({3, 8, 8}, dtype) : randn({8, 3, 8}, dtype);
        const Tensor full = std::get<0>(net(x, x, x, Tensor(), false, causal_mask(8)));
        nn::KVCache cache(2);
        const auto step = [&](const Tensor& rows) {
          return net->forward_with_cache(rows, cache, 1);
        };
        EXPECT_TRUE(close(in_steps(x, batch_first ? 1 : 0, step), full, tolerance_of(dtype)));
        EXPECT_EQ(cache.length(1), 8);
        EXPECT_EQ(cache.length(0), 0);
      }
    }
    // One sequence without a batch.
    const nn::MultiheadAttention net(
        nn::MultiheadAttentionOptions(8, 2).batch_first(true).dtype(dtype));
    const Tensor x = randn({8, 8}, dtype);
    nn::KVCache cache(1, 8);
    const auto step = [&](const Tensor& rows) { return net->forward_with_cache(rows, cache, 0); };
    EXPECT_TRUE(close(in_steps(x, 0, step),
                      std::get<0>(net(x, x, x, Tensor(), false, causal_mask(8))),
                      tolerance_of(dtype)));
  }
}

TEST(CachedAttention, TakesPaddingAndGivesWeights) {
  const NoGradGuard no_grad;
  const nn::MultiheadAttention net(nn::MultiheadAttentionOptions(8, 2).dtype(kDouble));
  const Tensor x = randn({8, 2, 8}, kDouble);
  const Tensor padding = tensor({{true, true, false, false, false, false, false, false},
                                 {false, false, false, false, false, false, false, false}});
  const auto [full, weights] = net(x, x, x, padding, false, causal_mask(8));
  nn::KVCache cache(1);
  const auto step = [&](const Tensor& rows) {
    return net->forward_with_cache(rows, cache, 0,
                                   padding.narrow(1, 0, cache.length() + rows.size(0)));
  };
  EXPECT_TRUE(close(in_steps(x, 0, step), full, 1e-12));
  // The functional form has masks and weights.
  cache.reset();
  const auto options = nn::functional::MultiheadAttentionForwardFuncOptions(
                           8, 2, net->in_proj_weight, net->in_proj_bias, {}, {}, false, 0,
                           net->out_proj->weight, net->out_proj->bias)
                           .cache(cache);
  const auto call = [&](const Tensor& rows, const Tensor& mask, bool is_causal) {
    auto with_mask = options;
    return nn::functional::multi_head_attention_forward(
        rows, rows, rows, with_mask.attn_mask(mask).is_causal(is_causal));
  };
  const auto [out, all] = net(x, x, x, Tensor(), true, causal_mask(8));
  call(x.narrow(0, 0, 5), causal_mask(5), false);
  const auto [last, last_weights] = call(x.narrow(0, 5, 3), Tensor(), true);
  EXPECT_TRUE(close(last, out.narrow(0, 5, 3), 1e-12));
  EXPECT_TRUE(close(last_weights, all.narrow(1, 5, 3), 1e-12));
  cache.crop(5);
  const auto [masked, masked_weights] =
      call(x.narrow(0, 5, 3), causal_mask(8).narrow(0, 5, 3), true);
  EXPECT_TRUE(close(masked, last, 1e-12));
  // A mask that does not fit is refused before the cache changes.
  EXPECT_TRUE(has_text(error_of([&] { call(x.narrow(0, 5, 3), causal_mask(3), false); }),
                       "The shape of the 2D attn_mask is [3, 3], but should be (3, 11)."));
  EXPECT_EQ(cache.length(), 8);
}

TEST(CachedAttention, GeneratesWithAnEncoder) {
  const NoGradGuard no_grad;
  for (const ScalarType dtype : {kFloat, kDouble}) {
    for (const bool norm_first : {false, true}) {
      nn::TransformerEncoder net(
          nn::TransformerEncoderOptions(nn::TransformerEncoderLayerOptions(8, 2)
                                            .dim_feedforward(16)
                                            .norm_first(norm_first)
                                            .dtype(dtype),
                                        3)
              .norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions(8).dtype(dtype)))));
      net->eval();
      const Tensor x = randn({8, 2, 8}, dtype);
      const Tensor full = net(x, causal_mask(8), Tensor(), true);
      for (const Device device : {Device("cpu"), Device("cuda:1")}) {
        net->to(device);
        nn::KVCache cache(3);
        const auto step = [&](const Tensor& rows) { return net->forward_with_cache(rows, cache); };
        EXPECT_TRUE(close(in_steps(x.to(device), 0, step), full, 2 * tolerance_of(dtype)));
      }
    }
  }
}

TEST(CachedAttention, GeneratesWithADecoder) {
  const NoGradGuard no_grad;
  for (const bool norm_first : {false, true}) {
    nn::TransformerDecoder net(
        nn::TransformerDecoderOptions(nn::TransformerDecoderLayerOptions(8, 2)
                                          .dim_feedforward(16)
                                          .norm_first(norm_first)
                                          .dtype(kDouble),
                                      2)
            .norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions(8).dtype(kDouble)))));
    net->eval();
    const Tensor x = randn({8, 2, 8}, kDouble), memory = randn({5, 2, 8}, kDouble);
    const Tensor padding = zeros({2, 5}, kBool);
    padding.select(0, 1).narrow(0, 3, 2).fill_(true);
    nn::KVCache cache(2);
    const auto step = [&](const Tensor& rows) {
      return net->forward_with_cache(rows, memory, cache, Tensor(), padding);
    };
    EXPECT_TRUE(close(in_steps(x, 0, step),
                      net(x, memory, causal_mask(8), Tensor(), Tensor(), padding, true), 1e-12));
  }
}

/// A layer of a decoder in Llama's shape: rotary positions and shared heads of keys.
struct RotaryLayerImpl : nn::Cloneable<RotaryLayerImpl> {
  RotaryLayerImpl() { RotaryLayerImpl::reset(); }
  void reset() override {
    qkv = register_module("qkv", nn::Linear(nn::LinearOptions(8, 16).dtype(kDouble)));
    mlp = register_module("mlp", nn::SwiGLU(nn::SwiGLUOptions(8, 12).dtype(kDouble)));
    rope = register_module("rope", nn::RotaryEmbedding(4));
  }
  Tensor forward(const Tensor& x, nn::KVCache& cache) {
    const std::int64_t position = cache.length();
    const Tensor heads = qkv(x).unflatten(-1, {4, 4}).transpose(1, 2);  // [B, heads, T, 4]
    const auto [k, v] =
        cache.update(0, rope(heads.narrow(1, 2, 1), position), heads.narrow(1, 3, 1));
    const Tensor y = scaled_dot_product_attention(
        rope(heads.narrow(1, 0, 2), position), k, v,
        nn::functional::causal_lower_right(x.size(1), k.size(2)), 0, false, {}, true);
    return mlp(x + y.transpose(1, 2).flatten(2));
  }

  nn::Linear qkv{nullptr};
  nn::SwiGLU mlp{nullptr};
  nn::RotaryEmbedding rope{nullptr};
};
TERN_MODULE(RotaryLayer);

TEST(CachedAttention, GeneratesInLlamasShape) {
  const NoGradGuard no_grad;
  const RotaryLayer net;
  const Tensor x = randn({2, 8, 8}, kDouble);
  nn::KVCache cache(1), other(1);
  const Tensor full = net->forward(x, other);
  EXPECT_TRUE(close(in_steps(x, 1, [&](const Tensor& rows) { return net->forward(rows, cache); }),
                    full, 1e-12));
}

TEST(CachedAttention, RefusesWrongCalls) {
  const nn::MultiheadAttention net(8, 2);
  nn::KVCache cache(1, 3);
  const Tensor x = randn({2, 2, 8});
  EXPECT_TRUE(has_text(error_of([&] { net->forward_with_cache(x, cache, 0); }),
                       "a cache records no gradients, but the rows require grad: call the model "
                       "under NoGradGuard"));
  const NoGradGuard no_grad;
  EXPECT_TRUE(has_text(error_of<IndexError>([&] { net->forward_with_cache(x, cache, 1); }),
                       "layer 1 is out of range for 1 layers"));
  net->forward_with_cache(x, cache, 0);
  EXPECT_TRUE(has_text(error_of<ShapeError>([&] { net->forward_with_cache(x, cache, 0); }),
                       "layer 0 has 2 of at most 3 rows, so 2 more do not fit"));
  EXPECT_TRUE(has_text(error_of<ShapeError>([&] {
                         net->forward_with_cache(randn({1, 5, 8}), cache, 0);
                       }),
                       "keys of layer 0 have the sizes [2, 2, 2, 4]"));
  const nn::MultiheadAttention other(nn::MultiheadAttentionOptions(8, 2).add_bias_kv(true));
  EXPECT_TRUE(has_text(error_of([&] { other->forward_with_cache(x, cache, 0); }),
                       "a cache takes neither bias_k and bias_v nor static keys and values"));
  EXPECT_EQ(cache.length(), 2);
}

}  // namespace
}  // namespace tern
