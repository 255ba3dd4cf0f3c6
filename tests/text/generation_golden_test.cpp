#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <tern/serialization/safetensors.h>
#include <tern/text/text.h>

#include "small_models.h"

// The tokens of transformers' generate(): see generation_golden.py.

namespace tern::text {
namespace {

using Change = std::function<void(GenerationOptions&)>;

struct GoldenCase {
  std::string name;
  Change change;
};

void sample(GenerationOptions& o, std::int64_t top_k, double temperature = 1) {
  o.do_sample = true;
  o.top_k = top_k;
  o.temperature = temperature;
}

const std::vector<GoldenCase>& cases() {
  static const std::vector<GoldenCase> all = {
      {"greedy", [](auto&) {}},
      {"greedy_penalty", [](auto& o) { o.repetition_penalty = 1.7; }},
      {"greedy_batch",
       [](auto& o) {
         o.eos_token_ids = {30, 16};
       }},
      {"sample", [](auto& o) { sample(o, 0); }},
      {"sample_default", [](auto& o) { sample(o, 20, 0.7); }},
      {"sample_ties", [](auto& o) { sample(o, 4); }},
      {"sample_top_p",
       [](auto& o) {
         sample(o, 0, 1.3);
         o.top_p = 0.8;
       }},
      {"sample_min_p",
       [](auto& o) {
         sample(o, 0, 2);
         o.min_p = 0.15;
       }},
      {"sample_all",
       [](auto& o) {
         sample(o, 12, 1.5);
         o.top_p = 0.9;
         o.min_p = 0.02;
         o.repetition_penalty = 1.2;
       }},
      {"sample_batch",
       [](auto& o) {
         sample(o, 10, 1.2);
         o.eos_token_ids = {13, 4, 30, 7, 22};
       }},
      {"sample_one",
       [](auto& o) {
         sample(o, 0, 3);
         o.top_p = 0;
       }},
      {"beams",
       [](auto& o) {
         o.num_beams = 3;
         o.eos_token_ids = {13};
       }},
      {"beams_batch",
       [](auto& o) {
         o.num_beams = 4;
         o.eos_token_ids = {13, 4, 30};
         o.length_penalty = 0.5;
       }},
      {"beams_early",
       [](auto& o) {
         o.num_beams = 3;
         o.eos_token_ids = {13, 4, 30, 7, 22};
         o.early_stopping = EarlyStopping::kTrue;
         o.length_penalty = 2;
       }},
      {"beams_never",
       [](auto& o) {
         o.num_beams = 2;
         o.eos_token_ids = {13, 4, 30, 7};
         o.early_stopping = EarlyStopping::kNever;
         o.repetition_penalty = 1.3;
       }},
      {"beams_shorter",
       [](auto& o) {
         o.num_beams = 3;
         o.eos_token_ids = {13, 4, 30, 7, 22};
         o.length_penalty = -1;
       }},
  };
  return all;
}

class GenerationGolden : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(GenerationGolden, WritesTheTokensOfTheReference) {
  const SafetensorsFile file(TERN_SOURCE_DIR
                             "/tests/text/golden_generation/generation.safetensors");
  const std::string& name = GetParam().name;
  const auto read = [&](const char* part) { return file.read(name + "." + part); };
  GenerationOptions options;
  options.max_new_tokens = 12;
  options.pad_token_id = 46;
  options.seed = 7;
  options.attention_mask = read("mask");
  GetParam().change(options);

  ScriptedModel model(read("logits"), options.num_beams);
  const Generation written = generate(model, read("input_ids"), options);
  const Tensor wanted = read("sequences");
  EXPECT_TRUE(equal(written.sequences, wanted)) << written.sequences << wanted;
  // The same number of steps: the reference recorded the logits of each.
  EXPECT_EQ(std::ssize(model.inputs), read("logits").size(0));
  if (options.num_beams > 1) {
    EXPECT_TRUE(allclose(tensor(written.scores), read("scores"), 1e-5, 1e-5))
        << tensor(written.scores) << read("scores");
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GenerationGolden, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace tern::text
