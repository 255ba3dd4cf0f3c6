#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <tern/nn/models/llama.h>
#include <tern/nn/quantize.h>
#include <tern/text/text.h>

#include "error_of.h"
#include "small_models.h"

namespace tern::text {
namespace {

using Tokens = std::vector<std::int64_t>;

models::Llama small_llama(std::int64_t seed = 3) {
  manual_seed(static_cast<std::uint64_t>(seed));
  return models::Llama(models::LlamaOptions()
                           .vocab_size(50)
                           .hidden_size(32)
                           .intermediate_size(64)
                           .num_hidden_layers(2)
                           .num_attention_heads(4)
                           .num_key_value_heads(2)
                           .max_position_embeddings(64)
                           .initializer_range(0.3));
}

Tensor batch_of(const Tokens& tokens) { return tensor(tokens).unsqueeze(0); }

Tokens tokens_of(const Generation& written) {
  const Tensor row = written.sequences[0].contiguous();
  return {row.data_ptr<std::int64_t>(), row.data_ptr<std::int64_t>() + row.numel()};
}

GenerationOptions with_cache(std::int64_t max_new_tokens) {
  GenerationOptions options;
  options.max_new_tokens = max_new_tokens;
  options.prompt_cache = std::make_shared<PromptCache>();
  return options;
}

TEST(PromptCache, AConversationReadsWhatIsNew) {
  models::Llama net = small_llama();
  const GenerationOptions options = with_cache(6);
  GenerationOptions fresh = options;
  fresh.prompt_cache = nullptr;
  Tokens conversation = {1, 2, 3, 4, 5};
  std::int64_t new_tokens = 5;
  for (int turn = 0; turn < 4; ++turn) {
    const Generation written = generate(*net, batch_of(conversation), options);
    EXPECT_EQ(written.prompt_tokens_read, new_tokens) << turn;
    const Generation expected = generate(*net, batch_of(conversation), fresh);
    EXPECT_EQ(expected.prompt_tokens_read, std::ssize(conversation));
    conversation = tokens_of(written);
    EXPECT_EQ(conversation, tokens_of(expected)) << turn;
    // All but the last token were read.
    EXPECT_EQ(options.prompt_cache->tokens(), Tokens(conversation.begin(), conversation.end() - 1));
    for (const std::int64_t token : {10 + turn, 20, 30}) conversation.push_back(token);
    new_tokens = 4;  // the last written one, and three of the next turn
  }
}

TEST(PromptCache, KeepsTheCommonBeginning) {
  models::Llama net = small_llama();
  const GenerationOptions options = with_cache(4);
  const auto read = [&](const Tokens& prompt) {
    const Generation written = generate(*net, batch_of(prompt), options);
    GenerationOptions fresh = options;
    fresh.prompt_cache = nullptr;
    EXPECT_EQ(tokens_of(written), tokens_of(generate(*net, batch_of(prompt), fresh)));
    return written.prompt_tokens_read;
  };
  EXPECT_EQ(read({1, 2, 3, 4, 5, 6}), 6);
  EXPECT_EQ(read({1, 2, 3, 9, 9, 9, 9, 9}), 5);  // the same until the fourth
  EXPECT_EQ(read({1, 2, 3, 9, 9, 9, 9, 9}), 1);  // the last token gives the logits
  EXPECT_EQ(read({1, 2}), 1);
  EXPECT_EQ(read({7, 2, 3}), 3);
  options.prompt_cache->reset();
  EXPECT_TRUE(options.prompt_cache->tokens().empty());
  EXPECT_EQ(read({7, 2, 3}), 3);
}

TEST(PromptCache, BelongsToAModel) {
  models::Llama first = small_llama(1), second = small_llama(2);
  const GenerationOptions options = with_cache(4);
  const Tensor prompt = batch_of({1, 2, 3});
  const Tokens of_first = tokens_of(generate(*first, prompt, options));
  const Generation of_second = generate(*second, prompt, options);
  EXPECT_EQ(of_second.prompt_tokens_read, 3);
  EXPECT_NE(tokens_of(of_second), of_first);
  const Generation again = generate(*first, prompt, options);
  EXPECT_EQ(again.prompt_tokens_read, 3);
  EXPECT_EQ(tokens_of(again), of_first);
}

TEST(PromptCache, AnExceptionEmptiesIt) {
  models::Llama net = small_llama();
  GenerationOptions options = with_cache(4);
  const Tensor prompt = batch_of({1, 2, 3});
  generate(*net, prompt, options);
  options.on_tokens = [](auto) -> bool { throw Error("stop"); };
  EXPECT_EQ(error_of([&] { generate(*net, prompt, options); }), "stop");
  EXPECT_TRUE(options.prompt_cache->tokens().empty());
  options.on_tokens = [](auto) { return false; };
  const Generation written = generate(*net, prompt, options);
  EXPECT_EQ(written.prompt_tokens_read, 3);
  EXPECT_EQ(options.prompt_cache->tokens(), (Tokens{1, 2, 3}));
}

TEST(PromptCache, AFullContextIsAnError) {
  models::Llama net = small_llama();
  const GenerationOptions options = with_cache(10);
  Tokens conversation(50, 7);
  generate(*net, batch_of(conversation), options);
  const Tokens before = options.prompt_cache->tokens();
  conversation.resize(55, 8);
  EXPECT_EQ(
      error_of([&] { generate(*net, batch_of(conversation), options); }),
      "text::generate: a prompt of 55 tokens and max_new_tokens 10 exceed the model's context "
      "of 64 tokens; sliding_window goes on");
  EXPECT_EQ(options.prompt_cache->tokens(), before);  // nothing changed
}

TEST(PromptCache, RefusesWhatItCannotKeep) {
  models::Llama net = small_llama();
  const auto refusal = [&](const auto& change, const Tensor& prompt) {
    GenerationOptions options = with_cache(4);
    change(options);
    return error_of<NotImplementedError>([&] { generate(*net, prompt, options); });
  };
  const std::string begin = "text::generate: prompt_cache cannot be combined with ";
  const Tensor one = batch_of({1, 2}), two = ones({2, 2}, kLong);
  EXPECT_EQ(refusal([](auto&) {}, two), begin + "several prompts");
  EXPECT_EQ(refusal(
                [](auto& o) {
                  o.attention_mask = tensor({{false, true}});
                },
                one),
            begin + "padding");
  EXPECT_EQ(refusal([](auto& o) { o.num_beams = 2; }, one), begin + "beam search");
  EXPECT_EQ(refusal([](auto& o) { o.sliding_window = 8; }, one), begin + "sliding_window");
}

}  // namespace
}  // namespace tern::text
