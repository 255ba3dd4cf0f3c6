#include <cmath>

#include "serialization/json/reject.h"

// Trees that do not make a state, as JSON in a file (version 2) and as text in the metadata
// (version 1).

namespace tern {
namespace {

const std::string kOneTensor = R"("tensors": {"w": {"dtype": "F32", "shape": [1], "data": [1]}})";

std::string with_state(const std::string& tree) {
  return R"({"format": "tern.state_dict", "version": 2, "state": )" + tree + ", " + kOneTensor +
         "}";
}

std::string with_text(const std::string& tree) {
  std::string quoted;
  for (const char c : tree) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  return R"({"format": "tern.state_dict", "version": 1, "metadata": {"tern.state": ")" + quoted +
         "\"}, " + kOneTensor + "}";
}

class JsonRejectTree : public JsonReject {
 protected:
  void rejects_both(const std::string& tree, const std::string& part) {
    rejects(with_state(tree), ": state: ");
    rejects(with_state(tree), part);
    rejects(with_text(tree), "metadata 'tern.state': ");
    rejects(with_text(tree), part);
  }
};

TEST_F(JsonRejectTree, ATreeThatFitsIsRead) {
  const std::string tree = R"({"a": {"$tensor": "w"}, "b": 1, "$$c": [null, {"$double": "NaN"}]})";
  for (const std::string& text : {with_state(tree), with_text(tree)}) {
    write_file(path_, text);
    const State state = load_state(path_);
    EXPECT_EQ(state.keys(), (std::vector<std::string>{"a", "b", "$c"}));
    EXPECT_EQ(state["a"].tensor().item<float>(), 1);
    EXPECT_EQ(state.get<int>("b"), 1);
    EXPECT_TRUE(std::isnan(state["$c"][std::size_t{1}].to<double>()));
  }
}

TEST_F(JsonRejectTree, OtherTensors) {
  rejects_both("{}", "tensor 'w' is in the file, but not in the tree");
  rejects_both(R"({"a": 3, "b": "w"})", "tensor 'w' is in the file, but not in the tree");
  rejects_both(R"({"a": {"$tensor": "v"}})", "the file has no tensor 'v'");
  rejects_both(R"({"a": {"$tensor": "w"}, "b": [{"$tensor": "W"}]})", "the file has no tensor 'W'");
  rejects(replaced(with_state(R"({"a": {"$tensor": "w"}})"), kOneTensor, R"("tensors": {})"),
          "state: the file has no tensor 'w'");
}

TEST_F(JsonRejectTree, Words) {
  rejects_both(R"({"a": {"$tensor": 3}})",
               "expected a string for key '$tensor', found an integer 3");
  rejects_both(R"({"a": {"$tensor": {"$tensor": "w"}}})", "expected a string for key '$tensor'");
  rejects_both(R"({"a": {"$other": "w"}})", "unknown key '$other'");
  rejects_both(R"({"a": {"$value": "w"}})", "unknown key '$value'");
  rejects_both(R"({"a": {"$": "w"}})", "unknown key '$'");
  rejects_both(R"({"a": {"$tensor": "w", "b": 1}})", "'$tensor' must be the only key");
  rejects_both(R"({"a": {"b": 1, "$tensor": "w"}})", "'$tensor' must be the only key");
  rejects_both(R"({"a": {"$tensor": "w", "$tensor": "w"}})", "'$tensor' must be the only key");
  rejects_both(R"({"a": {"$double": "nan"}})", "unknown number 'nan'");
  rejects_both(R"({"a": {"$double": 0.5}})", "expected a string for key '$double'");
}

TEST_F(JsonRejectTree, KeysAndNumbers) {
  rejects_both(R"({"a": 1, "a": {"$tensor": "w"}})", "Key 'a' already defined");
  rejects_both(R"({"a": {"b": 1, "\u0062": 2}})", "Key 'b' already defined");
  rejects_both(R"({"a": 18446744073709551615})", "State: 18446744073709551615 does not fit");
}

TEST_F(JsonRejectTree, WhatIsNoJson) {
  for (const char* tree : {"{\"a\": 1e999}", "{\"a\": NaN}", "{\"a\": tru}", "{\"a\": 01}",
                           "{\"a\": [1,]}", "{\"a\": 1,}", "{\"a\" 1}", "{\"a\": 'b'}",
                           "{\"a\": 1 /* b */}", "{\"a\": [1}", "{a: 1}"}) {
    SCOPED_TRACE(tree);
    rejects_both(tree, "");
  }
  for (const char* tree : {"{", "{} {}", "{}]", "{\"a\": \"b", "{\"a\": [{"}) {
    rejects(with_text(tree), "metadata 'tern.state': byte ");
    rejects(with_state(tree), "line 1, column ");
  }
  rejects(with_state("{\"a\": \"\xff\"}"), "ill-formed UTF-8");
  rejects(with_state(std::string("{\"a\": \"\0\"}", 10)), "unexpected NUL byte");
}

TEST_F(JsonRejectTree, Roots) {
  for (const auto& [tree, kind] : std::initializer_list<std::pair<const char*, const char*>>{
           {"3", ""}, {"[1]", ""}, {"[{}]", "'state'"}, {"null", ""}, {"true", ""}, {"-1.5", ""}}) {
    SCOPED_TRACE(tree);
    rejects(with_state(tree), *kind == '\0' ? "key 'state': expected an object" : kind);
  }
  rejects(with_state("\"text\""), "key 'state': expected an object, found a string");
  rejects(with_text("3"), "tensor 'w' is in the file, but not in the tree");
  rejects(with_text(R"({"$value": {"$tensor": "w"}})"), "");
  rejects(with_state(R"({"$value": 1, "$value": {"$tensor": "w"}})"),
          "'$value' must be the only key");
  rejects(with_state(R"({"$value": {"$tensor": "w"}, "a": 1})"), "'$value' must be the only key");
  rejects(with_state(R"({"a": 1, "$value": {"$tensor": "w"}})"), "'$value' must be the only key");
  rejects(with_state(R"({"$value": {"$value": {"$tensor": "w"}}})"), "unknown key '$value'");
}

TEST_F(JsonRejectTree, Nesting) {
  for (const std::size_t depth : {18u, 100'000u}) {
    const std::string open(depth, '['), close(depth, ']');
    rejects_both("{\"a\": " + open + close + "}", "nested deeper than 16");
    rejects_both("{\"a\": " + open, "nested deeper than 16");
    std::string objects;
    for (std::size_t i = 0; i <= depth; ++i) objects += "{\"a\":";
    rejects_both(objects, "nested deeper than 16");
  }
  // What may stand one deeper, a tensor or a wrapped root, is none of the state's levels.
  std::string lists = R"([{"$tensor": "w"}])", dicts = R"({"$tensor": "w"})";
  for (int i = 1; i < 16; ++i) lists = "[" + lists + "]", dicts = "{\"a\": " + dicts + "}";
  write_file(path_, with_state("{\"$value\": " + lists + "}"));
  EXPECT_EQ(load_state(path_).depth(), 16);
  rejects(with_state("{\"$value\": [" + lists + "]}"), "nested");
  dicts = "{\"a\": " + dicts + "}";
  write_file(path_, with_state(dicts));
  EXPECT_EQ(load_state(path_).depth(), 16);
  rejects(with_state("{\"a\": " + dicts + "}"), "nested");
  rejects(with_text("{\"a\": " + dicts + "}"), "nested");
}

TEST_F(JsonRejectTree, WhatAVersionDoesNotHave) {
  const std::string good = with_state(R"({"a": {"$tensor": "w"}})");
  write_file(path_, good);
  EXPECT_EQ(load_state(path_).size(), 1u);
  rejects(replaced(good, "\"version\": 2", "\"version\": 1"),
          "unexpected key 'state' in version 1");
  rejects(replaced(good, "\"version\": 2, ", ""), "missing key 'version'");
  rejects(replaced(good, "\"format\": \"tern.state_dict\", ", ""), "missing \"format\"");
  rejects(replaced(good, ", " + kOneTensor, ""), "missing key 'tensors'");
  rejects(R"({"state": {"a": 1}})", "missing \"format\"");
  rejects(replaced(good, "\"state\"", "\"stato\""), "key 'stato'");
  rejects(replaced(good, "\"version\": 2", "\"version\": 2, \"extra\": [1]"),
          "unexpected key 'extra'");
  rejects(replaced(good, "\"version\": 2", "\"version\": 2, \"extra\": {}"), "key 'extra'");
  rejects(replaced(good, "\"version\": 2", "\"version\": 2, \"state\": {}"),
          "key 'state' appears twice");
  rejects(
      replaced(good, "\"version\": 2", "\"version\": 2, \"metadata\": {\"tern.state\": \"{}\"}"),
      "metadata 'tern.state' is only allowed in version 1");
}

TEST_F(JsonRejectTree, ErrorsSayWhere) {
  write_file(path_,
             "{\"format\": \"tern.state_dict\", \"version\": 2,\n\"tensors\": {},\n\"state\": {"
             "\n\"a\": 1,\n  \"b\": {\"$tensor\": \"v\"}\n}}");
  EXPECT_EQ(error_of<FileError>([&] { load_state(path_); }),
            "load: '" + path_ + "', line 5, column 23: state: the file has no tensor 'v'");
}

}  // namespace
}  // namespace tern
