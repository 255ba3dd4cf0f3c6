#include "serialization/reject.h"

// What an .npy may not be.

namespace tern {
namespace {

std::string npy(const std::string& header, const std::string& data,
                const std::string& version = std::string("\1\0", 2)) {
  const std::size_t size = header.size();
  return "\x93NUMPY" + version + static_cast<char>(size & 255) + static_cast<char>(size >> 8) +
         header + data;
}

std::string header(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

const std::string kFour(4, '\0');

class NpyReject : public RejectTest {
 protected:
  void rejects(const std::string& bytes, const std::string& part) {
    write_file(path_, bytes);
    expect_refused(path_, part);
  }

  const std::string path_ = scratch_.path("x.npy");
};

TEST_F(NpyReject, TheFrame) {
  rejects("", "is empty");
  rejects("\x93NUMPX\1", "not an .npy file");
  rejects("\x93NUMPY\1", "not an .npy file");
  rejects("{\"a\": 1}", "is in the format JSON");
  rejects(npy(header("<f4", "(1,)"), kFour, "\4" + kFour.substr(3)), "version 4.0");
  rejects(npy(header("<f4", "(1,)"), kFour, "\1\1"), "version 1.1");
  rejects("\x93NUMPY\2" + kFour.substr(3) + "\xff\xff\xff\xff", "the header has 4294967295 bytes");
  rejects("\x93NUMPY\1" + kFour.substr(3) + "\xff\xff{", "expected 65535 bytes, but only 1 remain");
}

TEST_F(NpyReject, TheDictionary) {
  const auto dictionary = [&](const std::string& text, const std::string& part) {
    rejects(npy(text, kFour), part);
  };
  dictionary("", "expected {");
  dictionary("[]", "expected {");
  dictionary("{}", "missing key 'descr'");
  dictionary("{'descr': '<f4', 'shape': (1,)}", "missing key 'fortran_order'");
  dictionary("{'descr': '<f4', 'descr': '<f4'}", "'descr' appears twice");
  dictionary("{'descr': '<f4', 'color': 1}", "unknown key 'color'");
  dictionary("{'descr': '<f4", "a string has no end");
  dictionary("{'descr': '<f4' 'shape': ()}", "expected }");
  dictionary("{'fortran_order': Maybe}", "expected False");
  dictionary(header("<f4", "(1,)") + "{}", "unexpected text after the dictionary");
  dictionary("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "structured");
  dictionary(header("|O", "(1,)"), "descr '|O' is not a dtype of tern; it means Python objects");
  dictionary(header("<c8", "(1,)"), "descr '<c8' is not a dtype of tern");
  dictionary(header("<U1", "(1,)"), "descr '<U1' is not a dtype of tern");
  dictionary(header("", "(1,)"), "descr '' is not a dtype of tern");
  dictionary(header(std::string(10000, 'x'), "(1,)"), "is not a dtype of tern");
}

TEST_F(NpyReject, TheShape) {
  const auto shape = [&](const std::string& text, const std::string& part) {
    rejects(npy(header("<f4", text), kFour), part);
  };
  shape("1", "expected (");
  shape("(-1,)", "expected sizes from 0");
  shape("(1.0,)", "expected )");
  shape("('1',)", "expected sizes from 0");
  shape("(9223372036854775808,)", "expected sizes from 0");
  shape("(1", "expected sizes from 0");
  shape("(2,)", "takes 8 bytes, but 4 follow");
  shape("()" + std::string(1, '\0'), "expected }");
  shape("(0,)", "takes 0 bytes, but 4 follow");
  shape("(4294967296, 4294967296, 4)", "too many elements");
  shape("(9223372036854775807, 0)", "too many elements");
  shape("(4611686018427387905,)", "too many elements");
  std::string ones = "(";
  for (int i = 0; i < 65; ++i) ones += "1,";
  shape(ones + ")", "shape: expected at most 64 sizes, found more");
}

TEST_F(NpyReject, CutOffAnywhereOrTooLong) {
  save(arange(6).reshape({2, 3}), path_);
  const std::string good = read_file(path_);
  for (std::size_t size = 0; size < good.size(); ++size) rejects(good.substr(0, size), "");
  rejects(good + "x", "takes 48 bytes, but 49 follow");
}

TEST_F(NpyReject, OneFlippedBit) {
  save(arange(6).reshape({2, 3}), path_);
  const std::string good = read_file(path_);
  const auto step = static_cast<std::size_t>(count_for(7, 1));
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += step) {
    std::string damaged = good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(path_, damaged);
    try {
      EXPECT_EQ(load_state(path_).tensor().nbytes(), 48u) << "bit " << bit;
    } catch (const FileError&) {
    }
  }
}

TEST(NpyTolerance, ManyDimensions) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  std::string shape = "(";
  for (int i = 0; i < 64; ++i) shape += "1,";
  write_file(path, npy(header("<f4", shape + ")"), kFour));
  EXPECT_EQ(load_state(path).tensor().dim(), 64);
}

TEST(NpyTolerance, BooleansAreMadeSuch) {
  const Scratch scratch;
  const std::string path = scratch.path("x.npy");
  write_file(path, npy(header("|b1", "(3,)"), std::string("\0\1\7", 3)));
  EXPECT_TRUE(load_state(path).tensor().equal(tensor({false, true, true})));
}

}  // namespace
}  // namespace tern
