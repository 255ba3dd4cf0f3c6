#include "nn/nn_test.h"

namespace tern {
namespace {

TEST(Summary, ShowsOutputsAndTotals) {
  const nn::Sequential net{nn::Linear(3, 4), nn::BatchNorm1d(4), nn::ReLU(), nn::Flatten(),
                           nn::Linear(4, 2)};
  nn::utils::freeze(*net, "0.*");
  const std::string expected =
      "Module  Type                       Output shape  Parameters  Trainable\n"
      "(self)  tern::nn::SequentialImpl   [5, 2]                 0  -\n"
      "0       tern::nn::LinearImpl       [5, 4]                16  no\n"
      "1       tern::nn::BatchNorm1dImpl  [5, 4]                 8  yes\n"
      "2       tern::nn::ReLUImpl         [5, 4]                 0  -\n"
      "3       tern::nn::FlattenImpl      [5, 4]                 0  -\n"
      "4       tern::nn::LinearImpl       [5, 2]                10  yes\n"
      "Total: 34 parameters in 136 bytes, 18 trainable; 9 in buffers of 40 bytes\n"
      "Activations: 280 bytes\n";  // Flatten returns its input
  EXPECT_EQ(nn::summary(net, ones({5, 3})), expected);
  EXPECT_EQ(nn::summary(net, {5, 3}), expected);
  EXPECT_EQ(nn::summary(*net, {5, 3}), expected);
  EXPECT_EQ(nn::summary(net.ptr(), ones({5, 3})), expected);
  EXPECT_EQ(nn::summary(nn::AnyModule(net), ones({5, 3})), expected);
}

struct ReusedImpl : nn::Module {
  ReusedImpl() {
    fc = register_module("fc", nn::Linear(3, 3));
    unused = register_module("unused", nn::Linear(3, 1));
    list = register_module("list", nn::ModuleList(nn::Dropout(), nn::Tanh()));
  }
  std::tuple<Tensor, Tensor> forward(const Tensor& x, const Tensor& y) {
    return {fc(fc(x)), list[0]->as<nn::Dropout>()->forward(y)};
  }
  nn::Linear fc{nullptr}, unused{nullptr};
  nn::ModuleList list{nullptr};
};
TERN_MODULE(Reused);

TEST(Summary, ShowsWhatIsCalledThroughHolders) {
  const Reused net;
  const std::string text = nn::summary(net, ones({2, 3}), ones({4}));
  EXPECT_NE(text.find("fc      tern::nn::LinearImpl"), std::string::npos) << text;
  EXPECT_NE(text.find("[2, 3] x2"), std::string::npos) << text;
  EXPECT_NE(text.find("[2, 3], [4]"), std::string::npos) << text;
  const std::size_t unused = text.find("unused  tern::nn::LinearImpl");
  EXPECT_LT(text.find("  -  ", unused), text.find('\n', unused)) << text;
}

TEST(Summary, RestoresEverything) {
  manual_seed(2);
  const nn::Sequential net{nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Dropout(0.5)};
  const nn::Embedding words(nn::EmbeddingOptions(5, 3).max_norm(0.1));
  int calls = 0;
  const unsigned hook =
      net[0]->register_forward_hook([&](nn::Module&, const auto&, nn::AnyValue&) { ++calls; });
  const State before = copy_of(net->state_dict());
  const Tensor table = words->weight.detach().clone();
  manual_seed(7);
  const Tensor next = randn({3});
  manual_seed(7);
  nn::summary(net, {5, 3});
  nn::summary(words, tensor({1, 2}));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(net->is_training());
  EXPECT_TRUE(identical(before, net->state_dict()));
  EXPECT_TRUE(same_bits(words->weight, table));
  EXPECT_TRUE(same_bits(randn({3}), next));
  net[0]->remove_hook(hook);
  EXPECT_FALSE(net[0]->needs_call_scope());
  EXPECT_FALSE(net[1]->needs_call_scope());
  EXPECT_TRUE(net(ones({5, 3})).requires_grad());
  // Also after an error.
  EXPECT_NE(error_of([&] { nn::summary(net, {5, 4}); }), "");
  EXPECT_FALSE(net[1]->needs_call_scope());
  net->eval();
  nn::summary(net, {1, 3});  // BatchNorm takes one row in evaluation alone
  EXPECT_FALSE(net->is_training());
}

TEST(Summary, InitialisesLazyModules) {
  manual_seed(1);
  const nn::Sequential net{nn::LazyLinear(4), nn::LazyBatchNorm1d()};
  const std::string text = nn::summary(net, {5, 3});
  EXPECT_NE(text.find("Total: 24 parameters"), std::string::npos) << text;
  EXPECT_TRUE(same_bits(net->at<nn::LazyBatchNorm1dImpl>(1).running_mean, zeros({4})));
  EXPECT_TRUE(same_bits(net->at<nn::LazyBatchNorm1dImpl>(1).running_var, ones({4})));
  EXPECT_EQ(net->at<nn::LazyBatchNorm1dImpl>(1).num_batches_tracked.item<int>(), 0);
}

TEST(Summary, SeesParametrizedModules) {
  const nn::Linear fc = nn::utils::parametrizations::weight_norm(nn::Linear(3, 4));
  const std::string text = nn::summary(fc, {5, 3});
  EXPECT_NE(text.find("[5, 4]"), std::string::npos) << text;
  EXPECT_NE(text.find("Total: 20 parameters in 80 bytes"), std::string::npos) << text;
}

}  // namespace
}  // namespace tern
