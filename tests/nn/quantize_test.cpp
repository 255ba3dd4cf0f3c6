#include <cmath>

#include <tern/serialization/state_file.h>

#include "nn/nn_test.h"
#include "serialization/scratch.h"

// Modules with quantised weights.

namespace tern {
namespace {

using nn::quantize_;

/// A model with a table whose weight is also the head's, as many language models have.
struct TiedImpl : nn::Cloneable<TiedImpl> {
  TiedImpl() { TiedImpl::reset(); }
  void reset() override {
    words = register_module("words", nn::Embedding(40, 64));
    middle = register_module("middle", nn::Linear(64, 64));
    head = register_module("head", nn::Linear(nn::LinearOptions(64, 40).bias(false)));
    head->replace_parameter("weight", words->weight);
  }
  Tensor forward(const Tensor& at) { return head(middle(words(at)).relu()); }

  nn::Embedding words{nullptr};
  nn::Linear middle{nullptr}, head{nullptr};
};
TERN_MODULE(Tied);

nn::Sequential two_layers() {
  return nn::Sequential(nn::Linear(64, 32), nn::ReLU(), nn::Linear(32, 5));
}

TEST(Quantize, ComputesAboutTheSame) {
  manual_seed(1);
  for (const auto& [format, limit] : {std::pair(BlockFormat::kQ8_0, 0.02),
                                      {BlockFormat::kQ4_0, 0.2},
                                      {BlockFormat::kQ4_1, 0.2}}) {
    nn::Sequential net = two_layers();
    const Tensor x = randn({7, 64}), want = net(x);
    EXPECT_EQ(quantize_(net, format), 2u);
    const Tensor got = net(x);
    EXPECT_LT((got - want).abs().max().item<double>(), limit * want.abs().max().item<double>());
    EXPECT_EQ(quantize_(net, format), 0u);  // all are quantised already
    EXPECT_TRUE(net(x).equal(got));
  }
}

TEST(Quantize, PutsABufferInPlaceOfTheParameter) {
  nn::Linear fc(64, 3);
  const Tensor weight = fc->weight.detach().clone();
  quantize_(fc, BlockFormat::kQ8_0);
  EXPECT_FALSE(fc->weight.defined());
  EXPECT_EQ(fc->weight_format(), BlockFormat::kQ8_0);
  EXPECT_TRUE(fc->weight_blocks.equal(quantize_rows(weight, BlockFormat::kQ8_0)));
  EXPECT_EQ(fc->parameters().size(), 1u);
  EXPECT_EQ(fc->named_parameters()[0].key(), "bias");
  EXPECT_EQ(fc->named_buffers()[0].key(), "weight_q8_0");
  EXPECT_EQ(printed(*fc),
            "tern::nn::Linear(in_features=64, out_features=3, bias=true, weight=Q8_0)");
  nn::Embedding words(9, 256);
  quantize_(words, BlockFormat::kQ4_K);
  EXPECT_EQ(printed(*words),
            "tern::nn::Embedding(num_embeddings=9, embedding_dim=256, weight=Q4_K)");
  EXPECT_EQ(words->state_dict().size(), 1u);
  EXPECT_TRUE(words->state_dict().contains("weight_q4_k"));
  EXPECT_EQ(error_of([&] { fc->reset_parameters(); }),
            "nn::Linear: the weight is quantised as Q8_0 and cannot be drawn anew");
}

TEST(Quantize, LetsGradientsThrough) {
  nn::Linear first(64, 64), second(64, 2);
  quantize_(second, BlockFormat::kQ8_0);
  second(first(randn({3, 64}))).sum().backward();
  const Tensor weight = dequantize_rows(second->weight_blocks, BlockFormat::kQ8_0);
  EXPECT_TRUE(close(first->bias.grad(), 3 * weight.sum(0), 1e-4));
  EXPECT_TRUE(close(second->bias.grad(), full({2}, 3.0)));
}

TEST(Quantize, KeepsTiesBetweenModules) {
  Tied model;
  EXPECT_EQ(quantize_(model, BlockFormat::kQ8_0), 3u);
  EXPECT_TRUE(model->head->weight_blocks.is_same(model->words->weight_blocks));
  const State state = model->state_dict();
  EXPECT_EQ(state.size(), 4u);
  EXPECT_TRUE(state["head.weight_q8_0"].tensor().is_set_to(state["words.weight_q8_0"].tensor()));

  const Tensor at = tensor({3, 7}), want = model(at);
  const auto copy = std::dynamic_pointer_cast<TiedImpl>(model->clone());
  EXPECT_TRUE(copy->head->weight_blocks.is_same(copy->words->weight_blocks));
  EXPECT_FALSE(copy->head->weight_blocks.is_set_to(model->head->weight_blocks));
  EXPECT_TRUE(copy->forward(at).equal(want));
  copy->head->weight_blocks.zero_();
  EXPECT_TRUE(model(at).equal(want));
}

TEST(Quantize, KeepsWeightsThatOthersUse) {
  Tied model;
  EXPECT_EQ(quantize_(model, BlockFormat::kQ8_0, {.embeddings = false}), 1u);
  EXPECT_TRUE(model->head->weight.is_same(model->words->weight));
  Tied skipped;
  EXPECT_EQ(quantize_(skipped, BlockFormat::kQ8_0, {.skip = {"head"}}), 1u);
  EXPECT_TRUE(skipped->words->weight.defined());
  nn::MultiheadAttention attention(64, 4);
  EXPECT_EQ(quantize_(attention, BlockFormat::kQ8_0), 0u);
  EXPECT_TRUE(attention->out_proj->weight.defined());
  nn::Embedding bounded(nn::EmbeddingOptions(4, 32).max_norm(1));
  EXPECT_EQ(quantize_(bounded, BlockFormat::kQ8_0), 0u);
}

TEST(Quantize, SkipsModulesByName) {
  nn::Sequential inner(nn::Linear(32, 32), nn::Linear(32, 32));
  nn::Sequential net(nn::Linear(32, 32), inner);
  EXPECT_EQ(quantize_(net, BlockFormat::kQ8_0, {.skip = {"1"}}), 1u);
  EXPECT_EQ(quantize_(net, BlockFormat::kQ8_0, {.skip = {"1.0"}}), 1u);
  EXPECT_EQ(error_of([&] { quantize_(net, BlockFormat::kQ8_0, {.skip = {"head"}}); }),
            "quantize_: skip names 'head', but the module has no module with this name");
}

TEST(Quantize, ChoosesAFormatForEachModule) {
  Tied model;
  std::vector<std::string> names;
  const auto choose = [&](const std::string& name, const nn::Module& module) {
    names.push_back(name);
    return module.as<nn::EmbeddingImpl>() != nullptr || name == "head"
               ? std::optional(BlockFormat::kQ8_0)
               : std::optional(BlockFormat::kQ4_1);
  };
  EXPECT_EQ(quantize_(model, choose), 3u);
  EXPECT_EQ(names, (std::vector<std::string>{"words", "middle", "head"}));
  EXPECT_EQ(model->middle->weight_format(), BlockFormat::kQ4_1);
  EXPECT_EQ(model->head->weight_format(), BlockFormat::kQ8_0);

  Tied other;
  EXPECT_EQ(error_of([&] {
              quantize_(other, [](const std::string& name, const nn::Module&) {
                return std::optional(name == "head" ? BlockFormat::kQ4_0 : BlockFormat::kQ8_0);
              });
            }),
            "quantize_: 'words' and 'head' share a weight, which cannot be both Q8_0 and Q4_0");
  EXPECT_FALSE(other->middle->weight_format());
  EXPECT_NE(error_of([&] { quantize_(other, nn::ChooseFormat()); }), "");
}

TEST(Quantize, ChangesNothingOnAnError) {
  nn::Sequential net(nn::Linear(64, 32), nn::Linear(32, 40), nn::Linear(40, 2));
  EXPECT_EQ(error_of<ShapeError>([&] { quantize_(net, BlockFormat::kQ4_0); }),
            "quantize_: the rows of a weight as Q4_0 must be a multiple of 32 elements long, but "
            "the weight of '2' is [2, 40] (QuantizeOptions::skip_misfits keeps it)");
  EXPECT_TRUE(net->at<nn::LinearImpl>(0).weight.defined());
  {
    const NoGradGuard no_grad;
    net->at<nn::LinearImpl>(1).weight[0].fill_(NAN);
  }
  EXPECT_EQ(error_of([&] { quantize_(net, BlockFormat::kQ4_0, {.skip_misfits = true}); }),
            "quantize_: the weight of '1': quantize_rows: input has elements that are infinite or "
            "NaN, which blocks cannot hold");
  EXPECT_TRUE(net->at<nn::LinearImpl>(0).weight.defined());
  net->at<nn::LinearImpl>(1).reset_parameters();
  EXPECT_EQ(quantize_(net, BlockFormat::kQ4_0, {.skip_misfits = true}), 2u);
  EXPECT_TRUE(net->at<nn::LinearImpl>(2).weight.defined());
  nn::LazyLinear lazy(3);
  EXPECT_EQ(
      error_of([&] { quantize_(lazy, BlockFormat::kQ8_0); }),
      "quantize_: the weight of '' has no numbers: it is uninitialized; call the module first");
}

TEST(Quantize, TakesBlocksOfAFile) {
  nn::Linear fc(nn::LinearOptions(256, 3).bias(false));
  Tensor blocks = randint(0, 255, {3, 210}).to(kByte);
  blocks.narrow(1, 208, 2).copy_(tensor({0x34, 0x08}).to(kByte));
  fc->set_quantized_weight(blocks, BlockFormat::kQ6_K);
  const Tensor x = randn({2, 256});
  const Tensor weight = dequantize_rows(blocks, BlockFormat::kQ6_K);
  EXPECT_TRUE(close(fc(x), linear(x, weight), 1e-4));
  EXPECT_TRUE(fc->weight_blocks.is_same(blocks));
  fc->set_quantized_weight(blocks.clone(), BlockFormat::kQ6_K);
  EXPECT_FALSE(fc->weight_blocks.is_same(blocks));
  EXPECT_EQ(error_of([&] {
              fc->set_quantized_weight(zeros({3, 272}, kByte), BlockFormat::kQ8_0);
            }),
            "nn::Linear: the weight is quantised as Q6_K and cannot become Q8_0");

  nn::Linear other(64, 3);
  EXPECT_EQ(error_of<ShapeError>([&] {
              other->set_quantized_weight(zeros({3, 64}, kByte), BlockFormat::kQ8_0);
            }),
            "nn::Linear: the blocks of a weight [3, 64] as Q8_0 have the sizes [3, 68], but got "
            "[3, 64]");
  EXPECT_EQ(error_of<DTypeError>([&] {
              other->set_quantized_weight(zeros({3, 68}), BlockFormat::kQ8_0);
            }),
            "nn::Linear: the blocks of Q8_0 must be uint8, but got float32");
  EXPECT_EQ(error_of<ShapeError>([&] {
              other->set_quantized_weight(zeros({3, 68}, kByte), BlockFormat::kQ4_K);
            }),
            "nn::Linear: the rows of a weight as Q4_K must be a multiple of 256 elements long, but "
            "the weight is [3, 64]");
  EXPECT_TRUE(other->weight.defined());
}

TEST(Quantize, IsKeptByCloneAndTo) {
  nn::Sequential net = two_layers();
  quantize_(net, BlockFormat::kQ4_1);
  const Tensor x = randn({2, 64}), want = net(x);
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
  EXPECT_TRUE(copy->forward(x).equal(want));
  EXPECT_EQ(copy->at<nn::LinearImpl>(0).weight_format(), BlockFormat::kQ4_1);
  nn::Linear one(64, 3);
  quantize_(one, BlockFormat::kQ8_0);
  EXPECT_TRUE(std::dynamic_pointer_cast<nn::LinearImpl>(one->clone())->forward(x).equal(one(x)));

  const Tensor blocks = net->at<nn::LinearImpl>(0).weight_blocks.clone();
  net->to(kBFloat16);
  EXPECT_TRUE(net->at<nn::LinearImpl>(0).weight_blocks.equal(blocks));
  EXPECT_EQ(net->at<nn::LinearImpl>(0).bias.dtype(), kBFloat16);
  EXPECT_EQ(net(x.to(kBFloat16)).dtype(), kBFloat16);

  nn::Embedding words(nn::EmbeddingOptions(5, 32).dtype(kDouble));
  quantize_(words, BlockFormat::kQ8_0);
  EXPECT_EQ(words(tensor({1})).dtype(), kDouble);
  words->to(kHalf);
  EXPECT_EQ(words(tensor({1})).dtype(), kHalf);
  const auto table = std::dynamic_pointer_cast<nn::EmbeddingImpl>(words->clone());
  EXPECT_TRUE(table->forward(tensor({1, 4})).equal(words(tensor({1, 4}))));
  net->to(Device("meta"));
  EXPECT_TRUE(net->at<nn::LinearImpl>(0).weight_blocks.is_meta());
}

TEST(Quantize, IsSavedAndLoaded) {
  const Scratch scratch;
  const Tensor at = tensor({1, 2});
  for (const char* const name : {"quantized.safetensors", "quantized.pt", "quantized.json"}) {
    Tied model;
    quantize_(model, BlockFormat::kQ4_0);
    const std::string file = scratch.path(name);
    save(*model, file);
    Tied other;
    quantize_(other, BlockFormat::kQ4_0);
    load(*other, file);
    EXPECT_TRUE(other(at).equal(model(at))) << name;
  }
}

TEST(Quantize, NamesTheCureForAStateOfTheOtherKind) {
  nn::Sequential plain = two_layers(), quantised = two_layers();
  quantize_(quantised, BlockFormat::kQ8_0);
  const State floats = copy_of(plain->state_dict()), blocks = copy_of(quantised->state_dict());
  EXPECT_TRUE(has_text(error_of([&] { plain->load_state_dict(blocks); }),
                       "\"0.weight_q8_0\" is quantised as Q8_0: call nn::quantize_() on the module "
                       "before it loads the state."));
  EXPECT_TRUE(has_text(error_of([&] { quantised->load_state_dict(floats); }),
                       "\"0.weight\" is not quantised, the module's is, as Q8_0: load the state "
                       "before nn::quantize_()."));
  quantised->load_state_dict(blocks, nn::LoadOptions{.assign = true});
  EXPECT_TRUE(
      quantised->at<nn::LinearImpl>(0).weight_blocks.is_set_to(blocks["0.weight_q8_0"].tensor()));
}

}  // namespace
}  // namespace tern
