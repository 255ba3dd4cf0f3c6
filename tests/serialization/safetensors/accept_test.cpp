#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include <tern/core/ops/ops.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/state_file.h>

#include "serialization/safetensors/bytes.h"
#include "serialization/scratch.h"

// Files that are unusual and right: the reference reads them, too.

namespace tern {
namespace {

class SafetensorsAccept : public ::testing::TestWithParam<bool> {
 protected:
  State read(const std::string& bytes) const {
    const std::string path = scratch_.path("state.safetensors");
    write_file(path, bytes);
    LoadFileOptions options;
    options.map = GetParam();
    return load_state(path, options);
  }

  const Scratch scratch_;
};

INSTANTIATE_TEST_SUITE_P(, SafetensorsAccept, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "mapped" : "read"; });

TEST_P(SafetensorsAccept, NoTensors) {
  EXPECT_TRUE(read(safetensors_bytes("{}")).empty());
  EXPECT_TRUE(read(safetensors_bytes("{}      ")).empty());
  EXPECT_TRUE(read(safetensors_bytes(R"({"__metadata__":{"a":"b"}})")).empty());
}

TEST_P(SafetensorsAccept, WhiteSpaceAroundTheHeader) {
  const std::string header = one_tensor("F32", "[1]", "[0,4]");
  const std::string space(5000, ' ');
  for (const std::string& text :
       {"\n" + header, space + header + space, "\t\r\n " + header + "\n"}) {
    EXPECT_EQ(read(safetensors_bytes(text, 4))["w"].tensor().item<float>(), 0);
  }
}

TEST_P(SafetensorsAccept, EmptyTensorsAnywhere) {
  const State state = read(safetensors_bytes(
      "{\"a\":" + entry_text("F32", "[0]", "[0,0]") + ",\"b\":" + entry_text("I64", "[]", "[0,8]") +
          ",\"c\":" + entry_text("F64", "[2,0]", "[8,8]") +
          ",\"d\":" + entry_text("BOOL", "[0,9]", "[8,8]") + "}",
      8));
  EXPECT_EQ(state.size(), 4u);
  EXPECT_EQ(state["c"].tensor().sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(state["d"].tensor().sizes(), IntArrayRef({0, 9}));
}

TEST_P(SafetensorsAccept, UnalignedDataIsCopied) {
  // A header of an odd size, and a double at an odd offset.
  std::string header = "{\"a\":" + entry_text("BOOL", "[1]", "[0,1]") +
                       ",\"b\":" + entry_text("F64", "[2]", "[1,17]") + "}";
  for (int i = 0; i < 2; ++i, header += ' ') {
    const double values[] = {0.1, -0.0};
    std::string data(17, '\1');
    std::memcpy(data.data() + 1, values, sizeof values);
    const State state = read(safetensors_bytes(header, data));
    EXPECT_EQ(state["b"].tensor().to_vector<double>(), (std::vector<double>{0.1, -0.0}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(state["b"].tensor().data_ptr()) % 8, 0u);
    EXPECT_TRUE(state["a"].tensor().item<bool>());
  }
}

TEST_P(SafetensorsAccept, HeaderInAnotherOrderThanTheData) {
  const State state = read(safetensors_bytes("{\"a\":" + entry_text("I64", "[]", "[8,16]") +
                                                 ",\"b\":" + entry_text("I64", "[]", "[0,8]") + "}",
                                             std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16)));
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(state["a"].tensor().item<int>(), 2);
  EXPECT_EQ(state["b"].tensor().item<int>(), 1);
}

TEST_P(SafetensorsAccept, MetadataNullEmptyOrLast) {
  for (const char* metadata : {"null", "{}", R"({"a":"","b":"\u00e4"})"}) {
    const std::string entry = "\"w\":" + entry_text("F32", "[1]", "[0,4]");
    const std::string text = std::string("\"__metadata__\":") + metadata;
    EXPECT_EQ(read(safetensors_bytes("{" + text + "," + entry + "}", 4)).size(), 1u);
    EXPECT_EQ(read(safetensors_bytes("{" + entry + "," + text + "}", 4)).size(), 1u);
  }
}

TEST_P(SafetensorsAccept, UnknownFields) {
  for (const char* extra :
       {"1", "-1.5", "\"text\"", "null", "true", "[]", "[[1,{\"shape\":[2]}],2]",
        R"({"dtype":"I64","a":{"b":[]},"dtype":1})"}) {
    const std::string header = std::string(R"({"w":{"extra":)") + extra +
                               R"(,"dtype":"F32","more":)" + extra +
                               R"(,"shape":[1],"data_offsets":[0,4],"last":)" + extra + "}}";
    EXPECT_EQ(read(safetensors_bytes(header, 4))["w"].tensor().dtype(), kFloat) << extra;
  }
}

TEST_P(SafetensorsAccept, NamesOfAllKinds) {
  const std::string entries[] = {
      R"("")",        R"("a.b.c")", R"("\u0000x")", "\"\xe2\x82\xac\"", R"("\ud83d\ude00")",
      R"("metadata")"};
  std::string header;
  for (std::size_t i = 0; i < std::size(entries); ++i) {
    const std::string range = "[" + std::to_string(i) + "," + std::to_string(i + 1) + "]";
    header += (i == 0 ? "{" : ",") + entries[i] + ":" + entry_text("BOOL", "[]", range);
  }
  const State state = read(safetensors_bytes(header + "}", 6));
  EXPECT_EQ(state.keys(),
            (std::vector<std::string>{"", "a.b.c", std::string("\0x", 2), "\xe2\x82\xac",
                                      "\xf0\x9f\x98\x80", "metadata"}));
}

TEST_P(SafetensorsAccept, BytesOfABoolOtherThanOneAreTrue) {
  const State state =
      read(safetensors_bytes(one_tensor("BOOL", "[5]", "[0,5]"), std::string("\0\1\2\x80\xff", 5)));
  EXPECT_TRUE(identical(state["w"], tensor({false, true, true, true, true})));
}

TEST_P(SafetensorsAccept, ManyDimensions) {
  std::string shape = "[1";
  for (int i = 1; i < 64; ++i) shape += ",1";
  EXPECT_EQ(read(safetensors_bytes(one_tensor("F32", shape + "]", "[0,4]"), 4))["w"].tensor().dim(),
            64);
}

TEST_P(SafetensorsAccept, AliasesInTheMetadata) {
  const State state = read(
      safetensors_bytes(R"({"__metadata__":{"format":"w","v":"w","u":"v","by":"somebody"},"w":)" +
                            entry_text("F32", "[1]", "[0,4]") + "}",
                        4));
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"w", "v", "u"}));
  EXPECT_TRUE(state["u"].tensor().is_same(state["w"].tensor()));
}

}  // namespace
}  // namespace tern
