#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "serialization/file/file_calls.h"
#include "serialization/scratch.h"

// Every number that a dtype has comes back from decimal text. A NaN stays a NaN, not its payload.

namespace tern {
namespace {

class JsonNumbers : public ::testing::Test {
 protected:
  Tensor round_trip(const Tensor& tensor) {
    State state;
    state.insert("t", tensor);
    detail::save_state(state, scratch_.path(), {}, calls_);
    return load_state(scratch_.path())["t"];
  }

  /// Whether these bits come back.
  template <class Bits>
  bool keeps(ScalarType dtype, const std::vector<Bits>& values) {
    const Tensor tensor = empty({static_cast<std::int64_t>(values.size())}, dtype);
    std::memcpy(tensor.data_ptr(), values.data(), tensor.nbytes());
    const Tensor read = round_trip(tensor);
    return read.dtype() == dtype && read.numel() == tensor.numel() &&
           std::memcmp(read.data_ptr(), values.data(), read.nbytes()) == 0;
  }

  /// All patterns of a dtype of two bytes; those of NaN lie beyond infinity.
  void keeps_all(ScalarType dtype, std::uint16_t infinity, std::uint16_t nan) {
    std::vector<std::uint16_t> values;
    for (int bits = 0; bits < 1 << 16; ++bits) {
      const bool is_nan = (bits & 0x7fff) > infinity;
      values.push_back(is_nan ? nan : static_cast<std::uint16_t>(bits));
    }
    EXPECT_TRUE(keeps(dtype, values));
  }

  const Scratch scratch_;
  UnsyncedCalls calls_;
};

TEST_F(JsonNumbers, EveryHalf) { keeps_all(kHalf, 0x7c00, 0x7e00); }
TEST_F(JsonNumbers, EveryBFloat16) { keeps_all(kBFloat16, 0x7f80, 0x7fc0); }

TEST_F(JsonNumbers, EveryFloat) {
  // Every 9,973rd of the 2^32 patterns, or all of them.
  const auto step = static_cast<std::uint64_t>(count_for(9973, 1));
  std::vector<std::uint32_t> values;
  for (std::uint64_t bits = 0; bits < 1ULL << 32;) {
    values.clear();
    for (; values.size() < 1 << 20 && bits < 1ULL << 32; bits += step) {
      const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
      values.push_back(is_nan ? 0x7fc00000 : static_cast<std::uint32_t>(bits));
    }
    ASSERT_TRUE(keeps(kFloat, values)) << "before pattern " << bits;
  }
}

TEST_F(JsonNumbers, RandomDoubles) {
  std::mt19937_64 random(1);
  const long chunks = count_for(1, 1000);  // 10^8 numbers
  for (long chunk = 0; chunk < chunks; ++chunk) {
    std::vector<std::uint64_t> values(100000);
    for (std::uint64_t& bits : values) {
      do {
        bits = random();
      } while (std::isnan(std::bit_cast<double>(bits)));
    }
    ASSERT_TRUE(keeps(kDouble, values)) << "chunk " << chunk;
  }
}

TEST_F(JsonNumbers, ThatRoundToTheLargest) {
  const std::tuple<const char*, const char*, double> cases[] = {
      {"F16", "65519.996", 65504},
      {"F16", "-65510", -65504},
      {"BF16", "3.3953e38", 0x1.fep127},
      {"F32", "3.40282356e38", std::numeric_limits<float>::max()}};
  for (const auto& [dtype, number, expected] : cases) {
    write_file(scratch_.path(),
               std::string(R"({"format": "tern.state_dict", "version": 1, "tensors": {"w": {)") +
                   R"("dtype": ")" + dtype + R"(", "shape": [], "data": )" + number + "}}}");
    EXPECT_EQ(load_state(scratch_.path())["w"].tensor().item<double>(), expected) << number;
  }
}

TEST_F(JsonNumbers, BelowTheRangeAreZerosWithTheirSign) {
  const std::string many(400, '0');
  for (const std::string dtype : {"F64", "F32", "F16", "BF16"}) {
    for (const std::string& number :
         {std::string("1e-400"), std::string("0.1E-400"), std::string("12e-99999999999999999999"),
          "0." + many + "1", "0." + many + "1e+9", "1" + many + "e-1000"}) {
      write_file(scratch_.path(),
                 R"({"format": "tern.state_dict", "version": 1, "tensors": {"w": {"dtype": ")" +
                     dtype + R"(", "shape": [2], "data": [)" + number + ", -" + number + "]}}}");
      const Tensor read = load_state(scratch_.path())["w"].tensor().to(kDouble);
      EXPECT_TRUE(read.eq(0).all().item<bool>()) << dtype << ' ' << number;
      EXPECT_FALSE(std::signbit(read[0].item<double>())) << dtype << ' ' << number;
      EXPECT_TRUE(std::signbit(read[1].item<double>())) << dtype << ' ' << number;
    }
  }
}

TEST_F(JsonNumbers, EveryInteger) {
  for (const ScalarType dtype : {kByte, kChar, kShort}) {
    const Tensor all = arange(-(1 << 15), 1 << 15).to(dtype);
    EXPECT_TRUE(round_trip(all).equal(all)) << dtype;
  }
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values(10000);
  for (std::uint64_t& bits : values) bits = random() >> random() % 64;
  EXPECT_TRUE(keeps(kLong, values));
  std::vector<std::uint32_t> narrow;
  for (const std::uint64_t bits : values) narrow.push_back(static_cast<std::uint32_t>(bits));
  EXPECT_TRUE(keeps(kInt, narrow));
}

}  // namespace
}  // namespace tern
