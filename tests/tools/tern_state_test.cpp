#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "examples/program.h"
#include "serialization/scratch.h"

namespace tern {
namespace {

class TernState : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(std::filesystem::exists(kProgram)) << kProgram << " was not built";
    state_.insert("w", arange(6, kFloat).reshape({2, 3}));
    state_.insert("mask", tensor({true, false}));
    save(state_, a_);
  }
  static ProgramResult run(const std::string& arguments) {
    return run_program(kProgram + " " + arguments);
  }

  static inline const std::string kProgram = TERN_BUILD_DIR "/bin/tern-state";
  const Scratch scratch_;
  const std::string a_ = scratch_.path("a.safetensors"), b_ = scratch_.path("b.json");
  State state_;
};

TEST_F(TernState, Info) {
  const ProgramResult header = run("info " + a_);
  EXPECT_EQ(header.code, 0);
  EXPECT_NE(header.text.find("a.safetensors: safetensors, "), std::string::npos) << header.text;
  EXPECT_NE(header.text.find("\n  format: pt\n"), std::string::npos) << header.text;
  EXPECT_NE(header.text.find("\n  w     F32   [2, 3]            24 bytes\n"), std::string::npos)
      << header.text;
  EXPECT_NE(header.text.find("\n2 tensors, 8 elements, 26 bytes\n"), std::string::npos)
      << header.text;

  State checkpoint;
  checkpoint.insert("model", state_);
  checkpoint.insert("epoch", 3);
  checkpoint.insert("name", "vae");
  save(checkpoint, b_);
  const ProgramResult whole = run("info " + b_);
  EXPECT_EQ(whole.code, 0);
  for (const char* part : {"b.json: json\n", "\n  epoch: 3\n", "\n  name: \"vae\"\n",
                           "\n  model.mask  BOOL  [2]                2 bytes\n"}) {
    EXPECT_NE(whole.text.find(part), std::string::npos) << whole.text;
  }
}

TEST_F(TernState, ReadsFilesOfOtherNames) {
  for (const char* const name : {"weights", "pytorch_model.bin"}) {
    const std::string other = scratch_.path(name);
    std::filesystem::copy_file(a_, other);
    const ProgramResult info = run("info " + other);
    EXPECT_EQ(info.code, 0);
    EXPECT_NE(info.text.find(other == scratch_.path("weights") ? ": a state file\n" : ": bin\n"),
              std::string::npos)
        << info.text;
    EXPECT_EQ(run("convert " + other + " " + b_).code, 0);
    EXPECT_TRUE(identical(load_state(b_), state_));
    EXPECT_NE(run("convert " + a_ + " " + scratch_.path("copy.bin")).code, 0);
  }
}

TEST_F(TernState, NamesCannotSpeakToTheTerminal) {
  State state;
  state.insert("\x1b[31mred", ones({1}));
  save(state, a_);
  save(state, b_);
  for (const std::string& path : {a_, b_}) {
    const std::string text = run("info " + path).text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(text.find("?[31mred"), std::string::npos) << text;
  }
}

TEST_F(TernState, ConvertsThereAndBack) {
  std::string from = a_;
  for (const char* name : {"1.json", "2.npz", "3.pt", "4.safetensors"}) {
    const std::string to = scratch_.path(name);
    const ProgramResult result = run("convert " + from + " " + to);
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_EQ(result.text, "");
    EXPECT_EQ(run("diff " + a_ + " " + to).code, 0) << name;
    from = to;
  }
  EXPECT_EQ(run("convert --max-shard-size 8 " + a_ + " " + scratch_.path("5.safetensors")).code, 0);
  EXPECT_TRUE(std::filesystem::exists(scratch_.path("5.safetensors.index.json")));
  EXPECT_EQ(run("diff " + a_ + " " + scratch_.path("5.safetensors")).code, 0);
}

TEST_F(TernState, ListsAndConvertsGguf) {
  const std::string path = kGoldenFolder + "gguf/types.gguf", copy = scratch_.path("c.safetensors");
  const ProgramResult info = run("info " + path);
  EXPECT_EQ(info.code, 0);
  for (const char* part :
       {"types.gguf: GGUF, 3520 bytes\n", "\n  kind.float32: 0.1\n",
        "\n  array.string: string[3]\n", "\n  f32   F32   [2, 3]                24 bytes\n",
        "\n  q4_1  Q4_1  [2, 3, 64]           240 bytes\n"}) {
    EXPECT_NE(info.text.find(part), std::string::npos) << part << info.text;
  }
  const ProgramResult converted = run("convert " + path + " " + copy);
  EXPECT_EQ(converted.code, 0) << converted.text;
  EXPECT_TRUE(identical(load_state(copy), load_state(path)));
  EXPECT_NE(run("info " + copy).text.find("\n  kind.float32: 0.1\n"), std::string::npos);
  EXPECT_EQ(run("diff " + path + " " + copy).code, 0);
  EXPECT_EQ(run("validate " + path).text, path + ": valid, 13 tensors\n");
  const ProgramResult back = run("convert " + copy + " " + scratch_.path("back.gguf"));
  EXPECT_EQ(back.code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("back.gguf")));
}

TEST_F(TernState, DiffSaysWhatDiffers) {
  State other;
  other.insert("w", state_["w"].tensor() + tensor({0.f, 0.f, 0.25f}));
  other.insert("mask", ones({2}));
  other.insert("more", 1);
  save(other, b_);
  const ProgramResult result = run("diff " + a_ + " " + b_);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.text,
            "w: 2 of 6 elements differ, by at most 0.25\n"
            "mask: dtype BOOL and F32\n"
            "more: only in " +
                b_ + "\n");
  State close;
  close.insert("w", other["w"]);
  close.insert("mask", state_["mask"]);
  save(close, b_);
  EXPECT_EQ(run("diff " + a_ + " " + b_).code, 1);
  EXPECT_EQ(run("diff --tolerance 0.25 " + a_ + " " + b_).code, 0);
  close.set("w", state_["w"].tensor().reshape({3, 2}));
  save(close, b_);
  EXPECT_EQ(run("diff " + a_ + " " + b_).text, "w: shape [2, 3] and [3, 2]\n");
}

TEST_F(TernState, DiffComparesIntegersExactly) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;  // as a double it is one less
  State other;
  state_.insert("n", tensor({kLarge, std::int64_t{-1}}));
  other = state_;
  other.set("n", tensor({kLarge - 1, std::int64_t{-1}}));
  save(state_, a_);
  save(other, b_);
  const ProgramResult result = run("diff " + a_ + " " + b_);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.text, "n: 1 of 2 elements differ, by at most 1\n");
  EXPECT_EQ(run("diff --tolerance 1 " + a_ + " " + b_).code, 0);
}

/// A state of one item.
State item(const std::string& key, const State& value) {
  State state;
  state.insert(key, value);
  return state;
}

TEST_F(TernState, DiffTellsKeysWithDotsContainersAndKindsApart) {
  State twice = item("a", item("b", 1));
  twice.insert("a.b", 2);
  const State one_two = State::list({1, 2}), none = State::list();
  State by_index = item("0", 1);
  by_index.insert("1", 2);
  const std::string c = scratch_.path("c.json");
  const std::tuple<State, State, std::string> cases[] = {
      {twice, twice, ""},
      {twice, item("a", item("b", 2)), "a.b: 1 and 2\na.b: only in " + b_ + "\n"},
      {item("a", State()), State(), "a: only in " + b_ + "\n"},
      {State(), item("a", none), "a: only in " + c + "\n"},
      {item("a", State()), item("a", none), "a: a dictionary and a list\n"},
      {item("x", one_two), item("x", by_index), "x: a list and a dictionary\n"},
      {item("x", one_two), item("x", State::list({1})), "x.1: only in " + b_ + "\n"},
      {State(), ones({1}), "the whole state: a dictionary and a tensor\n"}};
  for (const auto& [left, right, text] : cases) {
    save(left, b_);
    save(right, c);
    const ProgramResult result = run("diff " + b_ + " " + c);
    EXPECT_EQ(result.text, text);
    EXPECT_EQ(result.code, text.empty() ? 0 : 1) << text;
  }
}

TEST_F(TernState, DiffToleratesInPlainNumbersToo) {
  const std::string c = scratch_.path("c.json");
  const std::tuple<State, State, std::string> cases[] = {
      {1.5, 1.75, "x: 1.5 and 1.75\n"}, {7, 8, "x: 7 and 8\n"}, {0.0, -0.0, "x: 0 and -0\n"}};
  for (const auto& [left, right, text] : cases) {
    save(item("x", left), b_);
    save(item("x", right), c);
    const bool is_zero = text == "x: 0 and -0\n";  // as in tensors, no tolerance is for bits
    EXPECT_EQ(run("diff " + b_ + " " + c).text, text);
    EXPECT_EQ(run("diff --tolerance 0.125 " + b_ + " " + c).text, text);
    EXPECT_EQ(run("diff --tolerance 1 " + b_ + " " + c).text, is_zero ? text : "");
  }
}

TEST_F(TernState, InfoShowsMetadataWhereverItStands) {
  SaveOptions options;
  options.metadata = {{"author", "J\x1b"}};
  save(state_, b_, options);
  options.max_shard_size = 8;
  save(state_, scratch_.path("s.safetensors"), options);
  for (const std::string& path :
       {b_, scratch_.path("s.safetensors"), scratch_.path("s.safetensors.index.json")}) {
    const std::string text = run("info " + path).text;
    EXPECT_NE(text.find("metadata:\n  author: J?\ntensors:\n"), std::string::npos) << text;
  }
}

TEST_F(TernState, ConvertLeavesOutMetadataThatMeansSomethingInTheTarget) {
  write_file(b_, R"({"format": "tern.state_dict", "version": 1,
                     "metadata": {"format": "pt", "w": "a weight", "about": "w", "total_size": "9",
                     "tern.save": "1", "kept": "yes"},
                     "tensors": {"w": {"dtype": "F32", "shape": [2], "data": [1, 2]},
                                 "v": {"dtype": "F32", "shape": [2], "data": [3, 4]}}})");
  const auto left_out = [](const std::string& to, const std::vector<std::string>& keys) {
    std::string text;
    for (const std::string& key : keys) {
      text += to + ": metadata '" + key + "' is left out, because this format reserves the key\n";
    }
    return text;
  };
  const std::string json = scratch_.path("c.json"), one = scratch_.path("c.safetensors"),
                    shards = scratch_.path("s.safetensors");
  const std::tuple<std::string, std::string, std::vector<std::string>, std::size_t> cases[] = {
      {"", json, {"format", "tern.save"}, 4},
      {"", one, {"format", "w", "about", "tern.save"}, 2},
      {"--max-shard-size 8 ", shards, {"format", "w", "about", "total_size", "tern.save"}, 1}};
  for (const auto& [options, to, keys, count] : cases) {
    const ProgramResult result = run("convert " + options + b_ + " " + to);
    EXPECT_EQ(result.text, left_out(to, keys));
    EXPECT_EQ(result.code, 0);
    SaveOptions found;
    EXPECT_TRUE(identical(load_state(to, {.metadata = &found.metadata}), load_state(b_)));
    EXPECT_EQ(found.metadata.size(), count) << to;
  }
}

TEST_F(TernState, ConvertRefusesShardsOfNoSize) {
  for (const char* size : {"-5", "0", "many", "1.5"}) {
    const ProgramResult result =
        run(std::string("convert --max-shard-size ") + size + " " + a_ + " " + b_);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.text.find("--max-shard-size"), std::string::npos) << result.text;
    EXPECT_NE(result.text.find(size), std::string::npos) << result.text;
  }
}

TEST_F(TernState, ConvertKeepsTheMetadataWhereThereIsSome) {
  SaveOptions options;
  options.metadata = {{"author", "J\xc3\xb6rg"}, {"empty", ""}};
  save(state_, a_, options);
  const std::string shards = scratch_.path("s.safetensors"), last = scratch_.path("z.safetensors");
  EXPECT_EQ(run("convert " + a_ + " " + b_).text, "");
  EXPECT_EQ(run("convert --max-shard-size 8 " + b_ + " " + shards).text, "");
  EXPECT_EQ(run("convert " + shards + " " + last).text, "");
  for (const std::string& path : {b_, shards, last}) {
    SaveOptions found;
    EXPECT_TRUE(identical(load_state(path, {.metadata = &found.metadata}), state_));
    EXPECT_EQ(found.metadata, options.metadata) << path;
  }
  const ProgramResult result = run("convert " + b_ + " " + scratch_.path("x.npz"));
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.text.find("has no metadata, 2 strings are left out"), std::string::npos);
}

// A checkpoint of Python with objects, complex numbers and so on beside the weights.
TEST_F(TernState, LeavesOutWhatAStateCannotHold) {
  const std::string path = kGoldenFolder + "torch/torch_entries_2.pt";
  const std::string seed = "an integer beyond the range of int64";
  const ProgramResult info = run("info " + path);
  EXPECT_EQ(info.code, 0);
  for (const std::string& part :
       {std::string("\nleft out, because a State cannot hold it:\n  left.seed: " + seed + "\n"),
        std::string("\n  left.args: an object of class 'argparse.Namespace'\n"),
        std::string("\n  meta       F64  [3, 2] "), std::string("\n  weight     F32  [3] ")}) {
    EXPECT_NE(info.text.find(part), std::string::npos) << part << info.text;
  }
  const std::string error = "'left.seed': a State cannot hold " + seed;
  for (const std::string& command :
       {"validate " + path, "convert " + path + " " + b_, "diff " + path + " " + path}) {
    const ProgramResult result = run(command);
    EXPECT_NE(result.code, 0);
    EXPECT_NE(result.text.find(error), std::string::npos) << result.text;
    const bool has_option = !command.starts_with("validate");
    EXPECT_EQ(result.text.find(" (--skip leaves it out)") != std::string::npos, has_option);
  }
  for (const char* name : {"1.json", "2.npz", "3.pt", "4.safetensors"}) {
    const std::string to = scratch_.path(name);
    const ProgramResult result = run("convert --skip " + path + " " + to);
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_TRUE(result.text.starts_with(path + ": 'left.seed' is left out: " + seed + "\n"))
        << result.text;
    EXPECT_TRUE(result.text.ends_with("'meta' is left out: a tensor on the device meta\n"))
        << result.text;
    EXPECT_EQ(load_state(to)["weight"].tensor().numel(), 3);
    const ProgramResult diff = run("diff --skip " + path + " " + to);
    EXPECT_EQ(diff.code, 1);
    EXPECT_NE(diff.text.find("\nmeta: only in " + path + "\n"), std::string::npos) << diff.text;
  }
  EXPECT_EQ(run("diff --skip " + path + " " + path).code, 0);
  State on_host;
  on_host.insert("meta", zeros({3, 2}, kDouble));
  save(on_host, b_);
  for (const auto& [arguments, text] :
       {std::pair(path + " " + b_, "meta: device meta and cpu\n"),
        std::pair(b_ + " " + path, "meta: device cpu and meta\n")}) {
    const ProgramResult diff = run("diff --skip " + arguments);
    EXPECT_EQ(diff.code, 1);
    EXPECT_NE(diff.text.find(text), std::string::npos) << diff.text;
  }
}

TEST_F(TernState, Validate) {
  write_file(b_, "{\"w\": [1, 2");
  const ProgramResult result = run("validate " + a_ + " " + b_);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.text.find(a_ + ": valid, 2 tensors\n"), std::string::npos) << result.text;
  EXPECT_NE(result.text.find(b_ + ": not valid: "), std::string::npos) << result.text;
  EXPECT_EQ(run("validate " + a_).code, 0);
}

TEST_F(TernState, ErrorsHaveACodeOfTheirOwn) {
  for (const std::string& arguments :
       {std::string(), std::string("info"), std::string("melt ") + a_,
        "info " + scratch_.path("none.json"), "diff " + a_ + " " + scratch_.path("none.json"),
        "convert " + a_ + " " + scratch_.path("x.doc")}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_NE(result.text, "") << arguments;
  }
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("melt " + a_).text,
            "tern-state: should be one of info, convert, diff, validate, got melt (see tern-state "
            "--help)\n");
}

}  // namespace
}  // namespace tern
