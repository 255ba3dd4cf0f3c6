#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <tern/core/ops/ops.h>
#include <tern/text/generation/detail/best.h>
#include <tern/text/generation/detail/model_input.h>
#include <tern/text/generation/logits.h>

namespace tern::text {
namespace {

struct Beam {
  Row row;  // with the prompt
  float score = 0;
};

/// A running beam with one more token.
struct Continuation {
  std::size_t beam;
  std::int64_t token;
  float score;
  bool is_finished;
};

/// The beams of one sample.
struct Sample {
  std::vector<Beam> running;   // num_beams of them, but one at first
  std::vector<Beam> finished;  // at most num_beams, the best first, with their final scores
  bool can_improve = true;
};

class BeamSearch {
 public:
  BeamSearch(models::CausalLM& model, const Prompt& prompt, const GenerationOptions& options)
      : options_(options),
        prompt_length_(prompt.rows.front().size()),
        vocab_size_(model.vocab_size()),
        beams_(static_cast<std::size_t>(options.num_beams)),
        input_(model, prompt, options) {
    for (const Row& row : prompt.rows) samples_.push_back({.running = {Beam{row}}, .finished = {}});
  }

  /// Reads the prompts, or the last token of each beam, and extends the beams.
  void step();
  /// Returns true if the next step may find better beams.
  bool goes_on() const;
  /// Returns the best beam of each sample.
  std::vector<Beam> best() const;
  std::int64_t prompt_tokens_read() const { return input_.prompt_tokens_read(); }

 private:
  /// The best continuations of a sample's beams, the best first.
  std::vector<Continuation> extend(std::span<const float> scores, std::int64_t length) const;
  void finish(Sample& sample, const std::vector<Continuation>& continuations,
              std::int64_t length) const;
  /// Chooses the beams that run on. Returns what beams they continue.
  std::vector<std::size_t> run_on(Sample& sample, std::vector<Continuation> continuations) const;
  bool can_improve(const Sample& sample, std::int64_t length) const;
  float penalty(std::int64_t length) const {
    return static_cast<float>(std::pow(static_cast<double>(length), options_.length_penalty));
  }

  const GenerationOptions& options_;
  std::size_t prompt_length_;
  std::int64_t vocab_size_;
  std::size_t beams_;
  ModelInput input_;
  std::vector<Sample> samples_;
  std::vector<Row> rows_;  // of all running beams
  std::int64_t length_ = 0;
  bool all_finished_ = false;
};

std::vector<Continuation> BeamSearch::extend(std::span<const float> scores,
                                             std::int64_t length) const {
  // So many that at least num_beams do not end.
  const std::size_t count =
      std::min(std::max<std::size_t>(2, 1 + options_.eos_token_ids.size()) * beams_, scores.size());
  std::vector<Continuation> continuations;
  for (const Scored& one : largest(scores, count)) {
    const auto token = static_cast<std::int64_t>(one.index) % vocab_size_;
    continuations.push_back(
        {.beam = one.index / static_cast<std::size_t>(vocab_size_),
         .token = token,
         .score = one.score,
         .is_finished = ends(options_, token) || length == options_.max_new_tokens});
  }
  return continuations;
}

void BeamSearch::finish(Sample& sample, const std::vector<Continuation>& continuations,
                        std::int64_t length) const {
  const bool is_full = sample.finished.size() == beams_;
  if (!sample.can_improve || (is_full && options_.early_stopping == EarlyStopping::kTrue)) return;
  for (std::size_t i = 0; i < std::min(beams_, continuations.size()); ++i) {
    const Continuation& one = continuations[i];
    if (!one.is_finished) continue;
    Row row = sample.running[one.beam].row;
    row.push_back(one.token);
    sample.finished.push_back({std::move(row), one.score / penalty(length)});
  }
  std::ranges::stable_sort(sample.finished, std::greater<>(), &Beam::score);
  if (sample.finished.size() > beams_) sample.finished.resize(beams_);
}

std::vector<std::size_t> BeamSearch::run_on(Sample& sample,
                                            std::vector<Continuation> continuations) const {
  // Finished ones run on where too few others are left, far behind all others.
  for (Continuation& one : continuations) one.score += one.is_finished ? -1e9F : 0;
  std::ranges::stable_sort(continuations, std::greater<>(), &Continuation::score);
  std::vector<Beam> running;
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < beams_; ++i) {
    const Continuation& one = continuations[std::min(i, continuations.size() - 1)];
    running.push_back({sample.running[one.beam].row, one.score});
    running.back().row.push_back(one.token);
    sources.push_back(one.beam);
  }
  sample.running = std::move(running);
  return sources;
}

bool BeamSearch::can_improve(const Sample& sample, std::int64_t length) const {
  if (!sample.can_improve) return false;
  if (sample.finished.size() < beams_) return true;
  const bool is_longest =
      options_.early_stopping == EarlyStopping::kNever && options_.length_penalty > 0;
  const float best =
      sample.running.front().score / penalty(is_longest ? options_.max_new_tokens : length);
  return best > sample.finished.back().score;
}

void BeamSearch::step() {
  const Tensor logits = length_ == 0 ? input_.read_prompt() : input_.read_next(rows_);
  const std::size_t running = samples_.front().running.size();
  const auto rows = static_cast<std::int64_t>(samples_.size() * running);
  Tensor scores = to_rows(logits, rows, vocab_size_).log_softmax(-1);
  ++length_;
  auto* score = scores.data_ptr<float>();
  const auto size = static_cast<std::size_t>(vocab_size_);
  std::vector<std::int64_t> sources;
  all_finished_ = true;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    Sample& sample = samples_[s];
    const std::span<float> all(score + s * running * size, running * size);
    for (std::size_t b = 0; b < running; ++b) {
      const std::span<float> row = all.subspan(b * size, size);
      if (options_.repetition_penalty != 1) {
        logits::apply_repetition_penalty(row, sample.running[b].row, options_.repetition_penalty);
      }
      for (float& one : row) one += sample.running[b].score;
    }
    const float best = largest_of(all);
    TERN_CHECK(std::isfinite(best), Error, "text::generate: the model's logits of sample ", s,
               " must be numbers, but their log-softmax has ", best);
    const std::vector<Continuation> continuations = extend(all, length_);
    finish(sample, continuations, length_);
    all_finished_ = all_finished_ && std::ranges::all_of(continuations, &Continuation::is_finished);
    for (const std::size_t source : run_on(sample, continuations)) {
      sources.push_back(static_cast<std::int64_t>(s * running + source));
    }
    sample.can_improve = can_improve(sample, length_);
  }
  if (!goes_on()) return;
  bool is_same = running == beams_;
  for (std::size_t i = 0; is_same && i < sources.size(); ++i) {
    is_same = sources[i] == static_cast<std::int64_t>(i);
  }
  if (!is_same) input_.reorder(sources);
  rows_.clear();
  for (const Sample& sample : samples_) {
    for (const Beam& beam : sample.running) rows_.push_back(beam.row);
  }
}

bool BeamSearch::goes_on() const {
  if (all_finished_) return false;
  const bool is_full = std::ranges::all_of(
      samples_, [&](const Sample& sample) { return sample.finished.size() == beams_; });
  if (is_full && options_.early_stopping == EarlyStopping::kTrue) return false;
  return std::ranges::any_of(samples_, &Sample::can_improve);
}

std::vector<Beam> BeamSearch::best() const {
  std::vector<Beam> best;
  for (const Sample& sample : samples_) best.push_back(sample.finished.front());
  return best;
}

}  // namespace

Generation search_beams(models::CausalLM& model, const Prompt& prompt,
                        const GenerationOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const EvaluationGuard evaluation(model.module());
  BeamSearch search(model, prompt, options);
  Generation result;
  search.step();
  result.seconds_to_first_token = seconds();
  while (search.goes_on()) search.step();

  std::vector<Row> rows;
  std::int64_t later = -prompt.batch();
  for (Beam& beam : search.best()) {
    result.lengths.push_back(std::ssize(beam.row) - prompt.length());
    later += result.lengths.back();
    result.end_reasons.push_back(ends(options, beam.row.back()) ? EndReason::kEndToken
                                                                : EndReason::kMaxNewTokens);
    result.scores.push_back(beam.score);
    rows.push_back(std::move(beam.row));
  }
  result.prompt_tokens_read = search.prompt_tokens_read();
  const double rest = seconds() - result.seconds_to_first_token;
  if (later > 0 && rest > 0) result.tokens_per_second = static_cast<double>(later) / rest;
  result.sequences = sequences_of(rows, padding_of(options), prompt.device);
  return result;
}

}  // namespace tern::text
