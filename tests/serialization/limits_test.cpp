#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "error_of.h"
#include "peak_memory.h"
#include "reject.h"
#include "sanitizer.h"
#include "serialization/zip/builder.h"
#include "state_formats.h"

// What a reader would refuse is not saved in the first place, and a refusal takes little memory.

namespace tern {
namespace {

class Limits : public ::testing::Test {
 protected:
  void expect_kept(const State& state, const char* suffix) {
    const std::string path = scratch_.path(std::string("kept") + suffix);
    save(state, path);
    EXPECT_TRUE(identical(load_state(path), state)) << suffix;
  }
  /// Expects an error that names the file and contains `part`, and no file.
  void expect_not_saved(const State& state, const char* suffix, const std::string& part,
                        const SaveOptions& options = {}) {
    const std::string path = scratch_.path(std::string("refused") + suffix);
    const std::string text = error_of<FileError>([&] { save(state, path, options); });
    EXPECT_NE(text.find(part), text.npos) << text.substr(0, 500);
    EXPECT_NE(text.find(path), text.npos) << text.substr(0, 500);
    EXPECT_FALSE(std::filesystem::exists(path));
  }

  const Scratch scratch_;
};

State repeated(const State& element, std::size_t count) {
  return State::list(std::vector<State>(count, element));
}

TEST_F(Limits, NamesInJson) {
  for (const std::size_t size : {4096u, 4097u}) {
    State state;
    state.insert(std::string(size, 'k'), ones({1}));
    if (size == 4096) {
      expect_kept(state, ".json");
    } else {
      expect_not_saved(state, ".json", "' has 4097 bytes, at most 4096 are allowed");
    }
    expect_kept(state, ".pt");
  }
}

TEST_F(Limits, EmptyTensorsInJson) {
  State state;
  state.insert("small", zeros({3, 2, 0}));
  state.insert("endless", zeros({std::int64_t{1} << 40, 0, 5}));
  expect_kept(state, ".json");
  EXPECT_LT(read_file(scratch_.path("kept.json")).size(), 1000u);
  for (const std::int64_t lists : {65536, 65537}) {
    expect_kept(zeros({lists, 0}), ".json");
    const bool is_base64 =
        read_file(scratch_.path("kept.json")).find("base64") != std::string::npos;
    EXPECT_EQ(is_base64, lists > 65536);
  }
}

TEST_F(Limits, ListsInPickles) {
  State state;
  for (const std::size_t size : {999u, 1000u, 1001u, 2500u}) {
    state.insert(std::to_string(size), repeated(1, size));
  }
  State dict;
  for (int i = 0; i < 2500; ++i) dict.insert(std::to_string(i), i);
  state.insert("dict", dict);
  expect_kept(state, ".pt");
  if (!testing::has_sanitizer()) {                     // seconds
    expect_kept(repeated(nullptr, 5'000'000), ".pt");  // more than the stack of a reader holds
  }
  expect_not_saved(repeated(State::list(), 2'000'000), ".pt", "lists, dictionaries and strings");
}

TEST_F(Limits, ManyTensors) {
  State state;
  // A sanitizer sees the same in fewer.
  const int count = testing::has_sanitizer() ? 2'000 : 20'000;
  for (int i = 0; i < count; ++i) state.insert("tensor" + std::to_string(i), zeros({}));
  for (const char* const suffix : kStateFormats) expect_kept(state, suffix);
}

TEST_F(Limits, ValuesInATree) {
  const State state = repeated(repeated(0, 2048), 2048);
  for (const char* const suffix : {".json", ".npz", ".safetensors"}) {
    expect_not_saved(state, suffix, "the state has 4196353 values");
    if (testing::has_sanitizer()) break;  // all count before they write
  }
  std::string tree = "[0";
  for (int i = 0; i < 1 << 22; ++i) tree += ",0";
  write_file(scratch_.path("x.json"),
             R"({"format": "tern.state_dict", "version": 2, "state": {"a": )" + tree +
                 R"(]}, "tensors": {}})");
  const std::string text = error_of<FileError>([&] { load_state(scratch_.path("x.json")); });
  EXPECT_NE(text.find("state: more than 4194304 values"), text.npos) << text;
}

TEST_F(Limits, WhatNoFormatHolds) {
  State meta, number;
  meta.insert("net", State());
  meta.set("net", State::list({1, zeros({2}, kMeta)}));
  number.insert("lr", std::numeric_limits<double>::infinity());
  for (const char* const suffix : kStateFormats) {
    expect_not_saved(meta, suffix, "tensor 'net.1' is on the device meta");
    expect_not_saved(number, suffix, "value 'lr' is inf", {.allow_non_finite = false});
    expect_kept(number, suffix);
  }
}

TEST_F(Limits, ARefusedTreeTakesLittle) {
  TERN_NEEDS_PEAK_MEMORY();
  std::string tree = "[";
  while (tree.size() < 6'000'000) tree += "[],";
  tree += "!]";
  write_file(scratch_.path("x.npz"), make_zip({{"tern.state", tree}}));
  write_file(scratch_.path("x.json"),
             R"({"format": "tern.state_dict", "version": 1, "metadata": {"tern.state": ")" + tree +
                 R"("}, "tensors": {}})");
  write_file(scratch_.path("y.json"),
             R"({"format": "tern.state_dict", "version": 2, "state": {"a":)" + tree +
                 R"(}, "tensors": {}})");
  for (const std::string name : {"x.npz", "x.json", "y.json"}) {
    const long before = reset_peak();
    const std::string text = error_of<FileError>([&] { load_state(scratch_.path(name)); });
    EXPECT_LT(peak_bytes() - before, 6 * static_cast<long>(tree.size()) + (16 << 20)) << name;
    const char* const says = name == "y.json" ? "line 1, column 6000060: state: "
                                              : "metadata 'tern.state': byte 6000001";
    EXPECT_NE(text.find(says), text.npos) << text.substr(0, 500);
  }
}

TEST_F(Limits, ATreeThatUnpacksToVeryMuch) {
  ZipPart tree("tern.state", std::string(1000, 'x'));
  tree.method = 8;
  tree.size = 1'000'000;
  write_file(scratch_.path("x.npz"), make_zip({tree}));
  const std::string text = error_of<FileError>([&] { load_state(scratch_.path("x.npz")); });
  EXPECT_TRUE(text.ends_with(reads_deflated() ? "64 times as many are allowed" : "without zlib"))
      << text;
}

}  // namespace
}  // namespace tern
