#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

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

class JsonDamage : public ::testing::TestWithParam<bool> {
 protected:
  JsonDamage() {
    SaveOptions options;
    options.base64 = GetParam();
    save(json_sample(), scratch_.path(), options);
    text_ = read_file(scratch_.path());
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
  const std::size_t tree = text_.find("\"tern.state\"");
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
      const bool in_name_of_tree = bit / 8 >= tree && bit / 8 < tree + 12;
      EXPECT_TRUE(in_name_of_tree || same_structure(state, good)) << "bit " << bit;
    } catch (const FileError&) {
    }
  }
  EXPECT_LT(read, 8 * text_.size() / step / 3);
}

INSTANTIATE_TEST_SUITE_P(, JsonDamage, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "base64" : "numbers"; });

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

TEST(JsonTolerance, ThePlainFormOfPython) {
  const Scratch scratch;
  write_file(
      scratch.path(),
      R"({"f": [[0.10000000149011612, 1.0000000200408773e+20], [-0.0, 5.0]], "d": [0.1, 2], "i": [[1, -2], [3, 9007199254740993]],)"
      R"("b": [true, false], "s": 7, "x": 2.5, "t": true, "e": [], "ee": [[], []], "version": 3})");
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
  EXPECT_EQ(state.size(), 10u);
}

}  // namespace
}  // namespace tern
