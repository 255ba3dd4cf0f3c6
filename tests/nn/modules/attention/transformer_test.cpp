#include "nn/modules/attention/recorded.h"

namespace tern {
namespace {

using recorded::Json;

template <class Options>
Options layer_options(Options options, const Json& recorded) {
  const std::string activation = recorded.value("activation", "relu");
  if (activation == "gelu") {
    options.activation(kGELU);
  } else if (activation == "square") {
    options.activation([](const Tensor& x) { return x * x; });
  }
  return options.dim_feedforward(6)
      .dropout(recorded.value("dropout", 0.1))
      .bias(recorded::flag(recorded, "bias", true))
      .batch_first(recorded::flag(recorded, "batch_first", false))
      .norm_first(recorded::flag(recorded, "norm_first", false))
      .layer_norm_eps(recorded.value("layer_norm_eps", 1e-5));
}

/// Runs a recorded case of one kind of module.
class RecordedRun {
 public:
  RecordedRun(const Json& recorded, ScalarType dtype) : recorded_(recorded), dtype_(dtype) {}

  void operator()() {
    const std::string kind = recorded_.at("kind");
    const Json& options = recorded_.at("options");
    const auto layer = layer_options(nn::TransformerEncoderLayerOptions(4, 2), options);
    if (kind == "encoder layer") {
      run(nn::TransformerEncoderLayer(layer), [&](auto& net) {
        return net(in_[0], mask("src_mask"), mask("src_key_padding_mask"), flag("is_causal"));
      });
    } else if (kind == "decoder layer") {
      run_decoder(nn::TransformerDecoderLayer(layer));
    } else if (kind == "encoder") {
      run(nn::TransformerEncoder(
              nn::TransformerEncoderOptions(layer, 2).norm(nn::AnyModule(nn::LayerNorm(4)))),
          [&](auto& net) {
            return net(in_[0], mask("mask"), mask("src_key_padding_mask"), flag("is_causal"));
          });
    } else if (kind == "decoder") {
      run_decoder(nn::TransformerDecoder(nn::TransformerDecoderLayer(layer), 2));
    } else {
      run(nn::Transformer(layer_options(nn::TransformerOptions(4, 2, 1, 2), options)),
          [&](auto& net) {
            return net(in_[0], in_[1], mask("src_mask"), mask("tgt_mask"), mask("memory_mask"),
                       mask("src_key_padding_mask"), mask("tgt_key_padding_mask"),
                       mask("memory_key_padding_mask"), flag("src_is_causal"),
                       flag("tgt_is_causal"), flag("memory_is_causal"));
          });
    }
  }

 private:
  Tensor mask(const std::string& name) const { return recorded::mask_of(recorded_, name, dtype_); }
  bool flag(const std::string& name) const {
    return recorded::flag(recorded_.at("call"), name, false);
  }

  template <class Holder>
  void run_decoder(Holder net) {
    run(net, [&](auto& decoder) {
      return decoder(in_[0], in_[1], mask("tgt_mask"), mask("memory_mask"),
                     mask("tgt_key_padding_mask"), mask("memory_key_padding_mask"),
                     flag("tgt_is_causal"), flag("memory_is_causal"));
    });
  }

  template <class Holder, class Forward>
  void run(Holder net, const Forward& forward) {
    recorded::set_parameters(net, dtype_);
    in_ = recorded::inputs_of(recorded_, dtype_);
    manual_seed(9);
    recorded::expect_recorded(recorded_, *net, in_, forward(net));
  }

  const Json& recorded_;
  ScalarType dtype_;
  std::vector<Tensor> in_;
};

TEST(Transformer, IsPyTorchs) {
  for (const Json& recorded : testing::golden("modules/attention").at("transformer")) {
    for (const ScalarType dtype : {kDouble, kFloat}) {
      SCOPED_TRACE(recorded.at("kind").get<std::string>() + recorded.at("options").dump() +
                   (dtype == kFloat ? " float" : ""));
      RecordedRun(recorded, dtype)();
    }
  }
}

TEST(Transformer, EncoderLayerHasPyTorchsNumbersOfASeed) {
  manual_seed(0);
  nn::TransformerEncoderLayer layer(
      nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(8).dropout(0));
  const Tensor out = layer(randn({5, 2, 4}));
  EXPECT_TRUE(close(out.select(0, 0).select(0, 0),
                    tensor({-1.2476683f, -.0342210f, -.2591879f, 1.5410770f}), 1e-5));
}

TEST(Transformer, CopiesOfALayerAreEqualAndDrawNothing) {
  manual_seed(1);
  nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(6));
  const Tensor first = rand({3});
  manual_seed(1);
  nn::TransformerEncoderLayer again(nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(6));
  nn::TransformerEncoder encoder(again, 3);
  EXPECT_TRUE(same_bits(rand({3}), first));
  const std::vector<Tensor> parameters = encoder->parameters(), of_layer = again->parameters();
  ASSERT_EQ(parameters.size(), 3 * of_layer.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_TRUE(same_bits(parameters[i], of_layer[i % of_layer.size()]));
    EXPECT_FALSE(parameters[i].is_same(of_layer[i % of_layer.size()]));
  }
}

TEST(Transformer, Clones) {
  nn::Transformer net(nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(6).dropout(0));
  const auto copy = std::dynamic_pointer_cast<nn::TransformerImpl>(net->clone());
  const Tensor src = randn({3, 2, 4}), tgt = randn({5, 2, 4});
  EXPECT_TRUE(same_bits(net(src, tgt), copy->forward(src, tgt)));
  for (std::size_t i = 0; i < net->parameters().size(); ++i) {
    EXPECT_FALSE(net->parameters()[i].is_same(copy->parameters()[i]));
  }
  nn::TransformerDecoder decoder(
      nn::TransformerDecoderOptions(
          nn::TransformerDecoderLayerOptions(4, 2).dim_feedforward(6).dropout(0), 2)
          .norm(nn::AnyModule(nn::LayerNorm(4))));
  const auto decoder_copy = std::dynamic_pointer_cast<nn::TransformerDecoderImpl>(decoder->clone());
  EXPECT_TRUE(same_bits(decoder(tgt, src), decoder_copy->forward(tgt, src)));
}

/// An encoder that adds 1.
struct PlusOneImpl : nn::Cloneable<PlusOneImpl> {
  void reset() override {}
  Tensor forward(const Tensor& src, const Tensor& /*mask*/, const Tensor& /*padding*/) {
    return src + 1;
  }
};
TERN_MODULE(PlusOne);

TEST(Transformer, TakesAnEncoder) {
  nn::Transformer net(nn::TransformerOptions(4, 2, 1, 1)
                          .dim_feedforward(6)
                          .dropout(0)
                          .custom_encoder(nn::AnyModule(PlusOne())));
  const Tensor src = randn({3, 2, 4}), tgt = randn({5, 2, 4});
  EXPECT_TRUE(same_bits(net(src, tgt), net->decoder.forward(tgt, src + 1)));
  EXPECT_EQ(net->state_dict().keys()[0], "decoder.layers.0.self_attn.in_proj_weight");
}

TEST(Transformer, GivesHintsToModulesThatTakeThem) {
  nn::Transformer net(nn::TransformerOptions(4, 2, 1, 1)
                          .dim_feedforward(6)
                          .dropout(0)
                          .custom_encoder(nn::AnyModule(PlusOne())));
  const Tensor src = randn({3, 2, 4}), tgt = randn({5, 2, 4});
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(5);
  const auto call = [&](bool src_is_causal, bool tgt_is_causal) {
    return net(src, tgt, Tensor(), mask, Tensor(), Tensor(), Tensor(), Tensor(), src_is_causal,
               tgt_is_causal);
  };
  EXPECT_TRUE(close(call(false, true), call(false, false)));
  EXPECT_NE(error_of([&] { call(true, false); }), "");  // its forward has three arguments
}

TEST(Transformer, MakesMasks) {
  const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(3);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(
      same_bits(mask, tensor({0.0f, -inf, -inf, 0.0f, 0.0f, -inf, 0.0f, 0.0f, 0.0f}).view({3, 3})));
  EXPECT_EQ(nn::TransformerImpl::generate_square_subsequent_mask(0).sizes(), IntArrayRef({0, 0}));
  EXPECT_EQ(nn::TransformerImpl::generate_square_subsequent_mask(2, kDouble).dtype(), kDouble);
  EXPECT_TRUE(has_text(error_of([] { nn::TransformerImpl::generate_square_subsequent_mask(-1); }),
                       "Input size must be non-negative to generate a valid square subsequent "
                       "mask, but got -1"));
}

TEST(Transformer, Prints) {
  const std::string text = printed(nn::TransformerEncoder(nn::TransformerEncoderOptions(
      nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(6), 1)));
  EXPECT_EQ(text,
            "tern::nn::TransformerEncoderImpl(\n"
            "  (layers): tern::nn::ModuleList(\n"
            "    (0): tern::nn::TransformerEncoderLayerImpl(\n"
            "      (self_attn): tern::nn::MultiheadAttention(\n"
            "        (out_proj): tern::nn::Linear(in_features=4, out_features=4, bias=true)\n"
            "      )\n"
            "      (linear1): tern::nn::Linear(in_features=4, out_features=6, bias=true)\n"
            "      (dropout): tern::nn::Dropout(p=0.1, inplace=false)\n"
            "      (linear2): tern::nn::Linear(in_features=6, out_features=4, bias=true)\n"
            "      (norm1): tern::nn::LayerNorm([4], eps=1e-05, elementwise_affine=true)\n"
            "      (norm2): tern::nn::LayerNorm([4], eps=1e-05, elementwise_affine=true)\n"
            "      (dropout1): tern::nn::Dropout(p=0.1, inplace=false)\n"
            "      (dropout2): tern::nn::Dropout(p=0.1, inplace=false)\n"
            "    )\n"
            "  )\n"
            ")");
}

TEST(Transformer, RefusesWrongCalls) {
  nn::Transformer net(nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(6));
  const auto text = [&](IntArrayRef src, IntArrayRef tgt) {
    return error_of<ShapeError>([&] { net(ones(src), ones(tgt)); });
  };
  EXPECT_TRUE(has_text(text({3, 2, 4}, {5, 3, 4}),
                       "the batch number of src and tgt must be equal, got 2 and 3"));
  EXPECT_TRUE(has_text(text({3, 2, 5}, {5, 2, 5}),
                       "the feature number of src and tgt must be equal to d_model, got 5 and 5 "
                       "while d_model is 4"));
  EXPECT_TRUE(has_text(text({3, 4}, {5, 2, 4}), "src and tgt should both have 3 dimensions"));
  EXPECT_TRUE(has_text(error_of([&] {
                         net(ones({3, 2, 4}), Tensor());
                       }),
                       "an undefined Tensor in C++) for argument #1 'tgt'"));
  EXPECT_TRUE(
      has_text(error_of([] { nn::TransformerEncoderLayerOptions(4, 2).activation("tanh"); }),
               "activation should be relu/gelu, not tanh"));
  EXPECT_TRUE(has_text(error_of([] { nn::TransformerEncoderLayerOptions(4, 2).activation(kTanh); }),
                       "activation should be relu/gelu"));
  using Function = nn::TransformerActivation::Function;
  EXPECT_TRUE(
      has_text(error_of([] { nn::TransformerEncoderLayerOptions(4, 2).activation(Function()); }),
               "activation is an empty function: give kReLU, kGELU or a function"));
  EXPECT_TRUE(
      has_text(error_of([] { nn::TransformerEncoder(nn::TransformerEncoderLayer(4, 2), 0); }),
               "num_layers must be greater than 0, got 0"));
  EXPECT_TRUE(
      has_text(error_of([] { nn::TransformerDecoder(nn::TransformerDecoderLayer(nullptr), 2); }),
               "the layer to copy is empty"));
}

}  // namespace
}  // namespace tern
