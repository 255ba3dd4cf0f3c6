#include <sys/stat.h>

#include <unistd.h>

#include "sanitizer.h"
#include "serialization/json/reject.h"
#include "serialization/safetensors/bytes.h"

// What a safetensors file may not be.

namespace tern {
namespace {

class SafetensorsReject : public RejectTest {
 protected:
  void rejects(const std::string& bytes, const std::string& part) {
    write_file(path_, bytes);
    expect_refused(path_, part);
  }
  void rejects_header(const std::string& header, const std::string& part, int data = 16) {
    rejects(safetensors_bytes(header, data), part);
  }
  /// An entry of the tensor `w` with these fields.
  void rejects_fields(const std::string& fields, const std::string& part, int data = 16) {
    rejects_header("{\"w\":{" + fields + "}}", part, data);
  }

  const std::string path_ = scratch_.path("state.safetensors");
  const Net& net_ = on_cpu_.net;
};

const std::string kGood = one_tensor("F32", "[2,2]", "[0,16]");

TEST_F(SafetensorsReject, SizesOfTheHeader) {
  rejects("", "' is empty");
  rejects(std::string(7, '\0'), "takes 8 bytes, but the file has 7");
  rejects(safetensors_bytes("", "", 60), "the header has 60 bytes, but only 0 bytes follow");
  const std::string data(16, '\0');
  rejects(safetensors_bytes(kGood, data, 10000), "the header has 10000 bytes, but only ");
  rejects(safetensors_bytes(kGood, data, 100'000'001),
          "the header has 100000001 bytes, at most 100000000 are allowed");
  for (const std::uint64_t size : {std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{7},
                                   std::uint64_t{1} << 32, __builtin_bswap64(kGood.size())}) {
    rejects(safetensors_bytes(kGood, data, size), "the header has " + std::to_string(size));
  }
  rejects(safetensors_bytes("", "", 0), "header: byte ");
  rejects(safetensors_bytes("", data, 0), "header: byte ");
  rejects(safetensors_bytes(kGood + "    ", data, kGood.size()),
          "but the file has 20 bytes of data");
  rejects(safetensors_bytes(kGood, data, kGood.size() - 1), "header: byte ");
}

TEST_F(SafetensorsReject, WhatIsNoText) {
  rejects_header("\xff" + kGood, "header: byte ");
  for (const char* name : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\\ud800", "\\udc00\\ud800", "\n"}) {
    rejects_header(replaced(kGood, "\"w\"", std::string("\"") + name + "\""), "header: byte ");
  }
  rejects_header("\xef\xbb\xbf" + kGood, "unexpected byte order mark");
  std::string wide;
  for (const char c : kGood) wide += {c, '\0'};
  rejects_header(wide, "header: byte 1: unexpected NUL byte");
  rejects_header(kGood + std::string(3, '\0'), "unexpected NUL byte");
}

TEST_F(SafetensorsReject, WhatIsNoJson) {
  for (const char* text :
       {"{", "}", "{}{}", "{} x", "{,}", "{\"a\"}", "{'w':1}", "{\"w\":NaN}", "{\"w\":Infinity}",
        "{// c\n}", "{\"__metadata__\":{\"a\":\"b\",}}", "nul", "\"", "{\"w\":01}"}) {
    rejects_header(text, "': ", 0);
  }
  rejects_header(kGood + kGood, "header: byte ");
  rejects_header(kGood + "x", "header: byte ");
  rejects_header("[]", "expected an object, found a list", 0);
  rejects_header("null", "expected an object, found null", 0);
  rejects_header("\"text\"", "expected an object, found a string", 0);
  rejects_header("12", "expected an object, found a number", 0);
}

TEST_F(SafetensorsReject, Nesting) {
  for (const std::size_t depth : {200u, 100'000u, 1'000'000u}) {
    const std::string open(depth, '['), close(depth, ']');
    rejects_header(open + close, "expected an object, found a list", 0);
    rejects_header("{\"w\":" + open + close + "}", "expected an object, found a list", 0);
    rejects_header(open, "expected an object, found a list", 0);
    rejects_fields("\"x\":" + open + close, "tensor 'w': nested deeper than 100", 0);
    rejects_fields("\"shape\":" + open + close, "shape: expected non-negative integers", 0);
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    rejects_fields("\"x\":" + objects, "tensor 'w': nested deeper than 100", 0);
  }
}

TEST_F(SafetensorsReject, Entries) {
  rejects_header("{\"w\":1}", "tensor 'w': expected an object, found a number", 0);
  rejects_header("{\"w\":null}", "tensor 'w': expected an object, found null", 0);
  rejects_header("{\"w\":{}}", "tensor 'w': missing field 'dtype'", 0);
  rejects_fields(R"("shape":[],"data_offsets":[0,4])", "tensor 'w': missing field 'dtype'", 4);
  rejects_fields(R"("dtype":"F32","data_offsets":[0,4])", "tensor 'w': missing field 'shape'", 4);
  rejects_fields(R"("dtype":"F32","shape":[])", "tensor 'w': missing field 'data_offsets'", 4);
  rejects_fields(R"("dtype":"F32","shape":[],"offsets":[0,4])", "missing field 'data_offsets'", 4);
  const std::string fields = R"("dtype":"F32","shape":[],"data_offsets":[0,4])";
  rejects_fields(fields + R"(,"dtype":"F32")", "tensor 'w': 'dtype' appears twice", 4);
  rejects_fields(fields + R"(,"shape":[])", "tensor 'w': 'shape' appears twice", 4);
  rejects_fields(fields + R"(,"data_offsets":[0,4])", "'data_offsets' appears twice", 4);
  rejects_fields(R"("dtype":"F32","shape":[],"sh\u0061pe":[],"data_offsets":[0,4])",
                 "'shape' appears twice", 4);
}

TEST_F(SafetensorsReject, NamesThatAppearTwice) {
  const std::string a = entry_text("F32", "[2]", "[0,8]"), b = entry_text("F32", "[2]", "[8,16]");
  rejects_header("{\"w\":" + a + ",\"w\":" + b + "}", "tensor 'w' appears twice");
  rejects_header("{\"w\":" + a + ",\"w\":" + a + "}", "tensor 'w' appears twice", 8);
  rejects_header("{\"w\":" + a + ",\"\\u0077\":" + entry_text("I64", "[1]", "[0,8]") + "}",
                 "tensor 'w' appears twice", 8);
  rejects_header(R"({"__metadata__":{},"__metadata__":{}})", "'__metadata__' appears twice", 0);
  rejects_header(R"({"__metadata__":{"a":"1","a":"2"}})", "metadata 'a' appears twice", 0);
}

TEST_F(SafetensorsReject, Dtypes) {
  for (const char* dtype : {"F33", "f32", "", "Float", "F32 ", "I128"}) {
    rejects_header(one_tensor(dtype, "[2,2]", "[0,16]"),
                   std::string("tensor 'w': unknown dtype '") + dtype + "'");
  }
  rejects_fields(R"("dtype":6,"shape":[],"data_offsets":[0,4])",
                 "dtype: expected a string, found a number", 4);
  rejects_fields(R"("dtype":["F32"],"shape":[],"data_offsets":[0,4])",
                 "dtype: expected a string, found a list", 4);
  rejects_header(one_tensor("F4", "[3]", "[0,2]"), "does not fill whole bytes", 2);
  rejects_header(one_tensor("F6_E2M3", "[3]", "[0,2]"), "does not fill whole bytes", 2);
  // Right, but none of ours.
  for (const char* dtype : {"F6_E2M3", "F6_E3M2", "F4"}) {
    const bool is_4 = std::string(dtype) == "F4";
    rejects_header(
        one_tensor(dtype, "[4]", is_4 ? "[0,2]" : "[0,3]"),
        std::string("tensor 'w': dtype ") + dtype + " is not supported, expected one of ",
        is_4 ? 2 : 3);
  }
  for (const char* dtype : {"F8_E8M0", "F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"}) {
    rejects_header(one_tensor(dtype, "[4]", "[0,4]"), " is not supported, expected one of ", 4);
  }
  rejects_header(one_tensor("C64", "[2]", "[0,16]"), "dtype C64 is not supported");
}

TEST_F(SafetensorsReject, Shapes) {
  for (const char* shape : {"[-2,-2]", "[2.0,2]", "[2e0,2]", "[\"2\",2]", "[null]", "[true]",
                            "[[2],2]", "[18446744073709551617]", "[9223372036854775808]", "[{}]"}) {
    rejects_header(one_tensor("F32", shape, "[0,16]"),
                   "tensor 'w': shape: expected non-negative integers, found ");
  }
  rejects_header(one_tensor("F32", "4", "[0,16]"), "shape: expected a list, found a number");
  rejects_header(one_tensor("F32", "null", "[0,16]"), "shape: expected a list, found null");
  rejects_header(one_tensor("F32", "{}", "[0,16]"), "shape: expected a list, found an object");
  for (const auto& [dtype, shape, range, size] :
       std::initializer_list<std::tuple<const char*, const char*, const char*, int>>{
           {"F32", "[2,9223372036854775807]", "[0,16]", 16},
           {"F32", "[4294967296,4294967296,4]", "[0,0]", 0},
           {"U8", "[4611686018427387905,4]", "[0,4]", 4},
           {"F64", "[2305843009213693954]", "[0,16]", 16},
           {"F32", "[9223372036854775807,4,0]", "[0,0]", 0},
           {"F32", "[0,9223372036854775807,4]", "[0,0]", 0},
           {"F32", "[4,0,9223372036854775807]", "[0,0]", 0}}) {
    rejects_header(one_tensor(dtype, shape, range), "has too many elements", size);
  }
  rejects_header(one_tensor("F32", "[2,18446744073709551614]", "[0,16]"),
                 "found a number above 2^63");
  std::string ones = "[1";
  for (int i = 1; i < 100'000; ++i) ones += ",1";
  rejects_header(one_tensor("F32", ones + "]", "[0,4]"),
                 "shape: expected at most 64 sizes, found more", 4);
}

TEST_F(SafetensorsReject, Offsets) {
  rejects_header(one_tensor("F32", "[2,2]", "[0,12]"),
                 "shape [2, 2] of F32 needs 16 bytes, but data_offsets [0, 12] are 12", 12);
  rejects_header(one_tensor("F32", "[2,2]", "[0,20]"), "needs 16 bytes, but ", 20);
  rejects_header(one_tensor("F32", "[2,2]", "[16,0]"), "the end, 0, is before the begin, 16");
  rejects_header(one_tensor("F32", "[2,2]", "[0,18446744073709551615]"), "needs 16 bytes, but ");
  for (const char* offsets : {"[-1,15]", "[0.0,16.0]", "[0]", "[]", "[0,16,16]", "[\"0\",16]",
                              "[null,16]", "[[0],16]", "[0,18446744073709551616]"}) {
    rejects_header(one_tensor("F32", "[2,2]", offsets),
                   "data_offsets: expected two non-negative integers, found ");
  }
  for (const char* offsets : {"{}", "16", "\"0,16\"", "null"}) {
    rejects_header(one_tensor("F32", "[2,2]", offsets), "data_offsets: expected a list, found ");
  }
  rejects_header(one_tensor("F32", "[1048576]", "[0,4194304]"),
                 "end at byte 4194304, but the file has only 4 bytes of data", 4);
  rejects_header(kGood, "end at byte 16, but the file has only 14 bytes", 14);
  rejects_header(kGood, "end at byte 16, but the file has only 0 bytes", 0);
}

TEST_F(SafetensorsReject, HolesAndOverlaps) {
  rejects_header(kGood, "the tensors end at byte 16, but the file has 17 bytes of data", 17);
  rejects_header("{}", "the tensors end at byte 0, but the file has 4 bytes of data", 4);
  rejects_header(one_tensor("F32", "[2,2]", "[4,20]"),
                 "begin at byte 4, which leaves a hole after byte 0", 20);
  const auto two = [](const char* first, const char* second, const char* shape = "[2]") {
    return "{\"v\":" + entry_text("F32", "[2]", first) +
           ",\"w\":" + entry_text("F32", shape, second) + "}";
  };
  rejects_header(two("[0,8]", "[12,20]"),
                 "tensor 'w': its data begin at byte 12, which leaves a hole after byte 8", 20);
  rejects_header(two("[0,8]", "[4,12]"), "tensor 'w': its data begin at byte 4, inside the tensor",
                 12);
  rejects_header(two("[0,8]", "[0,8]"), "its data begin at byte 0, inside the tensor", 8);
  rejects_header(two("[0,8]", "[4,4]", "[0]"), "tensor 'w': its data begin at byte 4, inside", 8);
  rejects_header(two("[0,8]", "[12,12]", "[0]"), "tensor 'w': its data end at byte 12", 8);
  std::string many = "{";
  const int count = testing::has_sanitizer() ? 10'000 : 100'000;
  for (int i = 0; i < count; ++i) {
    many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":" + entry_text("F32", "[2]", "[0,8]");
  }
  rejects_header(many + "}", "its data begin at byte 0, inside the tensor before it", 8);
}

TEST_F(SafetensorsReject, Metadata) {
  rejects_header(R"({"__metadata__":{"a":1}})", "metadata 'a': expected a string, found a number",
                 0);
  rejects_header(R"({"__metadata__":{"a":null}})", "metadata 'a': expected a string, found null",
                 0);
  rejects_header(R"({"__metadata__":{"a":{}}})", "metadata 'a': expected a string, found an object",
                 0);
  rejects_header(R"({"__metadata__":[]})", "'__metadata__': expected an object, found a list", 0);
  rejects_header(R"({"__metadata__":"a"})", "'__metadata__': expected an object, found a string",
                 0);
  rejects_header("{\"__metadata__\":" + entry_text("F32", "[2,2]", "[0,16]") + "}",
                 "metadata 'shape': expected a string, found a list");
  const auto tree = [](const std::string& text) {
    return R"({"__metadata__":{"tern.state":")" + text + R"("},"w":)" +
           entry_text("F32", "[2,2]", "[0,16]") + "}";
  };
  rejects_header(tree("{"), "metadata 'tern.state': ");
  rejects_header(tree("{}"), "tensor 'w' is in the file, but not in the tree");
  rejects_header(tree(R"({\"v\":{\"$tensor\":\"v\"}})"), "the file has no tensor 'v'");
}

TEST_F(SafetensorsReject, ErrorsStayReadable) {
  const std::string name(160'000, 'n');
  rejects_header(replaced(kGood, "\"w\"", "\"" + name + "\""), "nnn...'", 4);
  rejects_header(replaced(kGood, "\"w\"", "\"a\\u0000b\""), "tensor 'a?b'", 4);
  rejects_header(one_tensor(name, "[2,2]", "[0,16]"), "nnn...'");
}

TEST_F(SafetensorsReject, OtherFilesUnderTheName) {
  rejects("{\"w\": [1.0, 2.0]}", "is in the format JSON, not safetensors");
  rejects("\x1f\x8b\x08 and so on", "is compressed with gzip");
  rejects("PK\x03\x04 and so on", ", not safetensors");
  ::unlink(path_.c_str());
  ASSERT_EQ(::mkdir(path_.c_str(), 0700), 0);
  EXPECT_THROW(load(net_, path_), FileError);
  ::rmdir(path_.c_str());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THROW(load(net_, path_), FileError);
  for (const char* target : {"/dev/zero", "state.safetensors", "none"}) {
    ::unlink(path_.c_str());
    ASSERT_EQ(::symlink(target, path_.c_str()), 0);
    EXPECT_THROW(load(net_, path_), FileError) << target;
  }
}

}  // namespace
}  // namespace tern
