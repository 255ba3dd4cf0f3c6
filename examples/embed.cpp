// Tells how similar sentences are, with the vectors of a BERT model.
//
//   embed --weights all-MiniLM-L6-v2 "A man is eating food." "Ein Mann isst etwas." ...
//
//   [--max-length 128] [--quantize q8_0] [--threads N]
//
// --weights is a folder of Hugging Face: config.json, model.safetensors, tokenizer.json or
// vocab.txt. The vector of a sentence is the mean of the hidden states of its tokens, divided by
// its norm. The table has the cosine of each pair. Expected with all-MiniLM-L6-v2: above 0.5 for
// sentences that mean the same, below 0.2 for those about other things.

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <tern/nn/models/bert.h>
#include <tern/nn/quantize.h>
#include <tern/serialization/json_document.h>
#include <tern/tern.h>
#include <tern/text/text.h>

#include "support/command_line.h"

namespace {

namespace nn = tern::nn;
namespace text = tern::text;
using tern::Tensor;

struct Arguments {
  std::string weights, quantize;
  std::vector<std::string> sentences;
  std::int64_t max_length = 128;
  int threads = 0;
};

/// Returns a list of numbers of each encoding as rows. Shape: int64 [sentences, tokens]
Tensor rows_of(const std::vector<text::Encoding>& encodings,
               std::vector<std::int64_t> text::Encoding::*list) {
  std::vector<Tensor> rows;
  for (const text::Encoding& encoding : encodings) rows.push_back(tern::tensor(encoding.*list));
  return tern::stack(rows);
}

/// Returns a vector of length 1 for each sentence. Shape: [sentences, hidden_size]
Tensor embed(tern::models::Bert& net, const text::Tokenizer& tokenizer,
             const std::vector<std::string>& sentences) {
  const std::vector<text::Encoding> encodings = tokenizer.encode_batch(sentences);
  const Tensor mask = rows_of(encodings, &text::Encoding::attention_mask);
  const auto [hidden, pooled] = net(rows_of(encodings, &text::Encoding::ids), mask,
                                    rows_of(encodings, &text::Encoding::type_ids));
  const Tensor weight = mask.unsqueeze(-1).to(hidden.dtype());
  const Tensor mean = (hidden * weight).sum(1) / weight.sum(1);
  return nn::functional::normalize(mean);
}

void run(const Arguments& a) {
  if (a.threads > 0) tern::set_num_threads(a.threads);
  if (a.sentences.size() < 2) throw std::runtime_error("needs two sentences or more");
  auto options =
      tern::models::BertOptions::from_config(tern::load_json(a.weights + "/config.json"));
  tern::models::Bert net(options.dtype(tern::kFloat).device(tern::Device(tern::kMeta)));
  net->load_state_dict(tern::load_state(a.weights, {.map = true}),
                       nn::LoadOptions{.assign = true, .cast = true});
  net->eval();
  if (!a.quantize.empty()) {
    nn::quantize_(*net, a.quantize == "q8_0" ? tern::BlockFormat::kQ8_0 : tern::BlockFormat::kQ4_1,
                  {.skip_misfits = true});
  }
  text::Tokenizer tokenizer = text::Tokenizer::from_folder(a.weights);
  const std::int64_t most = std::min(a.max_length, net->options.max_position_embeddings());
  tokenizer.set_truncation(text::Truncation{.max_length = most});
  tokenizer.set_padding(text::Padding{.id = tokenizer.token_to_id("[PAD]").value_or(0)});

  const tern::NoGradGuard no_grad;
  const Tensor vectors = embed(net, tokenizer, a.sentences);
  const Tensor cosines = vectors.matmul(vectors.t()).to(tern::kDouble).contiguous();
  const double* cosine = cosines.data_ptr<double>();
  for (std::size_t i = 0; i < a.sentences.size(); ++i) {
    for (std::size_t j = 0; j < a.sentences.size(); ++j) std::printf("%8.4f", *cosine++);
    std::printf("  %s\n", a.sentences[i].c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  support::CommandLine line("Tells how similar sentences are.", "embed");
  line.option("--weights", a.weights, "folder of Hugging Face with a BERT model").required();
  line.option("sentences", a.sentences, "sentences to compare, two or more").required();
  line.option("--max-length", a.max_length, "tokens of a sentence at most, 128 unless said")
      .check(support::whole(2, 1 << 16));
  line.option("--quantize", a.quantize, "q8_0 or q4_1").check(support::one_of({"q8_0", "q4_1"}));
  line.option("--threads", a.threads, "threads of the cpu; one per core without")
      .check(support::thread_count(1));
  return line.run(argc, argv, [&] { run(a); });
}
