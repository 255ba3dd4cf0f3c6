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

TEST(Clone, SaysWhichTensorWasReplacedOutsideOfReset) {
  const SmallNet net;
  net->replace_module("fc1", nn::Linear(nn::LinearOptions(3, 4).bias(false)));
  EXPECT_NE(error_of([&] { net.clone(); })
                .find("The cloned module has the tensor 'bias' after calling reset(), unlike the "
                      "original."),
            std::string::npos);
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

TEST(Clone, AModuleInTwoPlacesOfAContainerIsCopiedOnce) {
  const nn::Linear shared(2, 2);
  const nn::Sequential net{shared, nn::ReLU(), nn::Sequential{shared}};
  const nn::Sequential copy = net.clone();
  EXPECT_EQ(copy->parameters().size(), 2U);
  EXPECT_TRUE(identical(copy->state_dict(), net->state_dict()));
  const nn::ModuleList list(net, net);
  EXPECT_EQ(list.clone()->parameters().size(), 2U);
}

/// Words and a head, which reset() ties if asked to, and a parameter without a bound member.
struct WordsAndHeadImpl : nn::Cloneable<WordsAndHeadImpl> {
  explicit WordsAndHeadImpl(bool ties) : are_tied(ties) { WordsAndHeadImpl::reset(); }
  void reset() override {
    words = register_module("words", nn::Embedding(5, 3));
    head = register_module("head", nn::Linear(nn::LinearOptions(3, 5).bias(false)));
    if (are_tied) head->replace_parameter("weight", words->weight);
    table = register_parameter("table", rand({5, 3}));
  }
  Tensor forward(const Tensor& x) { return head(words(x)); }

  bool are_tied;
  nn::Embedding words{nullptr};
  nn::Linear head{nullptr};
  Tensor table;
};
TERN_MODULE(WordsAndHead);

TEST(Clone, TiesWhatWasTiedAfterConstruction) {
  const WordsAndHead net(false);
  net->head->replace_parameter("weight", net->words->weight);
  const nn::Sequential outer{net, nn::Linear(5, 5)};
  outer[1]->as<nn::Linear>()->replace_parameter("bias", ones({5}));
  const std::vector<std::shared_ptr<nn::Module>> copies = {
      net.clone().ptr(), outer.clone()->children()[0], outer.clone().clone()->children()[0]};
  for (const auto& copied : copies) {
    const auto& copy = dynamic_cast<const WordsAndHeadImpl&>(*copied);
    EXPECT_TRUE(copy.head->weight.is_same(copy.words->weight));
    EXPECT_TRUE(copy.head->named_parameters()["weight"].is_same(copy.words->weight));
    EXPECT_FALSE(copy.words->weight.is_same(net->words->weight));
    EXPECT_TRUE(identical(copy.state_dict(), net->state_dict()));
    EXPECT_EQ(copy.parameters().size(), 2u);
  }
  optim::AveragedModel average(net);
  average->update_parameters(net);
  EXPECT_TRUE(same_bits(average(tensor({1, 4})), net(tensor({1, 4}))));

  // The bound member takes the tensor of the one that is not bound.
  net->head->replace_parameter("weight", net->table);
  const WordsAndHead copy = net.clone();
  EXPECT_TRUE(copy->head->weight.is_same(copy->table));
  EXPECT_FALSE(copy->head->weight.is_same(copy->words->weight));
}

TEST(Clone, TiesLayersOfASequential) {
  const nn::Linear first(3, 3), last(3, 3);
  const nn::Sequential net{first, nn::Sequential{last}};
  last->replace_parameter("weight", first->weight);
  const nn::Sequential copy = net.clone(Device("cuda:1"));
  EXPECT_EQ(copy->parameters().size(), 3u);
  EXPECT_TRUE(
      copy->at<nn::LinearImpl>(0).weight.is_same(copy->at<nn::SequentialImpl>(1).parameters()[0]));

  const nn::ParameterList list(ones({2}), ones({2}));
  list->set(1, list->at(0));
  EXPECT_EQ(nn::ModuleList(list).clone()->parameters().size(), 1u);
}

TEST(Clone, TiesOriginalsOfParametrizations) {
  namespace parametrize = nn::utils::parametrize;
  const nn::Linear a(3, 3), b(3, 3);
  for (const nn::Linear& layer : {a, b}) nn::utils::parametrizations::weight_norm(layer);
  parametrize::parametrization_list(*b, "weight")
      ->replace_parameter("original1",
                          parametrize::parametrization_list(*a, "weight")->originals()[1]);
  const nn::Sequential net{a, b};
  const nn::Sequential copy = net.clone();
  EXPECT_EQ(copy->parameters().size(), 5u);
  const Tensor x = rand({2, 3});
  EXPECT_TRUE(same_bits(copy(x), net(x)));
}

TEST(Clone, UntiesWhatWasUntiedAfterConstruction) {
  const WordsAndHead net(true);
  net->head->replace_parameter("weight", rand({5, 3}));
  const WordsAndHead copy = net.clone();
  EXPECT_TRUE(identical(copy->state_dict(), net->state_dict()));
  EXPECT_EQ(copy->parameters().size(), 3u);
  EXPECT_TRUE(copy->head->weight.requires_grad());
  EXPECT_TRUE(same_bits(copy(tensor({2})), net(tensor({2}))));

  struct Twice : nn::Cloneable<Twice> {
    Twice() { Twice::reset(); }
    void reset() override {
      a = register_parameter("a", ones({2}));
      b = register_parameter("b", a);
    }
    Tensor a, b;
  };
  Twice twice;
  twice.b = twice.replace_parameter("b", zeros({2}));
  EXPECT_EQ(
      error_of([&] { twice.clone(); })
          .find("The cloned module ties 'b' to another tensor after calling reset(), unlike the "
                "original."),
      0u);
}

TEST(Clone, WalksOverSharedModulesOnce) {
  nn::Sequential net{nn::Linear(1, 1)};
  for (int i = 0; i < 60; ++i) {
    nn::Sequential outer;
    outer->push_back(net);
    outer->push_back(net);
    net = outer;
  }
  EXPECT_EQ(net.clone()->parameters().size(), 2u);
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

/// A module with plain members, registered and bound tensors, and a submodule.
struct CallCounterImpl : nn::Cloneable<CallCounterImpl> {
  CallCounterImpl() { CallCounterImpl::reset(); }
  void reset() override {
    fc = register_module("fc", nn::Linear(2, 2));
    gain = register_parameter("gain", ones({2}));
    bind_buffer("shift", shift, zeros({2}));
  }
  Tensor forward(const Tensor& x) {
    ++calls;
    return fc(x) * gain + shift;
  }

  nn::Linear fc{nullptr};
  Tensor gain, shift;
  int calls = 0;
};
TERN_MODULE(CallCounter);

/// Three levels; the parts of `tied` are shared with the outside in three ways.
struct NestedImpl : nn::Cloneable<NestedImpl> {
  NestedImpl() { NestedImpl::reset(); }
  void reset() override {
    plain = register_module("plain", CallCounter());
    list = register_module("list", nn::ModuleList(CallCounter(), nn::Dropout(0.5)));
    act = register_module("act", nn::Dropout(0.5));
    tied = register_module("tied", CallCounter());
    again = register_module("again", tied->fc);
    gain = register_parameter("gain", tied->gain);
  }

  CallCounter plain{nullptr}, tied{nullptr};
  nn::ModuleList list{nullptr};
  nn::Dropout act{nullptr};
  nn::Linear again{nullptr};
  Tensor gain;
};
TERN_MODULE(Nested);

TEST(Clone, CopiesPlainMembersOfSubmodules) {
  struct OuterImpl : nn::Cloneable<OuterImpl> {
    OuterImpl() { OuterImpl::reset(); }
    void reset() override { inner = register_module("inner", Nested()); }
    Nested inner{nullptr};
  };
  const nn::ModuleHolder<OuterImpl> net;
  const Tensor x = rand({3, 2});
  for (int i = 0; i < 3; ++i) net->inner->plain(x);
  nn::init::normal_(net->inner->plain->gain);
  net->inner->list->at<CallCounterImpl>(0).calls = 7;
  net->inner->act->options.p(0.25);
  net->inner->tied->calls = 4;

  const auto copy = std::dynamic_pointer_cast<OuterImpl>(net->clone());
  EXPECT_TRUE(identical(copy->state_dict(), net->state_dict()));
  const NestedImpl &inner = *copy->inner, &old = *net->inner;
  EXPECT_EQ(inner.plain->calls, 3);
  EXPECT_EQ(inner.list->at<CallCounterImpl>(0).calls, 7);
  EXPECT_EQ(inner.act->options.p(), 0.25);

  // The members of the copy are those that it registers, and none of the original.
  const CallCounterImpl& part = *inner.plain;
  EXPECT_TRUE(part.gain.is_same(part.named_parameters()["gain"]));
  EXPECT_TRUE(part.shift.is_same(part.named_buffers()["shift"]));
  EXPECT_EQ(part.fc.ptr(), part.named_children()["fc"]);
  EXPECT_NE(part.fc.get(), old.plain->fc.get());
  EXPECT_FALSE(part.gain.is_same(old.plain->gain));
  EXPECT_EQ(part.name(), net->inner->plain->name());
  inner.plain->shift = ones({2});  // a bound member stays bound
  EXPECT_NE(error_of([&] { inner.plain(x); }).find("the member 'shift' was assigned"),
            std::string::npos);

  // What is tied stays tied, at the price of the plain members there.
  EXPECT_EQ(inner.again.get(), inner.tied->fc.get());
  EXPECT_TRUE(inner.gain.is_same(inner.tied->gain));
  EXPECT_EQ(inner.tied->calls, 0);
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
