#include "nn/nn_test.h"

// New modules have PyTorch's names and numbers: keys, their order, and what is drawn.

namespace tern {
namespace {

/// Checks that a state which is refused, because of one entry, changes nothing.
void check_refused_states(nn::Module& module) {
  const State before = copy_of(module.state_dict());
  const auto expect_refused = [&](const State& state) {
    EXPECT_NE(error_of([&] { module.load_state_dict(state); }), "");
    EXPECT_TRUE(identical(module.state_dict(), before));
  };
  for (const auto& [wrong, value] : before) {
    SCOPED_TRACE(wrong);
    const Tensor tensor = value.tensor();
    const State entries[] = {stack({tensor, tensor}),
                             tensor.to(tensor.dtype() == kInt ? kLong : kInt),
                             tensor.to(kMeta),
                             1.5,
                             "text",
                             nullptr,
                             State()};
    State state;
    for (const auto& [key, other] : before) state.insert(key, other.tensor() + 1);
    for (const State& entry : entries) {
      state.set(wrong, entry);
      expect_refused(state);
    }
    state.erase(wrong);
    state.insert("extra." + wrong, tensor);
    expect_refused(state);
  }
}

/// Makes a module of seed 5 and compares its state with what modules.py recorded. No tensor of the
/// module may share memory with `argument`.
template <class Make>
void check_new(const std::string& name, const Make& make, const Tensor& argument = Tensor()) {
  SCOPED_TRACE(name);
  const nlohmann::json& recorded = testing::golden("modules/modules");
  manual_seed(5);
  const auto module = make();
  const State state = module->state_dict();
  using Names = std::vector<std::string>;
  EXPECT_EQ(state.keys(), recorded.at(name + " keys").get<Names>());
  EXPECT_EQ(module->named_parameters().keys(), recorded.at(name + " parameters").get<Names>());
  for (const auto& [key, value] : state) {
    EXPECT_TRUE(same_bits(value.tensor(), testing::golden_tensor(recorded.at(name + ' ' + key))))
        << key;
    EXPECT_FALSE(argument.defined() && value.tensor().is_alias_of(argument)) << key;
  }
  check_refused_states(*module);
}

TEST(NewModules, HavePyTorchsStates) {
  const Tensor weight = tensor({1.0f, 2.0f, 3.0f});
  check_new("Linear", [] { return nn::Linear(4, 3); });
  check_new("Linear double",
            [] { return nn::Linear(nn::LinearOptions(4, 3).bias(false).dtype(kDouble)); });
  check_new("Bilinear", [] { return nn::Bilinear(2, 3, 2); });
  check_new("Embedding", [] { return nn::Embedding(5, 4); });
  check_new("Embedding padded",
            [] { return nn::Embedding(nn::EmbeddingOptions(5, 4).padding_idx(1)); });
  check_new("EmbeddingBag", [] { return nn::EmbeddingBag(5, 4); });
  check_new("EmbeddingBag padded",
            [] { return nn::EmbeddingBag(nn::EmbeddingBagOptions(5, 4).padding_idx(2)); });
  check_new("PReLU", [] { return nn::PReLU(nn::PReLUOptions().num_parameters(3)); });
  check_new("BatchNorm1d", [] { return nn::BatchNorm1d(3); });
  check_new("BatchNorm2d", [] { return nn::BatchNorm2d(nn::BatchNormOptions(3).affine(false)); });
  check_new("BatchNorm3d",
            [] { return nn::BatchNorm3d(nn::BatchNormOptions(3).track_running_stats(false)); });
  check_new("SyncBatchNorm", [] { return nn::SyncBatchNorm(3); });
  check_new("InstanceNorm1d", [] { return nn::InstanceNorm1d(3); });
  check_new("InstanceNorm2d",
            [] { return nn::InstanceNorm2d(nn::InstanceNormOptions(3).affine(true)); });
  check_new("InstanceNorm3d", [] {
    return nn::InstanceNorm3d(nn::InstanceNormOptions(3).affine(true).track_running_stats(true));
  });
  check_new("LayerNorm", [] { return nn::LayerNorm(nn::LayerNormOptions({2, 3})); });
  check_new("RMSNorm", [] { return nn::RMSNorm(3); });
  check_new("GroupNorm", [] { return nn::GroupNorm(nn::GroupNormOptions(2, 4)); });
  check_new("AdaptiveLogSoftmaxWithLoss", [] {
    return nn::AdaptiveLogSoftmaxWithLoss(
        nn::AdaptiveLogSoftmaxWithLossOptions(8, 12, {4, 8}).div_value(2.0));
  });
  check_new("AdaptiveLogSoftmaxWithLoss head_bias", [] {
    return nn::AdaptiveLogSoftmaxWithLoss(
        nn::AdaptiveLogSoftmaxWithLossOptions(4, 6, {2}).head_bias(true));
  });
  check_new(
      "BCELoss", [&] { return nn::BCELoss(nn::BCELossOptions().weight(weight)); }, weight);
  check_new(
      "BCEWithLogitsLoss",
      [&] {
        return nn::BCEWithLogitsLoss(
            nn::BCEWithLogitsLossOptions().weight(weight).pos_weight(weight));
      },
      weight);
  check_new(
      "NLLLoss", [&] { return nn::NLLLoss(nn::NLLLossOptions().weight(weight)); }, weight);
  check_new(
      "CrossEntropyLoss",
      [&] { return nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().weight(weight)); }, weight);
  check_new(
      "MultiMarginLoss",
      [&] { return nn::MultiMarginLoss(nn::MultiMarginLossOptions().weight(weight)); }, weight);
  check_new(
      "MultiLabelSoftMarginLoss",
      [&] {
        return nn::MultiLabelSoftMarginLoss(nn::MultiLabelSoftMarginLossOptions().weight(weight));
      },
      weight);
  check_new("MultiheadAttention", [] { return nn::MultiheadAttention(4, 2); });
  check_new("MultiheadAttention other sizes", [] {
    return nn::MultiheadAttention(
        nn::MultiheadAttentionOptions(4, 2).add_bias_kv(true).kdim(3).vdim(2));
  });
  check_new("MultiheadAttention double", [] {
    return nn::MultiheadAttention(nn::MultiheadAttentionOptions(4, 2).bias(false).dtype(kDouble));
  });
  const auto layer = [](std::int64_t size, std::int64_t heads) {
    return nn::TransformerEncoderLayerOptions(size, heads).dim_feedforward(3);
  };
  check_new("TransformerEncoderLayer", [&] { return nn::TransformerEncoderLayer(layer(4, 2)); });
  check_new("TransformerDecoderLayer",
            [&] { return nn::TransformerDecoderLayer(layer(4, 2).bias(false)); });
  check_new("TransformerEncoder", [&] {
    return nn::TransformerEncoder(
        nn::TransformerEncoderOptions(layer(2, 1), 2).norm(nn::AnyModule(nn::LayerNorm(2))));
  });
  check_new("TransformerDecoder",
            [&] { return nn::TransformerDecoder(nn::TransformerDecoderOptions(layer(2, 1), 2)); });
  check_new("Transformer",
            [] { return nn::Transformer(nn::TransformerOptions(2, 1, 1, 2).dim_feedforward(3)); });
  check_new("Sequential", [] {
    return nn::Sequential{nn::Linear(3, 4), nn::BatchNorm1d(4), nn::PReLU(), nn::Linear(4, 2)};
  });
}

TEST(NewModules, HaveInPlaceFunctions) {
  Tensor x = tensor({-1.0f, 2.0f});
  nn::functional::relu_(x);
  EXPECT_TRUE(same_bits(x, tensor({0.0f, 2.0f})));
  nn::functional::hardtanh_(x, -1, 1);
  EXPECT_TRUE(same_bits(x, tensor({0.0f, 1.0f})));
}

}  // namespace
}  // namespace tern
