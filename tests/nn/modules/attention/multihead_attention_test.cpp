#include <cmath>
#include <limits>

#include <tern/core/autograd/gradcheck.h>

#include "nn/modules/attention/recorded.h"

namespace tern {
namespace {

using nn::functional::MultiheadAttentionForwardFuncOptions;
using recorded::Json;

nn::MultiheadAttention make(const Json& options) {
  nn::MultiheadAttentionOptions result(4, 2);
  result.dropout(options.value("dropout", 0.0))
      .bias(recorded::flag(options, "bias", true))
      .add_bias_kv(recorded::flag(options, "add_bias_kv", false))
      .add_zero_attn(recorded::flag(options, "add_zero_attn", false))
      .kdim(options.value("kdim", std::int64_t{4}))
      .vdim(options.value("vdim", std::int64_t{4}))
      .batch_first(recorded::flag(options, "batch_first", false));
  return nn::MultiheadAttention(result);
}

TEST(MultiheadAttention, IsPyTorchs) {
  for (const Json& recorded : testing::golden("modules/attention").at("multihead")) {
    for (const ScalarType dtype : {kDouble, kFloat}) {
      SCOPED_TRACE(recorded.at("name").get<std::string>() + (dtype == kFloat ? " float" : ""));
      nn::MultiheadAttention net = make(recorded.at("options"));
      recorded::set_parameters(net, dtype);
      const std::vector<Tensor> in = recorded::inputs_of(recorded, dtype);
      const Json& call = recorded.at("call");
      manual_seed(9);
      const auto [out, weights] =
          net(in[0], in[1], in[2], recorded::mask_of(recorded, "key_padding_mask", dtype),
              recorded::flag(call, "need_weights", true),
              recorded::mask_of(recorded, "attn_mask", dtype),
              recorded::flag(call, "average_attn_weights", true),
              recorded::flag(call, "is_causal", false));
      recorded::expect_recorded(recorded, *net, in, out, weights);
    }
  }
}

TEST(MultiheadAttention, HasPyTorchsNumbersOfASeed) {
  manual_seed(0);
  nn::MultiheadAttention net(4, 2);
  const Tensor x = randn({5, 2, 4});
  const auto [out, weights] = net(x, x, x);
  EXPECT_TRUE(close(out.select(0, 0).select(0, 0),
                    tensor({-.1644924f, -.1209407f, -.0818845f, .4516177f}), 1e-5));
  EXPECT_TRUE(close(weights.select(0, 0).select(0, 0),
                    tensor({.3573210f, .2534964f, .1525812f, .1293642f, .1072371f}), 1e-5));
}

TEST(MultiheadAttention, HasPyTorchsMemoryOrder) {
  nn::MultiheadAttention net(nn::MultiheadAttentionOptions(4, 2).batch_first(true));
  const Tensor x = randn({2, 3, 4});
  EXPECT_EQ(std::get<0>(net(x, x, x)).strides(), IntArrayRef({4, 8, 1}));
}

TEST(MultiheadAttention, SharesProjectionsOfTheSameTensor) {
  nn::MultiheadAttention net(4, 2);
  const Tensor x = randn({3, 2, 4}), y = randn({5, 2, 4});
  EXPECT_TRUE(close(std::get<0>(net(x, x, x)), std::get<0>(net(x, x.clone(), x.clone()))));
  EXPECT_TRUE(close(std::get<0>(net(x, y, y)), std::get<0>(net(x, y, y.clone()))));
}

TEST(MultiheadAttention, RowsWithoutKeys) {
  nn::MultiheadAttention net(4, 2);
  nn::init::uniform_(net->out_proj->bias, 1, 2);
  const Tensor x = randn({3, 1, 4}).requires_grad_();
  const Tensor mask = zeros({3, 3}, kBool);
  mask.select(0, 1).fill_(true);
  // With weights NaN, also in the gradients; without them the bias alone.
  const auto [bad, weights] = net(x, x, x, Tensor(), true, mask);
  EXPECT_TRUE(isnan(bad.select(0, 1)).all().item<bool>());
  EXPECT_TRUE(isnan(weights.select(1, 1)).all().item<bool>());
  EXPECT_FALSE(isnan(bad.select(0, 0)).any().item<bool>());
  bad.select(0, 0).sum().backward();
  EXPECT_TRUE(isnan(net->in_proj_weight.grad()).any().item<bool>());
  net->zero_grad();
  const Tensor good = std::get<0>(net(x, x, x, Tensor(), false, mask));
  EXPECT_TRUE(same_bits(good.select(0, 1).select(0, 0), net->out_proj->bias));
  good.sum().backward();
  EXPECT_TRUE(isfinite(net->in_proj_weight.grad()).all().item<bool>());
  // A row of zeros is a key for everybody.
  nn::MultiheadAttention zero(nn::MultiheadAttentionOptions(4, 2).add_zero_attn(true));
  const Tensor of_zero = std::get<1>(zero(x, x, x, Tensor(), true, mask));
  EXPECT_TRUE(close(of_zero.select(1, 1).select(0, 0), tensor({0.0f, 0.0f, 0.0f, 1.0f})));
}

TEST(MultiheadAttention, HasSecondDerivatives) {
  for (const bool need_weights : {true, false}) {
    nn::MultiheadAttention net(nn::MultiheadAttentionOptions(4, 2).dtype(kDouble));
    EXPECT_TRUE(autograd::gradgradcheck(
        [&](const std::vector<Tensor>& in) {
          return std::vector<Tensor>{std::get<0>(net(in[0], in[1], in[1], Tensor(), need_weights))};
        },
        {randn({2, 1, 4}, kDouble).requires_grad_(), randn({3, 1, 4}, kDouble).requires_grad_()}));
  }
}

TEST(MultiheadAttention, TakesStaticKeys) {
  nn::MultiheadAttention net(nn::MultiheadAttentionOptions(4, 2).dtype(kDouble));
  const Tensor x = randn({3, 2, 4}, kDouble), rows = randn({4, 5, 2}, kDouble);
  MultiheadAttentionForwardFuncOptions options(4, 2, net->in_proj_weight, net->in_proj_bias, {}, {},
                                               false, 0, net->out_proj->weight,
                                               net->out_proj->bias);
  const auto [out, weights] =
      nn::functional::multi_head_attention_forward(x, x, x, options.static_k(rows).static_v(rows));
  EXPECT_EQ(weights.sizes(), IntArrayRef({2, 3, 5}));
  const Tensor q = linear(x, net->in_proj_weight.narrow(0, 0, 4), net->in_proj_bias.narrow(0, 0, 4))
                       .view({3, 4, 2})
                       .transpose(0, 1);
  const Tensor heads = softmax(q.matmul(rows.transpose(1, 2)) / std::sqrt(2.0), -1).matmul(rows);
  EXPECT_TRUE(close(out, net->out_proj(heads.transpose(0, 1).reshape({3, 2, 4})), 1e-10));
  options.static_k(randn({3, 5, 2}, kDouble));
  EXPECT_TRUE(
      has_text(error_of([&] { nn::functional::multi_head_attention_forward(x, x, x, options); }),
               "expecting static_k.size(0) of 4, but got [3, 5, 2]"));
}

TEST(MultiheadAttention, PrintsAndClones) {
  nn::MultiheadAttention net(
      nn::MultiheadAttentionOptions(4, 2).kdim(3).add_bias_kv(true).batch_first(true));
  EXPECT_EQ(printed(net),
            "tern::nn::MultiheadAttention(\n  (out_proj): tern::nn::Linear(in_features=4, "
            "out_features=4, bias=true)\n)");
  const auto keys = net->state_dict().keys();
  EXPECT_EQ(keys, (std::vector<std::string>{"q_proj_weight", "k_proj_weight", "v_proj_weight",
                                            "in_proj_bias", "bias_k", "bias_v", "out_proj.weight",
                                            "out_proj.bias"}));
  const auto copy = std::dynamic_pointer_cast<nn::MultiheadAttentionImpl>(net->clone());
  const Tensor q = randn({2, 3, 4}), k = randn({2, 5, 3}), v = randn({2, 5, 4});
  EXPECT_TRUE(same_bits(std::get<0>(net(q, k, v)), std::get<0>(copy->forward(q, k, v))));
  EXPECT_FALSE(copy->bias_k.is_same(net->bias_k));
  nn::AnyModule any(net);
  EXPECT_TRUE(same_bits(std::get<0>(any.forward<std::tuple<Tensor, Tensor>>(q, k, v)),
                        std::get<0>(net(q, k, v))));
}

TEST(MultiheadAttention, RefusesWrongSizes) {
  const auto refusal = [](const auto& call) { return error_of([&] { call(); }); };
  EXPECT_TRUE(has_text(refusal([] { nn::MultiheadAttention(5, 2); }),
                       "embed_dim must be divisible by num_heads"));
  EXPECT_TRUE(has_text(refusal([] { nn::MultiheadAttention(0, 2); }),
                       "embed_dim and num_heads must be greater than 0, got embed_dim=0 and "
                       "num_heads=2 instead"));
  EXPECT_TRUE(has_text(
      refusal([] { nn::MultiheadAttention(nn::MultiheadAttentionOptions(4, 2).dropout(2)); }),
      "dropout probability has to be between 0 and 1, but got 2"));
  nn::MultiheadAttention net(4, 2);
  const auto text = [&](const Tensor& q, const Tensor& k, const Tensor& v,
                        const Tensor& padding = {}, const Tensor& mask = {},
                        bool is_causal = false) {
    return error_of([&] { net(q, k, v, padding, true, mask, true, is_causal); });
  };
  const Tensor q = ones({5, 2, 4}), k = ones({6, 2, 4});
  EXPECT_TRUE(
      has_text(text(ones({5, 2, 6}), k, k), "was expecting embedding dimension of 4, but got 6"));
  EXPECT_TRUE(has_text(text(q, k, ones({5, 2, 4})),
                       "key shape [6, 2, 4] does not match value shape [5, 2, 4]"));
  EXPECT_TRUE(
      has_text(text(ones({1, 5, 2, 4}), k, k),
               "query should be unbatched 2D or batched 3D tensor but received 4-D query tensor"));
  EXPECT_TRUE(has_text(text(q, ones({6, 4}), ones({6, 4})),
                       "For batched (3-D) `query`, expected `key` and `value` to be 3-D but found "
                       "2-D and 2-D tensors respectively"));
  EXPECT_TRUE(has_text(text(q, k, k, zeros({6}, kBool)),
                       "expected `key_padding_mask` to be `None` or 2-D but found 1-D tensor "
                       "instead"));
  EXPECT_TRUE(has_text(text(q, k, k, {}, zeros({1, 2, 5, 6}, kBool)),
                       "expected `attn_mask` to be `None`, 2-D or 3-D but found 4-D tensor "
                       "instead"));
  EXPECT_TRUE(has_text(text(q, k, k, {}, zeros({5, 5}, kBool)),
                       "The shape of the 2D attn_mask is [5, 5], but should be (5, 6)."));
  EXPECT_TRUE(has_text(text(q, k, k, {}, zeros({2, 5, 6}, kBool)),
                       "The shape of the 3D attn_mask is [2, 5, 6], but should be (4, 5, 6)."));
  EXPECT_TRUE(has_text(text(q, k, k, zeros({6, 2}, kBool)),
                       "Expected key_padded_mask.shape[0] to be 2, but got 6"));
  EXPECT_TRUE(has_text(text(q, k, k, zeros({2, 5}, kBool)),
                       "Expected key_padded_mask.shape[1] to be 6, but got 5"));
  EXPECT_TRUE(has_text(text(q, k, k, {}, zeros({5, 6}, kLong)),
                       "only bool and floating types of attn_mask are supported"));
  EXPECT_TRUE(has_text(text(q, k, k, {}, {}, true),
                       "Need attn_mask if specifying the is_causal hint. You may use the "
                       "Transformer module method `generate_square_subsequent_mask` to create this "
                       "mask."));
  EXPECT_TRUE(has_text(text(q, ones({6, 3, 4}), ones({6, 3, 4})), "the same batch size"));
  EXPECT_TRUE(has_text(refusal([] { nn::MultiheadAttention(std::int64_t{1} << 62, 2); }),
                       "the size embed_dim must be at most"));
}

TEST(MultiheadAttention, RefusesWrongParameters) {
  const Tensor x = ones({5, 2, 4});
  const auto text = [&](const Tensor& weight, const Tensor& bias, const Tensor& bias_k,
                        const Tensor& q = {}, const Tensor& k = {}) {
    MultiheadAttentionForwardFuncOptions options(4, 2, weight, bias, bias_k, {}, false, 0,
                                                 ones({4, 4}), {});
    options.use_separate_proj_weight(q.defined());
    options.q_proj_weight(q).k_proj_weight(k).v_proj_weight(ones({4, 4}));
    return error_of([&] { nn::functional::multi_head_attention_forward(x, x, x, options); });
  };
  EXPECT_TRUE(has_text(text(ones({12, 3}), {}, {}), "in_proj_weight should have the shape"));
  EXPECT_TRUE(has_text(text(ones({12, 4}), ones({4}), {}),
                       "in_proj_bias should have the shape [3 * embed_dim] with embed_dim = 4, but "
                       "got [4]"));
  EXPECT_TRUE(has_text(text(ones({12, 4}), {}, ones({1, 1, 4})),
                       "bias_k and bias_v belong together: bias_v is undefined"));
  EXPECT_TRUE(has_text(text({}, {}, {}, ones({6, 4}), ones({4, 4})),
                       "expecting q_proj_weight of sizes [4, 4], but got [6, 4]"));
  EXPECT_TRUE(has_text(text({}, {}, {}, ones({4, 4}), ones({4, 3})),
                       "expecting k_proj_weight of sizes [4, 4], but got [4, 3]"));
}

}  // namespace
}  // namespace tern
