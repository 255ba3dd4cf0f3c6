#include <tern/text/generation/detail/token_chooser.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/text/generation/detail/best.h>
#include <tern/text/generation/detail/model_input.h>
#include <tern/text/generation/logits.h>

namespace tern::text {
namespace {

[[noreturn]] void refuse_logits(std::size_t sample, float score) {
  throw Error(detail::text_of("text::generate: the model's logits of sample ", sample,
                              " must be numbers, but one is ", score));
}

/// Returns a number from 0 to before 1, as uniform_() makes it of two words in double precision.
double uniform_of(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>(high & 0x1fffffU) * 0x1p-21 + static_cast<double>(low) * 0x1p-53;
}

Generator generator_of(const GenerationOptions& options) {
  if (options.generator) return *options.generator;
  if (!options.seed) return default_generator(kCPU);
  Generator generator;
  generator.manual_seed(*options.seed);
  return generator;
}

}  // namespace

TokenChooser::TokenChooser(const GenerationOptions& options, std::int64_t vocab_size)
    : options_(options), vocab_size_(vocab_size), generator_(generator_of(options)) {}

void TokenChooser::choose(const Tensor& logits, const std::vector<Row>& rows, Row& tokens) {
  const auto batch = std::ssize(rows);
  tokens.resize(rows.size());
  const bool is_plain = !options_.do_sample && options_.repetition_penalty == 1;
  if (is_plain && !logits.is_cpu()) {  // moves one number of each sample
    const Tensor best = logits.argmax(-1);
    const Tensor scores = to_rows(logits.gather(-1, best.unsqueeze(-1)), batch, 1);
    const Tensor ids = best.to(kCPU);
    for (std::size_t b = 0; b < rows.size(); ++b) {
      tokens[b] = ids.data_ptr<std::int64_t>()[b];
      const float score = scores.data_ptr<float>()[b];
      if (!std::isfinite(score)) refuse_logits(b, score);
    }
    return;
  }
  const Tensor scores = to_rows(logits, batch, vocab_size_);
  const auto size = static_cast<std::size_t>(vocab_size_);
  for (std::size_t b = 0; b < rows.size(); ++b) {
    std::span<const float> row(scores.data_ptr<float>() + b * size, size);
    if (!is_plain) {
      scores_.assign(row.begin(), row.end());  // the tensor may be the model's
      change(scores_, rows[b]);
      row = scores_;
    }
    if (options_.do_sample) {
      // All samples draw, also those that ended, so that their lengths change no draws.
      tokens[b] = draw(row, b);
    } else {
      const float best = largest_of(row);
      if (!std::isfinite(best)) refuse_logits(b, best);
      tokens[b] = first_of(row, best);
    }
  }
}

void TokenChooser::change(std::span<float> scores, const Row& row) const {
  if (options_.repetition_penalty != 1) {
    logits::apply_repetition_penalty(scores, row, options_.repetition_penalty);
  }
  if (!options_.do_sample) return;
  if (options_.temperature != 1) logits::apply_temperature(scores, options_.temperature);
  if (options_.top_k != 0) logits::keep_top_k(scores, options_.top_k);
  if (options_.top_p < 1) logits::keep_top_p(scores, options_.top_p);
  if (options_.min_p > 0) logits::keep_min_p(scores, options_.min_p);
}

// The token with the largest weight / q wins, where q has the exponential distribution: what
// multinomial() does. It takes two words of the generator for each token of the vocabulary, but few
// tokens have a weight, and fewer need the logarithm.
std::int64_t TokenChooser::draw(std::span<const float> scores, std::size_t sample) {
  constexpr float kRemoved = -std::numeric_limits<float>::infinity();
  constexpr std::size_t kChunk = 512;
  const float best = largest_of(scores);
  if (!std::isfinite(best)) refuse_logits(sample, best);
  std::uint32_t words[2 * kChunk];
  float largest = -1;
  std::size_t chosen = 0;
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  for (std::size_t first = 0; first < scores.size(); first += kChunk) {
    const std::size_t count = std::min(kChunk, scores.size() - first);
    generator_.engine().fill(words, static_cast<std::int64_t>(2 * count));
    for_each_above(scores.subspan(first, count), kRemoved, [&](std::size_t i) {
      const float weight = std::exp(scores[first + i] - best);
      const double uniform = uniform_of(words[2 * i], words[2 * i + 1]);
      // q = -log(1 - u) >= u, so that weight / q is at most weight / u.
      if (weight < largest * uniform * 0.999) return;
      const float value = weight / static_cast<float>(-std::log1p(-uniform));
      if (value > largest) {
        largest = value;
        chosen = first + i;
      }
    });
  }
  return static_cast<std::int64_t>(chosen);
}

}  // namespace tern::text
