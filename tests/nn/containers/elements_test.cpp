#include "nn/nn_test.h"

// Modules of ModuleList, ModuleDict and Sequential: how they are called and replaced.

namespace tern {
namespace {

struct PairImpl : nn::Cloneable<PairImpl> {
  void reset() override {}
  std::tuple<Tensor, Tensor> forward(const Tensor& x, double factor) { return {x, x * factor}; }
};
TERN_MODULE(Pair);

/// A module whose forward has a result that no AnyValue can hold.
struct OddImpl : nn::Module {
  std::unique_ptr<int> forward(Tensor) { return nullptr; }
};

TEST(Elements, AreCalledWithTheirHooks) {
  const nn::Linear fc(2, 3);
  const nn::ModuleList list(fc, nn::ReLU(), nn::Sequential{nn::Tanh()}, Pair());
  const nn::ModuleDict dict({{"fc", fc}, {"twice", [](const Tensor& x) { return x * 2; }}});
  const nn::Sequential net{fc, nn::ReLU()};
  const Tensor x = rand({4, 2});
  int calls = 0;
  fc->register_forward_hook([&](nn::Module&, const auto&, nn::AnyValue&) { ++calls; });
  for (const Tensor& y : {list[0](x), dict["fc"](x), net[0](x), list->ptr(0)(x),
                          list->slice(0, 1)->ptr(0)(x), nn::ModuleDict(*dict)["fc"](x)}) {
    EXPECT_TRUE(same_bits(y, fc->forward(x)));
  }
  EXPECT_EQ(calls, 6);
  EXPECT_TRUE(same_bits(list[2](x), x.tanh()));
  EXPECT_TRUE(same_bits(dict["twice"](x), x * 2));
  Tensor y = x;
  const nn::ModuleList first = list->slice(0, 3);
  for (const auto& layer : *first) y = layer(y);
  EXPECT_TRUE(same_bits(y, fc(x).relu().tanh()));
  Tensor z = x;
  for (const auto& [name, layer] : *dict) z = name == "fc" ? layer(z) : z;
  EXPECT_TRUE(same_bits(z, fc(x)));
  const auto [same, half] = list[3].forward<std::tuple<Tensor, Tensor>>(x, 0.5);
  EXPECT_TRUE(same_bits(half, x * 0.5));
  // Copies and clones can be called, too, and put into a Sequential.
  nn::ModuleList clone = list.clone();
  EXPECT_TRUE(same_bits(clone[0](x), fc->forward(x)));
  EXPECT_TRUE(same_bits(dict.clone()["twice"](x), x * 2));
  EXPECT_TRUE(same_bits(nn::Sequential{clone[0]}(x), fc->forward(x)));
  clone->insert(0, list[1]);
  EXPECT_TRUE(same_bits(clone[0](x), x.relu()));
  EXPECT_EQ(clone->pop(0), list[1]);
}

TEST(Elements, CheckTheTypesOfACall) {
  const nn::ModuleList list(Pair(), std::shared_ptr<nn::Module>(nn::ReLU().ptr()),
                            std::make_shared<OddImpl>(), nn::ModuleList());
  const Tensor x = ones({2});
  EXPECT_EQ(error_of([&] { list[0].forward<std::tuple<Tensor, Tensor>>(x, 1); }),
            "Expected argument #1 to be of type double, but received value of type int\n"
            "  in module Pair");
  EXPECT_EQ(error_of([&] { list[0](x, 0.5); }),
            "The type of the return value is std::tuple<tern::Tensor, tern::Tensor>, but you asked "
            "for type tern::Tensor");
  EXPECT_TRUE(has_text(error_of([&] { list[0](x); }),
                       "PairImpl's forward() method expects 2 argument(s), but received 1."));
  for (const std::size_t unknown : {1, 2, 3}) {
    EXPECT_TRUE(
        has_text(error_of([&] { list[unknown](x); }),
                 list[unknown]->name() +
                     ": the container cannot call this module, because it does not know the "
                     "types of its forward()"));
  }
  EXPECT_TRUE(has_text(error_of([&] { nn::Sequential{list[1]}; }), "the container cannot call"));
  EXPECT_TRUE(has_text(error_of([] { nn::ContainedModule()(ones({1})); }), "Cannot call an empty"));
}

TEST(Elements, AreReplaced) {
  const nn::Linear fc(2, 2);
  const nn::ReLU relu;
  const Tensor x = rand({1, 2}) - 0.5;
  const nn::ModuleList list{nn::Tanh(), nn::Tanh()};
  const nn::ModuleDict dict({{"0", nn::Tanh()}, {"b", nn::Tanh()}});
  const nn::Sequential net{nn::Tanh(), nn::Identity()};
  list->set(0, fc);
  dict->insert("0", fc);
  net->set(0, fc);
  for (const std::shared_ptr<nn::Module>& container :
       std::initializer_list<std::shared_ptr<nn::Module>>{list.ptr(), dict.ptr(), net.ptr()}) {
    EXPECT_EQ(container->get_submodule("0"), fc.ptr());
    EXPECT_EQ(container->parameters().size(), 2u);
  }
  EXPECT_TRUE(same_bits(list[0](x), fc(x)));
  EXPECT_TRUE(same_bits(dict["0"](x), fc(x)));
  EXPECT_TRUE(same_bits(net(x), fc(x)));
  EXPECT_EQ(error_of<IndexError>([&] { net->set(2, relu); }),
            "Sequential: Index out of range, got 2 for a size of 2");
  EXPECT_NE(error_of([&] { net->set(0, net); }), "");
  EXPECT_TRUE(same_bits(net(x), fc(x)));
  // A variable is a pointer of its own.
  nn::ContainedModule layer = list[0];
  layer = relu;
  layer = list[1];
  EXPECT_EQ(list[0], fc.ptr());
}

// The functions of Module, which know nothing of a container's own entries.
TEST(Elements, AreReplacedByReplaceModule) {
  const nn::Linear old(2, 2), fc(2, 2);
  const nn::ReLU relu;
  const Tensor x = rand({1, 2}) - 0.5;
  const nn::ModuleList list(old);
  const nn::ModuleDict dict({{"0", old}});
  const nn::Sequential net{old};
  for (const std::shared_ptr<nn::Module>& container :
       std::initializer_list<std::shared_ptr<nn::Module>>{list.ptr(), dict.ptr(), net.ptr()}) {
    container->replace_module("0", fc);
    EXPECT_EQ(container->get_submodule("0"), fc.ptr());
    EXPECT_EQ(error_of<IndexError>([&] { container->replace_module("1", fc); }),
              "Submodule '1' is not defined; the keys are: '0'");
    EXPECT_TRUE(has_text(error_of([&] { container->register_module("extra", nn::ReLU()); }),
                         ": register_module() would not change the modules that the container"));
    EXPECT_TRUE(has_text(error_of([&] { container->unregister_module("0"); }), "; use pop()"));
    EXPECT_EQ(container->children().size(), 1u);
  }
  EXPECT_TRUE(same_bits(list[0](x), fc(x)));
  EXPECT_TRUE(same_bits(dict["0"](x), fc(x)));
  EXPECT_TRUE(same_bits(net(x), fc(x)));
  // Of another class: a ModuleList holds it, but only set() tells how it is called.
  list->replace_module("0", relu);
  dict->replace_module("0", relu);
  EXPECT_EQ(list[0], relu.ptr());
  EXPECT_EQ(dict->at<nn::ReLUImpl>("0").name(), "tern::nn::ReLUImpl");
  EXPECT_TRUE(has_text(error_of([&] { list[0](x); }), "the container cannot call"));
  EXPECT_TRUE(
      has_text(error_of([&] { net->replace_module("0", relu); }), "replaces it by set(0, module)"));
  EXPECT_TRUE(same_bits(net(x), fc(x)));
  EXPECT_EQ(net->get_submodule("0"), fc.ptr());
}

TEST(Elements, OfParameterContainersMustBeLeaves) {
  const Tensor leaf = ones({2}).requires_grad_();
  const std::string text =
      "Cannot assign non-leaf Tensor to parameter 'NAME'. Model parameters must be created "
      "explicitly. To express 'NAME' as a function of another Tensor, compute the value in the "
      "forward() method.";
  const auto expected = [&](const std::string& name) {
    std::string result = text;
    for (std::size_t at; (at = result.find("NAME")) != std::string::npos;)
      result.replace(at, 4, name);
    return result;
  };
  const nn::ParameterList list({leaf});
  EXPECT_EQ(error_of([&] { list->set(0, leaf * 2); }), expected("0"));
  EXPECT_EQ(error_of([&] { list->append(leaf * 2); }), expected("1"));
  EXPECT_TRUE(list[0].is_same(leaf));
  const nn::ParameterDict dict({{"a", leaf}});
  EXPECT_EQ(error_of([&] { dict->insert("b", leaf * 2); }), expected("b"));
  EXPECT_EQ(error_of([&] {
              dict->update(nn::Module::NamedTensors{{"a", leaf * 2}});
            }),
            expected("a"));
  EXPECT_TRUE(dict["a"].is_same(leaf));
  nn::Linear fc(2, 2);
  EXPECT_EQ(error_of([&] { fc->register_parameter("gain", leaf * 2); }), expected("gain"));
  EXPECT_EQ(error_of([&] { fc->replace_parameter("bias", leaf * 2); }), expected("bias"));
  EXPECT_TRUE(fc->bias.is_leaf());
  const Tensor none;
  EXPECT_EQ(error_of([&] { list->append(none); }), "ParameterList: the parameter '1' is undefined");
  EXPECT_EQ(error_of([&] { list->set(0, none); }), "ParameterList: the parameter '0' is undefined");
  EXPECT_EQ(error_of([&] { dict->insert("b", none); }),
            "ParameterDict: the parameter 'b' is undefined");
  EXPECT_EQ(error_of([&] {
              dict->update(nn::Module::NamedTensors{{"a", none}});
            }),
            "ParameterDict: the parameter 'a' is undefined");
  for (const char* name : {"gain", "bias"}) {
    EXPECT_EQ(error_of([&] {
                name == std::string("bias") ? fc->replace_parameter(name, ones({2}, kLong))
                                            : fc->register_parameter(name, ones({2}, kLong));
              }),
              std::string("parameter '") + name +
                  "': Only Tensors of floating point and complex dtype can require gradients, got "
                  "Long");
  }
  EXPECT_EQ(fc->parameters().size(), 2u);
}

TEST(Elements, AreAskedForByClass) {
  const nn::Linear fc(2, 2);
  const nn::ModuleList list(fc);
  const nn::ModuleDict dict({{"fc", fc}});
  const nn::Sequential net{fc};
  for (const nn::LinearImpl* found :
       {&list->at<nn::Linear>(0), &list->at<nn::LinearImpl>(0), &dict->at<nn::Linear>("fc"),
        &dict->at<nn::LinearImpl>("fc"), &net->at<nn::Linear>(0), &net->at<nn::LinearImpl>(0)}) {
    EXPECT_EQ(found, fc.get());
  }
  const Tensor x = ones({1, 2});
  EXPECT_EQ(error_of([&] { list->at<nn::ReLU>(0).forward(x); }),
            "Unable to cast module[0] to tern::nn::ReLUImpl, it is a tern::nn::LinearImpl; "
            "list[0](x) calls a module of any class");
  EXPECT_EQ(error_of([&] { dict->at<nn::ReLUImpl>("fc").forward(x); }),
            "Unable to cast module[fc] to tern::nn::ReLUImpl, it is a tern::nn::LinearImpl; "
            "dict[\"fc\"](x) calls a module of any class");
  EXPECT_EQ(error_of([&] { net->at<nn::ReLU>(0).forward(x); }),
            "Attempted to cast module of type tern::nn::LinearImpl to type tern::nn::ReLUImpl; "
            "operator() calls a module of any class");
  // as() gives a null pointer instead, as libtorch's.
  EXPECT_EQ(list[0]->as<nn::ReLU>(), nullptr);
  if (auto* linear = list[0]->as<nn::Linear>()) {
    EXPECT_EQ(linear, fc.get());
  }
}

}  // namespace
}  // namespace tern
