#include <functional>
#include <map>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

namespace F = nn::functional;

Tensor golden_embedding(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/embeddings").at(name));
}

/// A layer whose table is that of golden/modules/embeddings.py, its call, and how libtorch prints
/// it.
struct EmbeddingCall {
  std::shared_ptr<nn::Module> module;
  std::function<Tensor()> forward;
  std::string prints;

  Tensor table() const { return module->parameters()[0]; }
};

const char* const kEmbeddingSizes = "(num_embeddings=6, embedding_dim=3";

template <class Holder, class Options, class... Inputs>
EmbeddingCall make_embedding(const Options& options, const std::string& prints,
                             const Inputs&... inputs) {
  const Holder holder =
      Holder::from_pretrained(golden_embedding("table"), Options(options).freeze(false));
  const std::string name = std::is_same_v<Holder, nn::Embedding> ? "Embedding" : "EmbeddingBag";
  return {holder.ptr(), [=] { return holder(inputs...); },
          "tern::nn::" + name + kEmbeddingSizes + prints + ")"};
}

std::map<std::string, EmbeddingCall> embedding_calls() {
  using Rows = nn::EmbeddingFromPretrainedOptions;
  using Bag = nn::EmbeddingBagFromPretrainedOptions;
  const auto rows = make_embedding<nn::Embedding, Rows, Tensor>;
  const auto bags = make_embedding<nn::EmbeddingBag, Bag, Tensor>;
  const auto bags_at = make_embedding<nn::EmbeddingBag, Bag, Tensor, Tensor>;
  const Tensor at = tensor({{1, 4, 2}, {2, 2, 0}}), line = at.flatten();
  const Tensor offsets = tensor({0, 2, 2, 5});
  return {
      {"rows", rows(Rows(), "", at)},
      {"rows, padding", rows(Rows().padding_idx(-4), ", padding_idx=2", at)},
      {"rows, frequency",
       rows(Rows().scale_grad_by_freq(true), ", scale_grad_by_freq=true", at.to(kInt))},
      {"rows, norm 2", rows(Rows().max_norm(1), ", max_norm=1", at)},
      {"rows, norm 1", rows(Rows().max_norm(1.5).norm_type(1), ", max_norm=1.5, norm_type=1", at)},
      {"bags", bags(Bag(), "", at)},
      {"bags, offsets", bags_at(Bag(), "", line, offsets)},
      {"bags, last offset", bags_at(Bag().include_last_offset(true), ", include_last_offset=true",
                                    line, tensor({0, 2, 2, 6}))},
      {"bags, sum", bags_at(Bag().mode(kSum), ", mode=kSum", line, offsets)},
      {"bags, factors", make_embedding<nn::EmbeddingBag>(Bag().mode(kSum), ", mode=kSum", at,
                                                         Tensor(), golden_embedding("factors"))},
      {"bags, max", bags_at(Bag().mode(kMax), ", mode=kMax", line, offsets)},
      {"bags, padding", bags_at(Bag().padding_idx(2), ", padding_idx=2", line, offsets)},
      {"bags, max, padding",
       bags_at(Bag().mode(kMax).padding_idx(2), ", mode=kMax, padding_idx=2", line, offsets)},
      {"bags, frequency", bags_at(Bag().scale_grad_by_freq(true), ", scale_grad_by_freq=true", line,
                                  offsets.to(kInt))},
      {"bags, norm", bags(Bag().max_norm(1), ", max_norm=1", at)},
  };
}

TEST(Embeddings, AreThoseOfPyTorch) {
  for (const auto& [name, layer] : embedding_calls()) {
    SCOPED_TRACE(name);
    const Tensor y = layer.forward();
    EXPECT_TRUE(y.allclose(golden_embedding(name), 1e-12, 1e-14));
    (y * arange(y.numel(), kDouble).view(y.sizes())).sum().backward();
    EXPECT_TRUE(layer.table().grad().allclose(golden_embedding(name + " gradient"), 1e-12, 1e-14));
    EXPECT_TRUE(layer.table().allclose(golden_embedding(name + " table"), 1e-12, 1e-14));
    EXPECT_EQ(printed(*layer.module), layer.prints);
    EXPECT_EQ(layer.module->state_dict().keys(), std::vector<std::string>{"weight"});
  }
}

TEST(Embeddings, PassGradcheckOfBothOrders) {
  for (const auto& [name, layer] : embedding_calls()) {
    SCOPED_TRACE(name);
    if (name.find("norm") != std::string::npos) continue;  // changes its table
    const bool counts = name.find("padding") == std::string::npos || name[0] == 'b';
    const bool is_derivative = counts && name.find("frequency") == std::string::npos;
    const auto call = [&forward = layer.forward](const std::vector<Tensor>&) {
      return std::vector<Tensor>{forward()};
    };
    // The option changes the gradient of padding and repeated rows, which then is none.
    EXPECT_TRUE(!is_derivative || autograd::gradcheck(call, {layer.table()}));
    EXPECT_TRUE(autograd::gradgradcheck(call, {layer.table()}));
  }
}

TEST(Embeddings, DrawPyTorchsNumbersWithoutThePaddingRow) {
  manual_seed(3);
  const nn::Embedding rows(nn::EmbeddingOptions(5, 3).padding_idx(-3));
  EXPECT_TRUE(same_bits(rows->weight, golden_embedding("Embedding drawn")));
  EXPECT_EQ(*rows->options.padding_idx(), 2);
  manual_seed(3);
  const nn::EmbeddingBag bags(nn::EmbeddingBagOptions(5, 3).padding_idx(2));
  EXPECT_TRUE(same_bits(bags->weight, golden_embedding("EmbeddingBag drawn")));
  EXPECT_EQ(nn::Embedding(nn::EmbeddingOptions(2, 3).dtype(kHalf))->weight.dtype(), kHalf);
}

TEST(Embeddings, ShareAnExistingTable) {
  Tensor table = ones({4, 2});
  const nn::Embedding frozen = nn::Embedding::from_pretrained(table);
  EXPECT_FALSE(frozen->weight.requires_grad());
  EXPECT_FALSE(table.is_same(frozen->weight));
  table.fill_(3);
  EXPECT_EQ(frozen(tensor({1})).sum().item<float>(), 6);
  EXPECT_TRUE(nn::EmbeddingBag::from_pretrained(
                  table, nn::EmbeddingBagFromPretrainedOptions().freeze(false))
                  ->weight.requires_grad());
  // A copy has a table of its own, also of a module that was given one.
  const nn::Embedding copy = frozen.clone();
  table.fill_(5);
  EXPECT_TRUE(copy->weight.equal(full({4, 2}, 3)));
  EXPECT_FALSE(copy->weight.requires_grad());
}

TEST(Embeddings, TakeInputsWithoutElementsAndStridedOnes) {
  const nn::Embedding rows(4, 3);
  EXPECT_EQ(rows(zeros({2, 0}, kLong)).sizes(), (std::vector<std::int64_t>{2, 0, 3}));
  const Tensor at = tensor({{0, 1, 2}, {3, 2, 1}});
  EXPECT_TRUE(rows(at.t()).equal(rows(at.t().contiguous())));
  EXPECT_TRUE(F::embedding(at.clamp_max(2), rows->weight.t())
                  .equal(rows->weight.t().index({at.clamp_max(2)})));
  const nn::EmbeddingBag bags(nn::EmbeddingBagOptions(4, 3).mode(kMax));
  EXPECT_TRUE(bags(zeros({2, 0}, kLong)).equal(zeros({2, 3})));
  EXPECT_EQ(bags(zeros({3}, kLong), zeros({0}, kLong)).size(0), 0);
  EXPECT_TRUE(bags(at.t()).equal(bags(at.t().contiguous())));
}

TEST(Embeddings, AddUpBagsOfThousandsOfRows) {
  const Tensor table = randn({50, 40}, kDouble), factors = randn({3000}, kDouble);
  const Tensor at = randint(50, {3000}), starts = tensor({0, 7, 1900});
  const Tensor sums = std::get<0>(embedding_bag(table, at, starts, false, 0, false, factors));
  const Tensor rows = table.index_select(0, at) * factors.unsqueeze(1);
  for (std::int64_t bag = 0; bag < 3; ++bag) {
    const std::int64_t begin = starts[bag].item<std::int64_t>();
    const std::int64_t end = bag < 2 ? starts[bag + 1].item<std::int64_t>() : 3000;
    EXPECT_TRUE(allclose(sums[bag], rows.narrow(0, begin, end - begin).sum(0), 1e-12, 1e-12));
  }
}

TEST(Embeddings, TakeTheFirstOfEqualMaxima) {
  const Tensor table = parameter_of(tensor({{2.0, 1.0}, {2.0, 3.0}, {0.0, NAN}}));
  // Bags of several lengths, and of one.
  for (const Tensor& at : {tensor({1, 0, 2}), tensor({1, 0, 2, 2})}) {
    table.mutable_grad() = Tensor();
    const auto [out, bag, sizes, chosen] = embedding_bag(table, at, tensor({0, 2}), false, 2);
    EXPECT_TRUE(out.narrow(0, 0, 1).equal(tensor({{2.0, 3.0}})));
    EXPECT_TRUE(bag.equal(tensor({0, 0, 1, 1}).narrow(0, 0, at.numel())));
    EXPECT_TRUE(sizes.equal(tensor({std::int64_t{2}, at.numel() - 2})));
    EXPECT_TRUE(chosen.equal(tensor({{1, 1}, {2, 2}})));
    out.sum().backward();
    EXPECT_TRUE(table.grad().equal(tensor({{0.0, 0.0}, {1.0, 1.0}, {1.0, 1.0}})));
  }
}

TEST(Embeddings, RefuseWhatTheyCannotDo) {
  const nn::Embedding rows(4, 3);
  const Tensor before = rows->weight.detach().clone();
  const Tensor line = tensor({0, 1, 9});
  EXPECT_EQ(error_of<IndexError>([&] { rows(line); }),
            "embedding: index out of range in self: index 9 is out of bounds for dimension with "
            "size 4\n  in module Embedding");
  EXPECT_NE(error_of<DTypeError>([&] { rows(ones({2})); }).find("types: Long, Int; but got Float"),
            std::string::npos);
  const auto short_rows = F::EmbeddingFuncOptions().max_norm(0.1);
  EXPECT_THROW(F::embedding(line, rows->weight, short_rows), IndexError);
  const auto short_bags = F::EmbeddingBagFuncOptions().max_norm(0.1);
  const Tensor one = tensor({1});
  EXPECT_THROW(
      F::embedding_bag(one, rows->weight, F::EmbeddingBagFuncOptions(short_bags).offsets(one)),
      Error);
  EXPECT_TRUE(rows->weight.equal(before));  // no row was shortened

  EXPECT_EQ(error_of<IndexError>([] { nn::Embedding(nn::EmbeddingOptions(4, 3).padding_idx(4)); }),
            "nn::Embedding: Padding_idx must be within num_embeddings, got 4 for 4");
  EXPECT_EQ(error_of<IndexError>([&] {
              F::embedding(one, rows->weight, F::EmbeddingFuncOptions().padding_idx(-5));
            }),
            "embedding: Padding_idx must be within num_embeddings, got -5 for 4");
  EXPECT_EQ(error_of<ShapeError>([] {
              nn::EmbeddingBag(nn::EmbeddingBagOptions(4, 3)._weight(ones({3, 4})));
            }),
            "nn::EmbeddingBag: Shape of _weight does not match num_embeddings and embedding_dim, "
            "got [3, 4] for 4 and 3");
  EXPECT_EQ(error_of<ShapeError>([] { nn::Embedding::from_pretrained(ones({3})); }),
            "nn::Embedding: Embeddings parameter is expected to be 2-dimensional, got sizes [3]");
  EXPECT_EQ(error_of<ShapeError>([] { nn::Embedding(-1, 3); }),
            "nn::Embedding: the size num_embeddings must not be negative, got -1");
  EXPECT_EQ(
      error_of<NotImplementedError>([] { nn::Embedding(nn::EmbeddingOptions(4, 3).sparse(true)); }),
      "nn::Embedding: sparse gradients are not supported: tern has no sparse tensors, got "
      "sparse = true");
  EXPECT_THROW(F::embedding(one, before, F::EmbeddingFuncOptions().sparse(true)),
               NotImplementedError);

  const auto bag_error = [&](const Tensor& input, const F::EmbeddingBagFuncOptions& options) {
    return error_of([&] { F::embedding_bag(input, before, options); });
  };
  using Options = F::EmbeddingBagFuncOptions;
  const Tensor two = tensor({{1, 2}});
  EXPECT_EQ(bag_error(one, Options()), "embedding_bag: offsets has to be a 1D Tensor but got null");
  EXPECT_NE(bag_error(two, Options().offsets(one)).find("If input is 2D, then offsets has to be "),
            std::string::npos);
  EXPECT_EQ(bag_error(two[0][0], Options()),
            "embedding_bag: input has to be 1D or 2D Tensor, but got Tensor of dimension 0");
  EXPECT_EQ(bag_error(two, Options().mode(kMax).scale_grad_by_freq(true)),
            "embedding_bag: max mode does not support scaling the gradient by the frequency");
  EXPECT_NE(bag_error(two, Options().per_sample_weights(ones({1, 2}))).find("mode='kMean'"),
            std::string::npos);
  EXPECT_EQ(error_of([] { Options().mode(kNone); }),
            "mode has to be one of sum, mean or max, got kNone");
  EXPECT_FALSE((std::is_constructible_v<nn::EmbeddingOptions, bool, int>));
}

TEST(Embeddings, RunWhereTheirTablesAre) {
  const nn::Embedding rows(4, 3);
  const nn::EmbeddingBag bags(nn::EmbeddingBagOptions(4, 3).mode(kMax).padding_idx(1));
  const Tensor at = tensor({{0, 1}, {3, 3}});
  for (const auto& [name, run] : std::map<std::string, std::function<Tensor(const Tensor&)>>{
           {"rows", rows}, {"bags", [&](const Tensor& x) { return bags(x); }}}) {
    SCOPED_TRACE(name);
    rows->cpu(), bags->cpu();
    const Tensor y = run(at);
    rows->to("cuda:1"), bags->to("cuda:1");
    EXPECT_NE(error_of<DeviceError>([&] { run(at); }).find("found at least two devices"),
              std::string::npos);
    const Tensor there = run(at.to("cuda:1"));
    EXPECT_EQ(there.device(), Device("cuda:1"));
    EXPECT_TRUE(same_bits(there, y));
    there.sum().backward();
  }
  EXPECT_EQ(rows->weight.grad().device(), Device("cuda:1"));
  EXPECT_EQ(bags->weight.grad()[1].abs().sum().item<float>(), 0);
}

TEST(Embeddings, FitIntoASequential) {
  const nn::Sequential net(nn::EmbeddingBag(4, 3), nn::Linear(3, 1));
  EXPECT_EQ(net(tensor({{0, 1}, {2, 3}})).sizes(), (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(F::one_hot(tensor({1, 0})).equal(eye(2, kLong).flip({0})));
}

}  // namespace
}  // namespace tern
