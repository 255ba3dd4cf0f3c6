#include <tern/text/generation/logits.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <tern/text/generation/detail/best.h>

namespace tern::text::logits {
namespace {

constexpr float kRemoved = -std::numeric_limits<float>::infinity();

}  // namespace

void apply_repetition_penalty(std::span<float> logits, ArrayRef<std::int64_t> tokens,
                              double penalty) {
  const auto factor = static_cast<float>(penalty);
  // All are read before the first is written, so that a token counts once.
  std::vector<float> changed;
  changed.reserve(tokens.size());
  for (const std::int64_t token : tokens) {
    const float score = logits[static_cast<std::size_t>(token)];
    changed.push_back(score < 0 ? score * factor : score / factor);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    logits[static_cast<std::size_t>(tokens[i])] = changed[i];
  }
}

void apply_temperature(std::span<float> logits, double temperature) {
  const auto divisor = static_cast<float>(temperature);
  for (float& score : logits) score /= divisor;
}

void keep_top_k(std::span<float> logits, std::int64_t k) {
  if (k >= std::ssize(logits)) return;
  const float least = kth_largest(logits, static_cast<std::size_t>(k));
  for (float& score : logits) {
    if (score < least) score = kRemoved;
  }
}

void keep_top_p(std::span<float> logits, double p) {
  struct Token {
    float score;
    std::uint32_t id;
  };
  std::vector<Token> tokens;
  for_each_above(logits, kRemoved, [&](std::size_t id) {
    tokens.push_back({logits[id], static_cast<std::uint32_t>(id)});
  });
  if (tokens.empty()) return;
  const auto better = [](const Token& a, const Token& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;
  };
  const float best = largest_of(logits);
  double total = 0;
  for (const Token& token : tokens) total += std::exp(token.score - best);

  // Sorts no more than it needs: the best 64, then the next 512, ...
  double sum = 0;
  auto first = tokens.begin();
  for (std::ptrdiff_t block = 64; first != tokens.end(); block *= 8) {
    const auto last = first + std::min(block, tokens.end() - first);
    if (last != tokens.end()) std::nth_element(first, last, tokens.end(), better);
    std::sort(first, last, better);
    for (; first != last; ++first) {
      if (sum >= p * total && first != tokens.begin()) {
        for (; first != tokens.end(); ++first) logits[first->id] = kRemoved;
        return;
      }
      sum += std::exp(first->score - best);
    }
  }
}

void keep_min_p(std::span<float> logits, double p) {
  const float best = largest_of(logits);
  const auto least = static_cast<float>(best + std::log(p));
  for (float& score : logits) {
    if (score < least) score = kRemoved;
  }
}

}  // namespace tern::text::logits
