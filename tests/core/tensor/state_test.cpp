#include <tern/core/tensor/state.h>

#include <gtest/gtest.h>

#include <limits>

#include <tern/core/base/text.h>
#include <tern/core/ops/ops.h>

#include "error_of.h"

namespace tern {
namespace {

State sample() {
  State state;
  state.insert("weight", tensor({1.f, 2.f}));
  state.insert("epoch", 3);
  state.insert("lr", 1e-3);
  state.insert("on", true);
  state.insert("name", "vae");
  state.insert("nothing", nullptr);
  state.insert("betas", State::list({0.9, 0.999}));
  return state;
}

TEST(State, HoldsEveryKindInOrder) {
  const State state = sample();
  std::vector<State::Kind> kinds;
  std::vector<std::string> keys;
  for (const auto& [key, value] : state) {
    keys.push_back(key);
    kinds.push_back(value.kind());
  }
  using Kind = State::Kind;
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::Tensor, Kind::Int, Kind::Double, Kind::Bool,
                                      Kind::String, Kind::Null, Kind::List}));
  EXPECT_EQ(keys, state.keys());
  EXPECT_EQ(keys.front(), "weight");
  EXPECT_EQ(state.size(), 7u);
  EXPECT_TRUE(State().empty());
}

TEST(State, GivesItsValues) {
  const State state = sample();
  const Tensor weight = state["weight"];
  EXPECT_TRUE(weight.is_same(state["weight"].tensor()));
  EXPECT_EQ(state.get<int>("epoch"), 3);
  EXPECT_EQ(state.get<float>("lr"), 1e-3f);
  EXPECT_EQ(state.get<double>("epoch"), 3.0);
  EXPECT_TRUE(state.get<bool>("on"));
  EXPECT_EQ(state.get<std::string>("name"), "vae");
  EXPECT_EQ(state["name"].string(), "vae");
  EXPECT_TRUE(state["nothing"].is_null());
  EXPECT_EQ(state["betas"][1].to<double>(), 0.999);
  EXPECT_EQ(state["betas"].elements().size(), 2u);
  EXPECT_TRUE(state.contains("lr"));
  EXPECT_EQ(state.find("lrs"), nullptr);
}

TEST(State, NamesKeyAndKindsInErrors) {
  const State state = sample();
  EXPECT_EQ(error_of<IndexError>([&] { state["weights"]; }),
            "Key 'weights' is not defined; the keys are: 'weight', 'epoch', 'lr', 'on', 'name', "
            "'nothing', 'betas'");
  EXPECT_EQ(error_of<Error>([&] { state.get<int>("name"); }),
            "State: expected an integer for key 'name', found a string");
  EXPECT_EQ(error_of<Error>([&] { state["epoch"].tensor(); }),
            "State: expected a tensor, found an integer 3");
  EXPECT_EQ(error_of<Error>([&] { state.get<bool>("epoch"); }),
            "State: expected a bool for key 'epoch', found an integer 3");
  EXPECT_EQ(error_of<Error>([&] { state["betas"]["x"]; }),
            "State: expected a dictionary, found a list");
  EXPECT_EQ(error_of<IndexError>([&] { state["betas"][2]; }),
            "State: index 2 is out of range for a list of 2");
  State other = sample();
  EXPECT_EQ(error_of<Error>([&] { other.insert("lr", 1); }), "Key 'lr' already defined");
  EXPECT_THROW(other.erase("lrs"), IndexError);
  EXPECT_THROW(other.push_back(1), Error);
  EXPECT_THROW(other.insert("t", Tensor()), Error);
}

TEST(State, ChecksTheRangeOfIntegers) {
  State state;
  state.insert("big", std::numeric_limits<std::int64_t>::max());
  state.insert("below", -1);
  EXPECT_EQ(state.get<std::uint64_t>("big"), 9223372036854775807u);
  EXPECT_THROW(state.get<int>("big"), Error);
  EXPECT_THROW(state.get<unsigned>("below"), Error);
  EXPECT_THROW(State(std::numeric_limits<std::uint64_t>::max()), Error);
}

TEST(State, CopiesAreIndependent) {
  State a = sample();
  State b = a;
  b.set("epoch", 4);
  b.set("new", 1);
  b.erase("lr");
  EXPECT_EQ(a.get<int>("epoch"), 3);
  EXPECT_FALSE(a.contains("new"));
  EXPECT_TRUE(a.contains("lr"));
  EXPECT_EQ(b.get<int>("epoch"), 4);
  EXPECT_EQ(b["new"].to<int>(), 1);
  EXPECT_EQ(b.keys()[1], "epoch");  // replaced in its position
  EXPECT_EQ(b.get<std::string>("name"), "vae");

  State list = State::list({1, 2});
  const State copy = list;
  list.push_back(3);
  EXPECT_EQ(copy.size(), 2u);
  a.insert("self", a);
  EXPECT_FALSE(a["self"].contains("self"));
}

TEST(State, LimitsItsDepth) {
  State state;
  for (int i = 1; i < State::kMaxDepth; ++i) {
    State outer;
    outer.insert("inner", state);
    state = outer;
  }
  EXPECT_EQ(state.depth(), State::kMaxDepth);
  State beyond;
  EXPECT_THROW(beyond.insert("inner", state), Error);
  EXPECT_TRUE(beyond.empty());
  EXPECT_THROW(State::list({state}), Error);
  EXPECT_EQ(State(3).depth(), 0);
}

// The deepest item determines the depth, whatever is added or removed beside it.
TEST(State, CountsItsDepthAfterEveryChange) {
  State inner = State::list({1});
  inner.push_back(State::list({2}));
  inner.push_back(3);
  EXPECT_EQ(inner.depth(), 2);
  State state;
  state.insert("list", inner);
  state.insert("number", 1);
  EXPECT_EQ(state.depth(), 3);
  state.set("number", 2);
  EXPECT_EQ(state.depth(), 3);
  state.insert("other", State());
  state.erase("number");
  EXPECT_EQ(state.depth(), 3);
  State copy = state;
  copy.set("list", 4);
  EXPECT_EQ(copy.depth(), 2);
  copy.erase("other");
  EXPECT_EQ(copy.depth(), 1);
  EXPECT_EQ(state.depth(), 3);
}

// A shallow item after a deep one must not permit another level.
TEST(State, LimitsItsDepthBesideShallowItems) {
  const auto wrap = [](State inner, bool in_list) {
    if (in_list) {
      State list = State::list({std::move(inner)});
      list.push_back(1);
      return list;
    }
    State dict;
    dict.insert("inner", std::move(inner));
    dict.insert("leaf", 1);
    dict.set("leaf", 2);
    return dict;
  };
  for (const bool in_list : {false, true}) {
    State state = wrap(1, in_list);
    for (int depth = 1; depth < State::kMaxDepth; ++depth) {
      EXPECT_EQ(state.depth(), depth);
      state = wrap(state, in_list);
    }
    EXPECT_THROW(wrap(state, false), Error);
    EXPECT_THROW(wrap(state, true), Error);
  }
}

TEST(State, ManyKeysStayFast) {
  State state;
  for (int i = 0; i < 100000; ++i) state.insert("key" + std::to_string(i), i);
  EXPECT_EQ(state.get<int>("key99999"), 99999);
  EXPECT_EQ(state.begin()[500].key, "key500");
}

TEST(State, ComparesToTheBit) {
  EXPECT_TRUE(identical(sample(), [] {
    State other = sample();
    other.set("weight", tensor({1.f, 2.f}));
    return other;
  }()));
  const auto differs = [](const char* key, const State& value) {
    State other = sample();
    other.set(key, value);
    return !identical(sample(), other);
  };
  EXPECT_TRUE(differs("weight", tensor({1.f, 2.5f})));
  EXPECT_TRUE(differs("weight", tensor({1., 2.}, kDouble)));
  EXPECT_TRUE(differs("weight", tensor({1.f, 2.f}).view({2, 1})));
  EXPECT_TRUE(differs("epoch", 3.0));
  EXPECT_TRUE(differs("on", false));
  EXPECT_TRUE(differs("new", 1));
  EXPECT_TRUE(differs("betas", State::list()));
  const State one = State::list({1}), two = State::list({1, 2}), none = State::list();
  EXPECT_FALSE(identical(one, two) || identical(two, one) || identical(none, one));
  State item, items;
  item.insert("a", 1);
  items.insert("a", 1);
  items.insert("b", 2);
  EXPECT_FALSE(identical(item, items) || identical(items, item) || identical(State(), item));
  EXPECT_TRUE(identical(empty({2}, kMeta), empty({2}, kMeta)));
  EXPECT_FALSE(identical(empty({2}, kMeta), zeros({2})) ||
               identical(zeros({2}), empty({2}, kMeta)));
  EXPECT_TRUE(identical(0.0, 0.0));
  EXPECT_FALSE(identical(0.0, -0.0));
  EXPECT_TRUE(identical(std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::quiet_NaN()));
}

using Keys = std::vector<std::string>;

State with_keys(const Keys& keys) {
  State state;
  for (std::size_t i = 0; i < keys.size(); ++i) state.insert(keys[i], static_cast<int>(i));
  return state;
}

TEST(StateKeys, AreSelectedByPattern) {
  const State state = with_keys({"encoder.fc.weight", "decoder.fc.weight", "encoder.fc.bias", ""});
  EXPECT_EQ(select_keys(state, "encoder.*").keys(), (Keys{"encoder.fc.weight", "encoder.fc.bias"}));
  EXPECT_EQ(select_keys(state, "*.fc.*").size(), 3u);
  EXPECT_EQ(select_keys(state, "*weight").size(), 2u);
  EXPECT_EQ(select_keys(state, "encoder.fc.bias").get<int>("encoder.fc.bias"), 2);
  EXPECT_EQ(select_keys(state, "*").size(), 4u);
  EXPECT_EQ(select_keys(state, "").keys(), Keys{""});
  EXPECT_EQ(select_keys(state, "encoder").size(), 0u);
  EXPECT_EQ(select_keys(state, "encoder.fc.bias*bias").size(), 0u);  // the ends may not overlap
  EXPECT_EQ(select_keys(state, "*fc*fc*").size(), 0u);
  EXPECT_EQ(strip_prefix(state, "encoder.").keys(), (Keys{"fc.weight", "fc.bias"}));
  EXPECT_EQ(strip_prefix(state, "encoder.fc.bias").keys(), Keys{""});
  EXPECT_THROW(select_keys(State(3), "*"), Error);
}

TEST(StateKeys, AreRenamedByPattern) {
  const auto renamed = [](const Keys& keys, const char* pattern, const char* replacement) {
    return rename_keys(with_keys(keys), pattern, replacement).keys();
  };
  EXPECT_EQ(renamed({"module.a", "b", "module.c.d"}, "module.*", "*"), (Keys{"a", "b", "c.d"}));
  EXPECT_EQ(renamed({"a", "b"}, "*", "net.*"), (Keys{"net.a", "net.b"}));
  EXPECT_EQ(renamed({"layers.0.norm.gamma", "layers.1.gamma"}, "layers.*.gamma", "blocks.*.weight"),
            (Keys{"blocks.0.norm.weight", "blocks.1.weight"}));
  EXPECT_EQ(renamed({"a.b.c"}, "*.*", "*/*"), Keys{"a/b.c"});  // as little as fits
  EXPECT_EQ(renamed({"a.b.c"}, "*.*", "*"), Keys{"a"});
  EXPECT_EQ(renamed({"gamma", "x.gamma"}, "gamma", "weight"), (Keys{"weight", "x.gamma"}));
  EXPECT_THROW(renamed({"a", "b"}, "b", "a"), Error);
  EXPECT_THROW(renamed({"a.x", "b.x"}, "*.x", "y"), Error);
  EXPECT_THROW(renamed({"b", "a"}, "b", "a"), Error);
  EXPECT_THROW(renamed({"a"}, "a*", "**"), Error);
  const State state = with_keys({"a"});
  EXPECT_EQ(rename_keys(state, "a", "b").get<int>("b"), 0);
  EXPECT_TRUE(state.contains("a"));
}

TEST(State, TemporariesStayAliveWhileTheyAreWalked) {
  const auto make = [] {
    State outer;
    outer.insert("model", sample());
    return outer;
  };
  int count = 0;
  for (const auto& [key, value] : make()["model"]) count += key.empty() || value.is_dict() ? 0 : 1;
  EXPECT_EQ(count, 7);
}

// operator[] of a temporary returns a temporary. Its parts must not dangle.
TEST(State, PartsOfATemporaryAreValues) {
  const auto load = [] {
    State state;
    state.insert("list", State::list({std::string(200, 'x'), ones({3})}));
    state.insert("text", std::string(300, 'y'));
    return state;
  };
  const std::string& text = load()["text"].string();
  EXPECT_EQ(text, std::string(300, 'y'));
  std::vector<State> elements;
  for (const State& element : load()["list"].elements()) elements.push_back(element);
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(elements[0].string(), std::string(200, 'x'));
  EXPECT_EQ(elements[1].tensor().numel(), 3);
  EXPECT_THROW(load()["list"].string(), Error);
  EXPECT_THROW(load()["text"].elements(), Error);
  static_assert(std::is_same_v<decltype(std::declval<State>().string()), std::string>);
  static_assert(std::is_same_v<decltype(std::declval<State&>().string()), const std::string&>);
  // A State that others share, or that is moved from, is unchanged.
  State list = load()["list"];
  const State other = list;
  EXPECT_EQ(std::move(list).elements().size(), 2u);
  EXPECT_EQ(other.size(), 2u);
}

TEST(State, PrintsItsTree) {
  State state;
  EXPECT_EQ(detail::text_of(state), "{}");
  state.insert("fc.weight", zeros({2, 3}));
  state.insert("count", zeros({}, kLong));
  state.insert("meta", zeros({4}, TensorOptions(kMeta).dtype(kHalf)));
  state.insert("epoch", 3);
  state.insert("lr", 0.1);
  state.insert("name", "net");
  state.insert("none", nullptr);
  state.insert("betas", State::list({0.9, 0.999}));
  State group;
  group.insert("nesterov", true);
  group.insert("params", State::list({0, 1}));
  state.insert("groups", State::list({group, State()}));
  state.insert("empty", State::list());
  EXPECT_EQ(detail::text_of(state),
            "{\n"
            "  'fc.weight': float32 [2, 3],\n"
            "  'count': int64 [],\n"
            "  'meta': float16 [4] on meta,\n"
            "  'epoch': 3,\n"
            "  'lr': 0.1,\n"
            "  'name': 'net',\n"
            "  'none': null,\n"
            "  'betas': [0.9, 0.999],\n"
            "  'groups': [\n"
            "    {\n"
            "      'nesterov': true,\n"
            "      'params': [0, 1]\n"
            "    },\n"
            "    {}\n"
            "  ],\n"
            "  'empty': []\n"
            "}");
  EXPECT_EQ(detail::text_of(State(zeros({2}))), "float32 [2]");
}

}  // namespace
}  // namespace tern
