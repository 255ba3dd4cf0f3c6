#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <tern/nn/models/llama.h>
#include <tern/tern.h>
#include <tern/text/text.h>

#include "../peak.h"

// Tokenizers and generation, for run.py beside it. Prints lines "name, tab, number".
//
//   text encode TOKENIZER_JSON FILE        megabytes of text per second, on one thread
//   text generate MODEL THREADS TOKENS     tokens per second, of a prompt of 512, peak memory
//   text packed MODEL THREADS TOKENS       the same with packed weights
//   text first MODEL THREADS               one token, for the time from start to end
//   text agree GGUF FILE                   perplexity and likeliest tokens of blocks beside float32

namespace {

namespace text = tern::text;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void report(const char* name, double value) { std::printf("%s\t%.9g\n", name, value); }

/// Returns the shortest time of several calls, in seconds.
template <class Call>
double best_of(int rounds, const Call& call) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    call();
    best = std::min(best, seconds_since(begin));
  }
  return best;
}

int encode(const char* file, const char* input) {
  const text::Tokenizer tokenizer = text::Tokenizer::from_file(file);
  std::ifstream stream(input, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  std::size_t count = 0;
  const double megabytes = static_cast<double>(all.size()) * 1e-6;
  report("encode_ids", megabytes / best_of(5, [&] { count = tokenizer.encode_ids(all).size(); }));
  report("encode", megabytes / best_of(3, [&] { count = tokenizer.encode(all).size(); }));
  report("tokens", static_cast<double>(count));
  return 0;
}

tern::Tensor prompt_of(std::int64_t length, std::int64_t vocabulary) {
  // Any tokens do; the same as in peers.py.
  return ((tern::arange(length) * 7919 + 13) % vocabulary).unsqueeze(0);
}

int generate(const char* path, int threads, std::int64_t tokens) {
  tern::set_num_threads(threads);
  const text::LanguageModel model = text::load_language_model(path);
  const std::int64_t vocabulary = model.model->vocab_size();
  text::GenerationOptions options;
  options.max_new_tokens = tokens;
  const tern::Tensor prompt = prompt_of(16, vocabulary);
  double rate = 0;
  text::Generation written;
  for (int round = 0; round < 3; ++round) {
    written = text::generate(*model.model, prompt, options);
    rate = std::max(rate, written.tokens_per_second);
  }
  report("tokens/s", rate);
  // Before the long prompt, whose rows take memory of their own.
  const auto& llama = dynamic_cast<const tern::models::LlamaImpl&>(*model.model).options;
  const std::int64_t heads = llama.num_key_value_heads().value_or(llama.num_attention_heads());
  const std::int64_t size =
      llama.head_dim().value_or(llama.hidden_size() / llama.num_attention_heads());
  report("cache bytes", static_cast<double>(2 * llama.num_hidden_layers() * heads * size *
                                            (16 + tokens) * std::int64_t{sizeof(float)}));
  report("peak bytes", static_cast<double>(bench::peak() * 1024));
  options.max_new_tokens = 1;
  const tern::Tensor long_prompt = prompt_of(512, vocabulary);
  report("prompt tokens/s",
         512 / best_of(3, [&] { written = text::generate(*model.model, long_prompt, options); }));
  return 0;
}

int first(const char* path, int threads) {
  tern::set_num_threads(threads);
  const text::LanguageModel model = text::load_language_model(path);
  text::GenerationOptions options;
  options.max_new_tokens = 1;
  const text::TextGeneration written =
      text::generate_text(*model.model, model.tokenizer, "The capital of France is", options);
  report("tokens", static_cast<double>(written.generation.lengths[0]));
  return 0;
}

tern::Tensor row_of(const std::vector<std::int64_t>& ids) { return tern::tensor(ids).unsqueeze(0); }

/// Returns the logits after each token [tokens, vocabulary].
tern::Tensor logits_of(tern::models::CausalLM& model, const std::vector<std::int64_t>& ids) {
  const tern::NoGradGuard no_grad;
  tern::nn::KVCache cache = model.make_cache(static_cast<std::int64_t>(ids.size()));
  std::vector<tern::Tensor> rows;
  for (const std::int64_t id : ids) rows.push_back(model.next_token_logits(row_of({id}), cache));
  return tern::cat(rows);
}

/// Compares the blocks of a file with the same numbers in float32 on the first tokens of a text,
/// one by one.
int agree(const char* path, const char* input) {
  constexpr std::size_t kTokens = 1024;
  const text::LanguageModel blocks = text::load_language_model(path);
  const text::LanguageModel floats = text::load_language_model(path, {.keep_blocks = false});
  std::ifstream stream(input, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::int64_t> ids = blocks.tokenizer.encode_ids(all);
  ids.resize(std::min(ids.size(), kTokens));
  const auto rest = static_cast<std::int64_t>(ids.size()) - 1;
  const tern::Tensor next = row_of(ids).squeeze(0).narrow(0, 1, rest);
  const auto perplexity = [&](const tern::Tensor& logits) {
    return std::exp(tern::cross_entropy_loss(logits.narrow(0, 0, rest), next).item<double>());
  };
  const tern::Tensor want = logits_of(*floats.model, ids);
  report("float32 perplexity", perplexity(want));
  for (const std::string kind : {"", "packed ", "exact "}) {
    tern::use_packed_quantized_weights(kind == "packed ");
    tern::use_exact_quantized_products(kind == "exact ");
    const tern::Tensor got = logits_of(*blocks.model, ids);
    const tern::Tensor same = (got.argmax(-1) == want.argmax(-1)).to(tern::kLong);
    const std::string name = kind + "blocks ";
    report((name + "perplexity").c_str(), perplexity(got));
    report((name + "same of 200").c_str(), same.slice(0, 0, 200).sum().item<double>());
    report((name + "same of 1024").c_str(), same.sum().item<double>());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto is = [&](const char* name, std::size_t count) {
    return arguments.size() == count + 1 && arguments[0] == name;
  };
  try {
    if (is("encode", 2)) return encode(argv[2], argv[3]);
    if (is("packed", 3)) {
      tern::use_packed_quantized_weights(true);
      return generate(argv[2], std::stoi(argv[3]), std::stoll(argv[4]));
    }
    if (is("generate", 3)) return generate(argv[2], std::stoi(argv[3]), std::stoll(argv[4]));
    if (is("first", 2)) return first(argv[2], std::stoi(argv[3]));
    if (is("agree", 2)) return agree(argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  std::cerr << "text encode TOKENIZER_JSON FILE | generate MODEL THREADS TOKENS | packed "
               "MODEL THREADS TOKENS | first MODEL THREADS | agree GGUF FILE\n";
  return 2;
}
