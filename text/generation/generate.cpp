#include <chrono>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/text/generation/detail/model_input.h>
#include <tern/text/generation/detail/token_chooser.h>

namespace tern::text {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns true if a token ends a sample that has `length` tokens with it.
bool ends_sample(const GenerationOptions& options, const EndHook& hook, std::size_t sample,
                 std::int64_t token, std::int64_t length, EndReason& reason) {
  // The hook gets every token: it writes the text.
  const bool is_ended = hook && hook(sample, token, reason);
  if (ends(options, token)) {
    reason = EndReason::kEndToken;
  } else if (!is_ended) {
    reason = EndReason::kMaxNewTokens;
    return length == options.max_new_tokens;
  }
  return true;
}

}  // namespace

Generation write_tokens(models::CausalLM& model, const Prompt& prompt,
                        const GenerationOptions& options, const EndHook& hook) {
  const auto begin = Clock::now();
  const EvaluationGuard evaluation(model.module());
  ModelInput input(model, prompt, options);
  TokenChooser chooser(options, model.vocab_size());
  const std::int64_t padding = padding_of(options);

  const std::size_t batch = prompt.rows.size();
  Generation result;
  result.lengths.assign(batch, 0);
  result.end_reasons.assign(batch, EndReason::kMaxNewTokens);
  std::vector<Row> rows = prompt.rows;
  for (Row& row : rows) row.reserve(row.size() + static_cast<std::size_t>(options.max_new_tokens));
  std::vector<bool> is_ended(batch, false);
  Row tokens(batch);
  std::size_t running = batch;
  for (Tensor logits = input.read_prompt();; logits = input.read_next(rows)) {
    chooser.choose(logits, rows, tokens);
    if (result.seconds_to_first_token == 0) result.seconds_to_first_token = seconds_since(begin);
    for (std::size_t b = 0; b < batch; ++b) {
      if (is_ended[b]) {
        tokens[b] = padding;
      } else if (ends_sample(options, hook, b, tokens[b], ++result.lengths[b],
                             result.end_reasons[b])) {
        is_ended[b] = true;
        --running;
      }
      rows[b].push_back(tokens[b]);
    }
    const bool goes_on = !options.on_tokens || options.on_tokens(tokens);
    if (running == 0) break;
    if (goes_on) continue;
    for (std::size_t b = 0; b < batch; ++b) {
      if (!is_ended[b]) result.end_reasons[b] = EndReason::kCallback;
    }
    break;
  }
  std::int64_t later = -prompt.batch();
  for (const std::int64_t length : result.lengths) later += length;
  const double seconds = seconds_since(begin) - result.seconds_to_first_token;
  if (later > 0 && seconds > 0) result.tokens_per_second = static_cast<double>(later) / seconds;
  result.prompt_tokens_read = input.prompt_tokens_read();
  input.keep(rows.front());
  result.sequences = sequences_of(rows, padding, prompt.device);
  return result;
}

Generation generate(models::CausalLM& model, const Tensor& input_ids,
                    const GenerationOptions& options) {
  TERN_CHECK(options.stop_strings.empty(), Error,
             "text::generate: stop_strings need a tokenizer: call generate_text()");
  TERN_CHECK(!options.on_text, Error,
             "text::generate: on_text needs a tokenizer: call generate_text()");
  const Prompt prompt = read_prompt(model, input_ids, options);
  if (options.num_beams > 1) return search_beams(model, prompt, options);
  return write_tokens(model, prompt, options, nullptr);
}

}  // namespace tern::text
