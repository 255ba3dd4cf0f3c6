#include <gtest/gtest.h>

#include <tern/nn/nn.h>

#include "scratch.h"
#include "state_formats.h"
#include "zip/builder.h"

// Files whose names say nothing about their format: the content decides.

namespace tern {
namespace {

const char* const kOtherNames[] = {"pytorch_model.bin", "weights", "net.v2", ".hidden", "net.JSON"};

class ContentDecides : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, ContentDecides, ::testing::ValuesIn(kStateFormats), format_name);

TEST_P(ContentDecides, ForOtherNames) {
  const Scratch scratch;
  nn::Linear net(3, 2), other(3, 2);
  save(net, scratch.path(std::string("net") + GetParam()));
  for (const char* const name : kOtherNames) {
    std::filesystem::copy_file(scratch.path(std::string("net") + GetParam()), scratch.path(name));
    load(other, scratch.path(name));
    EXPECT_TRUE(equal(other->weight, net->weight)) << name;
    other = nn::Linear(3, 2);
  }
}

TEST(Content, DecidesForFilesOfPython) {
  const Scratch scratch;
  for (const char* const file :
       {"torch/torch_state.pt", "torch/torch_state_old.pth", "numpy/arrays.npz", "json/net.json",
        "safetensors/reference.safetensors", "gguf/types.gguf"}) {
    const std::string path = scratch.path(std::filesystem::path(file).filename().string() + ".bin");
    std::filesystem::copy_file(kGoldenFolder + file, path);
    EXPECT_TRUE(identical(load_state(path), load_state(kGoldenFolder + file))) << file;
  }
  Tensor tensor;
  std::filesystem::copy_file(kGoldenFolder + "numpy/version_1.npy", scratch.path("array"));
  load(tensor, scratch.path("array"));
  EXPECT_TRUE(tensor.defined());
}

TEST(Content, OfNoFormatIsNamed) {
  const Scratch scratch;
  const std::string path = scratch.path("net.bin");
  const auto refusal = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    return error_of<FileError>([&] { load_state(path); });
  };
  const std::string known =
      ", not one of safetensors, JSON, npy of NumPy, npz of NumPy, index of safetensors, pt of "
      "PyTorch, GGUF";
  EXPECT_EQ(refusal(""), "load: '" + path + "' is empty" + known);
  EXPECT_EQ(refusal("\x7f"
                    "ELF\xff"),
            "load: '" + path + "' begins with the bytes 7f 45 4c 46 ff" + known);
  EXPECT_EQ(refusal("hello, world"),
            "load: '" + path + "' begins with the bytes 68 65 6c 6c 6f 2c 20 77" + known);
  const std::pair<std::string, std::string> contents[] = {
      {"\x1f\x8b\x08", "is compressed with gzip"},
      {"version https://git-lfs.github.com/spec/v1\noid",
       "is a pointer of Git LFS, which 'git lfs pull' replaces"},
      {"<!DOCTYPE html>", "is HTML or XML, perhaps a failed download"},
      {"\x89HDF\r\n", "is in the format HDF5"},
      {"\x80\4}.", "is a pickle"},
      {std::string("[\0\"\0", 4), "is UTF-16"}};
  for (const auto& [bytes, what] : contents) {
    EXPECT_EQ(refusal(bytes), "load: '" + path + "' " + what + known);
  }
}

// Bytes of Python's bools that are neither 0 nor 1 (tests/golden/serialization).
TEST(Content, OfBoolsIsMadeZeroOrOne) {
  const Tensor expected = tensor({{false, true, true}, {true, true, false}});
  for (const std::string name : {"numpy/array_bools.npz", "numpy/array_bools_deflated.npz"}) {
    if (name.ends_with("deflated.npz") && !reads_deflated()) continue;
    const State state = load_state(kGoldenFolder + name);
    for (const char* layout : {"C", "F"}) EXPECT_TRUE(identical(state[layout], expected)) << name;
  }
  for (const std::string name : {"torch/torch_bools.pt", "torch/torch_bools_old.pth"}) {
    const State state = load_state(kGoldenFolder + name);
    EXPECT_TRUE(identical(state["whole"], expected)) << name;
    EXPECT_TRUE(identical(state["row"], expected[1])) << name;
    EXPECT_TRUE(identical(state["column"], expected.select(1, 1))) << name;
  }
}

TEST(Content, OfALoadThatFails) {
  const Scratch scratch;
  const std::string path = scratch.path("x.json");
  save(State::list({1}), path);
  Tensor kept = ones({2});
  EXPECT_THROW(load(kept, path), FileError);
  EXPECT_TRUE(kept.defined() && kept.equal(ones({2})));
  State state(3);
  std::vector<std::pair<std::string, std::string>> metadata, skipped;
  for (const std::string name : {"none.json", "x.npz", "x.json"}) {
    if (name != "none.json") save(State::list({1}), scratch.path(name));
    metadata = skipped = {{"from", "before"}};
    try {
      load_state(scratch.path(name), {.metadata = &metadata, .skipped = &skipped});
    } catch (const FileError&) {
      EXPECT_EQ(name, "none.json");
    }
    EXPECT_TRUE(metadata.empty() && skipped.empty()) << name;
  }
  EXPECT_THROW(load(state, scratch.path("none.json")), FileError);
  EXPECT_TRUE(identical(state, State(3)));
}

class FlatNames : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, FlatNames, ::testing::ValuesIn(kStateFormats), format_name);

// Keys with dots give tensors of one flattened name; a key may look like the name of another.
TEST_P(FlatNames, MayBeEqual) {
  const Scratch scratch;
  State c, b, a, state;
  c.insert("c", full({1}, 1.f));
  b.insert("b", c);
  a.insert("b.c", full({1}, 2.f));
  state.insert("a", b);
  state.insert("a.b", c);
  state.insert("a.b.c#2", full({1}, 3.f));
  state.insert("a.b.c", full({1}, 4.f));
  State more;
  more.insert("c", full({1}, 5.f));
  state.insert("list", State::list({a, more}));
  state.insert("list.0", a);
  save(state, scratch.path(std::string("x") + GetParam()));
  EXPECT_TRUE(identical(load_state(scratch.path(std::string("x") + GetParam())), state));
}

// A header of 123 bytes: its size begins with the byte of '{'.
TEST(Content, OfSafetensorsIsNotTakenForJson) {
  const Scratch scratch;
  std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  header.resize('{', ' ');
  std::ofstream(scratch.path("a"), std::ios::binary)
      << "{" << std::string(7, '\0') << header << std::string(4, '\0');
  EXPECT_EQ(load_state(scratch.path("a"))["a"].tensor().item<float>(), 0);
}

TEST(Content, DoesNotOverrideAKnownSuffix) {
  const Scratch scratch;
  save(ones({2}), scratch.path("x.npy"));
  std::filesystem::rename(scratch.path("x.npy"), scratch.path("x.pt"));
  EXPECT_EQ(
      error_of<FileError>([&] { load_state(scratch.path("x.pt")); }),
      "load: '" + scratch.path("x.pt") + "' is in the format npy of NumPy, not pt of PyTorch");
}

TEST(Content, IsNotAskedWhenSaving) {
  const Scratch scratch;
  for (const char* const name : kOtherNames) {
    const std::string text = error_of<FileError>([&] { save(ones({2}), scratch.path(name)); });
    EXPECT_EQ(text,
              "save: '" + scratch.path(name) +
                  "': the name of a state file must end in one of .safetensors .json .npy .npz "
                  ".index.json .pt .pth");
  }
}

TEST(Content, OfAMissingFileIsNotGuessed) {
  const Scratch scratch;
  const std::string text = error_of<FileError>([&] { load_state(scratch.path("missing.bin")); });
  EXPECT_NE(text.find("missing.bin"), std::string::npos) << text;
  EXPECT_NE(text.find("No such file"), std::string::npos) << text;
}

}  // namespace
}  // namespace tern
