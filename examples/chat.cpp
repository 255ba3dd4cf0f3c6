// Writes text with a language model, token by token.
//
//   chat --weights smollm2.gguf "What is 12 + 30?"   answers; a folder of Hugging Face works as
//   well chat --weights smollm2.gguf                      talks: a line of standard input is a turn
//   chat --weights gpt2 --raw "The capital of"       goes on with a text, without a chat template
//   chat "Subject to"                                trains a small model for a minute, then writes
//
//   [--system TEXT] [--raw] [--max-tokens 256] [--temperature 0.7] [--top-k 50] [--top-p 1]
//   [--min-p 0] [--repetition-penalty 1] [--beams 1] [--stop TEXT] [--seed 1] [--quantize q8_0]
//   [--pack] [--threads N] [--data FILE] [--seconds 60]
//
// --temperature 0 takes the best token each time. --quantize makes blocks of 8 or 4 bits of weights
// that are none yet: q8_0, q4_0, q4_1 or q4_k. --pack keeps a second copy of blocks, in an order
// that the processor reads faster. Without weights, the model learns a part of tern's
// licence by heart, or --data FILE. Expected then, with the defaults: a loss below 0.1, and the
// licence. The last line tells how fast the model read and wrote.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <tern/nn/models/llama.h>
#include <tern/nn/quantize.h>
#include <tern/tern.h>
#include <tern/text/text.h>

#include "support/command_line.h"
#include "support/licence.h"

namespace {

namespace nn = tern::nn;
namespace text = tern::text;
using tern::Tensor;

struct Arguments {
  std::string weights, prompt, system, quantize, data;
  std::vector<std::string> stop;
  std::int64_t max_tokens = 256, top_k = 50, beams = 1;
  double temperature = 0.7, top_p = 1, min_p = 0, repetition_penalty = 1, seconds = 60;
  std::uint64_t seed = 1;
  int threads = 0;
  bool raw = false, pack = false;
};

std::string read_text(const std::string& path) {
  if (path.empty()) return support::kLicence;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read the text '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the character that stands for a byte in a vocabulary of bytes, as UTF-8.
std::string character_of(int byte) {
  static const std::vector<int> points = [] {
    std::vector<int> all(256);
    int next = 256;
    for (int i = 0; i < 256; ++i) {
      const bool is_shown = (i >= 33 && i <= 126) || (i >= 161 && i <= 172) || i >= 174;
      all[static_cast<std::size_t>(i)] = is_shown ? i : next++;
    }
    return all;
  }();
  const int point = points[static_cast<std::size_t>(byte)];
  if (point < 128) return {static_cast<char>(point)};
  return {static_cast<char>(0xC0 | (point >> 6)), static_cast<char>(0x80 | (point & 63))};
}

/// Returns a tokenizer whose tokens are the 256 bytes.
text::Tokenizer byte_tokenizer() {
  text::BpeVocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.tokens.push_back(character_of(byte));
  return text::Tokenizer(vocabulary);
}

/// Returns a small Llama that learned a text for some seconds.
text::LanguageModel train_model(const Arguments& a) {
  constexpr std::int64_t kLength = 64, kBatch = 16;
  text::LanguageModel result{.model = nullptr, .tokenizer = byte_tokenizer()};
  const Tensor tokens = tern::tensor(result.tokenizer.encode_ids(read_text(a.data)));
  if (tokens.numel() <= kLength) {
    throw std::runtime_error("the text has " + std::to_string(tokens.numel()) +
                             " bytes; more than " + std::to_string(kLength) + " are needed");
  }
  tern::models::Llama net(tern::models::LlamaOptions()
                              .vocab_size(256)
                              .hidden_size(128)
                              .intermediate_size(384)
                              .num_hidden_layers(3)
                              .num_attention_heads(4)
                              .max_position_embeddings(1024)
                              .initializer_range(0.05)
                              .tie_word_embeddings(true));
  tern::optim::AdamW optimizer(net->parameters(), tern::optim::AdamWOptions(2e-3));
  const Tensor window = tern::arange(kLength + 1);
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int step = 1;; ++step) {
    const Tensor starts = tern::randint(tokens.numel() - kLength, {kBatch, 1});
    const Tensor rows = tokens.index({starts + window});
    const Tensor scores = net(rows.narrow(1, 0, kLength));
    const Tensor loss =
        nn::functional::cross_entropy(scores.flatten(0, 1), rows.narrow(1, 1, kLength).flatten());
    optimizer.zero_grad();
    loss.backward();
    nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
    const bool is_last = seconds() >= a.seconds;
    if (step % 100 == 0 || is_last) {
      std::printf("step %d: loss %.4f\n", step, loss.item<double>());
      std::fflush(stdout);
    }
    if (is_last) break;
  }
  result.model = net.ptr();
  return result;
}

tern::BlockFormat format_of(const std::string& name) {
  if (name == "q8_0") return tern::BlockFormat::kQ8_0;
  if (name == "q4_0") return tern::BlockFormat::kQ4_0;
  return name == "q4_1" ? tern::BlockFormat::kQ4_1 : tern::BlockFormat::kQ4_K;
}

text::GenerationOptions options_of(const text::LanguageModel& model, const Arguments& a) {
  text::GenerationOptions options = model.options();
  options.do_sample = a.temperature > 0 && a.beams == 1;
  if (options.do_sample) {
    options.temperature = a.temperature;
    options.top_k = a.top_k;
    options.top_p = a.top_p;
    options.min_p = a.min_p;
    options.seed = a.seed;
  }
  options.repetition_penalty = a.repetition_penalty;
  options.num_beams = a.beams;
  options.stop_strings = a.stop;
  return options;
}

/// Writes what follows a prompt, prints it, and returns it.
std::string write(const text::LanguageModel& model, const std::string& prompt,
                  text::GenerationOptions options, std::int64_t max_tokens) {
  const auto length = std::ssize(model.tokenizer.encode_ids(prompt, options.encoding));
  options.max_new_tokens = std::min(max_tokens, model.model->context_length() - length);
  if (options.max_new_tokens < 1) {
    throw std::runtime_error("the prompt has " + std::to_string(length) +
                             " tokens and fills the model's context of " +
                             std::to_string(model.model->context_length()));
  }
  if (options.num_beams == 1) {
    options.on_text = [](std::string_view piece, std::size_t) {
      std::cout << piece << std::flush;
      return true;
    };
  }
  const text::TextGeneration written =
      text::generate_text(*model.model, model.tokenizer, prompt, options);
  const text::Generation& tokens = written.generation;
  if (options.num_beams > 1) std::cout << written.texts[0];
  std::printf(
      "\n[%lld tokens read, the first one written after %.2f s; %lld written, %.1f tokens/s]\n",
      static_cast<long long>(tokens.prompt_tokens_read), tokens.seconds_to_first_token,
      static_cast<long long>(tokens.lengths[0]), tokens.tokens_per_second);
  std::fflush(stdout);
  return written.texts[0];
}

/// Answers the prompt, or each line of standard input.
void talk(const text::LanguageModel& model, text::GenerationOptions options, const Arguments& a) {
  const text::ChatTemplate chat = model.chat();
  options.encoding.add_special_tokens = false;  // the template writes them
  // Later turns read what is new of the conversation.
  if (a.beams == 1) options.prompt_cache = std::make_shared<text::PromptCache>();
  std::vector<text::ChatMessage> messages;
  if (!a.system.empty()) messages.push_back({"system", a.system});
  std::string turn = a.prompt;
  while (!a.prompt.empty() || std::getline(std::cin, turn)) {
    if (!turn.empty()) {
      messages.push_back({"user", turn});
      messages.push_back({"assistant", write(model, chat.render(messages), options, a.max_tokens)});
    }
    if (!a.prompt.empty()) return;
  }
}

void run(const Arguments& a) {
  if (a.threads > 0) tern::set_num_threads(a.threads);
  tern::use_packed_quantized_weights(a.pack);
  tern::manual_seed(a.seed);
  const text::LanguageModel model =
      a.weights.empty() ? train_model(a) : text::load_language_model(a.weights);
  if (!a.quantize.empty()) {
    const std::size_t count =
        nn::quantize_(model.model->module(), format_of(a.quantize), {.skip_misfits = true});
    std::printf("%zu modules have %s weights now\n", count, a.quantize.c_str());
  }
  const text::GenerationOptions options = options_of(model, a);
  const bool is_chat = !a.raw && !model.chat_template.empty();
  if (is_chat) {
    talk(model, options, a);
    return;
  }
  std::string prompt = a.prompt;
  if (prompt.empty() && a.weights.empty()) prompt = read_text(a.data).substr(0, 10);
  if (prompt.empty()) throw std::runtime_error("a text to go on with is missing");
  std::cout << prompt;
  write(model, prompt, options, a.max_tokens);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  support::CommandLine line("Writes text with a language model.", "chat");
  line.option("prompt", a.prompt, "a question, or with --raw the beginning of a text");
  line.option("--weights", a.weights, "GGUF file, or folder of Hugging Face");
  line.flag("--raw", a.raw, "go on with the text, without the chat template");
  line.flag("--pack", a.pack, "keep a copy of quantised weights that is read faster");
  line.option("--system", a.system, "tells the model how to answer");
  line.option("--max-tokens", a.max_tokens, "tokens to write at most, 256 unless said")
      .check(support::whole(1, 1 << 20));
  line.option("--temperature", a.temperature, "0.7 unless said; 0 takes the best token")
      .check(support::not_negative());
  line.option("--top-k", a.top_k, "draw from so many tokens, 50 unless said; 0 for all")
      .check(support::whole(0, 1 << 20));
  line.option("--top-p", a.top_p, "draw from the best tokens of this probability, 1 unless said")
      .check(support::not_negative());
  line.option("--min-p", a.min_p, "draw from tokens with this part of the best one's probability")
      .check(support::not_negative());
  line.option("--repetition-penalty", a.repetition_penalty, "1 unless said")
      .check(support::positive());
  line.option("--beams", a.beams, "beam search, 1 unless said").check(support::whole(1, 64));
  line.option("--stop", a.stop, "texts that end the answer");
  line.option("--seed", a.seed, "1 unless said");
  line.option("--quantize", a.quantize, "q8_0, q4_0, q4_1 or q4_k")
      .check(support::one_of({"q8_0", "q4_0", "q4_1", "q4_k"}));
  line.option("--threads", a.threads, "threads of the cpu; one per core without")
      .check(support::thread_count(1));
  line.option("--data", a.data, "file with a text to learn; a part of tern's licence without");
  line.option("--seconds", a.seconds, "seconds to learn, 60 unless said")
      .check(support::positive());
  return line.run(argc, argv, [&] { run(a); });
}
