#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/text/generation/detail/prompt.h>
#include <tern/text/generation/detail/text_writer.h>

namespace tern::text {
namespace {

/// The tokens of the prompts, with padding at the left.
struct Batch {
  Tensor ids, mask;
};

Batch encode(Tokenizer tokenizer, const std::vector<std::string>& prompts,
             const GenerationOptions& options) {
  // A file may have set them for training.
  tokenizer.set_padding({});
  tokenizer.set_truncation({});
  std::vector<Row> rows;
  std::size_t length = 0;
  for (const std::string& prompt : prompts) {
    rows.push_back(tokenizer.encode_ids(prompt, options.encoding));
    TERN_CHECK(!rows.back().empty(), Error, "text::generate: prompt ", rows.size() - 1,
               " has no tokens: '", prompt, "'");
    length = std::max(length, rows.back().size());
  }
  const std::vector<std::int64_t> sizes = {std::ssize(rows), static_cast<std::int64_t>(length)};
  Batch batch{full(sizes, padding_of(options), TensorOptions(kLong)),
              full(sizes, false, TensorOptions(kBool))};
  auto* id = batch.ids.data_ptr<std::int64_t>();
  auto* mask = batch.mask.data_ptr<bool>();
  for (const Row& row : rows) {
    id += length;
    mask += length;
    std::ranges::copy(row, id - row.size());
    std::fill(mask - row.size(), mask, true);
  }
  return batch;
}

}  // namespace

TextGeneration generate_texts(models::CausalLM& model, const Tokenizer& tokenizer,
                              const std::vector<std::string>& prompts,
                              const GenerationOptions& options) {
  TERN_CHECK(!prompts.empty(), Error, "text::generate: there is no prompt");
  TERN_CHECK(!options.attention_mask.defined(), Error,
             "text::generate: generate_text() makes the attention_mask itself");
  for (const std::string& stop : options.stop_strings) {
    TERN_CHECK(!stop.empty(), Error, "text::generate: a stop string must not be empty");
  }
  const Batch batch = encode(tokenizer, prompts, options);
  GenerationOptions inner = options;
  inner.attention_mask = batch.mask;
  const Prompt prompt = read_prompt(model, batch.ids, inner);

  std::vector<TextWriter> writers;
  for (std::size_t b = 0; b < prompts.size(); ++b) writers.emplace_back(tokenizer, options, b);
  TextGeneration result;
  if (options.num_beams > 1) {
    result.generation = search_beams(model, prompt, inner);
    const Tensor ids = result.generation.sequences.to(kCPU);
    for (std::size_t b = 0; b < prompts.size(); ++b) {
      const auto* id = ids.data_ptr<std::int64_t>() + static_cast<std::int64_t>(b) * ids.size(1) +
                       prompt.length();
      for (std::int64_t i = 0; i < result.generation.lengths[b]; ++i) writers[b].add(id[i]);
    }
  } else {
    const EndHook hook = [&](std::size_t sample, std::int64_t token, EndReason& reason) {
      const TextWriter::Result added = writers[sample].add(token);
      reason =
          added == TextWriter::Result::kStopString ? EndReason::kStopString : EndReason::kCallback;
      return added != TextWriter::Result::kGoOn;
    };
    result.generation = write_tokens(model, prompt, inner, hook);
  }
  for (std::size_t b = 0; b < writers.size(); ++b) {
    if (writers[b].finish() == TextWriter::Result::kStopString) {
      result.generation.end_reasons[b] = EndReason::kStopString;
    }
    result.texts.push_back(writers[b].take());
  }
  return result;
}

TextGeneration generate_text(models::CausalLM& model, const Tokenizer& tokenizer,
                             const std::string& prompt, const GenerationOptions& options) {
  return generate_texts(model, tokenizer, {prompt}, options);
}

}  // namespace tern::text
