#include "nn/nn_test.h"

// Modules and tensors by path. The texts are those of PyTorch 2.15 for the same module, with the
// keys of a module that lacks a name.

namespace tern {
namespace {

struct TreeImpl : nn::Module {
  TreeImpl() {
    const auto fc = nn::Linear(nn::LinearOptions(2, 2).bias(false));
    register_module("a", nn::ModuleList(nn::Sequential{fc}));
    register_module("bn", nn::BatchNorm1d(2));
    register_parameter("scale", ones({2}));
    register_buffer("none", Tensor());
  }
};
TERN_MODULE(Tree);

TEST(Paths, LeadToModulesAndTensors) {
  const Tree net;
  EXPECT_EQ(net->get_submodule(""), net.ptr());
  EXPECT_EQ(net->get_submodule("a"), net->children()[0]);
  EXPECT_EQ(net->get_submodule("a.0.0"), net->named_modules()["a.0.0"]);
  EXPECT_TRUE(net->get_parameter("a.0.0.weight").is_same(net->parameters()[1]));
  EXPECT_TRUE(net->get_parameter("scale").is_same(net->parameters()[0]));
  EXPECT_TRUE(net->get_buffer("bn.running_var").is_same(net->named_buffers()["bn.running_var"]));
  EXPECT_FALSE(net->get_buffer("none").defined());
}

TEST(Paths, ThatLeadNowhereAreErrors) {
  const Tree net;
  using Call = std::function<void(const std::string&)>;
  const Call submodule = [&](const std::string& path) { net->get_submodule(path); };
  const Call parameter = [&](const std::string& path) { net->get_parameter(path); };
  const Call buffer = [&](const std::string& path) { net->get_buffer(path); };
  const std::tuple<const Call&, const char*, const char*> cases[] = {
      {submodule, "a.0.b", "Sequential has no attribute `b`; the keys are: '0'"},
      {submodule, "a.0.0.weight", "`weight` is not an nn.Module"},
      {submodule, "b", "Tree has no attribute `b`; the keys are: 'scale', 'none', 'a', 'bn'"},
      {submodule, "bn.running_mean.x", "`running_mean` is not an nn.Module"},
      {submodule, "a.", "ModuleList has no attribute ``; the keys are: '0'"},
      {submodule, ".a", "Tree has no attribute ``; the keys are: 'scale', 'none', 'a', 'bn'"},
      {submodule, "a..0", "ModuleList has no attribute ``; the keys are: '0'"},
      {parameter, "a.0.0.w", "Linear has no attribute `w`; the keys are: 'weight', 'bias'"},
      {parameter, "a.1.weight", "ModuleList has no attribute `1`; the keys are: '0'"},
      {parameter, "bn.running_mean", "`running_mean` is not an nn.Parameter"},
      {parameter, "bn", "`bn` is not an nn.Parameter"},
      {parameter, "", "Tree has no attribute ``; the keys are: 'scale', 'none', 'a', 'bn'"},
      {parameter, "a.0.0.bias", "`bias` is not an nn.Parameter"},
      {buffer, "bn.weight", "`weight` is not a buffer"},
      {buffer, "bn.x",
       "BatchNorm1d has no attribute `x`; the keys are: 'weight', 'bias', 'running_mean', "
       "'running_var', 'num_batches_tracked'"},
      {buffer, "bn", "`bn` is not a buffer"},
      {buffer, "x.y", "Tree has no attribute `x`; the keys are: 'scale', 'none', 'a', 'bn'"}};
  for (const auto& [call, path, text] : cases) {
    EXPECT_EQ(error_of([&] { call(path); }), text) << path;
  }
}

TEST(Paths, ResultsOfTemporaryDictionariesAreCopies) {
  Tree net;
  const Tensor& weight = net->named_parameters()["a.0.0.weight"];
  const auto& [name, parameter] = net->named_parameters()[0];
  auto&& module = net->named_modules()["bn"];
  static_assert(!std::is_reference_v<decltype(net->named_parameters()["scale"])>);
  net = nullptr;
  EXPECT_EQ(weight.sizes(), IntArrayRef({2, 2}));
  EXPECT_EQ(name, "scale");
  EXPECT_EQ(parameter.numel(), 2);
  EXPECT_NE(module->as<nn::BatchNorm1d>(), nullptr);
}

TEST(ToEmpty, GivesAModuleOnMetaMemory) {
  const Tree net;
  net->to(kMeta);
  const std::vector<Tensor> handles = net->parameters();
  const Tensor other = zeros({3});
  EXPECT_EQ(&net->to_empty(kCPU), net.get());
  for (std::size_t i = 0; i < handles.size(); ++i) {
    EXPECT_TRUE(handles[i].is_same(net->parameters()[i]));
    EXPECT_TRUE(handles[i].is_cpu() && handles[i].requires_grad() && handles[i].is_leaf());
  }
  for (const Tensor& buffer : net->buffers()) EXPECT_TRUE(buffer.is_cpu());
  EXPECT_EQ(net->get_buffer("bn.num_batches_tracked").dtype(), kLong);
  const Tree source;
  net->load_state_dict(source->state_dict());
  EXPECT_TRUE(identical(net->state_dict(), source->state_dict()));

  const Tree part;
  part->to(kMeta);
  part->to_empty(kCPU, /*recurse=*/false);
  EXPECT_TRUE(part->get_parameter("scale").is_cpu());
  EXPECT_TRUE(part->get_parameter("bn.weight").is_meta());
}

TEST(ToEmpty, KeepsTiesAndTheModuleAfterAnError) {
  const nn::Linear a(2, 2), b(2, 2);
  b->replace_parameter("weight", a->weight);
  const nn::ModuleList both(a, b);
  both->to(kMeta);
  both->to_empty(kCPU);
  EXPECT_TRUE(a->weight.is_same(b->weight));
  EXPECT_EQ(both->parameters().size(), 3u);
  const State before = copy_of(both->state_dict());
  EXPECT_NE(error_of([&] { both->to_empty(Device("cuda:77")); }), "");
  EXPECT_TRUE(identical(both->state_dict(), before));
}

}  // namespace
}  // namespace tern
