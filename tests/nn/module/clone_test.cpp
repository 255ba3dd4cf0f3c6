#include "nn/nn_test.h"

namespace tern {
namespace {

TEST(Clone, IsDeepAndTyped) {
  const SmallNet net;
  net->eval();
  net->fc1->weight.set_requires_grad(false);
  net(rand({4, 3})).sum().backward();
  const SmallNet copy = net.clone();
  EXPECT_TRUE(identical(net->state_dict(), copy->state_dict()));
  EXPECT_EQ(copy->named_parameters().keys(), net->named_parameters().keys());
  EXPECT_FALSE(copy->is_training());
  EXPECT_FALSE(copy->norm->is_training());
  EXPECT_FALSE(copy->fc1->weight.requires_grad());
  EXPECT_TRUE(copy->fc2->weight.requires_grad());
  EXPECT_FALSE(copy->fc2->weight.grad().defined());
  const Tensor x = rand({4, 3});
  EXPECT_TRUE(same_bits(copy(x), net(x)));
  nn::init::zeros_(copy->fc1->weight);
  EXPECT_FALSE(equal(net->fc1->weight, copy->fc1->weight));
}

TEST(Clone, KeepsDtypeAndMoves) {
  const SmallNet net;
  net.to(kDouble);
  const SmallNet copy = net.clone(Device("cuda:1"));
  EXPECT_EQ(copy->fc1->weight.dtype(), kDouble);
  EXPECT_EQ(copy->fc1->weight.device(), Device("cuda:1"));
  EXPECT_EQ(copy->step.device(), Device("cuda:1"));
  EXPECT_EQ(net->step.device(), Device("cpu"));
}

TEST(Clone, DrawsNoRandomNumbers) {
  const SmallNet net;
  manual_seed(5);
  const Tensor expected = rand({4});
  manual_seed(5);
  net.clone();
  EXPECT_TRUE(same_bits(rand({4}), expected));
}

TEST(Clone, CopiesContainers) {
  const nn::Sequential net{nn::Linear(2, 3), nn::ReLU(), nn::Sequential{nn::Linear(3, 1)}};
  const nn::Sequential copy = net.clone();
  EXPECT_EQ(printed(net), printed(copy));
  EXPECT_TRUE(identical(net->state_dict(), copy->state_dict()));
  EXPECT_FALSE(copy->at<nn::LinearImpl>(0).weight.is_same(net->at<nn::LinearImpl>(0).weight));
  const Tensor x = rand({2, 2});
  EXPECT_TRUE(same_bits(net(x), copy(x)));

  const nn::ModuleList list(nn::Linear(1, 1), nn::Tanh());
  EXPECT_TRUE(identical(list.clone()->state_dict(), list->state_dict()));
  const nn::ModuleDict dict(nn::ModuleDictImpl::Pairs{{"a", nn::Linear(1, 1).ptr()}});
  EXPECT_TRUE(identical(dict.clone()->state_dict(), dict->state_dict()));
  const nn::ParameterList parameters(ones({2}), ones({1}).requires_grad_());
  const nn::ParameterList parameters_copy = parameters.clone();
  EXPECT_TRUE(identical(parameters_copy->state_dict(), parameters->state_dict()));
  EXPECT_FALSE(parameters_copy->at(0).requires_grad());
  EXPECT_TRUE(parameters_copy->at(1).requires_grad());
  const nn::ParameterDict named;
  named->insert("gain", ones({2}));
  EXPECT_TRUE(identical(named.clone()->state_dict(), named->state_dict()));
}

TEST(Clone, KeepsHooksAndTheirNumbers) {
  const auto add_one = [](nn::Module&, const std::vector<nn::AnyValue>&, nn::AnyValue& output) {
    output = nn::AnyValue(output.get<Tensor>() + 1);
  };
  const nn::Sequential net{nn::ReLU()};
  const unsigned first = net->register_forward_hook(add_one);
  const nn::Sequential copy = net.clone();
  EXPECT_EQ(copy(zeros({})).item<float>(), 1);
  EXPECT_NE(copy->register_forward_hook(add_one), first);
  copy->remove_hook(first);
  EXPECT_EQ(copy(zeros({})).item<float>(), 1);
  EXPECT_EQ(net(zeros({})).item<float>(), 1);

  const SmallNet parent;
  parent->fc1->register_forward_hook(add_one);
  const SmallNet copied = parent.clone();
  const Tensor x = ones({4, 3});
  EXPECT_TRUE(same_bits(copied->fc1(x), parent->fc1(x)));
  EXPECT_FALSE(same_bits(copied->fc1(x), copied->fc1->forward(x)));
}

TEST(Clone, SaysWhatIsMissing) {
  struct Plain : nn::Module {};
  EXPECT_NE(error_of([] {
              Plain().clone();
            }).find("instead of tern::nn::Module to inherit the ability to clone."),
            std::string::npos);

  struct Constructed : nn::Cloneable<Constructed> {
    Constructed() { register_parameter("w", ones({1})); }
    void reset() override {}
  };
  EXPECT_EQ(error_of([] { Constructed().clone(); }),
            "The cloned module does not have the same number of parameters as the original module "
            "after calling reset(). Are you sure you called register_parameter() inside reset() "
            "and not the constructor?");

  struct Sharing : nn::Cloneable<Sharing> {
    Sharing() { Sharing::reset(); }
    void reset() override { register_module("fc", fc); }
    nn::Linear fc{1, 1};
  };
  EXPECT_EQ(error_of([] { Sharing().clone(); }).find("The cloned module shares the submodule 'fc'"),
            0u);
}

}  // namespace
}  // namespace tern
