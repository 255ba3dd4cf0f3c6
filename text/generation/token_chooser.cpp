#include <tern/text/generation/detail/token_chooser.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

std::optional<Generator> generator_of(const GenerationOptions& options) {
  if (!options.seed) return options.generator;
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
  if (options_.do_sample) {
    // The largest weight / q with exponential q wins, as in multinomial(). All samples draw, also
    // those that ended, so that a sample's draws do not depend on the others' lengths.
    if (!noise_.defined()) noise_ = empty({batch, vocab_size_}, TensorOptions(kFloat));
    noise_.exponential_(1, generator_);
  }
  for (std::size_t b = 0; b < rows.size(); ++b) {
    std::span<const float> row(scores.data_ptr<float>() + b * size, size);
    if (!is_plain) {
      scores_.assign(row.begin(), row.end());  // the tensor may be the model's
      change(scores_, rows[b]);
      row = scores_;
    }
    if (options_.do_sample) {
      tokens[b] = draw(row, noise_.data_ptr<float>() + b * size, b);
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

std::int64_t TokenChooser::draw(std::span<const float> scores, const float* noise,
                                std::size_t sample) {
  constexpr float kRemoved = -std::numeric_limits<float>::infinity();
  const float best = largest_of(scores);
  if (!std::isfinite(best)) refuse_logits(sample, best);
  candidates_.clear();
  double total = 0;
  for_each_above(scores, kRemoved, [&](std::size_t token) {
    const float weight = std::exp(scores[token] - best);
    candidates_.push_back({weight, static_cast<std::uint32_t>(token)});
    total += weight;
  });
  const auto divisor = static_cast<float>(total);
  float largest = -1;
  std::int64_t chosen = 0;
  for (const Candidate& candidate : candidates_) {
    const float value = candidate.weight / divisor / noise[candidate.token];
    if (value > largest) {
      largest = value;
      chosen = candidate.token;
    }
  }
  return chosen;
}

}  // namespace tern::text
