#include <cmath>

#include <tern/nn/optim/optim.h>

#include "nn/nn_test.h"

// The errors and options of load_state_dict, for a module on the CPU and on a simulated device,
// with copying and assigning. A state that is refused leaves the module unchanged: values, memory
// addresses, gradients and flags.

namespace tern {
namespace {

/// The properties of a module's tensors that a failed load must not change.
struct Snapshot {
  explicit Snapshot(const nn::Module& module) {
    std::vector<Tensor> tensors = module.parameters();
    for (const Tensor& buffer : module.buffers()) tensors.push_back(buffer);
    for (const Tensor& tensor : tensors) {
      facts.push_back(printed(tensor.device()) + printed(tensor.dtype()) +
                      printed(tensor.data_ptr()) + printed(tensor.strides()) +
                      (tensor.requires_grad() ? "g" : ""));
      values.push_back(tensor.detach().clone());
      if (tensor.grad().defined()) values.push_back(tensor.grad().clone());
    }
  }
  friend bool operator==(const Snapshot& a, const Snapshot& b) {
    return a.facts == b.facts && identical(State::list(a.values), State::list(b.values));
  }

  std::vector<std::string> facts;
  std::vector<State> values;
};

/// SmallNet and a head that is tied to its first layer.
struct TiedNetImpl : nn::Module {
  TiedNetImpl() {
    register_module("body", body);
    head = register_parameter("head", body->fc1->weight);
    shown = register_buffer("shown", body->scale.detach());  // another tensor of the same elements
  }
  SmallNet body;
  Tensor head, shown;
};
TERN_MODULE(TiedNet);

struct LoadStateDict : ::testing::TestWithParam<const char*> {
  LoadStateDict() {
    manual_seed(4);
    net.to(Device(GetParam()));
    for (const Tensor& parameter : net->parameters()) {
      parameter.set_grad(ones_like(parameter));
    }
    good = copy_of(net.cpu().state_dict());
    net.to(Device(GetParam()));
  }

  /// Expects that `state` is refused in every given mode, with all of `parts` in one message.
  void refuses(const State& state, const std::vector<std::string>& parts,
               const std::vector<nn::LoadOptions>& modes = {{}, {.assign = true}, {.cast = true}}) {
    for (const nn::LoadOptions& mode : modes) {
      const Snapshot before(*net);
      const std::string text = error_of([&] { net->load_state_dict(state, mode); });
      EXPECT_EQ(text.find("Error(s) in loading state_dict for TiedNet:\n\t"), 0u) << text;
      for (const std::string& part : parts) EXPECT_NE(text.find(part), text.npos) << text;
      EXPECT_TRUE(before == Snapshot(*net)) << text;
    }
  }

  State with(const std::string& key, State value) const {
    State state = good;
    state.set(key, std::move(value));
    return state;
  }
  State without(const std::string& key) const {
    State state = good;
    state.erase(key);
    return state;
  }

  const std::vector<nn::LoadOptions> loose = {{.strict = false},
                                              {.strict = false, .assign = true, .cast = true}};
  TiedNet net;
  State good;
};

TEST_P(LoadStateDict, RefusesKeysThatDoNotFit) {
  refuses(without("body.fc1.bias"), {"Missing key(s) in state_dict: \"body.fc1.bias\". "});
  const Tensor one = ones({1});
  for (const char* key : {"other", "body.fc3.weight", "body.fc1.weight.more", "body.fc1", "body.",
                          ".head", "", "body.scratch", "Body.fc1.weight", "body.fc1.weigh",
                          "hea\xcc\x81"
                          "d"}) {
    refuses(with(key, one), {std::string("Unexpected key(s) in state_dict: \"") + key + "\". "});
  }
  const std::string nul("head\0x", 6);  // a key is not cut off at a NUL
  refuses(with(nul, one), {"Unexpected key(s) in state_dict: \"head\\0x\". "});
  // Equal after Unicode normalisation, but different keys.
  struct AccentImpl : nn::Module {
    AccentImpl() { register_parameter("caf\xc3\xa9", tern::ones({1})); }
  } accent;
  State composed;
  composed.insert("cafe\xcc\x81", ones({1}));
  EXPECT_EQ(error_of([&] { accent.load_state_dict(composed); }),
            "Error(s) in loading state_dict for Accent:\n"
            "\tMissing key(s) in state_dict: \"caf\xc3\xa9\". \n"
            "\tUnexpected key(s) in state_dict: \"cafe\xcc\x81\". ");
  // A checkpoint instead of the state inside it.
  State checkpoint;
  checkpoint.insert("model", good);
  refuses(checkpoint, {"\"head\", ", "Unexpected key(s) in state_dict: \"model\". "});
}

TEST_P(LoadStateDict, RefusesTensorsThatDoNotFit) {
  for (const DimVector& sizes : {DimVector{3, 4}, DimVector{4, 2}, DimVector{5, 3}, DimVector{12},
                                 DimVector{4, 3, 1}, DimVector{0}}) {
    std::vector<nn::LoadOptions> modes = loose;
    modes.push_back({});
    refuses(with("head", ones(sizes)),
            {"size mismatch for head: copying a param with shape torch.Size(" +
             printed(IntArrayRef(sizes)) +
             ") from checkpoint, the shape in current model is torch.Size([4, 3])."},
            modes);
  }
  for (const State& value : {State(3), State("x"), State(nullptr), State(), State::list()}) {
    refuses(with("head", value),
            {"While copying the parameter named \"head\", expected "
             "torch.Tensor or Tensor-like object from checkpoint but received " +
             std::string(kind_name(value.kind()))});
  }
  refuses(with("head", ones({4, 3}, kMeta)), {"Cannot copy out of meta tensor; no data!"});
}

TEST_P(LoadStateDict, RefusesOtherDtypesUnlessTheyMayBeCast) {
  for (const ScalarType dtype : {kDouble, kHalf, kBFloat16, kInt, kBool}) {
    State state = good;
    for (const char* key : {"head", "body.fc1.weight"}) state.set(key, ones({4, 3}, dtype));
    const std::string python = std::string("torch.") + dtype_info(dtype).python_name;
    refuses(state,
            {"dtype mismatch for head: copying a param with dtype " + python +
                 " from checkpoint, the dtype in current model is torch.float32",
             "dtype mismatch for body.fc1.weight: "},
            {{}, {.assign = true}, {.strict = false}});
    for (const bool assign : {false, true}) {
      net->load_state_dict(good);
      net->load_state_dict(state, {.assign = assign, .cast = true});
      EXPECT_TRUE(same_bits(net->head, ones({4, 3})));
    }
  }
  refuses(with("body.step", zeros({}, kInt)), {"dtype mismatch for body.step: "}, {{}});
}

TEST_P(LoadStateDict, RefusesTwoValuesForOneTensor) {
  State state = with("head", good["head"].tensor() + 1);
  state.set("shown", ones({2}));
  const bool moved = net->head.is_cuda();  // which parts all but what is registered twice
  refuses(state,
          {"tied parameters \"head\" and \"body.fc1.weight\" have different values in "
           "state_dict, but are one tensor in current model.",
           moved ? "" : "tied parameters \"shown\" and \"body.scale\" have different values"});
  // One of the names is enough if keys may be missing.
  net->load_state_dict(select_keys(state, "head"), /*strict=*/false);
  EXPECT_TRUE(same_bits(net->body->fc1->weight, state["head"]));
  // NaN equals itself.
  state = with("head", full({4, 3}, NAN));
  state.set("body.fc1.weight", full({4, 3}, NAN));
  net->load_state_dict(state);
  EXPECT_TRUE(same_bits(net->head, full({4, 3}, NAN)));
}

TEST_P(LoadStateDict, ListsAllProblems) {
  State state = without("body.fc2.bias");
  state.set("body.norm.bias", full({4}, 9.0));  // valid, but must not be loaded
  state.set("body.norm.weight", ones({5}));
  state.set("body.scale", zeros({2}, kDouble));
  state.insert("more", ones({1}));
  refuses(state,
          {"Missing key(s) in state_dict: \"body.fc2.bias\". \n\tUnexpected key(s) in state_dict: "
           "\"more\". \n\tdtype mismatch for body.scale: ",
           "\n\tsize mismatch for body.norm.weight: "},
          {{}});
}

TEST_P(LoadStateDict, TakesStatesOfAnyDevice) {
  for (const char* place : {"cpu", "cuda:0", "cuda:1"}) {
    State state;
    for (const auto& [key, value] : good) state.insert(key, value.tensor().to(place) + 0);
    for (const bool assign : {false, true}) {
      net->load_state_dict(state, {.assign = assign});
      EXPECT_TRUE(identical(net->state_dict(), good));
      for (const Tensor& tensor : net->parameters()) {
        EXPECT_EQ(tensor.device(), Device(GetParam()));
        EXPECT_TRUE(tensor.requires_grad());
        EXPECT_TRUE(tensor.grad().defined());
      }
    }
  }
}

TEST_P(LoadStateDict, AssignsElementsWithoutCopying) {
  State state;
  for (const auto& [key, value] : good) state.insert(key, value.tensor().to(GetParam()).clone());
  const Tensor handle = net->body->fc1->weight;
  net->load_state_dict(state, {.assign = true});
  EXPECT_TRUE(net->body->fc1->bias.is_alias_of(state["body.fc1.bias"]));
  EXPECT_TRUE(handle.is_same(net->body->fc1->weight));  // optimizers can continue
  EXPECT_TRUE(handle.is_leaf() && handle.requires_grad());
  // Tied tensors stay tied, although the state has two equal tensors for them.
  EXPECT_TRUE(net->head.is_same(handle));
  EXPECT_EQ(net->shown.is_alias_of(net->body->scale), net->head.is_cpu());
  // Two separate tensors of the module stay separate if the state ties them.
  state.set("body.norm.bias", state["body.norm.weight"]);
  net->load_state_dict(state, {.assign = true});
  EXPECT_FALSE(net->body->norm->weight.is_alias_of(net->body->norm->bias));
  EXPECT_TRUE(same_bits(net->body->norm->bias, state["body.norm.weight"]));
  // Other strides become contiguous first.
  state.set("body.fc2.weight", state["body.fc2.weight"].tensor().t().contiguous().t());
  net->load_state_dict(state, {.assign = true});
  EXPECT_TRUE(net->body->fc2->weight.is_contiguous());

  optim::Adam adam(net->parameters(), optim::AdamOptions(0.1));
  for (const Tensor& parameter : net->parameters()) parameter.set_grad(ones_like(parameter));
  adam.step();
  EXPECT_FALSE(same_bits(net->body->fc1->weight, good["head"]));
}

/// Two pairs of tensors of equal shape, to be swapped.
struct SwapNetImpl : nn::Module {
  SwapNetImpl() {
    for (const char* name : {"a", "b"}) {
      register_parameter(name, rand({3}));
      register_buffer(std::string("mean_") + name, rand({2, 2}));
    }
  }
};
TERN_MODULE(SwapNet);

// A state may hold the module's own tensors under other names: each tensor gets the old elements of
// the other. PyTorch would read elements that it has just written.
TEST_P(LoadStateDict, SwapsTensorsOfTheModuleItself) {
  for (const bool assign : {false, true}) {
    for (const bool of_views : {false, true}) {
      SwapNet own;
      own.to(Device(GetParam()));
      const State before = copy_of(own->state_dict());
      State state;
      for (const auto& [key, value] : own->state_dict()) {
        std::string other = key;
        other.back() = key.back() == 'a' ? 'b' : 'a';
        state.insert(other,
                     of_views ? value.tensor().view(value.tensor().sizes()) : value.tensor());
      }
      own->load_state_dict(state, {.assign = assign});
      for (const auto& [key, value] : own->state_dict()) {
        std::string other = key;
        other.back() = key.back() == 'a' ? 'b' : 'a';
        EXPECT_TRUE(same_bits(value.tensor(), before[other].tensor())) << key;
      }
      // The two still have separate elements.
      const NoGradGuard no_grad;
      const std::vector<Tensor> parameters = own->parameters();
      Tensor(parameters[0]).zero_();
      EXPECT_TRUE(same_bits(parameters[1], before["a"].tensor()));
    }
  }
}

TEST_P(LoadStateDict, AssignsToMeta) {
  TiedNet empty;
  empty.to(Device("meta"));
  EXPECT_NE(error_of([&] { empty->load_state_dict(good); }).find("meta parameter is a no-op"),
            std::string::npos);
  const State there = net->state_dict();
  empty->load_state_dict(there, {.assign = true});
  EXPECT_EQ(empty->head.device(), Device(GetParam()));
  EXPECT_TRUE(identical(empty->state_dict(), good));
  // A counter that old files lack begins at 0, beside the other tensors.
  TiedNet old;
  old.to(Device("meta"));
  State lacking = there;
  lacking.erase("body.norm.num_batches_tracked");
  EXPECT_TRUE(old->load_state_dict(lacking, {.assign = true}).missing_keys.empty());
  const Tensor counter = old->get_buffer("body.norm.num_batches_tracked");
  EXPECT_EQ(counter.device(), Device(GetParam()));
  EXPECT_TRUE(same_bits(counter, zeros({}, kLong)));
  for (const auto& [key, value] : old->state_dict()) {
    EXPECT_EQ(value.tensor().device(), Device(GetParam())) << key;
  }
}

TEST_P(LoadStateDict, KnowsNoDifferenceBetweenParametersAndBuffers) {
  struct OtherImpl : nn::Module {
    explicit OtherImpl(bool parameter) {
      parameter ? register_parameter("x", tern::zeros({2}))
                : register_buffer("x", tern::zeros({2}));
    }
  };
  OtherImpl a(true), b(false);
  a.to(Device(GetParam()));
  a.parameters()[0].detach().fill_(3);
  b.load_state_dict(a.state_dict());
  EXPECT_TRUE(same_bits(b.buffers()[0], full({2}, 3.0)));
  EXPECT_FALSE(b.buffers()[0].requires_grad());
  a.load_state_dict(b.state_dict());
  EXPECT_TRUE(a.parameters()[0].requires_grad());
}

TEST_P(LoadStateDict, RefusesToWriteIntoExpandedTensors) {
  struct ExpandedImpl : nn::Module {
    ExpandedImpl() {
      first = register_parameter("first", tern::zeros({2}));
      register_buffer("wide", tern::zeros({1}).expand({3}));
    }
    Tensor first;
  } module;
  State state;
  state.insert("first", ones({2}));
  state.insert("wide", ones({3}));
  EXPECT_NE(error_of([&] {
              module.load_state_dict(state);
            }).find("\"wide\", whose dimensions in the model are torch.Size([3])"),
            std::string::npos);
  EXPECT_TRUE(same_bits(module.first, zeros({2})));
  module.load_state_dict(state, {.assign = true});
  EXPECT_TRUE(same_bits(module.first, ones({2})));
}

TEST_P(LoadStateDict, HalvesTravel) {
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    const TiedNet source;
    dtype == kHalf ? source.half() : source.bfloat16();
    EXPECT_EQ(source->body->norm->num_batches_tracked.dtype(), kLong);
    const State state = source->state_dict();
    EXPECT_EQ(state["head"].tensor().dtype(), dtype);
    net.to(kFloat);
    EXPECT_THROW(net->load_state_dict(state), Error);
    net.to(dtype)->load_state_dict(state);
    EXPECT_TRUE(identical(net->state_dict(), state));
    EXPECT_EQ(net->head.grad().dtype(), dtype);
    EXPECT_TRUE(net->head.is_same(net->body->fc1->weight));
  }
  EXPECT_THROW(net.to(kInt), DTypeError);
}

TEST_P(LoadStateDict, OptimizersRefuseStatesOfOthers) {
  const auto states_of = [&](optim::Adam& adam) {
    for (auto& group : adam.param_groups()) {
      for (const Tensor& p : group.params()) p.set_grad(ones_like(p));
    }
    adam.step();
    return adam.state_dict();
  };
  const nn::Linear small = nn::Linear(2, 2).to(GetParam()), large = nn::Linear(3, 2).to(GetParam());
  using Group = optim::OptimizerParamGroup;
  const std::vector<Tensor> weight = {small->weight}, bias = {small->bias};
  optim::Adam one(weight), two(small->parameters()), wide(large->parameters());
  optim::Adam groups(std::vector<Group>{Group(weight), Group(bias)});
  const State of_one = states_of(one), of_two = states_of(two), of_groups = states_of(groups);
  State wrong_kind = of_two;
  wrong_kind.set("state", 3);
  const Snapshot before(*small);
  const std::pair<const State*, const char*> wrong[] = {
      {&of_one, "a parameter group that doesn't match the size of optimizer's group"},
      {&of_groups, "a different number of parameter groups"},
      {&wrong_kind, "expected a dictionary"}};
  for (const auto& [wrong_state, part] : wrong) {
    const State& state = *wrong_state;
    const State kept = copy_of(two.state_dict());
    EXPECT_NE(error_of([&] { two.load_state_dict(state); }).find(part), std::string::npos);
    EXPECT_TRUE(identical(two.state_dict(), kept));
  }
  const State kept = copy_of(wide.state_dict());
  EXPECT_THROW(wide.load_state_dict(of_two), Error);
  EXPECT_TRUE(identical(wide.state_dict(), kept));
  EXPECT_TRUE(before == Snapshot(*small));
}

INSTANTIATE_TEST_SUITE_P(Devices, LoadStateDict, ::testing::Values("cpu", "cuda:1"),
                         [](const auto& place) {
                           return std::string(place.param) == "cpu" ? "cpu" : "cuda";
                         });

}  // namespace
}  // namespace tern
