#include <algorithm>
#include <cmath>

#include <tern/core/base/error.h>
#include <tern/core/base/warning.h>
#include <tern/core/ops/ops.h>
#include <tern/text/generation/detail/prompt.h>

namespace tern::text {
namespace {

constexpr const char* kName = "text::generate: ";

void check_sampling(const GenerationOptions& o) {
  TERN_CHECK(o.temperature > 0 && std::isfinite(o.temperature), Error, kName,
             "temperature must be a finite number above 0, got ", o.temperature);
  TERN_CHECK(o.top_k >= 0, Error, kName, "top_k must be at least 1, or 0 for all tokens, got ",
             o.top_k);
  TERN_CHECK(o.top_p >= 0 && o.top_p <= 1, Error, kName, "top_p must be from 0 to 1, got ",
             o.top_p);
  TERN_CHECK(o.min_p >= 0 && o.min_p <= 1, Error, kName, "min_p must be from 0 to 1, got ",
             o.min_p);
  TERN_CHECK(!o.seed || !o.generator, Error, kName, "seed ", *o.seed,
             " and a generator exclude each other");
  TERN_CHECK(!o.generator || o.generator->device() == Device(kCPU), DeviceError, kName,
             "tokens are drawn with a generator of the cpu, got one of ", o.generator->device());
  if (o.do_sample) return;
  const auto warn_of = [](const char* option, double value) {
    detail::warn(kName, option, " ", value, " is not used without do_sample");
  };
  if (o.temperature != 1) warn_of("temperature", o.temperature);
  if (o.top_p != 1) warn_of("top_p", o.top_p);
  if (o.min_p != 0) warn_of("min_p", o.min_p);
}

void check_beams(const GenerationOptions& o, std::int64_t vocab) {
  TERN_CHECK(o.num_beams >= 1, Error, kName, "num_beams must be at least 1, got ", o.num_beams);
  if (o.num_beams == 1) return;
  TERN_CHECK(o.num_beams <= vocab, Error, kName, "num_beams must not exceed the ", vocab,
             " tokens of the model, got ", o.num_beams);
  TERN_CHECK(std::isfinite(o.length_penalty), Error, kName, "length_penalty must be finite, got ",
             o.length_penalty);
  const char* const other = o.do_sample                ? "do_sample"
                            : !o.stop_strings.empty()  ? "stop_strings"
                            : o.on_tokens || o.on_text ? "a function for each step"
                            : o.sliding_window         ? "sliding_window"
                                                       : nullptr;
  TERN_CHECK(other == nullptr, NotImplementedError, kName, "beam search (num_beams ", o.num_beams,
             ") cannot be combined with ", other);
}

void check_token(const char* what, std::int64_t token, std::int64_t vocab) {
  TERN_CHECK(token >= 0 && token < vocab, IndexError, kName, what, " ", token,
             " is out of range for a model with ", vocab, " tokens");
}

void check_length(const GenerationOptions& o, std::int64_t length, std::int64_t context) {
  TERN_CHECK(o.max_new_tokens >= 1, Error, kName, "max_new_tokens must be at least 1, got ",
             o.max_new_tokens);
  if (o.sliding_window) {
    TERN_CHECK(*o.sliding_window >= 2 && *o.sliding_window <= context, Error, kName,
               "sliding_window must be from 2 to the model's context of ", context, " tokens, got ",
               *o.sliding_window);
    return;
  }
  TERN_CHECK(length <= context, ShapeError, kName, "the prompt has ", length,
             " tokens, but the model's context has ", context);
  TERN_CHECK(o.max_new_tokens <= context - length, ShapeError, kName, "a prompt of ", length,
             " tokens and max_new_tokens ", o.max_new_tokens, " exceed the model's context of ",
             context, " tokens; sliding_window goes on");
}

void check_prompt_cache(const GenerationOptions& o, const Prompt& prompt) {
  if (!o.prompt_cache) return;
  const char* const other = prompt.rows.size() > 1 ? "several prompts"
                            : !prompt.mask.empty() ? "padding"
                            : o.num_beams > 1      ? "beam search"
                            : o.sliding_window     ? "sliding_window"
                                                   : nullptr;
  TERN_CHECK(other == nullptr, NotImplementedError, kName, "prompt_cache cannot be combined with ",
             other);
}

std::vector<std::vector<bool>> read_mask(const Tensor& mask, const Tensor& input_ids) {
  if (!mask.defined()) return {};
  TERN_CHECK(mask.dtype() == kBool, DTypeError, kName,
             "attention_mask must be Bool, false for padding, got ", mask.scalar_type());
  TERN_CHECK(mask.sizes() == input_ids.sizes(), ShapeError, kName,
             "attention_mask must have the sizes of input_ids, got ", mask.sizes(), " and ",
             input_ids.sizes());
  const Tensor values = mask.to(kCPU).contiguous();
  const bool* value = values.data_ptr<bool>();
  const auto length = static_cast<std::size_t>(mask.size(1));
  std::vector<std::vector<bool>> rows;
  bool has_padding = false;
  for (std::int64_t b = 0; b < mask.size(0); ++b, value += length) {
    rows.emplace_back(value, value + length);
    const auto first = std::find(rows.back().begin(), rows.back().end(), true);
    TERN_CHECK(std::find(first, rows.back().end(), false) == rows.back().end() &&
                   first != rows.back().end(),
               Error, kName, "padding must be at the left, with a token behind it, but row ", b,
               " of attention_mask is ", mask[b].to(kInt).to(kCPU));
    has_padding = has_padding || !rows.back().front();
  }
  return has_padding ? rows : std::vector<std::vector<bool>>();
}

}  // namespace

Prompt read_prompt(const models::CausalLM& model, const Tensor& input_ids,
                   const GenerationOptions& options) {
  const std::int64_t vocab = model.vocab_size();
  check_sampling(options);
  TERN_CHECK(options.repetition_penalty > 0 && std::isfinite(options.repetition_penalty), Error,
             kName, "repetition_penalty must be a finite number above 0, got ",
             options.repetition_penalty);
  check_beams(options, vocab);
  for (const std::int64_t token : options.eos_token_ids) {
    check_token("token of eos_token_ids", token, vocab);
  }
  if (options.pad_token_id) check_token("pad_token_id", *options.pad_token_id, vocab);

  TERN_CHECK(input_ids.defined(), Error, kName, "input_ids is undefined");
  TERN_CHECK(input_ids.dtype() == kLong, DTypeError, kName, "input_ids must be Long, got ",
             input_ids.scalar_type());
  TERN_CHECK(input_ids.dim() == 2 && input_ids.numel() > 0, ShapeError, kName,
             "input_ids must be [samples, tokens] with at least one token, got sizes ",
             input_ids.sizes());
  check_length(options, input_ids.size(1), model.context_length());
  Prompt prompt{.rows = {},
                .mask = read_mask(options.attention_mask, input_ids),
                .device = input_ids.device()};
  const Tensor ids = input_ids.to(kCPU).contiguous();
  const auto* id = ids.data_ptr<std::int64_t>();
  for (std::int64_t b = 0; b < ids.size(0); ++b, id += ids.size(1)) {
    for (std::int64_t t = 0; t < ids.size(1); ++t) check_token("token of input_ids", id[t], vocab);
    prompt.rows.emplace_back(id, id + ids.size(1));
  }
  check_prompt_cache(options, prompt);
  return prompt;
}

std::int64_t padding_of(const GenerationOptions& options) {
  if (options.pad_token_id) return *options.pad_token_id;
  return options.eos_token_ids.empty() ? 0 : options.eos_token_ids.front();
}

bool ends(const GenerationOptions& options, std::int64_t token) {
  return std::ranges::find(options.eos_token_ids, token) != options.eos_token_ids.end();
}

Tensor sequences_of(const std::vector<Row>& rows, std::int64_t padding, Device device) {
  std::size_t length = 0;
  for (const Row& row : rows) length = std::max(length, row.size());
  Tensor result =
      full({std::ssize(rows), static_cast<std::int64_t>(length)}, padding, TensorOptions(kLong));
  auto* element = result.data_ptr<std::int64_t>();
  for (const Row& row : rows) {
    std::ranges::copy(row, element);
    element += length;
  }
  return result.to(device);
}

}  // namespace tern::text
