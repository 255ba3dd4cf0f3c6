#include <tern/nn/models.h>

#include "nn/nn_test.h"

// A member to which another tensor or module than the registered one was assigned.

namespace tern {
namespace {

TEST(Member, AnAssignedParameterIsNoticed) {
  const nn::Sequential net{nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 1)};
  nn::LinearImpl& first = net->at<nn::LinearImpl>(0);
  const Tensor registered = first.weight;
  first.weight = ones({3, 2});
  const std::string text = error_of([&] { net(ones({1, 2})); });
  EXPECT_TRUE(text.starts_with(
      "tern::nn::LinearImpl: the member 'weight' was assigned a Float tensor of size [3, 2], "
      "but the registered parameter is another tensor, a Float tensor of size [3, 2]. The module "
      "would compute with the assigned tensor, but train and save the registered tensor. To "
      "change the elements, use copy_() under NoGradGuard; to change the tensor, use set_data() "
      "or replace_parameter(\"weight\", tensor)"))
      << text;
  const std::string rule = "the member 'weight' was assigned";
  const auto noticed = [&](const auto& call) {
    return error_of(call).find(rule) != std::string::npos;
  };
  EXPECT_TRUE(noticed([&] { net->parameters(); }));
  EXPECT_TRUE(noticed([&] { net->named_parameters(); }));
  EXPECT_TRUE(noticed([&] { net->state_dict(); }));
  EXPECT_TRUE(noticed([&] { net->load_state_dict(State()); }));
  EXPECT_TRUE(noticed([&] { net->to(kDouble); }));
  EXPECT_TRUE(noticed([&] { nn::AnyModule(net->ptr<nn::LinearImpl>(0)).forward(ones({1, 2})); }));
  first.weight = registered;
  EXPECT_EQ(net->parameters().size(), 4u);
  first.weight = Tensor();
  EXPECT_TRUE(noticed([&] { net->parameters(); }));
}

TEST(Member, BuffersAndAbsentOnesAreNoticed) {
  const nn::BatchNorm1d norm(3);
  norm->running_mean = zeros({3});
  EXPECT_NE(error_of([&] { norm->buffers(); }).find("replace_buffer(\"running_mean\", tensor)"),
            std::string::npos);
  const nn::Linear fc(nn::LinearOptions(2, 2).bias(false));
  fc->bias = zeros({2});
  EXPECT_NE(error_of([&] { fc->state_dict(); }).find("another tensor, an undefined tensor"),
            std::string::npos);
}

TEST(Member, TheCuresWork) {
  const nn::Linear encoder(2, 2), decoder(2, 2);
  {
    const NoGradGuard no_grad;
    encoder->weight.copy_(ones({2, 2}));
  }
  encoder->bias.set_data(zeros({2}));
  decoder->replace_parameter("weight", encoder->weight);  // tied
  EXPECT_TRUE(decoder->weight.is_same(encoder->weight));
  EXPECT_TRUE(decoder->parameters()[0].is_same(encoder->weight));
  EXPECT_TRUE(decoder->weight.requires_grad());
  decoder(encoder(ones({1, 2}))).sum().backward();
  EXPECT_TRUE(same_bits(encoder->weight.grad(), decoder->weight.grad()));
  EXPECT_EQ(error_of<IndexError>([&] { decoder->replace_parameter("gain", ones({1})); }),
            "Parameter 'gain' is not defined; the keys are: 'weight', 'bias'");
  const nn::BatchNorm1d norm(3);
  norm->replace_buffer("running_mean", full({3}, 2.0));
  EXPECT_EQ(norm->buffers()[0][0].item<float>(), 2);
  EXPECT_EQ(norm->running_mean[0].item<float>(), 2);
}

TEST(Member, StaysBoundThroughWhatTheLibraryDoes) {
  const nn::Sequential net{nn::Linear(2, 3), nn::BatchNorm1d(3)};
  net.to(kDouble).to("cuda:1").cpu();
  net.load_state_dict(copy_of(net.state_dict()), {.assign = true});
  EXPECT_EQ(net.clone()->parameters().size(), 4u);
  const nn::Sequential copy = net.clone();
  copy->at<nn::LinearImpl>(0).weight = ones({3, 2});
  EXPECT_NE(error_of([&] { copy->parameters(); }), "");
  EXPECT_EQ(net->parameters().size(), 4u);
  // A copy of the object shares the registered tensors; nothing is bound to its members.
  nn::LinearImpl object = net->at<nn::LinearImpl>(0);
  object.weight = ones({3, 2});
  EXPECT_EQ(object.parameters().size(), 2u);
}

// --- Modules -------------------------------------------------------------------------------------

/// Registers holders in every way in which programs do it.
struct WaysImpl : nn::Cloneable<WaysImpl> {
  WaysImpl() : initialised(register_module("initialised", nn::Linear(2, 2))) {
    WaysImpl::reset_others();
  }
  void reset() override {
    initialised = register_module("initialised", nn::Linear(2, 2));
    reset_others();
  }
  void reset_others() {
    assigned = register_module("assigned", nn::Linear(2, 2));
    given = nn::Linear(2, 2);
    register_module("given", given);
    pointer = register_module("pointer", std::make_shared<nn::LinearImpl>(2, 2));
    inner.layer = register_module("inner", nn::Linear(2, 2));
    const auto result = register_module("kept", nn::Linear(2, 2));
    kept = result;
    any = register_module("any", nn::Linear(2, 2));
    list = register_module("list", nn::ModuleList(nn::Linear(2, 2)));
  }
  Tensor forward(const Tensor& x) {
    return initialised(assigned(given(pointer(inner.layer(kept(any.forward(list[0](x))))))));
  }
  nn::Linear* holder(const std::string& name) {
    return name == "initialised" ? &initialised
           : name == "assigned"  ? &assigned
           : name == "given"     ? &given
           : name == "pointer"   ? &pointer
           : name == "inner"     ? &inner.layer
           : name == "kept"      ? &kept
                                 : nullptr;
  }

  struct Inner {
    nn::Linear layer{nullptr};
  };
  nn::Linear initialised, assigned{nullptr}, given{nullptr}, pointer{nullptr};
  Inner inner;
  nn::Linear kept{nullptr};
  nn::AnyModule any;
  nn::ModuleList list{nullptr};
};
TERN_MODULE(Ways);

const std::vector<std::string> kWays = {"initialised", "assigned", "given",
                                        "pointer",     "inner",    "kept"};

/// Checks that every use of a module names the member that was assigned.
void expect_noticed(const Ways& net, const std::string& name) {
  const std::string rule = "WaysImpl: the member '" + name + "' was assigned ";
  const auto expect = [&](const auto& call) { EXPECT_TRUE(has_text(error_of(call), rule)); };
  expect([&] { net(ones({1, 2})); });
  expect([&] { net->parameters(); });
  expect([&] { net->named_buffers(); });
  expect([&] { net->state_dict(); });
  expect([&] { net->load_state_dict(State()); });
  expect([&] { net->to(kDouble); });
  expect([&] { net->zero_grad(); });
  expect([&] {
    nn::Sequential { net } -> parameters();
  });
  EXPECT_TRUE(has_text(error_of([&] { net->parameters(); }),
                       "use replace_module(\"" + name + "\", module)"));
}

TEST(MemberModule, AnAssignmentIsNoticedHoweverTheModuleWasRegistered) {
  for (const std::string& name : kWays) {
    SCOPED_TRACE(name);
    const Ways net;
    const nn::Linear registered = *net->holder(name);
    *net->holder(name) = nn::Linear(2, 2);
    expect_noticed(net, name);
    *net->holder(name) = registered;
    EXPECT_EQ(net->parameters().size(), 16u);
    *net->holder(name) = nullptr;
    EXPECT_TRUE(has_text(error_of([&] { net->parameters(); }), "was assigned no module"));
    *net->holder(name) = registered;
    const nn::Linear moved = std::move(*net->holder(name));
    EXPECT_TRUE(has_text(error_of([&] { net->parameters(); }), "was assigned no module"));
  }
}

TEST(MemberModule, ReplaceModuleReplacesMemberAndRegistration) {
  for (const std::string& name : kWays) {
    SCOPED_TRACE(name);
    const Ways net;
    const nn::Linear first(2, 2), second(2, 2), third(2, 2);
    EXPECT_EQ(net->replace_module(name, first), first.ptr());
    EXPECT_EQ(net->holder(name)->ptr(), first.ptr());
    EXPECT_EQ(net->get_submodule(name), first.ptr());
    // The assignment of the result, and an assignment before the call, are harmless.
    *net->holder(name) = net->replace_module(name, second.ptr());
    EXPECT_EQ(net->get_parameter(name + ".weight").unsafeGetTensorImpl(),
              second->weight.unsafeGetTensorImpl());
    *net->holder(name) = third;
    net->replace_module(name, third);
    net(ones({1, 2})).sum().backward();
    EXPECT_TRUE(third->weight.grad().defined());
    EXPECT_EQ(net->parameters().size(), 16u);
    const std::string before = printed(net);
    EXPECT_EQ(error_of([&] { net->replace_module(name, nn::ReLU()); }),
              net->name() + ": replace_module: the member '" + name +
                  "' is a holder of a tern::nn::LinearImpl and cannot hold a tern::nn::ReLUImpl");
    EXPECT_EQ(printed(net), before);
    EXPECT_EQ(net->parameters().size(), 16u);
    *net->holder(name) = first;
    expect_noticed(net, name);
  }
}

TEST(MemberModule, SwapsAreNoticed) {
  const Ways net, other;
  std::swap(net->assigned, net->kept);
  EXPECT_NE(error_of([&] { net->parameters(); }), "");
  std::swap(net->assigned, net->kept);
  EXPECT_EQ(net->parameters().size(), 16u);
  std::swap(net->assigned, other->assigned);
  expect_noticed(net, "assigned");
  expect_noticed(other, "assigned");
}

TEST(MemberModule, ContainersAndAnyModulesAreMembersToo) {
  const Ways net;
  net->any = nn::Tanh();
  expect_noticed(net, "any");
  net->any = net->replace_module("any", nn::Tanh());
  EXPECT_EQ(net->parameters().size(), 14u);
  net(ones({1, 2}));
  net->replace_module("any", nn::ReLU());
  expect_noticed(net, "any");  // an AnyModule is set by an assignment alone
  net->any = std::dynamic_pointer_cast<nn::ReLUImpl>(net->get_submodule("any"));
  net(ones({1, 2}));
  net->list = nn::ModuleList(nn::Linear(2, 2));
  expect_noticed(net, "list");
  net->list = net->replace_module("list", nn::ModuleList(nn::Linear(2, 2)));
  EXPECT_EQ(net->parameters().size(), 14u);
}

TEST(MemberModule, AClonesMembersAreItsOwn) {
  const nn::ModuleList list{Ways(), Ways()};
  const nn::ModuleList copy = list.clone();
  for (const auto& module : *copy) {
    const Ways net(std::dynamic_pointer_cast<WaysImpl>(module));
    net(ones({1, 2}));
    net->assigned = nn::Linear(2, 2);
    expect_noticed(net, "assigned");
  }
  EXPECT_EQ(list->parameters().size(), 32u);
  // A copy of the object shares the submodules; nothing watches its members.
  WaysImpl object = list->at<WaysImpl>(0);
  object.assigned = nn::Linear(2, 2);
  EXPECT_EQ(object.parameters().size(), 16u);
  object = list->at<WaysImpl>(1);
  EXPECT_EQ(object.parameters().size(), 16u);
}

TEST(MemberModule, VariablesAreNotMembers) {
  Ways net;
  nn::Linear head(2, 2);
  net->register_module("head", head);
  head = nn::Linear(3, 3);  // the variable is used again
  nn::Linear result = net->register_module("result", nn::Linear(2, 2));
  result = nn::Linear(3, 3);
  std::vector<nn::Linear> vector;
  vector.emplace_back(net->register_module("element", nn::Linear(2, 2)));
  vector.push_back(net->register_module("pushed", nn::Linear(2, 2)));
  vector[0] = nn::Linear(3, 3);
  nn::Linear copy = net->assigned;
  copy = nn::Linear(3, 3);
  EXPECT_EQ(net->parameters().size(), 24u);
  auto kept = net->register_module("late", nn::Linear(2, 2));
  net = nullptr;  // the module dies before the variables
  head = kept;
  EXPECT_EQ(head.ptr(), kept);
}

TEST(MemberModule, UnregisteredModulesAreFree) {
  const Ways net;
  net->unregister_module("assigned");
  net->assigned = nn::Linear(2, 2);
  EXPECT_EQ(net->parameters().size(), 14u);
  net->assigned = net->register_module("assigned", nn::Linear(2, 2));
  EXPECT_EQ(net->parameters().size(), 16u);
  net->assigned = nn::Linear(2, 2);
  expect_noticed(net, "assigned");
}

TEST(MemberModule, OfTheLibraryAreWatched) {
  const models::ResNet net = models::resnet18();
  net->fc = nn::Linear(512, 3);
  EXPECT_TRUE(has_text(error_of([&] { net->parameters(); }), "the member 'fc' was assigned"));
  net->fc = net->replace_module("fc", nn::Linear(512, 3));
  EXPECT_EQ(net->get_parameter("fc.weight").size(0), 3);
  net->layer1 = nn::Sequential{nn::Identity()};
  EXPECT_TRUE(has_text(error_of([&] { net->parameters(); }), "the member 'layer1' was assigned"));
}

}  // namespace
}  // namespace tern
