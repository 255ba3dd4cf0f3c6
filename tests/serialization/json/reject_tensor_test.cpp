#include <tern/serialization/file/detail/base64.h>

#include "serialization/json/reject.h"

// Tensors whose fields, shape and elements do not make one.

namespace tern {
namespace {

using JsonRejectTensor = JsonReject;

// The text is decoded in pieces of 4,096 letters.
TEST_F(JsonRejectTensor, LongBase64) {
  const auto file = [](const std::string& bytes, const std::string& text) {
    return file_of("\"dtype\": \"BOOL\", \"shape\": [" + std::to_string(bytes.size()) +
                   "], \"encoding\": \"base64\", \"data\": \"" + text + "\"");
  };
  const std::string good(10'000, '\1');
  write_file(path_, file(good, detail::base64_encode(good)));
  EXPECT_TRUE(load_state(path_)["w"].tensor().equal(ones({10'000}, kBool)));
  for (const std::size_t wrong : {0u, 3071u, 3072u, 6143u, 9999u}) {
    std::string bytes = good;
    bytes[wrong] = '\2';
    rejects(file(bytes, detail::base64_encode(bytes)),
            "the byte of a bool must be 0 or 1, found 2");
  }
  for (const std::size_t letter : {4094u, 4095u, 8191u}) {  // the last letters of a piece
    std::string text = detail::base64_encode(good);
    text[letter] = '=';
    rejects(file(good, text), "base64: ");
  }
  rejects(file(good, detail::base64_encode(good + '\1')), "expected 10000 bytes, found 10001");
  rejects(file(good, detail::base64_encode(good.substr(1))), "expected 10000 bytes, found 9999");
}

TEST_F(JsonRejectTensor, NumbersThatJsonHasNot) {
  for (const char* number : {"+1",
                             ".5",
                             "1.",
                             "1.e5",
                             "1e",
                             "1e+",
                             "-",
                             "--1",
                             "0x10",
                             "01",
                             "-01",
                             "1_0",
                             "1f",
                             "nan",
                             "inf",
                             "1,5e",
                             "1 2",
                             "0.1.2",
                             "1e5.5",
                             "\u2212"
                             "1"}) {
    rejects(data("F32", "[1]", "[" + std::string(number) + "]"), "tensor 'w': data");
    rejects(plain("[" + std::string(number) + "]"), "'w'");
  }
  for (const char* word : {"NaN", "Infinity", "-Infinity"}) {
    const std::string says =
        "the word " + std::string(word) + " is not valid JSON; write the string \"";
    rejects(data("F32", "[1]", "[" + std::string(word) + "]"), says);
    rejects(data("F64", "[]", word), says);
    rejects(plain("[1.0, " + std::string(word) + "]"), says);
    rejects(plain(word), says);
  }
  rejects(data("I64", "[1]", "[NaN]"), "the word NaN is not valid JSON");
}

TEST_F(JsonRejectTensor, NumbersThatTheDtypeHasNot) {
  rejects(data("F32", "[2]", "[0.0, 1e39]"),
          "data[1]: the number 1e39 is outside the range of F32");
  rejects(data("F32", "[1]", "[-3.5e38]"), "outside the range of F32");
  rejects(data("F64", "[1]", "[1e309]"), "outside the range of F64");
  rejects(data("F64", "[]", "1e99999999999999999999"), "outside the range of F64");
  rejects(data("I64", "[1]", "[9223372036854775808]"), "outside the range of I64");
  rejects(data("I64", "[1]", "[-9223372036854775809]"), "outside the range of I64");
  rejects(data("U8", "[2]", "[0, 256]"), "data[1]: the number 256 is outside the range of U8");
  rejects(data("U8", "[1]", "[-1]"), "outside the range of U8");
  rejects(data("I8", "[1]", "[-129]"), "outside the range of I8");
  rejects(data("I16", "[1]", "[32768]"), "outside the range of I16");
  rejects(data("I32", "[1]", "[2147483648]"), "outside the range of I32");
  rejects(data("I32", "[1]", "[1.0]"), "expected an integer, found 1.0");
  rejects(data("F16", "[1]", "[65520.0]"), "outside the range of F16");
  rejects(data("F16", "[1]", "[-1e39]"), "outside the range of F16");
  rejects(data("BF16", "[1]", "[3.4e38]"), "outside the range of BF16");
  rejects(data("I64", "[1]", "[0.5]"), "expected an integer, found 0.5");
  rejects(data("I64", "[1]", "[1e2]"), "expected an integer, found 1e2");
  rejects(data("BOOL", "[1]", "[1]"), "expected true or false, found a number");
  rejects(data("BOOL", "[1]", "[True]"), "expected true or false");
  rejects(data("F32", "[1]", "[true]"), "expected a number, found a bool");
  rejects(data("I64", "[1]", "[\"NaN\"]"), "expected a number, found a string");
  rejects(plain("[1, 9223372036854775808]"), "outside the range of I64");
  rejects(plain("[1.5, 1e309]"), "outside the range of F64");
}

TEST_F(JsonRejectTensor, ElementsThatAreNoNumbers) {
  rejects(data("F32", "[1]", "[\"1.5\"]"), "data[0]: expected a number, found a string");
  rejects(data("F32", "[1]", "[\"nan\"]"), "expected a number, found a string");
  rejects(data("F32", "[1]", "[\"+Infinity\"]"), "expected a number, found a string");
  rejects(data("F32", "[1]", "[null]"), "data[0]: expected a number, found null");
  rejects(data("F32", "[1]", "[{}]"), "data");
  rejects(data("F32", "[1]", "{}"), "data: expected a list of 1 elements, found an object");
  rejects(data("F32", "[1]", "null"), "expected a list of 1 elements, found null");
  rejects(data("F32", "[1]", "\"1\""), "expected a list of 1 elements, found a string");
  rejects(plain("[1.0, null]"), "data[1]: expected a number, found null");
  rejects(plain("[{}]"), "expected a value, found an object");
  rejects(plain("{}"), "expected nested lists of numbers, found an object");
  rejects(plain("\"x\""), "expected nested lists of numbers, found a string");
  rejects(plain("[1, true]"), "expected a number, found a bool");
}

TEST_F(JsonRejectTensor, ListsThatAreNotTheShape) {
  rejects(data("F32", "[2, 3]", "[[1, 2], [3, 4], [5, 6]]"),
          "data[0]: expected 3 elements, found 2");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3], [4, 5]]"), "data[1]: expected 3 elements, found 2");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3], [4, 5, 6, 7]]"),
          "data[1]: expected 3 elements, found more");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3]]"), "data: expected 2 elements, found 1");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3], [4, 5, 6], []]"),
          "data: expected 2 elements, found more");
  rejects(data("F32", "[2, 3]", "[1, 2, 3, 4, 5, 6]"),
          "data[0]: expected a list of 3 elements, found a number");
  rejects(data("F32", "[2]", "[[1], [2]]"), "data[0]: expected a number, found a list");
  rejects(data("F32", "[2]", "[1, [2]]"), "data[1]: expected a number, found a list");
  rejects(data("F32", "[]", "[1]"), "data: expected a number, found a list");
  rejects(data("F32", "[1]", "1"), "data: expected a list of 1 elements, found a number");
  rejects(data("F32", "[0]", "[1]"), "data: expected 0 elements, found more");
  rejects(data("F32", "[2, 0]", "[[], [1]]"), "data[1]: expected 0 elements, found more");
  rejects(data("F32", "[2, 0]", "[]"), "data");
  rejects(data("F32", "[2]", "[1, 2,]"), "data: expected 2 elements, found more");
  rejects(data("F32", "[2]", "[1,, 2]"), "data[1]: expected a number, found a comma");
  rejects(data("F32", "[2]", "[1, 2"), "data");
  rejects(data("F32", "[2]", "[1, 2}"), "data");
  rejects(plain("[[1], [2, 3]]"), "data[1]: expected 1 elements, found more");
  rejects(plain("[[1, 2], [3]]"), "data[1]: expected 2 elements, found 1");
  rejects(plain("[[1], 2]"), "data[1]: expected a list of 1 elements, found a number");
  rejects(plain("[1, [2]]"), "data[0]: expected a list of 1 elements, found a number");
}

TEST_F(JsonRejectTensor, RaggedListsInAFileThatFits) {
  const std::string weight = R"("fc.weight": {"dtype": "F32", "shape": [2, 3], "data": )";
  const std::size_t begin = good_.find(weight) + weight.size(), end = good_.find('}', begin);
  const std::string data = good_.substr(begin, end - begin);
  for (const auto& [lists, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[[1.0, 2.0, 3.0], [4.0, 5.0]]", "data[1]: expected 3 elements, found 2"},
           {"[[1.0, 2.0], [3.0, 4.0, 5.0, 6.0]]", "data[0]: expected 3 elements, found 2"},
           {"[[1.0, 2.0, 3.0], 4.0]", "data[1]: expected a list of 3 elements, found a number"},
           {"[[1.0, 2.0, 3.0], [4.0, [5.0], 6.0]]", "data[1][1]: expected a number, found a list"},
           {"[[1.0, 2.0, 3.0]]", "data: expected 2 elements, found 1"}}) {
    rejects_changed(data, lists, std::string("'fc.weight': ") + part);
  }
  rejects(R"({"fc.weight": [[1.0, 2.0, 3.0], [4.0, 5.0]]})", "tensor 'fc.weight': data[1]");
}

TEST_F(JsonRejectTensor, ShapesThatAreNone) {
  rejects(data("F32", "[-2]", "[1, 2]"),
          "shape: expected non-negative integers, found a negative number");
  rejects(data("F32", "[2.0]", "[1, 2]"), "found a floating number");
  rejects(data("F32", "[2e0]", "[1, 2]"), "found a floating number");
  rejects(data("F32", "[\"2\"]", "[1, 2]"), "found a string");
  rejects(data("F32", "[true]", "[1, 2]"), "found a bool");
  rejects(data("F32", "[null]", "[1, 2]"), "found null");
  rejects(data("F32", "[[2]]", "[1, 2]"), "found a list");
  rejects(data("F32", "2", "[1, 2]"), "shape: expected a list, found a number");
  rejects(data("F32", "null", "[1, 2]"), "shape: expected a list, found null");
  rejects(data("F32", "[18446744073709551617]", "[]"), "shape");
  rejects(data("F32", "[9223372036854775808]", "[]"), "above 2^63 - 1");
  rejects(data("F32", "[4294967296, 4294967296, 4]", "[]"), "too many elements");
  rejects(data("F32", "[4294967296, 4294967296, 4, 0]", "[]"), "too many elements");
  rejects(data("F32", "[0, 9223372036854775807, 4]", "[]"), "too many elements");
  rejects(data("F32", "[1000000000000]", "[1]"), "more than the file can hold");
  rejects(data("F32", "[2305843009213693953]", "[1]"), "more than the file can hold");
  rejects(data("F32", "[9223372036854775807, 0]", "[]"),
          "data[0]: expected a list of 0 elements, found the end of a list");
  std::string ones = "1";
  for (int i = 0; i < 99999; ++i) ones += ",1";
  rejects(data("F32", "[" + ones + "]", "1"), "expected at most 64 sizes, found more");
}

TEST_F(JsonRejectTensor, IncompleteOrAmbiguousTensors) {
  rejects(file_of(R"("shape": [1], "data": [1])"), "tensor 'w': missing field 'dtype'");
  rejects(file_of(R"("dtype": "F32", "data": [1])"), "tensor 'w': missing field 'shape'");
  rejects(file_of(R"("dtype": "F32", "shape": [1])"), "tensor 'w': missing field 'data'");
  rejects(file_of(""), "tensor 'w': missing field 'dtype'");
  for (const char* dtype : {"\"F8\"", "\"f32\"", "\"\"", "\"float32\"", "\"F4\""}) {
    rejects(file_of(R"("dtype": )" + std::string(dtype) + R"(, "shape": [1], "data": [1])"),
            "expected one of I64, F32, F64, BOOL, U8, I8, I16, I32, F16, BF16");
  }
  rejects(file_of(R"("dtype": 3, "shape": [1], "data": [1])"),
          "dtype: expected a string, found a number");
  rejects(file_of(R"("dtype": "F32", "dtype": "F32", "shape": [1], "data": [1])"),
          "'dtype' appears twice");
  rejects(file_of(R"("dtype": "F32", "shape": [1], "data": [1], "data": [1])"),
          "'data' appears twice");
  rejects(file_of(R"("dtype": "F32", "shape": [1], "data": [1], "grad": [1])"),
          "unknown field 'grad'");
  rejects(file_of(R"("dtype": "F32", "shape": [1], "data": [1], "x": {})"), "unknown field 'x'");
  const std::string head = R"({"format": "tern.state_dict", "version": 1, "tensors": )";
  const std::string entry = R"({"dtype": "F32", "shape": [1], "data": [1]})";
  rejects(head + R"({"w": )" + entry + R"(, "w": )" + entry + "}}", "'w' appears twice");
  rejects(head + R"({"w": )" + entry + R"(, "\u0077": )" + entry + "}}", "'w' appears twice");
  rejects(R"({"w": [1], "\u0077": [1]})", "'w' appears twice");
  for (const char* value : {"3", "null", "[1]", "\"x\"", "true", "-1.5"}) {
    rejects(head + R"({"w": )" + value + "}}",
            "tensor 'w': expected an object with dtype, shape and data");
  }
  for (const char* value : {"3", "null", "[]", "\"x\""}) {
    rejects(head + value + "}", "tensors");
    rejects(replaced(good_, "\"metadata\": {}", "\"metadata\": " + std::string(value)),
            "'metadata'");
    rejects(
        R"({"metadata": {"a": )" + std::string(value == std::string("\"x\"") ? "{}" : value) + "}}",
        "metadata 'a': expected a string");
  }
}

TEST_F(JsonRejectTensor, Base64ThatIsNone) {
  const auto encoded = [](const std::string& dtype, const std::string& text) {
    return file_of(R"("dtype": ")" + dtype + R"(", "shape": [1], "encoding": "base64", "data": )" +
                   text);
  };
  rejects(encoded("F32", "\"AAAA\""), "data: expected 4 bytes, found 3");
  rejects(encoded("F32", "\"AAAAAAA=\""), "data: expected 4 bytes, found 5");
  rejects(encoded("F32", "\"AAA\""), "base64");
  rejects(encoded("F32", "\"AAAA*A==\""), "base64: the letter at position 4");
  rejects(encoded("F32", "\"AAAA\\u0041A==\""), "'w'");
  rejects(encoded("F32", "[1]"), "data: expected a string in base64");
  rejects(encoded("F32", "1"), "expected a list of 1 elements, found a number");
  rejects(encoded("F32", "\"AAAA"), "'w'");
  rejects(encoded("BOOL", "\"Ag==\""), "must be 0 or 1, found 2");
  rejects(replaced(encoded("F32", "\"AAAAAA==\""), "base64", "hex"),
          "encoding: expected 'base64', found 'hex'");
}

}  // namespace
}  // namespace tern
