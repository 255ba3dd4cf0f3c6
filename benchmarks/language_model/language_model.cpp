#include <tern/tern.h>
#include <tern/text/text.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../bench.h"

// The speed of a language model in a GGUF file: a prompt of 512 tokens, and tokens one by one. With
// a text, in place of that: how often the blocks of the file and the same numbers in float32 have
// the same most likely next token, and the perplexities, of the text's first 1,024 tokens one by
// one. llama_peer.py measures the same with llama.cpp.
//
//   language_model FILE [THREADS] [TEXT]

namespace {

using tern::Tensor;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(2);
}

constexpr std::int64_t kPrompt = 512, kNew = 64, kTokens = 1024;

Tensor row_of(const std::vector<std::int64_t>& ids) { return tern::tensor(ids).unsqueeze(0); }

void report_speed(tern::models::CausalLM& model) {
  constexpr int kRounds = 5;
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < kPrompt; ++i) ids.push_back(100 + i % 1000);
  double prompt = 1e300, one = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    tern::nn::KVCache cache = model.make_cache(kPrompt);
    prompt =
        std::min(prompt, bench::nanoseconds([&] { model.next_token_logits(row_of(ids), cache); }));
    tern::nn::KVCache short_cache = model.make_cache(kPrompt);
    model.next_token_logits(row_of({ids.begin(), ids.begin() + 16}), short_cache);
    one = std::min(one, bench::nanoseconds([&] {
                     for (std::size_t i = 0; i < kNew; ++i) {
                       model.next_token_logits(row_of({ids[16 + i]}), short_cache);
                     }
                   }));
  }
  std::printf("prompt, a token\t%.0f\none token\t%.0f\n", prompt / kPrompt, one / kNew);
}

/// Returns the logits after each token [tokens, vocabulary].
Tensor logits_of(tern::models::CausalLM& model, const std::vector<std::int64_t>& ids) {
  tern::nn::KVCache cache = model.make_cache(static_cast<std::int64_t>(ids.size()));
  std::vector<Tensor> rows;
  for (const std::int64_t id : ids) rows.push_back(model.next_token_logits(row_of({id}), cache));
  return tern::cat(rows);
}

void compare(const std::string& file, const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("cannot read the text " + path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto blocks = tern::text::load_language_model(file);
  const auto floats = tern::text::load_language_model(file, {.keep_blocks = false});
  std::vector<std::int64_t> ids = blocks.tokenizer.encode_ids(text);
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(kTokens)));
  const auto rest = static_cast<std::int64_t>(ids.size()) - 1;
  const Tensor next = row_of(ids).squeeze(0).narrow(0, 1, rest);
  const auto perplexity = [&](const Tensor& logits) {
    return std::exp(tern::cross_entropy_loss(logits.narrow(0, 0, rest), next).item<double>());
  };
  const Tensor want = logits_of(*floats.model, ids), best = want.argmax(-1);
  std::printf("float32: perplexity %.3f\n", perplexity(want));
  for (const bool exact : {false, true}) {
    tern::use_exact_quantized_products(exact);
    const Tensor got = logits_of(*blocks.model, ids);
    const Tensor same = (got.argmax(-1) == best).to(tern::kLong);
    const std::int64_t first = std::min<std::int64_t>(200, rest + 1);
    std::printf(
        "blocks%s: perplexity %.3f, the same next token %lld of the first %lld, %lld of %lld\n",
        exact ? ", exact" : "", perplexity(got),
        static_cast<long long>(same.narrow(0, 0, first).sum().item<std::int64_t>()),
        static_cast<long long>(first), static_cast<long long>(same.sum().item<std::int64_t>()),
        static_cast<long long>(rest + 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) fail("usage: language_model FILE [THREADS] [TEXT]");
  tern::set_num_threads(argc > 2 ? std::atoi(argv[2]) : 1);
  const tern::NoGradGuard no_grad;
  if (argc == 4) {
    compare(argv[1], argv[3]);
  } else {
    report_speed(*tern::text::load_language_model(argv[1]).model);
  }
}
