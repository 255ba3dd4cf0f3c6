#include <map>

#include "nn/nn_test.h"

namespace tern {
namespace {

using Names = std::vector<std::string>;

TEST(Sequential, RunsModulesInOrder) {
  const nn::Linear first(2, 3), last(3, 1);
  nn::Sequential net{first, nn::ReLU(), last, nn::Functional(tern::sigmoid)};
  const Tensor x = rand({4, 2});
  EXPECT_TRUE(same_bits(net(x), sigmoid(last(relu(first(x))))));
  EXPECT_TRUE(same_bits(net->forward(x), net(x)));
  EXPECT_EQ(net->size(), 4u);
  EXPECT_EQ(net->ptr(0), first.ptr());
  EXPECT_EQ(net[2], last.ptr());
  EXPECT_EQ(&net->at<nn::LinearImpl>(2), last.get());
  EXPECT_EQ(net->named_children().keys(), (Names{"0", "1", "2", "3"}));
  EXPECT_EQ(error_of<IndexError>([&] { net->ptr(4); }),
            "Sequential: Index out of range, got 4 for a size of 4");
  EXPECT_EQ(error_of([] { nn::Sequential()(ones({1})); }),
            "Cannot call forward() on an empty Sequential\n  in module Sequential");
}

// The layers of README's first program. The numbers come from torch.nn.Sequential with
// torch.manual_seed(0), PyTorch 2.15.
TEST(Sequential, DrawsFromLeftToRightInBraces) {
  manual_seed(0);
  const nn::Sequential net{nn::Linear(2, 32), nn::ReLU(), nn::Linear(32, 1)};
  const nn::LinearImpl& first = net->at<nn::LinearImpl>(0);
  const nn::LinearImpl& last = net->at<nn::LinearImpl>(2);
  EXPECT_EQ(first.weight.flatten().slice(0, 0, 4).detach().to_vector<float>(),
            (std::vector<float>{-0.005293981172144413f, 0.37932288646698f, -0.5819807648658752f,
                                -0.5203874707221985f}));
  EXPECT_NEAR(first.weight.sum(IntArrayRef(), false, kDouble).item<double>(), -2.69162704795599,
              1e-12);
  EXPECT_EQ(last.weight[0].slice(0, 0, 2).detach().to_vector<float>(),
            (std::vector<float>{0.0882672592997551f, 0.03699960187077522f}));
  EXPECT_EQ(last.bias.item<float>(), -0.061842385679483414f);

  nn::Sequential parentheses(nn::Linear(2, 32), nn::ReLU(), nn::Linear(32, 1));
  EXPECT_EQ(parentheses->size(), 3u);
}

TEST(Sequential, TakesNamesAndNests) {
  nn::Sequential net({{"fc", nn::Linear(2, 2)}, {"inner", nn::Sequential{nn::Linear(2, 1)}}});
  net->push_back("out", nn::Tanh());
  net->push_back(nn::Identity());
  EXPECT_EQ(net->named_parameters().keys(),
            (Names{"fc.weight", "fc.bias", "inner.0.weight", "inner.0.bias"}));
  EXPECT_EQ(net->named_children().keys(), (Names{"fc", "inner", "out", "3"}));
  EXPECT_EQ(net(rand({5, 2})).sizes(), IntArrayRef({5, 1}));
  EXPECT_EQ(error_of([&] { net->push_back("fc", nn::Tanh()); }), "Submodule 'fc' already defined");
  EXPECT_EQ(net->size(), 4u);
  nn::Sequential longer;
  longer->extend(*net);
  EXPECT_EQ(longer->named_children().keys(), (Names{"0", "1", "2", "3"}));
}

TEST(Sequential, OfOneSequentialIsItInBracesAndNestsItByPushBack) {
  const nn::Sequential inner{nn::Linear(2, 1)};
  EXPECT_EQ(nn::Sequential{inner}.ptr(), inner.ptr());
  nn::Sequential outer;
  outer->push_back(inner);
  EXPECT_EQ(outer->named_parameters().keys(), (Names{"0.0.weight", "0.0.bias"}));
}

TEST(Sequential, AppendsAModuleInEveryForm) {
  nn::Sequential net;
  net->push_back(nn::Linear(2, 2));
  net->push_back(std::make_shared<nn::ReLUImpl>());
  net->push_back(nn::TanhImpl());
  net->push_back(nn::AnyModule(nn::SiLU()));
  net->push_back([](const Tensor& x) { return x + 1; });
  net->push_back("holder", nn::Linear(2, 2));
  net->push_back("pointer", std::make_shared<nn::ReLUImpl>());
  net->push_back(std::string("value"), nn::TanhImpl());
  net->push_back("any", nn::AnyModule(nn::SiLU()));
  net->push_back(nn::NamedAnyModule("named", nn::Identity()));
  EXPECT_EQ(net->named_children().keys(),
            (Names{"0", "1", "2", "3", "4", "holder", "pointer", "value", "any", "named"}));
  EXPECT_EQ(net[7], net->ptr(7));
  EXPECT_EQ(net[9]->name(), "tern::nn::IdentityImpl");
  EXPECT_EQ(net(ones({3, 2})).sizes(), IntArrayRef({3, 2}));
  net->extend(std::vector<nn::Linear>{nn::Linear(2, 3), nn::Linear(3, 1)});
  EXPECT_EQ(net(ones({3, 2})).size(1), 1);
  EXPECT_EQ(error_of<IndexError>([&] { net[12]; }),
            "Sequential: Index out of range, got 12 for a size of 12");
}

TEST(Sequential, PassesAnyTypes) {
  struct SplitImpl : nn::Module {
    std::tuple<Tensor, int> forward(const Tensor& x) { return {x, 2}; }
  };
  struct JoinImpl : nn::Module {
    int forward(std::tuple<Tensor, int> both) { return std::get<1>(both); }
  };
  const nn::ModuleHolder<SplitImpl> split;
  nn::Sequential net{split, nn::ModuleHolder<JoinImpl>()};
  EXPECT_EQ(net->forward<int>(ones({1})), 2);
  EXPECT_NE(error_of([&] {
              net(ones({1}));
            }).find("The type of the return value is int, but you asked for type tern::Tensor"),
            std::string::npos);
  nn::Sequential wrong{split, nn::ReLU()};
  EXPECT_EQ(error_of([&] { wrong(ones({1})); })
                .find("Expected argument #0 to be of type tern::Tensor, but received value of "
                      "type std::tuple<tern::Tensor, int>"),
            0u);
}

TEST(Sequential, MayBeABaseClass) {
  struct NetImpl : nn::SequentialImpl {
    NetImpl() {
      push_back(nn::Linear(2, 2));
      push_back(nn::Functional(tern::flatten, 0, -1));
    }
    using SequentialImpl::forward;
  };
  EXPECT_EQ(NetImpl().forward(ones({3, 2})).sizes(), IntArrayRef({6}));
}

TEST(Functional, BindsFurtherArguments) {
  EXPECT_TRUE(same_bits(nn::Functional(tern::relu)(tensor({-1.f, 2.f})), tensor({0.f, 2.f})));
  EXPECT_EQ(nn::Functional(tern::flatten, 1, -1)(ones({2, 3, 4})).sizes(), IntArrayRef({2, 12}));
  const std::vector<std::int64_t> shape{4, 1};
  EXPECT_EQ(nn::Functional(tern::reshape, shape)(ones({4})).sizes(), IntArrayRef({4, 1}));
  EXPECT_TRUE(same_bits(nn::Functional([](Tensor x) { return x + 1; })(ones({2})), full({2}, 2.f)));
  EXPECT_EQ(printed(nn::Functional(tern::relu)), "tern::nn::Functional()");
  EXPECT_FALSE(nn::Functional(tern::relu)->is_serializable());
}

TEST(ModuleList, HoldsModulesByIndex) {
  const nn::Linear first(1, 1);
  nn::ModuleList list(first, nn::ReLU());
  list->push_back(nn::Tanh());
  list->insert(1, nn::Linear(2, 2));
  EXPECT_EQ(list->size(), 4u);
  EXPECT_EQ(list->ptr(0), first.ptr());
  EXPECT_EQ(list->at<nn::LinearImpl>(1).options.in_features(), 2);
  EXPECT_EQ(list->named_parameters().keys(), (Names{"0.weight", "0.bias", "1.weight", "1.bias"}));
  EXPECT_EQ(printed(list),
            "tern::nn::ModuleList(\n"
            "  (0): tern::nn::Linear(in_features=1, out_features=1, bias=true)\n"
            "  (1): tern::nn::Linear(in_features=2, out_features=2, bias=true)\n"
            "  (2): tern::nn::ReLU()\n"
            "  (3): tern::nn::Tanh()\n"
            ")");
  std::size_t count = 0;
  for (const auto& module : *list) count += module->as<nn::Linear>() != nullptr;
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(error_of<IndexError>([&] { list[4]; }),
            "ModuleList: Index out of range, got 4 for a size of 4");
  EXPECT_EQ(error_of<IndexError>([&] { list[-1]; }),
            "ModuleList: Index out of range, got -1 for a size of 4");
  EXPECT_EQ(error_of<IndexError>([&] { list->insert(5, nn::ReLU()); }),
            "ModuleList: Index out of range, got 5 for a size of 4");
}

TEST(ModuleDict, HoldsModulesByName) {
  nn::ModuleDict dict(
      nn::ModuleDictImpl::Pairs{{"a", nn::Linear(1, 1).ptr()}, {"b", nn::ReLU().ptr()}});
  const nn::Tanh replacement;
  dict->update({{"a", replacement.ptr()}, {"c", nn::Linear(1, 2).ptr()}});
  EXPECT_EQ(dict->keys(), (Names{"a", "b", "c"}));
  EXPECT_EQ(dict["a"], replacement.ptr());
  EXPECT_TRUE(dict->contains("c"));
  EXPECT_EQ(dict->named_parameters().keys(), (Names{"c.weight", "c.bias"}));
  EXPECT_EQ(dict->pop("a"), replacement.ptr());
  EXPECT_EQ(dict->size(), 2u);
  EXPECT_EQ(error_of<IndexError>([&] { dict["z"]; }),
            "Key 'z' is not defined; the keys are: 'b', 'c'");
  dict->clear();
  EXPECT_TRUE(dict->empty());
}

TEST(ModuleDict, IsMadeOfNamedModulesOfDifferentTypes) {
  const nn::Linear first(1, 2);
  const nn::ModuleDict dict({{"first", first},
                             {"act", nn::ReLU()},
                             {"list", nn::ModuleList(nn::Linear(2, 2))},
                             {"double", [](const Tensor& x) { return x * 2; }},
                             {"shared", nn::Tanh().ptr()},
                             {"inner", nn::ModuleDict({{"one", nn::Linear(2, 1)}})}});
  EXPECT_EQ(dict->keys(), (Names{"first", "act", "list", "double", "shared", "inner"}));
  EXPECT_EQ(dict->ptr("first"), first.ptr());
  EXPECT_EQ(dict->named_parameters().keys(),
            (Names{"first.weight", "first.bias", "list.0.weight", "list.0.bias", "inner.one.weight",
                   "inner.one.bias"}));
  EXPECT_TRUE(equal(dict->at<nn::FunctionalImpl>("double").forward(ones({2})), full({2}, 2.)));
  const std::map<std::string, nn::Linear> map{{"b", first}, {"a", nn::Linear(1, 1)}};
  EXPECT_EQ(nn::ModuleDict(map)->keys(), (Names{"a", "b"}));
  const std::vector<std::pair<std::string, nn::Linear>> pairs{{"b", first}};
  EXPECT_EQ(nn::ModuleDict(pairs)->ptr("b"), first.ptr());
  const std::vector<nn::NamedModule> named{{"x", first}, {"y", nn::ReLU()}};
  const nn::ModuleDict other(named), shared(other), copy{other};
  EXPECT_EQ(other->keys(), (Names{"x", "y"}));
  EXPECT_EQ(shared.ptr(), other.ptr());
  EXPECT_EQ(copy.ptr(), other.ptr());
  other->update(*dict);
  other->update({{"x", nn::Tanh()}});
  EXPECT_EQ(other->size(), 8u);
  EXPECT_NE(other->ptr("x"), first.ptr());
  EXPECT_EQ(error_of([] {
              nn::ModuleDict({{"a.b", nn::ReLU()}});
            }),
            "Submodule name must not contain a dot (got 'a.b')");
}

TEST(Containers, TakeVectorsOfModules) {
  const std::vector<nn::Linear> layers{nn::Linear(2, 3), nn::Linear(3, 1)};
  const nn::ModuleList list(layers);
  EXPECT_EQ(list->ptr(1), layers[1].ptr());
  const nn::Sequential net(layers);
  EXPECT_EQ(net->ptr(0), layers[0].ptr());
  EXPECT_EQ(net(rand({4, 2})).sizes(), IntArrayRef({4, 1}));
  EXPECT_TRUE(nn::ModuleList(std::vector<nn::Linear>())->is_empty());
}

TEST(Containers, TakeFunctionsOfATensor) {
  const auto twice = [](Tensor x) { return x * 2; };
  const nn::Linear fc(2, 2);
  const nn::Sequential net{fc, twice, [](const auto& x) { return x + 1; }};
  const Tensor x = rand({3, 2});
  EXPECT_TRUE(same_bits(net(x), fc(x) * 2 + 1));
  EXPECT_TRUE(same_bits(nn::Sequential(twice)(x), x * 2));
  const nn::Sequential named({{"fc", fc}, {"twice", twice}});
  EXPECT_TRUE(same_bits(named(x), fc(x) * 2));
  named->push_back(twice);
  named->push_back("last", twice);
  EXPECT_TRUE(same_bits(named(x), fc(x) * 8));
  EXPECT_EQ(printed(nn::Sequential(twice)),
            "tern::nn::Sequential(\n  (0): tern::nn::Functional()\n)");
  EXPECT_EQ(net.clone()->size(), 3u);
  EXPECT_TRUE(same_bits(nn::AnyModule(twice).forward(x), x * 2));
  EXPECT_EQ(net->state_dict().size(), 2u);
}

/// A network that derives from a container.
struct OwnNetImpl : nn::SequentialImpl {
  OwnNetImpl() { push_back(nn::ReLU()); }
};

TEST(Containers, CopyWhatIsNotConst) {
  nn::SequentialImpl net{nn::ReLU(), nn::Tanh()};
  nn::SequentialImpl same(net);
  EXPECT_EQ(same.ptr(1), net.ptr(1));
  nn::ModuleListImpl list{nn::ReLU()};
  nn::ModuleListImpl other(list);
  EXPECT_EQ(other.ptr(0), list.ptr(0));
  nn::ModuleDictImpl dict({{"a", nn::ReLU()}});
  nn::ModuleDictImpl third(dict);
  EXPECT_EQ(third.keys(), (Names{"a"}));
  OwnNetImpl own;
  const OwnNetImpl copy(own);
  EXPECT_EQ(copy.size(), 1u);
  const nn::Sequential holder(own);
  EXPECT_EQ(holder->size(), 1u);
}

// Python's repr of the same modules, with "tern::nn::" for "" and libtorch's words for a parameter:
//   m = nn.ModuleDict({'p': nn.ParameterList([torch.ones(2), torch.zeros(2, 3)]),
//                      'l': nn.ModuleList([nn.ParameterDict({'a': torch.ones(1)})]),
//                      'e': nn.ParameterList(), 'd': nn.ParameterDict()})
TEST(ModuleList, ReplacesRemovesAndSlices) {
  const nn::Linear a(1, 1), b(1, 2), c(1, 3);
  const nn::ModuleList list(a, b, c);
  EXPECT_EQ(list->pop(0), a.ptr());
  EXPECT_EQ(list->named_children().keys(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(list[0], b.ptr());
  list->set(0, a);
  EXPECT_EQ(list->named_parameters()["0.weight"].size(0), 1);
  list->push_back(b);
  list->eval();
  const nn::ModuleList part = list->slice(1, 9);
  EXPECT_EQ(part->size(), 2u);
  EXPECT_EQ(part[0], c.ptr());
  EXPECT_FALSE(part->is_training());
  EXPECT_EQ(list->slice(2, 1)->size(), 0u);
  EXPECT_EQ(list->pop(), b.ptr());
  EXPECT_EQ(error_of([&] { list->pop(2); }),
            "ModuleList: Index out of range, got 2 for a size of 2");
  EXPECT_EQ(error_of([&] { list->set(2, a); }),
            "ModuleList: Index out of range, got 2 for a size of 2");
  EXPECT_EQ(error_of([&] { nn::ModuleList()->pop(); }), "ModuleList: pop() of an empty list");
}

TEST(Sequential, InsertsRemovesAndSlices) {
  const nn::Linear a(2, 3), b(3, 1);
  const nn::Sequential net{a, b};
  const Tensor x = ones({1, 2});
  net->insert(1, nn::Tanh());
  EXPECT_TRUE(same_bits(net(x), b(a(x).tanh())));
  EXPECT_EQ(net->named_children().keys(), (std::vector<std::string>{"0", "1", "2"}));
  const nn::Sequential first = net->slice(0, 2);
  EXPECT_TRUE(same_bits(first(x), a(x).tanh()));
  EXPECT_EQ(net->slice(1, 3)->named_children().keys(), (std::vector<std::string>{"1", "2"}));
  EXPECT_NE(net->pop(1).ptr()->as<nn::Tanh>(), nullptr);
  EXPECT_TRUE(same_bits(net(x), b(a(x))));
  net->append(nn::ReLU());
  EXPECT_EQ(net->size(), 3u);
  EXPECT_EQ(error_of([&] { net->pop(3); }),
            "Sequential: Index out of range, got 3 for a size of 3");
  EXPECT_NE(error_of([&] { net->insert(5, nn::ReLU()); }), "");
  const nn::Sequential named({{"fc", nn::Linear(1, 1)}});
  EXPECT_EQ(error_of([&] { named->pop(0); }),
            "Sequential: pop() gives the modules numbers as names, but module 0 has the name 'fc'");
}

TEST(AnyModule, IsAssignedAModule) {
  nn::AnyModule any;
  any = nn::Linear(2, 3);
  EXPECT_EQ(any.forward(ones({1, 2})).sizes(), IntArrayRef({1, 3}));
  any = std::make_shared<nn::ReLUImpl>();
  EXPECT_EQ(any.forward(ones({1, 2})).sizes(), IntArrayRef({1, 2}));
}

TEST(Containers, HaveTheRestOfPythonsFunctions) {
  const nn::ParameterList list({ones({1})}), more({ones({2}), ones({3})});
  *list += *more;
  EXPECT_EQ(list->size(), 3u);
  EXPECT_EQ(list->named_parameters().keys(), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(list->pop().numel(), 3);
  list->set(0, zeros({4}));
  EXPECT_EQ(list[0].numel(), 4);
  EXPECT_EQ(error_of([&] { nn::ParameterList()->pop(); }), "ParameterList: pop() of an empty list");
  const nn::ParameterDict dict;
  EXPECT_TRUE(dict->is_empty());
  EXPECT_EQ(dict->setdefault("a", ones({2})).numel(), 2);
  EXPECT_EQ(dict->setdefault("a", ones({3})).numel(), 2);
}

TEST(Containers, PrintParametersIndentedAsPython) {
  const nn::ParameterList list({ones({2}), zeros({2, 3})});
  EXPECT_EQ(printed(list),
            "tern::nn::ParameterList(\n"
            "    (0): Parameter containing: [Float of size [2]]\n"
            "    (1): Parameter containing: [Float of size [2, 3]]\n"
            ")");
  const nn::ParameterDict inner({{"a", ones({1})}});
  const nn::ModuleDict tree({{"p", list},
                             {"l", nn::ModuleList(inner)},
                             {"e", nn::ParameterList()},
                             {"d", nn::ParameterDict()}});
  EXPECT_EQ(printed(tree),
            "tern::nn::ModuleDict(\n"
            "  (p): tern::nn::ParameterList(\n"
            "      (0): Parameter containing: [Float of size [2]]\n"
            "      (1): Parameter containing: [Float of size [2, 3]]\n"
            "  )\n"
            "  (l): tern::nn::ModuleList(\n"
            "    (0): tern::nn::ParameterDict(  (a): Parameter containing: [Float of size [1]])\n"
            "  )\n"
            "  (e): tern::nn::ParameterList()\n"
            "  (d): tern::nn::ParameterDict()\n"
            ")");
}

TEST(ParameterList, HoldsParameters) {
  const Tensor first = ones({1, 2}).requires_grad_();
  nn::ParameterList list(first);
  list->append(zeros({3}));
  list->extend(std::vector<Tensor>{ones({1})});
  EXPECT_EQ(list->size(), 3u);
  EXPECT_TRUE(list[0].is_same(first));
  EXPECT_FALSE(list->at(1).requires_grad());
  EXPECT_EQ(list->named_parameters().keys(), (Names{"0", "1", "2"}));
  EXPECT_EQ(printed(nn::ParameterList(first)),
            "tern::nn::ParameterList(  (0): Parameter containing: [Float of size [1, 2]])");
  EXPECT_EQ(error_of<IndexError>([&] { list->at(3); }),
            "ParameterList: Index out of range, got 3 for a size of 3");
}

TEST(ParameterDict, HoldsParametersByName) {
  nn::ParameterDict dict;
  const Tensor gain = dict->insert("gain", ones({2}).requires_grad_());
  EXPECT_TRUE(dict->get("gain").is_same(gain));
  EXPECT_TRUE(dict["gain"].requires_grad());
  dict->update(OrderedDict<std::string, Tensor>{{"gain", zeros({2})}, {"shift", zeros({1})}});
  EXPECT_EQ(dict->keys(), (Names{"gain", "shift"}));
  EXPECT_EQ(dict->parameters().size(), 2u);
  EXPECT_EQ(error_of([&] { dict->get("z"); }),
            "Parameter 'z' is not defined; the keys are: 'gain', 'shift'");
  EXPECT_EQ(error_of([&] { dict->insert("gain", ones({1})); }), "Parameter 'gain' already defined");
  EXPECT_TRUE(same_bits(dict->pop("gain"), zeros({2})));
  EXPECT_EQ(dict->size(), 1u);
}

}  // namespace
}  // namespace tern
