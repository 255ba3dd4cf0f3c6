#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "serialization/json/version_1.h"
#include "serialization/scratch.h"

// Files that were damaged on their way: cut off, or with a bit flipped.

namespace tern {
namespace {

State json_sample() {
  manual_seed(1);
  State model;
  model.insert("fc.weight", randn({3, 4}));
  model.insert("fc.bias", randn({3}, kDouble));
  model.insert("count", tensor(std::int64_t{12}));
  model.insert("mask", tensor({true, false}));
  State state;
  state.insert("model", model);
  state.insert("epoch", 3);
  state.insert("lr", 0.125);
  return state;
}

/// The same, except for the values of numbers, booleans and strings.
bool same_structure(const State& a, const State& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_tensor()) {
    return a.tensor().dtype() == b.tensor().dtype() && a.tensor().sizes() == b.tensor().sizes();
  }
  if (!a.is_dict()) return true;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same_structure(x.value, y.value); });
}

enum class JsonForm { kNumbers, kBase64, kVersion1 };

class JsonDamage : public ::testing::TestWithParam<JsonForm> {
 protected:
  JsonDamage() {
    SaveOptions options;
    options.base64 = GetParam() == JsonForm::kBase64;
    save(json_sample(), scratch_.path(), options);
    text_ = read_file(scratch_.path());
    if (GetParam() == JsonForm::kVersion1) text_ = as_version_1(text_);
  }
  const Scratch scratch_;
  std::string text_;
};

TEST_P(JsonDamage, CutOffAnywhere) {
  const std::size_t end = text_.find_last_of('}');
  for (std::size_t size = 0; size <= end; ++size) {
    write_file(scratch_.path(), text_.substr(0, size));
    EXPECT_THROW(load_state(scratch_.path()), FileError) << "after " << size << " bytes";
  }
}

TEST_P(JsonDamage, OneFlippedBit) {
  const State good = json_sample();
  const std::size_t tree = text_.find("\"tern.state\"");  // of version 1
  const auto step = static_cast<std::size_t>(count_for(7, 1));
  std::size_t read = 0;
  for (std::size_t bit = 0; bit < 8 * text_.size(); bit += step) {
    std::string damaged = text_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(scratch_.path(), damaged);
    try {
      const State state = load_state(scratch_.path());
      ++read;
      // A flip may give another number or another name, also that of the tree, and nothing else.
      const bool in_name_of_tree = tree != text_.npos && bit / 8 >= tree && bit / 8 < tree + 12;
      EXPECT_TRUE(in_name_of_tree || same_structure(state, good)) << "bit " << bit;
    } catch (const FileError&) {
    }
  }
  EXPECT_LT(read, 8 * text_.size() / step / 3);
}

std::string form_name(const ::testing::TestParamInfo<JsonForm>& test) {
  constexpr const char* kNames[] = {"numbers", "base64", "version_1"};
  return kNames[static_cast<int>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(, JsonDamage,
                         ::testing::Values(JsonForm::kNumbers, JsonForm::kBase64,
                                           JsonForm::kVersion1),
                         form_name);

TEST(JsonTolerance, KeysInAnyOrderAndAnyWhiteSpace) {
  const Scratch scratch;
  const std::string space(1 << 20, ' ');
  write_file(
      scratch.path(),
      "\r\n\t" + space + R"({ "tensors" : { "w" : { "data" : [ [ 1 , 2.5e0 ] , [-0.0,"NaN"] ] ,)" +
          "\r\n" +
          R"("shape": [2,2], "dtype":"F32"}, "v": {"data": "AAAAAAAA8D8=", "shape": [], "encoding":)" +
          R"("base64", "dtype": "F64"}, "s": {"shape":[], "data": 3, "dtype":"I64"}},)" + space +
          R"("metadata": {"by": "hand"}, "version": 1, "format": "tern.state_dict"})" + "\r\n" +
          space);
  const State state = load_state(scratch.path());
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"w", "v", "s"}));
  const auto w = state["w"].tensor().to_vector<float>();
  EXPECT_EQ(w[1], 2.5f);
  EXPECT_TRUE(std::signbit(w[2]));
  EXPECT_TRUE(std::isnan(w[3]));
  EXPECT_EQ(state["v"].tensor().item<double>(), 1.0);
  EXPECT_EQ(state["s"].tensor().item<std::int64_t>(), 3);
}

TEST(JsonTolerance, AStateBeforeOrBehindItsTensors) {
  const Scratch scratch;
  const std::string
      tensors = R"("tensors": {"m.w": {"data": [1.5], "dtype": "F32", "shape": [1]}})",
      state = R"("state" : {"n": {"$double":"-Infinity"}, "m":{"w": {"$tensor" : "m.w"}}})",
      version = R"("version": 2)", format = R"("format": "tern.state_dict")";
  std::vector<std::string> parts = {format, state, tensors, version};
  do {
    write_file(scratch.path(),
               "{" + parts[0] + ",\n" + parts[1] + "," + parts[2] + " ,\t" + parts[3] + " }");
    const State read = load_state(scratch.path());
    EXPECT_EQ(read.keys(), (std::vector<std::string>{"n", "m"}));
    EXPECT_EQ(read["m"]["w"].tensor().item<float>(), 1.5f);
    EXPECT_EQ(read.get<double>("n"), -INFINITY);
  } while (std::ranges::next_permutation(parts).found);
}

TEST(JsonTolerance, ThePlainFormOfPython) {
  const Scratch scratch;
  write_file(
      scratch.path(),
      R"({"f": [[0.10000000149011612, 1.0000000200408773e+20], [-0.0, 5.0]], "d": [0.1, 2], "i": [[1, -2], [3, 9007199254740993]],)"
      R"("b": [true, false], "s": 7, "x": 2.5, "t": true, "e": [], "ee": [[], []], "version": 3, "state": [4]})");
  const State state = load_state(scratch.path());
  EXPECT_EQ(state["f"].tensor().dtype(), kFloat);
  EXPECT_EQ(state["f"].tensor().sizes(), IntArrayRef({2, 2}));
  EXPECT_EQ(state["f"].tensor().to_vector<float>()[0], 0.1f);
  EXPECT_EQ(state["d"].tensor().dtype(), kDouble);
  EXPECT_EQ(state["d"].tensor().to_vector<double>(), (std::vector<double>{0.1, 2}));
  EXPECT_EQ(state["i"].tensor().dtype(), kLong);
  EXPECT_EQ(state["i"].tensor().to_vector<std::int64_t>()[3], 9007199254740993);
  EXPECT_EQ(state["b"].tensor().dtype(), kBool);
  EXPECT_EQ(state["s"].tensor().dim(), 0);
  EXPECT_EQ(state["s"].tensor().item<int>(), 7);
  EXPECT_EQ(state["x"].tensor().item<float>(), 2.5f);
  EXPECT_TRUE(state["t"].tensor().item<bool>());
  EXPECT_EQ(state["e"].tensor().sizes(), IntArrayRef({0}));
  EXPECT_EQ(state["e"].tensor().dtype(), kFloat);
  EXPECT_EQ(state["ee"].tensor().sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(state["version"].tensor().item<int>(), 3);
  EXPECT_EQ(state["state"].tensor().item<int>(), 4);
  EXPECT_EQ(state.size(), 11u);
}

}  // namespace
}  // namespace tern
