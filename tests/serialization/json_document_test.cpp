#include <string>

#include <gtest/gtest.h>

#include <tern/serialization/json_document.h>

#include "error_of.h"
#include "scratch.h"

namespace tern {
namespace {

class JsonDocument : public ::testing::Test {
 protected:
  State read(const std::string& text) {
    write_file(path_, text);
    return load_json(path_);
  }
  std::string error(const std::string& text) {
    const std::string what = error_of<FileError>([&] { read(text); });
    EXPECT_TRUE(what.starts_with("load_json: '" + path_ + "': ")) << what;
    return what.substr(std::min(what.size(), path_.size() + 15));
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.path();
};

TEST_F(JsonDocument, HasAllKindsOfValues) {
  const State state = read(
      R"({"a": 3, "b": -2, "c": 1e-05, "d": "x\n\u00e9", "e": null, "f": true, "g": [1, [], "2"], "h": {"$i": {}}})");
  EXPECT_EQ(state.get<std::int64_t>("a"), 3);
  EXPECT_EQ(state.get<std::int64_t>("b"), -2);
  EXPECT_TRUE(state["c"].is_double());
  EXPECT_EQ(state.get<double>("c"), 1e-5);
  EXPECT_EQ(state.get<std::string>("d"), "x\n\xc3\xa9");
  EXPECT_TRUE(state["e"].is_null());
  EXPECT_TRUE(state.get<bool>("f"));
  EXPECT_EQ(state["g"].size(), 3U);
  EXPECT_EQ(state["g"][0].to<std::int64_t>(), 1);
  EXPECT_TRUE(state["g"][1].is_list());
  EXPECT_TRUE(state["h"]["$i"].is_dict());
  EXPECT_EQ(state.keys().front(), "a");
  EXPECT_EQ(state.keys().back(), "h");
}

TEST_F(JsonDocument, RefusesOtherTexts) {
  EXPECT_EQ(error("[1]"), "expected an object, found a list");
  EXPECT_EQ(error("3"), "expected an object, found an integer");
  EXPECT_NE(error(R"({"a": 1, "a": 2})").find("'a'"), std::string::npos);
  EXPECT_NE(error(R"({"a": 18446744073709551615})").find("18446744073709551615"),
            std::string::npos);
  std::string deep = "1";
  for (int i = 0; i < 16; ++i) deep = R"({"a": )" + deep + '}';
  EXPECT_EQ(read(deep).depth(), 16);
  EXPECT_EQ(error(R"({"a": )" + deep + '}'), "nested deeper than 16");
  EXPECT_TRUE(error(R"({"a": 1)").starts_with("byte 7: ")) << error(R"({"a": 1)");
  EXPECT_TRUE(error(R"({"a": NaN})").starts_with("byte ")) << error(R"({"a": NaN})");
  EXPECT_TRUE(error(R"({"a": 1} x)").starts_with("byte ")) << error(R"({"a": 1} x)");
  EXPECT_TRUE(error("{\"a\": \"\xff\"}").starts_with("byte "));
  EXPECT_TRUE(error("").starts_with("byte "));
}

TEST_F(JsonDocument, NamesAMissingFile) {
  const std::string text = error_of<FileError>([&] { load_json(path_ + "x"); });
  EXPECT_NE(text.find(path_ + "x"), std::string::npos) << text;
}

}  // namespace
}  // namespace tern
