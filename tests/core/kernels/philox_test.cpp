#include <tern/core/kernels/philox.h>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tern::kernels {
namespace {

std::vector<std::uint32_t> list(const PhiloxWords& words) { return {words.word, words.word + 4}; }

// The known answers from the Random123 distribution.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(list(philox_4x32_10({{0, 0, 0, 0}}, 0, 0)),
            (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(list(philox_4x32_10({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes)),
            (std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(list(philox_4x32_10({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822,
                                0x299f31d0)),
            (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// From cuRAND: curand4 after curand_init(1, 2, 12).
TEST(Philox, PlacesSeedSubsequenceAndOffsetAsCurand) {
  const PhiloxWords words = philox(1, 2, 12);
  EXPECT_EQ(list(words),
            (std::vector<std::uint32_t>{0xde08bf52, 0x663eff4f, 0x8759c4e2, 0xbdd5e548}));
  EXPECT_EQ(philox_uniform(words.word[0]), 0x1.bc117ep-1f);
  EXPECT_EQ(list(philox(0x299f31d0a4093822, 0x0370734413198a2e, 4 * 0x05a308d3243f6a88)),
            list(philox_4x32_10({{0x243f6a88, 0x05a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822,
                                0x299f31d0)));
}

TEST(Philox, MakesUniformNumbersAboveZeroUpToOne) {
  EXPECT_EQ(philox_uniform(0), 0x1p-33f);
  EXPECT_EQ(philox_uniform(0xffffffff), 1.0f);
  EXPECT_EQ(philox_uniform(0, 0), 0x1p-54);
  EXPECT_EQ(philox_uniform(0x001fffff, 0xffffffff), 1.0);
}

// From cuRAND's host code, again after curand_init(1, 2, 12).
TEST(Philox, MakesTheNumbersOfCurand) {
  const PhiloxWords words = philox(1, 2, 12);
  EXPECT_EQ(philox_uniform(words.word[0], words.word[1]), 0x1.98fbe6fd17ea5p-2);
  EXPECT_EQ(philox_uniform(words.word[2], words.word[3]), 0x1.7babc2e59c4e2p-1);
  const NormalPair<float> first = philox_normal(words.word[0], words.word[1]);
  EXPECT_FLOAT_EQ(first.first, 0.315250397f);
  EXPECT_FLOAT_EQ(first.second, -0.43047595f);
  const NormalPair<float> second = philox_normal(words.word[2], words.word[3]);
  EXPECT_FLOAT_EQ(second.first, -1.12739682f);
  EXPECT_FLOAT_EQ(second.second, -0.0599481612f);
  const NormalPair<double> wide = philox_normal_double(words);
  EXPECT_DOUBLE_EQ(wide.first, -1.352928606768963);
  EXPECT_DOUBLE_EQ(wide.second, -0.071942739202365477);
}

}  // namespace
}  // namespace tern::kernels
