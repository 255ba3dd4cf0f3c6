#include <tern/serialization/state_file.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/serialization/checkpoint.h>

#include "serialization/json/version_1.h"
#include "serialization/scratch.h"

namespace tern {
namespace {

State round_trip(const State& state, const SaveOptions& options = {}) {
  const Scratch scratch;
  save(state, scratch.path(), options);
  return load_state(scratch.path());
}

/// The same through a file of version 1, which older libraries wrote.
State round_trip_1(const State& state) {
  const Scratch scratch;
  save(state, scratch.path());
  write_file(scratch.path(), as_version_1(read_file(scratch.path())));
  return load_state(scratch.path());
}

State with(const Tensor& tensor) {
  State state;
  state.insert("t", tensor);
  return state;
}

template <class T>
const std::vector<T> kEdges = {T(0),
                               -T(0),
                               T(1),
                               T(0.1),
                               T(1) / 3,
                               T(1e5),
                               T(123456789),
                               T(1e22),
                               std::numeric_limits<T>::denorm_min(),
                               -std::numeric_limits<T>::denorm_min(),
                               std::numeric_limits<T>::min(),
                               std::nextafter(std::numeric_limits<T>::min(), T(0)),
                               std::numeric_limits<T>::max(),
                               std::numeric_limits<T>::lowest(),
                               std::numeric_limits<T>::epsilon(),
                               std::numeric_limits<T>::infinity(),
                               -std::numeric_limits<T>::infinity(),
                               std::numeric_limits<T>::quiet_NaN()};

TEST(JsonRoundTrip, WritesThisText) {
  const Scratch scratch;
  State state;
  state.insert("fc.weight", tensor({{1.f, -0.f, 0.1f}, {1e-8f, 3e10f, NAN}}));
  state.insert("count", tensor(std::int64_t{7}));
  state.insert("mask", tensor({true, false}));
  state.insert("none", zeros({2, 0, 3}, kDouble));
  save(state, scratch.path());
  EXPECT_EQ(read_file(scratch.path()),
            "{\n\"format\": \"tern.state_dict\",\n\"version\": 1,\n\"metadata\": {},\n"
            "\"tensors\": {\n"
            "\"fc.weight\": {\"dtype\": \"F32\", \"shape\": [2, 3], \"data\": "
            "[[1.0,-0.0,0.1],\n[1e-08,3e+10,\"NaN\"]]},\n"
            "\"count\": {\"dtype\": \"I64\", \"shape\": [], \"data\": 7},\n"
            "\"mask\": {\"dtype\": \"BOOL\", \"shape\": [2], \"data\": [true,false]},\n"
            "\"none\": {\"dtype\": \"F64\", \"shape\": [2, 0, 3], \"data\": [[],\n[]]}\n"
            "}\n}\n");
  EXPECT_TRUE(identical(load_state(scratch.path()), state));
}

TEST(JsonRoundTrip, WritesThisTextForATree) {
  const Scratch scratch;
  State model, group, state;
  model.insert("w", tensor({0.5}));
  group.insert("lr", 0.001);
  group.insert("params", State::list({0, 1}));
  state.insert("model", model);
  state.insert("groups", State::list({group}));
  state.insert("none", State());
  state.insert("best", std::numeric_limits<double>::infinity());
  state.insert("$", "a \"b\"");
  save(state, scratch.path());
  EXPECT_EQ(read_file(scratch.path()),
            "{\n\"format\": \"tern.state_dict\",\n\"version\": 2,\n\"metadata\": {},\n"
            "\"state\": {\n"
            "\"model\": {\n\"w\": {\"$tensor\": \"model.w\"}\n},\n"
            "\"groups\": [{\n\"lr\": 0.001,\n\"params\": [0, 1]\n}],\n"
            "\"none\": {},\n"
            "\"best\": {\"$double\": \"Infinity\"},\n"
            "\"$$\": \"a \\\"b\\\"\"\n"
            "},\n"
            "\"tensors\": {\n"
            "\"model.w\": {\"dtype\": \"F32\", \"shape\": [1], \"data\": [0.5]}\n"
            "}\n}\n");
  EXPECT_TRUE(identical(load_state(scratch.path()), state));
  save(State::list({1}), scratch.path());
  EXPECT_NE(read_file(scratch.path()).find("\n\"state\": {\"$value\": [1]},\n"), std::string::npos);
}

TEST(JsonRoundTrip, ReadsTheTreeOfVersion1) {
  const Scratch scratch;
  write_file(
      scratch.path(),
      "{\n\"format\": \"tern.state_dict\",\n\"version\": 1,\n\"metadata\": {\"by\": \"me\", "
      "\"tern.state\": \"{\\\"model\\\": {\\\"w\\\": {\\\"$tensor\\\": \\\"model.w\\\"}}, "
      "\\\"lr\\\": {\\\"$double\\\": \\\"NaN\\\"}, \\\"$$x\\\": [3, null, -0.0]}\"},\n"
      "\"tensors\": {\n\"model.w\": {\"dtype\": \"F32\", \"shape\": [2], \"data\": [1.0,-0.0]}\n"
      "}\n}\n");
  State model, expected;
  model.insert("w", tensor({1.f, -0.f}));
  expected.insert("model", model);
  expected.insert("lr", std::numeric_limits<double>::quiet_NaN());
  expected.insert("$x", State::list({3, nullptr, -0.0}));
  LoadFileOptions options;
  std::vector<std::pair<std::string, std::string>> metadata;
  options.metadata = &metadata;
  EXPECT_TRUE(identical(load_state(scratch.path(), options), expected));
  EXPECT_EQ(metadata, (decltype(metadata){{"by", "me"}}));
}

TEST(JsonRoundTrip, KeepsEveryHalf) {
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    State state = with(empty({1 << 16}, dtype));
    auto* const words = static_cast<std::uint16_t*>(state["t"].tensor().data_ptr());
    for (int i = 0; i < 1 << 16; ++i) words[i] = static_cast<std::uint16_t>(i);
    // Text has one NaN; base64 keeps them apart.
    EXPECT_TRUE(identical(round_trip(state, {.base64 = true}), state));
    for (int i = 0; i < 1 << 16; ++i) {
      if (std::isnan(state["t"].tensor()[i].item<float>())) words[i] = 0;
    }
    EXPECT_TRUE(identical(round_trip(state), state));
    EXPECT_TRUE(round_trip(with(full({1}, NAN, dtype)))["t"].tensor().isnan().item<bool>());
  }
  const Scratch scratch;
  save(with(tensor({0.1, 65504., -0.0, 1e-7}, kHalf)), scratch.path());
  EXPECT_NE(read_file(scratch.path()).find("[0.099975586,65504.0,-0.0,1.1920929e-07]"),
            std::string::npos);
}

TEST(JsonRoundTrip, KeepsEveryDtypeAndShape) {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  State state;
  state.insert("float", tensor(kEdges<float>));
  state.insert("double", tensor(kEdges<double>, kDouble));
  state.insert("long", tensor(std::vector<std::int64_t>{0, -1, low, ~low, (1LL << 53) + 1}));
  state.insert("bool", tensor({true, false, true}));
  for (const ScalarType dtype :
       {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kShort, kChar, kByte, kBool}) {
    const std::string name = dtype_info(dtype).file_name;
    state.insert(name + " 0-d", ones({}, dtype));
    for (const DimVector& sizes : {DimVector{1}, DimVector{0}, DimVector{2, 0}, DimVector{0, 2},
                                   DimVector{2, 0, 3}, DimVector{1, 1, 1, 1}, DimVector{2, 3, 4}}) {
      state.insert(name + detail::text_of(IntArrayRef(sizes)), ones(sizes, dtype));
    }
  }
  EXPECT_TRUE(identical(round_trip(state), state));
  SaveOptions options;
  options.base64 = true;
  EXPECT_TRUE(identical(round_trip(state, options), state));
}

TEST(JsonRoundTrip, TakesTensorsOfAnyLayout) {
  const Tensor base = arange(24, kFloat).view({4, 6});
  State state;
  state.insert("transposed", base.t());
  state.insert("slice", base.slice(1, 1, 6, 2));
  state.insert("expanded", base.select(0, 1).expand({3, 6}));
  Tensor leaf = base.clone();
  leaf.requires_grad_();
  state.insert("leaf", leaf);
  const State loaded = round_trip(state);
  EXPECT_TRUE(identical(loaded, state));
  EXPECT_FALSE(loaded["leaf"].tensor().requires_grad());
}

TEST(JsonRoundTrip, KeepsTreesOfEveryKind) {
  State inner;
  inner.insert("fc1.weight", tensor({1.f, 2.f}));
  inner.insert("$odd", "x");
  inner.insert("$$odder", State::list());
  inner.insert("", tensor({3.f}));
  State state;
  state.insert("model", inner);
  state.insert("optimizer", State::list({State(), tensor({1., 2.}, kDouble), nullptr, 0.1, 3}));
  state.insert("model.fc1.weight", tensor({9.f}));
  state.insert("epoch", std::numeric_limits<std::int64_t>::min());
  state.insert("large", std::numeric_limits<std::int64_t>::max());
  state.insert("best", std::numeric_limits<double>::infinity());
  state.insert("worst", -std::numeric_limits<double>::infinity());
  state.insert("nan", std::numeric_limits<double>::quiet_NaN());
  state.insert("one", 1.0);
  state.insert("zero", -0.0);
  state.insert("tiny", 5e-324);
  state.insert("on", true);
  state.insert("text", "quotes \" and \\ and \n and \xc3\xa9 and NaN");
  EXPECT_TRUE(identical(round_trip(state), state));
  EXPECT_TRUE(identical(round_trip_1(state), state));

  for (const State& root :
       {State(), State(3), State(nullptr), State("text"), State(true), State(2.5), State::list(),
        State(tensor({1.f})), State::list({inner})}) {
    EXPECT_TRUE(identical(round_trip(root), root));
    if (root.is_dict()) continue;  // without values it has no tree
    EXPECT_TRUE(identical(round_trip_1(root), root));
  }
  State deep = tensor({1.f});
  for (int i = 0; i < State::kMaxDepth; ++i) deep = State::list({deep});
  EXPECT_TRUE(identical(round_trip(deep), deep));
  EXPECT_TRUE(identical(round_trip_1(deep), deep));
}

TEST(JsonRoundTrip, KeepsOddNames) {
  State state;
  const std::string nul("a\0b", 3);
  for (const std::string& key :
       {std::string(), std::string("a"), nul, std::string("\""), std::string("\xc3\xa9"),
        std::string("e\xcc\x81"), std::string("format"), std::string("a.b.c"), std::string("$x")}) {
    state.insert(key, tensor({1.f}));
  }
  EXPECT_TRUE(identical(round_trip(state), state));
}

TEST(JsonRoundTrip, RefusesNamesThatAreNotUtf8) {
  const Scratch scratch;
  State state;
  state.insert("\xff", 1);
  EXPECT_THROW(save(state, scratch.path()), Error);
  EXPECT_EQ(scratch.count(), 0);
}

TEST(JsonRoundTrip, MayRefuseNonFiniteNumbers) {
  const Scratch scratch;
  SaveOptions options;
  options.allow_non_finite = false;
  save(with(zeros({2, 3})), scratch.path(), options);
  const std::string before = read_file(scratch.path());
  Tensor broken = zeros({2, 3});
  broken.select(0, 1).select(0, 2).fill_(-INFINITY);
  EXPECT_EQ(
      error_of<FileError>([&] { save(with(broken), scratch.path(), options); }),
      "save: '" + scratch.path() +
          "': tensor 't': data[1][2] is -Infinity, but SaveOptions::allow_non_finite is false");
  EXPECT_EQ(read_file(scratch.path()), before);
}

TEST(JsonRoundTrip, AGeneratorGoesOn) {
  const Scratch scratch;
  Generator generator(kCPU);
  generator.manual_seed(7);
  zeros({5}).normal_(0, 1, generator);
  State state;
  state.insert("generator", generator_state(generator));
  save(state, scratch.path());
  const Tensor expected = zeros({5}).normal_(0, 1, generator);

  Generator other(kCPU);
  const State loaded = load_state(scratch.path());
  set_generator_state(other, loaded["generator"]);
  EXPECT_TRUE(zeros({5}).normal_(0, 1, other).equal(expected));

  const Tensor next = zeros({3}).uniform_(0, 1, other.clone());
  EXPECT_THROW(set_generator_state(other, State("AAAA")), Error);
  EXPECT_THROW(set_generator_state(other, State("not base64")), Error);
  EXPECT_THROW(set_generator_state(other, State(1)), Error);
  EXPECT_TRUE(zeros({3}).uniform_(0, 1, other.clone()).equal(next));
}

}  // namespace
}  // namespace tern
