#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"
#include "serialization/zip/builder.h"

// What stands beside the weights in files of torch.save
// (tests/golden/serialization/torch/torch_entries.py).

namespace tern {
namespace {

using Skipped = std::vector<std::pair<std::string, std::string>>;

class TorchEntries : public ::testing::TestWithParam<const char*> {
 protected:
  const std::string path_ = kGoldenFolder + GetParam();
};

TEST_P(TorchEntries, ThatAStateHolds) {
  Skipped skipped;
  const State state = load_state(path_, {.skipped = &skipped});
  State one;
  one.insert("x", 1);
  State list_of_one;
  list_of_one.insert("x", State::list({1}));
  State counts;
  counts.insert("a", 2);
  counts.insert("b", 1);
  const std::pair<const char*, State> expected[] = {
      {"weight", arange(3, kFloat)},
      {"device", "cuda:1"},
      {"cpu", "cpu"},
      {"dtype", "torch.float8_e5m2"},
      {"set", State::list({7})},
      {"no set", State::list()},
      {"frozen", State::list({8})},
      {"bytes", tensor({97, 255, 0}, kByte)},
      {"a", tensor({97}, kByte)},
      {"no bytes", zeros({0}, kByte)},
      {"bytearray", tensor({98, 128}, kByte)},
      {"noted", ones({2})},
      {"mine", ones({2})},
      {"parameter", ones({2})},
      {"buffer", ones({2})},
      {"ordered", one},
      {"default", list_of_one},
      {"counts", counts},
      {"large", std::numeric_limits<std::int64_t>::max()},
      {"last", arange(4, kFloat)}};
  for (const auto& [key, value] : expected) {
    ASSERT_TRUE(state.contains(key)) << key;
    EXPECT_TRUE(identical(state[key], value)) << key;
  }
  const Tensor meta = state["meta"];
  EXPECT_EQ(meta.device(), Device(kMeta));
  EXPECT_EQ(meta.dtype(), kDouble);
  EXPECT_EQ(meta.sizes(), IntArrayRef({3, 2}));
  EXPECT_EQ(meta.strides(), IntArrayRef({1, 3}));
  EXPECT_EQ(state.size(), std::size(expected) + 2);
}

TEST_P(TorchEntries, ThatAStateCannotHoldAreLeftOutByName) {
  Skipped skipped = {{"from", "before"}};
  const State left = load_state(path_, {.skipped = &skipped})["left"];
  EXPECT_EQ(left.keys(), (std::vector<std::string>{"keys", "list"}));
  EXPECT_TRUE(identical(left["list"], State::list({1, State(nullptr), 3})));
  State keys;
  keys.insert("kept", 2);
  keys.insert("1", 7);
  EXPECT_TRUE(identical(left["keys"], keys));
  const std::string a_class = "an object of class '";
  const std::string array = path_.ends_with("5.pt") ? "numpy._core.numeric._frombuffer'"
                                                    : "numpy._core.multiarray._reconstruct'";
  const Skipped expected = {
      {"left.seed", "an integer beyond the range of int64"},
      {"left.huge", "an integer beyond the range of int64"},
      {"left.complex", "a complex number"},
      {"left.keys", "a dictionary with a key that is a tuple"},
      {"left.keys", "a dictionary with a key that is a floating number"},
      {"left.keys", "a dictionary with a key that is None"},
      {"left.keys", "a dictionary with a key that is an integer beyond the range of int64"},
      {"left.keys", "a dictionary with a key that is bytes"},
      {"left.keys.1", "a second value of one key"},
      {"left.list.1", "a complex number"},
      {"left.sparse", "a sparse tensor"},
      {"left.rows", "a sparse tensor"},
      {"left.uint16", "a tensor of dtype torch.uint16"},
      {"left.complex64", "a tensor in a torch.ComplexFloatStorage"},
      {"left.complex128", "a tensor in a torch.ComplexDoubleStorage"},
      {"left.conj", "a tensor with a conj or neg bit"},
      {"left.neg", "a tensor with a conj or neg bit"},
      {"left.float8", "a tensor of dtype torch.float8_e4m3fn"},
      {"left.quantized", "a quantized tensor"},
      {"left.meta", "a tensor of dtype torch.complex64"},
      {"left.uninitialized", a_class + "torch.nn.parameter.UninitializedParameter'"},
      {"left.storage", "a storage"},
      {"left.number", a_class + "numpy._core.multiarray.scalar'"},
      {"left.array", a_class + array},
      {"left.args", a_class + "argparse.Namespace'"},
      {"left.color", a_class + "__main__.Color'"},
      {"left.words", a_class + "__main__.Words'"},
      {"left.path", a_class + "pathlib.PurePosixPath'"},
      {"left.class", a_class + "torch.nn.modules.linear.Linear'"},
      {"left.layout", a_class + "torch.serialization._get_layout'"},
      {"left.slice", a_class + "builtins.slice'"}};
  EXPECT_EQ(skipped, expected);
}

TEST_P(TorchEntries, AreNamedInTheErrorOtherwise) {
  const std::string text = error_of<FileError>([&] { load_state(path_); });
  EXPECT_NE(text.find("'left.seed': a State cannot hold an integer beyond the range of int64 "
                      "(LoadFileOptions::skipped leaves it out)"),
            text.npos)
      << text;
}

TEST_P(TorchEntries, OfWhichAllThatWasReadCanBeSaved) {
  const Scratch scratch;
  Skipped skipped;
  State state = load_state(path_, {.skipped = &skipped});
  state.erase("meta");
  for (const char* name : {"x.pt", "x.json", "x.npz", "x.safetensors"}) {
    save(state, scratch.path(name));
    EXPECT_TRUE(identical(load_state(scratch.path(name)), state)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, TorchEntries,
                         ::testing::Values("torch/torch_entries_2.pt", "torch/torch_entries_3.pt",
                                           "torch/torch_entries_4.pt", "torch/torch_entries_5.pt",
                                           "torch/torch_entries_2.pth",
                                           "torch/torch_entries_4.pth"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return (name.ends_with("h") ? "old_" : "protocol_") + name.substr(20, 1);
                         });

// Two more formats may have what a State cannot hold.

TEST(Skipped, TensorsOfOtherDtypesInSafetensors) {
  const Scratch scratch;
  const std::string path = kGoldenFolder + "safetensors/dtypes.safetensors";
  Skipped skipped;
  for (const bool map : {false, true}) {
    const State state = load_state(path, {.map = map, .skipped = &skipped});
    EXPECT_EQ(state.size() + skipped.size(), 16u);
    EXPECT_TRUE(identical(state["float16"], arange(4).to(kHalf)));
    const std::pair<std::string, std::string> found = {"uint64", "a tensor of dtype U64"};
    EXPECT_EQ(std::count(skipped.begin(), skipped.end(), found), 1);
  }
}

TEST(Skipped, ArraysOfOtherDtypesInNpz) {
  const Scratch scratch;
  const auto array = [](const std::string& descr, const std::string& bytes) {
    const std::string header =
        "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }\n";
    return "\x93NUMPY\1" + std::string(1, '\0') + words({header.size()}) + header + bytes;
  };
  const std::string path = scratch.path("x.npz");
  const std::string zeros(8, '\0');
  write_file(path, make_zip({{"a.npy", array("'<c8'", zeros)},
                             {"b.npy", array("[('x', '<i4'), ('y', '<f4', (1,))]", zeros)},
                             {"c.npy", array("'<i8'", zeros)}}));
  Skipped skipped;
  const State state = load_state(path, {.skipped = &skipped});
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"c"}));
  const Skipped expected = {{"a", "an array of dtype <c8"},
                            {"b", "an array of dtype [('x', '<i4'), ('y', '<f4', (1,))]"}};
  EXPECT_EQ(skipped, expected);
  EXPECT_THROW(load_state(path), FileError);
}

}  // namespace
}  // namespace tern
