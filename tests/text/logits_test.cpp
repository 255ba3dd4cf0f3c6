#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <tern/text/text.h>

namespace tern::text {
namespace {

using Scores = std::vector<float>;
constexpr float kOut = -std::numeric_limits<float>::infinity();

template <class Function>
Scores changed(Scores scores, const Function& change) {
  change(scores);
  return scores;
}

TEST(Logits, PenaltyChangesATokenOnce) {
  const std::vector<std::int64_t> tokens = {1, 0, 1};
  const Scores scores =
      changed({3, -2, 5}, [&](Scores& s) { logits::apply_repetition_penalty(s, tokens, 2); });
  EXPECT_EQ(scores, (Scores{1.5F, -4, 5}));
}

TEST(Logits, TopKKeepsTies) {
  const auto keep = [](std::int64_t k) {
    return changed({1, 3, 2, 2, 0}, [&](Scores& s) { logits::keep_top_k(s, k); });
  };
  EXPECT_EQ(keep(1), (Scores{kOut, 3, kOut, kOut, kOut}));
  EXPECT_EQ(keep(2), (Scores{kOut, 3, 2, 2, kOut}));
  EXPECT_EQ(keep(5), (Scores{1, 3, 2, 2, 0}));
  EXPECT_EQ(keep(9), (Scores{1, 3, 2, 2, 0}));
}

TEST(Logits, TopPKeepsTheOneThatCrosses) {
  // Probabilities 0.5, 0.3, 0.15, 0.05.
  const auto keep = [](double p) {
    return changed({std::log(0.15F), std::log(0.5F), std::log(0.05F), std::log(0.3F)},
                   [&](Scores& s) {
                     logits::keep_top_p(s, p);
                     for (float& score : s) score = score == kOut ? 0.F : 1.F;
                   });
  };
  EXPECT_EQ(keep(0), (Scores{0, 1, 0, 0}));
  EXPECT_EQ(keep(0.49), (Scores{0, 1, 0, 0}));
  EXPECT_EQ(keep(0.51), (Scores{0, 1, 0, 1}));
  EXPECT_EQ(keep(0.81), (Scores{1, 1, 0, 1}));
  EXPECT_EQ(keep(0.96), (Scores{1, 1, 1, 1}));
}

TEST(Logits, TopPOfManyTokensSortsBlocks) {
  // 1,000 equal scores: the higher indices stay.
  const Scores scores = changed(Scores(1000, 2.F), [](Scores& s) { logits::keep_top_p(s, 0.5); });
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ASSERT_EQ(scores[i], i < 500 ? kOut : 2.F) << i;
  }
}

TEST(Logits, MinPComparesWithTheBest) {
  const auto keep = [](double p) {
    return changed({std::log(0.6F), std::log(0.3F), std::log(0.1F)}, [&](Scores& s) {
      logits::keep_min_p(s, p);
      for (float& score : s) score = score == kOut ? 0.F : 1.F;
    });
  };
  EXPECT_EQ(keep(0.1), (Scores{1, 1, 1}));
  EXPECT_EQ(keep(0.2), (Scores{1, 1, 0}));
  EXPECT_EQ(keep(1), (Scores{1, 0, 0}));
}

TEST(Logits, LongRowsAreLikeShortOnes) {
  // Blocks of vector code and the rest of them: the k best of a permutation.
  const std::size_t size = 1007;
  Scores scores(size);
  for (std::size_t i = 0; i < size; ++i) scores[i] = static_cast<float>(i * 389 % size);
  logits::keep_top_k(scores, 50);
  for (std::size_t i = 0; i < size; ++i) {
    const auto score = static_cast<float>(i * 389 % size);
    ASSERT_EQ(scores[i], score < static_cast<float>(size - 50) ? kOut : score) << i;
  }
}

}  // namespace
}  // namespace tern::text
