#include <tern/nn/module.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

const std::string kEmptyHolder =
    "Accessing empty ModuleHolder: a member made with {nullptr} is set in the constructor, such as "
    "fc "
    "= register_module(\"fc\", nn::Linear(3, 1))";

using Names = std::vector<std::string>;

TEST(Module, RegistersUnderUniqueNames) {
  nn::Module module;
  const Tensor weight = ones({2});
  EXPECT_TRUE(module.register_parameter("w", weight).is_same(weight));
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_FALSE(module.register_parameter("frozen", ones({2}), false).requires_grad());
  EXPECT_FALSE(module.register_parameter("none", Tensor()).defined());
  module.register_buffer("b", ones({2}));
  module.register_module("m", nn::Linear(1, 1));

  EXPECT_EQ(error_of([&] { module.register_parameter("", ones({1})); }),
            "Parameter name must not be empty");
  EXPECT_EQ(error_of([&] { module.register_buffer("x.y", ones({1})); }),
            "Buffer name must not contain a dot (got 'x.y')");
  EXPECT_EQ(error_of([&] { module.register_module("x.y", nn::ReLU()); }),
            "Submodule name must not contain a dot (got 'x.y')");
  EXPECT_EQ(error_of([&] { module.register_parameter("w", ones({1})); }),
            "Parameter 'w' already defined");
  EXPECT_EQ(error_of([&] { module.register_buffer("w", ones({1})); }),
            "Parameter 'w' already defined");
  EXPECT_EQ(error_of([&] { module.register_parameter("m", ones({1})); }),
            "Submodule 'm' already defined");
  EXPECT_EQ(error_of([&] { module.register_module("b", nn::ReLU()); }),
            "Buffer 'b' already defined");
  EXPECT_EQ(error_of([&] { module.register_module("n", std::shared_ptr<nn::ReLUImpl>()); }),
            "Submodule 'n' is empty: it holds no module");
  EXPECT_EQ(error_of([&] { module.register_module("n", nn::ReLU(nullptr)); }), kEmptyHolder);
  EXPECT_EQ(
      error_of<DTypeError>([&] { module.register_parameter("i", ones({1}, kLong)); }).substr(0, 82),
      "parameter 'i': Only Tensors of floating point and complex dtype can require gradie");
}

TEST(Module, RefusesToHoldItself) {
  const nn::Sequential outer, inner;
  outer->push_back("inner", inner);
  EXPECT_NE(error_of([&] { inner->push_back("outer", outer); }), "");
  EXPECT_NE(error_of([&] { outer->push_back("self", outer); }), "");
}

TEST(Module, ReplacesAndUnregistersChildren) {
  nn::Module module;
  module.register_module("a", nn::Linear(1, 1));
  const nn::Linear other(2, 2);
  EXPECT_EQ(module.replace_module("a", other), other.ptr());
  EXPECT_EQ(module.named_children()["a"], other.ptr());
  EXPECT_EQ(error_of<IndexError>([&] { module.replace_module("z", other); }),
            "Submodule 'z' is not defined; the keys are: 'a'");
  EXPECT_EQ(error_of([&] { module.named_children()["z"]; }),
            "Submodule 'z' is not defined; the keys are: 'a'");
  EXPECT_EQ(error_of<IndexError>([&] { module.unregister_module("z"); }),
            "No Module with name `z` is registered");
  module.unregister_module("a");
  EXPECT_TRUE(module.children().empty());
}

TEST(Module, NamesEverythingInPythonsOrder) {
  const SmallNet net;
  EXPECT_EQ(net->named_parameters().keys(), (Names{"scale", "fc1.weight", "fc1.bias", "norm.weight",
                                                   "norm.bias", "fc2.weight", "fc2.bias"}));
  EXPECT_EQ(net->named_parameters(/*recurse=*/false).keys(), Names{"scale"});
  EXPECT_EQ(net->named_buffers().keys(), (Names{"step", "scratch", "norm.running_mean",
                                                "norm.running_var", "norm.num_batches_tracked"}));
  EXPECT_EQ(net->named_modules().keys(), (Names{"", "fc1", "norm", "fc2"}));
  EXPECT_EQ(net->named_modules("net").keys(), (Names{"net", "net.fc1", "net.norm", "net.fc2"}));
  EXPECT_EQ(net->named_modules("", /*include_self=*/false).keys(), (Names{"fc1", "norm", "fc2"}));
  EXPECT_EQ(net->named_children().keys(), (Names{"fc1", "norm", "fc2"}));
  EXPECT_EQ(net->parameters().size(), 7u);
  EXPECT_EQ(net->buffers().size(), 5u);
  EXPECT_EQ(net->modules().size(), 4u);
  EXPECT_EQ(net->modules()[0], net.ptr());
  EXPECT_EQ(error_of([&] { net->named_parameters()["fc1.wieght"]; }),
            "Key 'fc1.wieght' is not defined; the keys are: 'scale', 'fc1.weight', 'fc1.bias', "
            "'norm.weight', 'norm.bias', 'fc2.weight', 'fc2.bias'");
  EXPECT_TRUE(net->named_parameters()["fc1.bias"].is_same(net->fc1->bias));
  EXPECT_TRUE(net->named_parameters()[2].value().is_same(net->fc1->bias));
}

TEST(Module, GivesSharedThingsOnce) {
  nn::Module module;
  const nn::Linear shared(2, 2);
  module.register_module("a", shared);
  module.register_module("b", shared);
  const nn::Linear tied(2, 2);
  module.register_module("c", tied);
  module.register_parameter("w", shared->weight);
  EXPECT_EQ(module.named_parameters().keys(), (Names{"w", "a.bias", "c.weight", "c.bias"}));
  EXPECT_EQ(module.named_modules("", false).keys(), (Names{"a", "c"}));
  EXPECT_EQ(module.named_children().keys(), (Names{"a", "c"}));
  EXPECT_EQ(module.state_dict().keys(),
            (Names{"w", "a.weight", "a.bias", "b.weight", "b.bias", "c.weight", "c.bias"}));
}

TEST(Module, IsAskedForItselfOnTheStackInVain) {
  const SmallNetImpl net;
  const std::string text = error_of([&] { net.modules(); });
  EXPECT_EQ(text.find("It looks like you attempted to retrieve your top-level module as a "
                      "shared_ptr, but it is not stored in a shared_ptr. Use std::make_shared<"
                      "tern::SmallNetImpl> instead"),
            0u)
      << text;
  EXPECT_EQ(net.modules(/*include_self=*/false).size(), 3u);
}

TEST(Module, AppliesToChildrenFirst) {
  const SmallNet net;
  Names visited;
  net->apply([&](const std::string& name, nn::Module& module) {
    visited.push_back(name + ":" + module.name());
  });
  EXPECT_EQ(visited, (Names{"fc1:tern::nn::LinearImpl", "norm:tern::nn::BatchNorm1dImpl",
                            "fc2:tern::nn::LinearImpl", ":tern::SmallNetImpl"}));
  int count = 0;
  net->apply([&](nn::Module& module) {
    if (auto* linear = module.as<nn::Linear>()) nn::init::constant_(linear->weight, 2);
    ++count;
  });
  EXPECT_EQ(count, 4);
  EXPECT_EQ(net->fc2->weight[0][0].item<float>(), 2);
  net->apply([&](const std::shared_ptr<nn::Module>& module) { count += module != nullptr; });
  std::as_const(*net).apply([&](const nn::Module&) { ++count; });
  EXPECT_EQ(count, 12);
}

TEST(Module, SwitchesModes) {
  const SmallNet net;
  EXPECT_TRUE(net->is_training());
  net->eval();
  for (const auto& module : net->modules()) EXPECT_FALSE(module->is_training());
  net->train();
  for (const auto& module : net->modules()) EXPECT_TRUE(module->is_training());
}

TEST(Module, ForgetsOrZeroesGradients) {
  const nn::Linear net(2, 1);
  net(ones({1, 2})).sum().backward();
  const Tensor grad = net->weight.grad();
  net->zero_grad(/*set_to_none=*/false);
  EXPECT_TRUE(same_bits(net->weight.grad(), zeros({1, 2})));
  EXPECT_TRUE(same_bits(grad, zeros({1, 2})));
  net->zero_grad();
  EXPECT_FALSE(net->weight.grad().defined());
  EXPECT_FALSE(net->bias.grad().defined());
}

TEST(Module, FreezesParameters) {
  const SmallNet net;
  net->requires_grad_(false);
  for (const Tensor& parameter : net->parameters()) EXPECT_FALSE(parameter.requires_grad());
  EXPECT_EQ(&net->fc1->requires_grad_(), net->fc1.get());
  EXPECT_TRUE(net->fc1->weight.requires_grad());
  EXPECT_FALSE(net->fc2->weight.requires_grad());
}

TEST(Module, IgnoresPlainMembers) {
  struct Careless : nn::Module {
    Tensor plain = ones({2});
    nn::Linear loose{2, 2};
    std::vector<nn::Linear> layers{nn::Linear(2, 2)};
    nn::Linear kept = register_module("kept", nn::Linear(2, 2));
    nn::ModuleList list = register_module("list", nn::ModuleList(nn::Linear(2, 2)));
  } module;
  const Names names{"kept.weight", "kept.bias", "list.0.weight", "list.0.bias"};
  EXPECT_EQ(module.named_parameters().keys(), names);
  EXPECT_EQ(module.state_dict().keys(), names);
  module.to(kDouble);
  EXPECT_EQ(module.plain.dtype(), kFloat);
  EXPECT_EQ(module.loose->weight.dtype(), kFloat);
  EXPECT_EQ(module.layers[0]->weight.dtype(), kFloat);
  EXPECT_EQ(module.kept->weight.dtype(), kDouble);
  EXPECT_EQ(module.list->at<nn::LinearImpl>(0).weight.dtype(), kDouble);
}

TEST(Module, PrintsAsATree) {
  const SmallNet net;
  EXPECT_EQ(printed(net),
            "tern::SmallNetImpl(\n"
            "  (fc1): tern::nn::Linear(in_features=3, out_features=4, bias=true)\n"
            "  (norm): tern::nn::BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=true, "
            "track_running_stats=true)\n"
            "  (fc2): tern::nn::Linear(in_features=4, out_features=2, bias=true)\n"
            ")");
  EXPECT_EQ(printed(nn::Sequential()), "tern::nn::Sequential");
  nn::Module named("Nameless");
  EXPECT_EQ(printed(named), "Nameless");
}

TEST(Module, SummarisesItself) {
  EXPECT_EQ(SmallNet()->summary(),
            "Module  Type                       Parameters               Count\n"
            "(self)  tern::SmallNetImpl         scale [2]                    2\n"
            "fc1     tern::nn::LinearImpl       weight [4, 3], bias [4]     16\n"
            "norm    tern::nn::BatchNorm1dImpl  weight [4], bias [4]         8\n"
            "fc2     tern::nn::LinearImpl       weight [2, 4], bias [2]     10\n"
            "Total: 36 parameters in 144 bytes, 36 trainable; 12 in buffers of 56 bytes\n");
}

TEST(Hooks, RunAroundForward) {
  const nn::Linear net(2, 2);
  const Tensor x = ones({1, 2});
  const Tensor plain = net(x);
  const unsigned before = net->register_forward_pre_hook([](nn::Module&, auto& inputs) {
    inputs[0] = nn::AnyValue(inputs[0].template get<Tensor>() * 2);
  });
  const unsigned after = net->register_forward_hook(
      [&](nn::Module& module, const std::vector<nn::AnyValue>& inputs, nn::AnyValue& output) {
        EXPECT_EQ(&module, net.get());
        EXPECT_EQ(inputs.size(), 1u);
        output = nn::AnyValue(output.get<Tensor>() + 1);
      });
  const Tensor expected = linear(x * 2, net->weight, net->bias) + 1;
  EXPECT_TRUE(same_bits(net(x), expected));
  EXPECT_TRUE(same_bits(nn::Sequential(net)(x), expected));
  EXPECT_TRUE(same_bits(net->forward(x), plain));
  net->remove_hook(before);
  EXPECT_TRUE(same_bits(net(x), plain + 1));
  net->remove_hook(after);
  EXPECT_FALSE(net->has_forward_hooks());
  EXPECT_TRUE(same_bits(net(x), plain));
}

TEST(Hooks, MayRemoveThemselvesAndSayWhatTheyBreak) {
  const nn::ReLU net;
  unsigned number = 0;
  int calls = 0;
  number = net->register_forward_pre_hook([&](nn::Module& module, auto&) {
    ++calls;
    module.remove_hook(number);
  });
  net(ones({1}));
  net(ones({1}));
  EXPECT_EQ(calls, 1);
  net->register_forward_pre_hook([](nn::Module&, auto& inputs) { inputs.clear(); });
  EXPECT_EQ(error_of([&] { net(ones({1})); }),
            "tern::nn::ReLUImpl's forward() takes 1 inputs, but its forward pre-hooks returned 0\n "
            " in module ReLU");
}

TEST(Hooks, SeeModulesThatReturnSeveralValues) {
  struct PairImpl : nn::Module {
    std::tuple<Tensor, int> forward(const Tensor& x, int k) { return {x * k, k}; }
  };
  const nn::ModuleHolder<PairImpl> net;
  net->register_forward_hook([](nn::Module&, const auto&, nn::AnyValue& output) {
    std::get<1>(output.get<std::tuple<Tensor, int>>()) = 7;
  });
  EXPECT_EQ(std::get<1>(net(ones({1}), 3)), 7);
}

TEST(RunningModule, IsNamedWithItsPath) {
  struct ProbeImpl : nn::Module {
    Tensor forward(Tensor x) {
      seen = detail::running_module_text();
      return x;
    }
    std::string seen;
  };
  struct OuterImpl : nn::Module {
    OuterImpl() { probe = register_module("inside", nn::ModuleHolder<ProbeImpl>()); }
    Tensor forward(Tensor x) { return probe(x); }
    nn::ModuleHolder<ProbeImpl> probe{nullptr};
  };
  const nn::ModuleHolder<OuterImpl> net;
  net(ones({1}));
  EXPECT_EQ(net->probe->seen.find("'inside' ("), 0u) << net->probe->seen;
  net->probe(ones({1}));
  EXPECT_EQ(net->probe->seen.find("inside"), std::string::npos);
  EXPECT_EQ(detail::running_module_text(), "");
}

TEST(Holder, IsASharedPointer) {
  const nn::Linear net(2, 1), same = net, empty(nullptr);
  EXPECT_EQ(net.get(), same.get());
  EXPECT_TRUE(net);
  EXPECT_FALSE(empty);
  EXPECT_TRUE(empty.is_empty());
  EXPECT_EQ(error_of([&] { static_cast<void>(empty->weight); }), kEmptyHolder);
  EXPECT_EQ(error_of([&] { static_cast<void>((*empty).weight); }), kEmptyHolder);
  EXPECT_EQ(error_of([&] { empty(ones({1, 2})); }), kEmptyHolder);
  EXPECT_EQ(error_of([&] { empty.ptr(); }), kEmptyHolder);
  const nn::Linear from_options(nn::LinearOptions(2, 1).bias(false));
  EXPECT_FALSE(from_options->bias.defined());
  const nn::Linear adopted = std::make_shared<nn::LinearImpl>(2, 1);
  EXPECT_EQ(adopted->options.in_features(), 2);
}

}  // namespace
}  // namespace tern
