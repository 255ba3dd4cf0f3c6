#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>

#include <tern/core/ops/ops.h>
#include <tern/nn/module.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/batchnorm.h>
#include <tern/nn/modules/linear.h>
#include <tern/serialization/state_file.h>

#include "scratch.h"

// What a file may not be. Every case must end in a typed error that says where and why, quickly,
// and must leave the model that it was meant for as it was, to the bit.

namespace tern {
namespace {

struct NetImpl : nn::Module {
  NetImpl() {
    register_module("fc", fc);
    register_module("bn", bn);
    scale = register_parameter("scale", ones({}));
    mask = register_buffer("mask", ones({2}, kBool));
    register_buffer("scratch", zeros({2}), /*persistent=*/false);
  }
  nn::Linear fc{3, 2};
  nn::BatchNorm1d bn{2};
  Tensor scale, mask;
};
TERN_MODULE(Net);

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' to replace");
  return text.replace(at, from.size(), to);
}

/// A model, the text of a file that fits it, and a place for broken variants of that file.
class JsonReject : public testing::Test {
 protected:
  JsonReject() {
    manual_seed(1);
    net_ = Net();
    before_ = copy_of(net_->state_dict());
    save(net_, scratch_.path());
    good_ = read_file(scratch_.path());
    manual_seed(2);
  }

  static State copy_of(const State& state) {
    State copy;
    for (const auto& [key, value] : state) copy.insert(key, value.tensor().clone());
    return copy;
  }

  /// Loads `text` and expects an error of kind E that contains `part`.
  template <class E = FileError>
  void rejects(const std::string& text, const std::string& part, bool strict = true) {
    write_file(scratch_.path(), text);
    const std::clock_t start = std::clock();  // of the processor: the machine may be busy
    const std::string message = text_of_error<E>([&] { load(net_, scratch_.path(), strict); });
    const std::string head = text.substr(0, 200);
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC) << head;
    EXPECT_NE(message.find(part), std::string::npos)
        << head << "\n  said: " << message.substr(0, 500) << "\n  not:  " << part;
    EXPECT_LT(message.size(), 10000u) << "an error must stay readable";
    EXPECT_TRUE(identical(net_->state_dict(), before_)) << head;
  }

  /// A file with one tensor made of these fields.
  static std::string file_of(const std::string& fields) {
    return R"({"format": "tern.state_dict", "version": 1, "tensors": {"w": {)" + fields + "}}}";
  }
  static std::string data(const std::string& dtype, const std::string& shape,
                          const std::string& elements) {
    return file_of(R"("dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data": )" +
                   elements);
  }
  static std::string plain(const std::string& value) { return "{\"w\": " + value + "}"; }

  const Scratch scratch_;
  Net net_{nullptr};
  State before_;
  std::string good_;
};

TEST_F(JsonReject, TheFileItselfIsGood) {
  net_->scale.detach().fill_(5);
  load(net_, scratch_.path());
  EXPECT_TRUE(identical(net_->state_dict(), before_));
}

TEST_F(JsonReject, WhatIsNoJson) {
  rejects("", "is empty");
  for (const char* text : {"{",
                           "}",
                           "{]",
                           "{,}",
                           "{\"a\"}",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":}",
                           "{\"a\" [1]}",
                           "{\"a\"::[1]}",
                           "{\"a\":[1]",
                           "{\"a\":[1],",
                           "{\"a\":[1],}",
                           "{\"a\":[1];}",
                           "{\"a\":[1]]}",
                           "{\"a\":[1]} x",
                           "{\"a\":[1]}{}",
                           "{\"a\":[1]},",
                           "{'a':[1]}",
                           "{a:[1]}",
                           "{1:[1]}",
                           "{\"a\":[1]/*c*/}",
                           "{\"a\":[1]}//c",
                           "# c\n{}",
                           "{\"a\"=[1]}",
                           "{\"a\":[1] \"b\":[2]}",
                           "{\"a\":\"b\"",
                           "{\"metadata\":{\"a\":\"b}}",
                           "{\"metadata\":{\"a\":tru}}",
                           "{\"metadata\":{\"a\":01}}",
                           "[",
                           "[[",
                           "nul",
                           "-",
                           "\"",
                           "{\"a\\x\":[1]}",
                           "{\"a\\u00g0\":[1]}",
                           "{\"a\\\":[1]}",
                           "{\"tab\there\":[1]}",
                           "{\"line\nhere\":[1]}",
                           "{\"a\":1 2}",
                           "{\"a\":true false}",
                           "{\"a\":1x}"}) {
    rejects(text, "line ");
  }
  for (const char* text : {"[]", "null", "3", "true", "\"x\"", "1.5", "-1"}) {
    rejects(text, "expected an object, found ");
  }
  rejects("{\"a\":[1]\n  \"b\":[1]}", "line 2, column ");
}

TEST_F(JsonReject, WhatIsNotUtf8) {
  for (const char* key :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80"}) {
    rejects("{\"" + std::string(key) + "\":[1]}", "invalid string: ill-formed UTF-8");
  }
  rejects("{\"\\ud800\":[1]}", "surrogate");
  rejects("{\"\\udc00\":[1]}", "surrogate");
  rejects("{\"\\ud800\\u0041\":[1]}", "surrogate");
  rejects("\xef\xbb\xbf" + good_, "begins with a byte order mark");
  rejects(std::string("\xff\xfe{\0", 4), "is UTF-16");
  rejects(std::string("\xfe\xff\0{", 4), "is UTF-16");
  rejects(std::string("{\0\"\0", 4), "a NUL byte");
  rejects(good_ + std::string(1, '\0'), "a NUL byte");
  rejects(good_ + std::string("\0{}", 3), "a NUL byte");
  rejects(std::string("{\"a\0b\":[1]}", 11), "a NUL byte");
}

TEST_F(JsonReject, OtherKindsOfFiles) {
  rejects("\x1f\x8b\x08", "is compressed with gzip");
  rejects("PK\x03\x04", "is a ZIP archive, as torch.save writes");
  rejects(std::string("\x08\0\0\0\0\0\0\0{}      ", 16), "is in the format safetensors");
  rejects("\x89PNG", "line 1, column 1");
}

TEST_F(JsonReject, NumbersThatJsonHasNot) {
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
        "a bare " + std::string(word) + " is no JSON; state files write the string \"";
    rejects(data("F32", "[1]", "[" + std::string(word) + "]"), says);
    rejects(data("F64", "[]", word), says);
    rejects(plain("[1.0, " + std::string(word) + "]"), says);
    rejects(plain(word), says);
  }
  rejects(data("I64", "[1]", "[NaN]"), "a bare NaN is no JSON");
}

TEST_F(JsonReject, NumbersThatTheDtypeHasNot) {
  rejects(data("F32", "[2]", "[0.0, 1e39]"),
          "data[1]: the number 1e39 is outside the range of F32");
  rejects(data("F32", "[1]", "[-3.5e38]"), "outside the range of F32");
  rejects(data("F32", "[1]", "[1e-50]"), "outside the range of F32");
  rejects(data("F64", "[1]", "[1e309]"), "outside the range of F64");
  rejects(data("F64", "[]", "1e99999999999999999999"), "outside the range of F64");
  rejects(data("I64", "[1]", "[9223372036854775808]"), "outside the range of I64");
  rejects(data("I64", "[1]", "[-9223372036854775809]"), "outside the range of I64");
  rejects(data("I64", "[1]", "[0.5]"), "expected an integer, found 0.5");
  rejects(data("I64", "[1]", "[1e2]"), "expected an integer, found 1e2");
  rejects(data("BOOL", "[1]", "[1]"), "expected true or false, found a number");
  rejects(data("BOOL", "[1]", "[True]"), "expected true or false");
  rejects(data("F32", "[1]", "[true]"), "expected a number, found a bool");
  rejects(data("I64", "[1]", "[\"NaN\"]"), "expected a number, found a string");
  rejects(plain("[1, 9223372036854775808]"), "outside the range of I64");
  rejects(plain("[1.5, 1e309]"), "outside the range of F64");
}

TEST_F(JsonReject, ElementsThatAreNoNumbers) {
  rejects(data("F32", "[1]", "[\"1.5\"]"), "data[0]: expected a number, found a string");
  rejects(data("F32", "[1]", "[\"nan\"]"), "expected a number, found a string");
  rejects(data("F32", "[1]", "[\"+Infinity\"]"), "expected a number, found a string");
  rejects(data("F32", "[1]", "[null]"), "data[0]: expected a number, found null");
  rejects(data("F32", "[1]", "[{}]"), "data");
  rejects(data("F32", "[1]", "{}"), "data: expected a list of 1, found an object");
  rejects(data("F32", "[1]", "null"), "expected a list of 1, found null");
  rejects(data("F32", "[1]", "\"1\""), "expected a list of 1, found a string");
  rejects(plain("[1.0, null]"), "data[1]: expected a number, found null");
  rejects(plain("[{}]"), "expected a value, found an object");
  rejects(plain("{}"), "expected nested lists of numbers, found an object");
  rejects(plain("\"x\""), "expected nested lists of numbers, found a string");
  rejects(plain("[1, true]"), "expected a number, found a bool");
}

TEST_F(JsonReject, ListsThatAreNotTheShape) {
  rejects(data("F32", "[2, 3]", "[[1, 2], [3, 4], [5, 6]]"),
          "data[0]: expected 3 elements, found 2");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3], [4, 5]]"), "data[1]: expected 3 elements, found 2");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3], [4, 5, 6, 7]]"),
          "data[1]: expected 3 elements, found more");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3]]"), "data: expected 2 elements, found 1");
  rejects(data("F32", "[2, 3]", "[[1, 2, 3], [4, 5, 6], []]"),
          "data: expected 2 elements, found more");
  rejects(data("F32", "[2, 3]", "[1, 2, 3, 4, 5, 6]"),
          "data[0]: expected a list of 3, found a number");
  rejects(data("F32", "[2]", "[[1], [2]]"), "data[0]: expected a number, found a list");
  rejects(data("F32", "[2]", "[1, [2]]"), "data[1]: expected a number, found a list");
  rejects(data("F32", "[]", "[1]"), "data: expected a number, found a list");
  rejects(data("F32", "[1]", "1"), "data: expected a list of 1, found a number");
  rejects(data("F32", "[0]", "[1]"), "data: expected 0 elements, found more");
  rejects(data("F32", "[2, 0]", "[[], [1]]"), "data[1]: expected 0 elements, found more");
  rejects(data("F32", "[2, 0]", "[]"), "data");
  rejects(data("F32", "[2]", "[1, 2,]"), "data: expected 2 elements, found more");
  rejects(data("F32", "[2]", "[1,, 2]"), "data[1]: expected a number, found a comma");
  rejects(data("F32", "[2]", "[1, 2"), "data");
  rejects(data("F32", "[2]", "[1, 2}"), "data");
  rejects(plain("[[1], [2, 3]]"), "data[1]: expected 1 elements, found more");
  rejects(plain("[[1, 2], [3]]"), "data[1]: expected 2 elements, found 1");
  rejects(plain("[[1], 2]"), "data[1]: expected a list of 1, found a number");
  rejects(plain("[1, [2]]"), "data[0]: expected a list of 1, found a number");
}

TEST_F(JsonReject, ShapesThatAreNone) {
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
  rejects(data("F32", "[9223372036854775808]", "[]"), "past 2^63 - 1");
  rejects(data("F32", "[4294967296, 4294967296, 4]", "[]"), "larger than any memory");
  rejects(data("F32", "[4294967296, 4294967296, 4, 0]", "[]"), "larger than any memory");
  rejects(data("F32", "[0, 9223372036854775807, 4]", "[]"), "larger than any memory");
  rejects(data("F32", "[1000000000000]", "[1]"), "more than the file can hold");
  rejects(data("F32", "[2305843009213693953]", "[1]"), "more than the file can hold");
  rejects(data("F32", "[9223372036854775807, 0]", "[]"),
          "data[0]: expected a list of 0, found the end of a list");
  std::string ones = "1";
  for (int i = 0; i < 99999; ++i) ones += ",1";
  rejects(data("F32", "[" + ones + "]", "1"), "more than 64");
}

TEST_F(JsonReject, IncompleteOrAmbiguousTensors) {
  rejects(file_of(R"("shape": [1], "data": [1])"), "tensor 'w': no 'dtype'");
  rejects(file_of(R"("dtype": "F32", "data": [1])"), "tensor 'w': no 'shape'");
  rejects(file_of(R"("dtype": "F32", "shape": [1])"), "tensor 'w': no 'data'");
  rejects(file_of(""), "tensor 'w': no 'dtype'");
  for (const char* dtype : {"\"F16\"", "\"f32\"", "\"\"", "\"float32\"", "\"F4\""}) {
    rejects(file_of(R"("dtype": )" + std::string(dtype) + R"(, "shape": [1], "data": [1])"),
            "is none of I64, F32, F64, BOOL");
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

TEST_F(JsonReject, Base64ThatIsNone) {
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
  rejects(encoded("F32", "1"), "expected a list of 1, found a number");
  rejects(encoded("F32", "\"AAAA"), "'w'");
  rejects(encoded("BOOL", "\"Ag==\""), "neither 0 nor 1");
  rejects(replaced(encoded("F32", "\"AAAAAA==\""), "base64", "hex"), "unknown encoding");
}

TEST_F(JsonReject, OtherFormatsAndVersions) {
  rejects(replaced(good_, "tern.state_dict", "other"),
          "the format is 'other', not 'tern.state_dict'");
  rejects(replaced(good_, "\"tern.state_dict\"", "3"), "no \"format\"");
  rejects(replaced(good_, "\"format\": \"tern.state_dict\",", ""),
          "no \"format\": \"tern.state_dict\"");
  rejects(replaced(good_, "\"version\": 1,", ""), "no 'version'");
  rejects(replaced(good_, "\"version\": 1", "\"version\": 2"),
          "version 2 is newer than this library reads");
  for (const char* version : {"0", "-1", "1.0", "1e0", "[1]", "true", "99999999999999999999"}) {
    rejects(replaced(good_, "\"version\": 1", "\"version\": " + std::string(version)),
            "the version is no number from 1");
  }
  rejects(replaced(good_, "\"version\": 1", "\"version\": \"1\""), "'version'");
  rejects(replaced(good_, "\"version\": 1", "\"version\": 1, \"version\": 1"),
          "'version' appears twice");
  rejects(replaced(good_, "\"version\": 1", "\"version\": 1, \"extra\": 1"),
          "unexpected key 'extra'");
  rejects(R"({"format": "tern.state_dict", "version": 1})", "no 'tensors'");
}

TEST_F(JsonReject, NestingAndSizesThatWouldHurt) {
  const std::string open(100000, '['), close(100000, ']');
  rejects(plain(open + close), "nested deeper than 64");
  rejects(plain(open), "nested deeper than 64");
  rejects(data("F32", "[1]", open + close), "data");
  rejects(open + close, "expected an object");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  rejects(objects, "found an object");
  const auto key_size = static_cast<std::size_t>(count_for(10 << 20, 100 << 20));
  rejects("{\"" + std::string(key_size, 'k') + "\": [1]}",
          "a key of " + std::to_string(key_size) + " bytes");
  rejects(R"({"format": "tern.state_dict", "version": 1, "metadata": {"tern.state": ")" +
              std::string(100000, '[') + R"("}, "tensors": {}})",
          "nested deeper than 16");
}

TEST_F(JsonReject, TreesThatDoNotFit) {
  const auto tree = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
      text.insert(at, "\\");
    return R"({"format": "tern.state_dict", "version": 1, "metadata": {"tern.state": ")" + text +
           R"("}, "tensors": {"w": {"dtype": "F32", "shape": [1], "data": [1]}}})";
  };
  write_file(scratch_.path(), tree(R"({"a": {"$tensor": "w"}, "b": 1})"));
  EXPECT_EQ(load_state(scratch_.path()).get<int>("b"), 1);
  rejects(tree("{"), "metadata 'tern.state'");
  rejects(tree("{} {}"), "metadata 'tern.state'");
  rejects(tree("3"), "tensor 'w' has no place in the tree");
  rejects(tree(R"({"a": {"$tensor": "v"}})"), "no tensor 'v' in the file");
  rejects(tree(R"({"a": {"$tensor": 3}})"),
          "expected a string for key '$tensor', found an integer 3");
  rejects(tree(R"({"a": {"$other": "w"}})"), "unknown word '$other'");
  rejects(tree(R"({"a": {"$tensor": "w", "b": 1}})"), "'$tensor' stands alone");
  rejects(tree(R"({"a": {"b": 1, "$tensor": "w"}})"), "'$tensor' stands alone");
  rejects(tree(R"({"a": {"$tensor": "w", "$tensor": "w"}})"), "'$tensor' stands alone");
  rejects(tree(R"({"a": {"$double": "nan"}})"), "unknown number 'nan'");
  rejects(tree(R"({"a": 1, "a": {"$tensor": "w"}})"), "Key 'a' already defined");
  rejects(tree(R"({"a": 18446744073709551615})"), "does not fit");
  rejects(tree(R"({"a": 1e999})"), "metadata 'tern.state'");
  rejects(tree(R"({"a": NaN})"), "metadata 'tern.state'");
}

TEST_F(JsonReject, StatesThatDoNotFitTheModel) {
  rejects<Error>(
      replaced(good_, "\"fc.bias\"", "\"fc.bios\""),
      "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: \"fc.bias\". \n\t"
      "Unexpected key(s) in state_dict: \"fc.bios\". ");
  for (const bool strict : {true, false}) {
    rejects<Error>(
        R"({"fc.weight": [[1, 2], [3, 4], [5, 6]]})",
        "size mismatch for fc.weight: copying a param with shape torch.Size([3, 2]) from "
        "checkpoint, the shape in current model is torch.Size([2, 3]).",
        strict);
  }
  rejects<Error>("{}", "Missing key(s) in state_dict: \"scale\", \"mask\", \"fc.weight\"");
  rejects<Error>(replaced(good_, "\"tensors\": {",
                          "\"tensors\": {\"fc\": {\"dtype\": \"F32\", \"shape\": [1], "
                          "\"data\": [1]},"),
                 "Unexpected key(s) in state_dict: \"fc\". ");
  rejects<Error>(replaced(good_, "\"tensors\": {",
                          "\"tensors\": {\"scratch\": {\"dtype\": \"F32\", \"shape\": "
                          "[2], \"data\": [1, 2]},"),
                 "Unexpected key(s) in state_dict: \"scratch\". ");
  rejects<Error>(replaced(good_, "\"tensors\": {",
                          "\"tensors\": {\"a.b.c\": {\"dtype\": \"F32\", \"shape\": [], "
                          "\"data\": 1},"),
                 "Unexpected key(s) in state_dict: \"a.b.c\". ");
  // Equal after Unicode normalisation, or up to a NUL, is not equal.
  rejects<Error>(replaced(good_, "\"fc.bias\"", "\"fc.bias\\u0000\""),
                 "Missing key(s) in state_dict: \"fc.bias\"");
}

TEST_F(JsonReject, FilesThatCannotBeRead) {
  EXPECT_EQ(text_of_error<FileError>([&] { load(net_, scratch_.path("none.json")); }),
            "load: cannot open '" + scratch_.path("none.json") + "': No such file or directory");
  std::filesystem::create_directory(scratch_.path("folder.json"));
  EXPECT_EQ(text_of_error<FileError>([&] { load(net_, scratch_.path("folder.json")); }),
            "load: '" + scratch_.path("folder.json") + "' is a folder");
  ASSERT_EQ(::mkfifo(scratch_.path("pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(text_of_error<FileError>([&] { load(net_, scratch_.path("pipe.json")); }),
            "load: '" + scratch_.path("pipe.json") + "' is no regular file");
  std::filesystem::create_symlink("loop.json", scratch_.path("loop.json"));
  EXPECT_THROW(load(net_, scratch_.path("loop.json")), FileError);
  std::filesystem::create_symlink("/dev/zero", scratch_.path("zero.json"));
  EXPECT_THROW(load(net_, scratch_.path("zero.json")), FileError);
  for (const char* name : {"state", "state.jsn", "state.JSON", "state.json.gz", ""}) {
    EXPECT_THROW(load(net_, scratch_.path(name)), FileError) << name;
    EXPECT_THROW(save(net_, scratch_.path(name)), FileError) << name;
  }
  Tensor tensor;
  EXPECT_EQ(text_of_error<FileError>([&] { load(tensor, scratch_.path()); }),
            "load: '" + scratch_.path() + "' holds a dictionary, not a tensor");
  EXPECT_FALSE(tensor.defined());
}

}  // namespace
}  // namespace tern
