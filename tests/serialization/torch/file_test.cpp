#include <gtest/gtest.h>

#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/optim/adam.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"

// Files of torch.save (tests/golden/serialization/torch/torch_files.py), and round trips through
// .pt.

namespace tern {
namespace {

nn::Sequential make_torch_net() { return nn::Sequential(nn::Linear(4, 3), nn::BatchNorm1d(3)); }

TEST(TorchPython, AStateDict) {
  for (const char* name :
       {"torch/torch_state.pt", "torch/torch_state_old.pth", "torch/torch_no_crc.pt"}) {
    auto net = make_torch_net();
    load(net, kGoldenFolder + name);
    const State state = net->state_dict();
    std::int64_t i = 0;
    for (const auto& [key, value] : state) {
      const Tensor tensor = value;
      const Tensor expected = arange(tensor.numel()).reshape(tensor.sizes()) + i++;
      EXPECT_TRUE(tensor.equal(expected.to(tensor.dtype()))) << name << ' ' << key;
    }
    EXPECT_EQ(i, 7);
  }
}

// Python's reader takes no other arguments than these.
TEST(TorchPython, ReadsWhatIsWritten) {
  using namespace std::string_literals;
  const Scratch scratch;
  State state;
  state.insert("w", ones({2}));
  save(state, scratch.path("w.pt"));
  const std::string expected =
      "\x80\x02"
      "ccollections\nOrderedDict\n)R(X\1\0\0\0w"
      "ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\n"
      "X\1\0\0\0"
      "0X\3\0\0\0cpuJ\2\0\0\0tQJ\0\0\0\0(J\2\0\0\0t(J\1\0\0\0t\x89"
      "ccollections\nOrderedDict\n)RtRu."s;
  EXPECT_NE(read_file(scratch.path("w.pt")).find(expected), std::string::npos);
}

TEST(TorchPython, OddTensors) {
  for (const char* name : {"torch/torch_odd.pt", "torch/torch_odd_old.pth"}) {
    const State state = load_state(kGoldenFolder + name);
    const Tensor base = state["base"];
    EXPECT_TRUE(base.equal(arange(24).reshape({4, 6}).to(kFloat)));
    EXPECT_TRUE(state["column"].tensor().equal(base.select(1, 2)));
    EXPECT_TRUE(state["transposed"].tensor().equal(base.t()));
    EXPECT_TRUE(state["stepped"].tensor().equal(base.slice(0, 1, 3).slice(1, 0, 6, 2)));
    for (const char* key : {"column", "transposed", "stepped"}) {
      EXPECT_TRUE(state[key].tensor().is_alias_of(base)) << key;
    }
    EXPECT_EQ(state["scalar"].tensor().item<double>(), 0.1);
    EXPECT_EQ(state["empty"].tensor().sizes(), IntArrayRef({2, 0, 3}));
    EXPECT_TRUE(state["expanded"].tensor().equal(full({2, 3}, 7.f)));
    EXPECT_TRUE(state["mask"].tensor().equal(tensor({true, false})));
    EXPECT_EQ(state["long"].tensor().to_vector<std::int64_t>()[0], std::int64_t{1} << 60);
    const auto special = state["special"].tensor().to_vector<float>();
    EXPECT_TRUE(std::signbit(special[1]));
    EXPECT_EQ(special[2], 1e-45f);
    EXPECT_TRUE(std::isnan(special[3]) && std::isinf(special[4]));
    EXPECT_TRUE(state["parameter"].tensor().equal(ones({2})));
    EXPECT_FALSE(state["parameter"].tensor().requires_grad());
  }
}

TEST(TorchPython, EmptyViewsBeyondTheEndOfTheirStorage) {
  for (const char* name : {"torch/torch_empty.pt", "torch/torch_empty_old.pth"}) {
    const State state = load_state(kGoldenFolder + name);
    const Tensor full = state["full"], part = state["part"], after = state["after"];
    EXPECT_TRUE(full.equal(arange(12, kFloat).reshape({3, 4})));
    EXPECT_EQ(part.sizes(), IntArrayRef({0, 2}));
    EXPECT_EQ(part.storage_offset(), 2);
    EXPECT_EQ(after.sizes(), IntArrayRef({0, 2}));
    EXPECT_EQ(after.storage_offset(), 14);
    EXPECT_TRUE(after.is_alias_of(full));
  }
}

TEST(TorchPython, EveryDtype) {
  const State state = load_state(kGoldenFolder + "torch/torch_dtypes.pt");
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  EXPECT_TRUE(identical(state[python_name], tensor({0, 1, 100}).to(ScalarType::name)));
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
}

TEST(TorchPython, ACheckpoint) {
  for (const char* name : {"torch/torch_checkpoint.pt", "torch/torch_checkpoint_4.pt"}) {
    const State state = load_state(kGoldenFolder + name);
    EXPECT_TRUE(identical(state["model"], load_state(kGoldenFolder + "torch/torch_state.pt")));
    EXPECT_EQ(state.get<int>("epoch"), 3);
    EXPECT_EQ(state["scheduler"]["milestones"].get<int>("80"), 1);
    const State numbers = State::list(
        {std::int64_t{1} << 40, -(std::int64_t{1} << 62), -1, 255, 256, 65536, 0.1, 1e-300});
    EXPECT_TRUE(identical(state["numbers"], numbers));
    const State others = State::list(
        {State(nullptr), true, false, "é", State::list({1, 2}), State::list(), State()});
    EXPECT_TRUE(identical(state["others"], others));
    auto net = make_torch_net();
    optim::Adam optimizer(net->parameters(), 1.0);
    optimizer.load_state_dict(state["optimizer"]);
    const State after = optimizer.state_dict();
    EXPECT_TRUE(
        identical(after["state"]["0"]["exp_avg"], state["optimizer"]["state"]["0"]["exp_avg"]));
    EXPECT_EQ(after["param_groups"][0].get<double>("lr"), 0.125);
  }
}

TEST(TorchPython, MoreThan256Objects) {
  const State state = load_state(kGoldenFolder + "torch/torch_many_old.pth");
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(state["k" + std::to_string(i)].tensor().item<int>(), i);
  }
}

TEST(TorchPython, AWholeModule) {
  const std::string text =
      error_of<FileError>([] { load_state(kGoldenFolder + "torch/torch_module.pt"); });
  EXPECT_NE(
      text.find("a State cannot hold an object of class 'torch.nn.modules.container.Sequential'; "
                "save a state_dict()"),
      std::string::npos)
      << text;
}

// --- Round trips ---------------------------------------------------------------------------------

class TorchRoundTrip : public ::testing::Test {
 protected:
  State through_file(const State& state) {
    save(state, path_);
    return load_state(path_);
  }
  const Scratch scratch_;
  const std::string path_ = scratch_.path("x.pt");
};

TEST_F(TorchRoundTrip, OddTensors) {
  manual_seed(1);
  State state;
  state.insert("plain", randn({3, 4}));
  state.insert("transposed", randn({2, 3, 4}).transpose(0, 2));
  state.insert("scalar", randn({}, kDouble));
  state.insert("empty", zeros({2, 0, 3}));
  state.insert("empty list", zeros({0}, kLong));
  state.insert("expanded", randn({1}).expand({2, 3}));
  state.insert("part", randn({100}).slice(0, 1, 4, 2));
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  state.insert(python_name, tensor({0, 1, 1}).to(ScalarType::name));
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  EXPECT_TRUE(identical(through_file(state), state));
  EXPECT_EQ(load_state(path_)["part"].tensor().self().storage->bytes(), 2 * sizeof(float));
  for (const auto& [key, value] : state) {
    EXPECT_TRUE(identical(through_file(value), value)) << key;
  }
}

TEST_F(TorchRoundTrip, EmptyViewsBeyondTheEndOfTheirStorage) {
  const Tensor empty = zeros({0, 4}), full = ones({3, 4});
  State state;
  state.insert("empty", empty);
  state.insert("part", empty.slice(1, 2));
  state.insert("full", full);
  state.insert("after", full.slice(0, 3, 3).slice(1, 2));
  const State loaded = through_file(state);
  EXPECT_TRUE(identical(loaded, state));
  EXPECT_EQ(loaded["after"].tensor().storage_offset(), 14);
  EXPECT_TRUE(loaded["after"].tensor().is_alias_of(loaded["full"]));
}

TEST_F(TorchRoundTrip, TensorsThatShareGoOnToDoSo) {
  const Tensor base = arange(12).reshape({3, 4});
  State state;
  state.insert("base", base);
  state.insert("row", base[1]);
  state.insert("again", State::list({base.t(), ones({2})}));
  const State loaded = through_file(state);
  EXPECT_TRUE(identical(loaded, state));
  EXPECT_TRUE(loaded["row"].tensor().is_alias_of(loaded["base"]));
  EXPECT_TRUE(loaded["again"][0].tensor().is_alias_of(loaded["base"]));
  EXPECT_FALSE(loaded["again"][1].tensor().is_alias_of(loaded["base"]));
}

TEST_F(TorchRoundTrip, EverythingElse) {
  State inner;
  inner.insert("", 1);
  inner.insert("é\n\"", std::numeric_limits<std::int64_t>::min());
  inner.insert("7", State(nullptr));
  State state = State::list({inner, State(), State::list(), true, false, -1, 1e-300, std::nan(""),
                             "text", std::string(70000, 'x')});
  EXPECT_TRUE(identical(through_file(state), state));
  for (int depth = 2; depth < State::kMaxDepth; ++depth) state = State::list({state});
  EXPECT_TRUE(identical(through_file(state), state));
}

TEST_F(TorchRoundTrip, AnOptimizersKeysAreNumbersInPython) {
  auto net = make_torch_net();
  optim::Adam optimizer(net->parameters(), 0.1);
  net->forward(ones({2, 4})).sum().backward();
  optimizer.step();
  const State state = optimizer.state_dict();
  EXPECT_TRUE(identical(through_file(state), state));
  // BININT 0, not BINUNICODE "0".
  EXPECT_NE(read_file(path_).find(std::string("state}(J\0\0\0\0", 12)), std::string::npos);
}

TEST_F(TorchRoundTrip, OnlyKeysThatAreNumbersBecomeNumbers) {
  State numbers;
  for (const char* key : {"7", "07", "0", "00", "", "-1", "+1", "1.0", " 1", "1e3",
                          "999999999999999999", "9223372036854775808", "x"}) {
    numbers.insert(key, key);
  }
  State state;
  state.insert("state", numbers);
  state.insert("param_groups", State::list());
  EXPECT_TRUE(identical(through_file(state), state));
}

TEST_F(TorchRoundTrip, MilestonesAreNumbersInPython) {
  optim::SGD optimizer({ones({1})}, 0.1);
  const State state = optim::MultiStepLR(optimizer, {30, 80}).state_dict();
  EXPECT_TRUE(identical(through_file(state), state));
  EXPECT_NE(read_file(path_).find(std::string("milestones}(J\x1e\0\0\0", 16)), std::string::npos);
}

TEST_F(TorchRoundTrip, EqualStatesMakeEqualFiles) {
  const State state = load_state(kGoldenFolder + "torch/torch_checkpoint.pt");
  save(state, path_);
  save(load_state(path_), scratch_.path("y.pt"));
  EXPECT_EQ(read_file(path_), read_file(scratch_.path("y.pt")));
}

TEST_F(TorchRoundTrip, ElementsBeginAtMultiplesOf64) {
  State state;
  state.insert("a", full({3}, 7.f));
  save(state, path_);
  const std::string seven("\0\0\xe0\x40\0\0\xe0\x40", 8);
  EXPECT_EQ(read_file(path_).find(seven) % 64, 0u);
}

TEST_F(TorchRoundTrip, NothingNonFiniteWhenAsked) {
  SaveOptions options;
  options.allow_non_finite = false;
  State model, state;
  model.insert("w", tensor({1.f, std::nanf("")}));
  state.insert("model", model);
  for (const char* name : {"x.pt", "x.npz"}) {
    const std::string text =
        error_of<FileError>([&] { save(state, scratch_.path(name), options); });
    EXPECT_NE(
        text.find("tensor 'model.w': data[1] is NaN, but SaveOptions::allow_non_finite is false"),
        std::string::npos)
        << text;
  }
  EXPECT_EQ(scratch_.count(), 0);
}

TEST_F(TorchRoundTrip, ATextThatIsNotUtf8) {
  State state;
  state.insert("\xff", 1);
  EXPECT_THROW(save(state, path_), Error);
  EXPECT_EQ(scratch_.count(), 0);
}

}  // namespace
}  // namespace tern
