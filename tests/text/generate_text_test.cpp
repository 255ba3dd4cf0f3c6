#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tern/text/text.h>

#include "error_of.h"
#include "small_models.h"

namespace tern::text {
namespace {

using Tokens = std::vector<std::int64_t>;

/// Bytes "a" to "d", "é" in two tokens, and longer tokens; 9 is special.
Tokenizer letters() {
  BpeVocabulary vocabulary;
  vocabulary.tokens = {"a", "b", "c", "d", "Ã", "©", "ab", "cd", "abcd", "<|end|>"};
  vocabulary.merges = {"a b", "c d", "ab cd"};
  vocabulary.token_types = {1, 1, 1, 1, 1, 1, 1, 1, 1, 3};
  return Tokenizer(vocabulary);
}

/// A model that writes these tokens, the same ones for each sample.
ScriptedModel writes(const Tokens& tokens, std::int64_t batch = 1, std::int64_t stride = 1) {
  Tensor logits = zeros({std::ssize(tokens), batch, 10});
  for (std::int64_t i = 0; i < std::ssize(tokens); ++i) {
    logits[i].select(1, tokens[static_cast<std::size_t>(i)]).fill_(1);
  }
  return ScriptedModel(logits, stride);
}

struct Streamed {
  std::vector<std::string> pieces;
  TextGeneration result;
};

Streamed stream(const Tokens& tokens, GenerationOptions options) {
  Streamed streamed;
  ScriptedModel model = writes(tokens);
  options.max_new_tokens = std::ssize(tokens);
  options.on_text = [&](std::string_view piece, std::size_t sample) {
    EXPECT_EQ(sample, 0u);
    streamed.pieces.emplace_back(piece);
    return true;
  };
  streamed.result = generate_text(model, letters(), "ab", options);
  std::string joined;
  for (const std::string& piece : streamed.pieces) joined += piece;
  EXPECT_EQ(joined, streamed.result.texts.front());
  return streamed;
}

using Pieces = std::vector<std::string>;

TEST(GenerateText, GivesWholeCharacters) {
  EXPECT_EQ(stream({6, 4, 5, 9, 0}, {}).pieces, (Pieces{"ab", "é", "a"}));
  // What is no character in the end is U+FFFD.
  EXPECT_EQ(stream({0, 4}, {}).pieces, (Pieces{"a", "\uFFFD"}));
  const Streamed ended = stream({0, 9, 0}, {.eos_token_ids = {9}});
  EXPECT_EQ(ended.pieces, (Pieces{"a"}));
  EXPECT_EQ(ended.result.generation.end_reasons.front(), EndReason::kEndToken);
  EXPECT_EQ(ended.result.generation.lengths, (Tokens{2}));
}

TEST(GenerateText, EndsInFrontOfStopStrings) {
  // It begins in one token and ends within another one.
  const Streamed split = stream({0, 1, 8, 3}, {.stop_strings = {"ba"}});
  EXPECT_EQ(split.pieces, (Pieces{"a"}));
  EXPECT_EQ(split.result.generation.end_reasons.front(), EndReason::kStopString);
  EXPECT_EQ(split.result.generation.lengths, (Tokens{3}));
  // What might have been one is given later.
  EXPECT_EQ(stream({1, 0, 2, 1}, {.stop_strings = {"bad"}}).pieces, (Pieces{"bac", "b"}));
  // The first one in the text counts.
  EXPECT_EQ(stream({8, 0}, {.stop_strings = {"d", "bc"}}).result.texts, (Pieces{"a"}));
  // A character of two tokens.
  EXPECT_EQ(stream({0, 4, 5, 1}, {.stop_strings = {"é"}}).pieces, (Pieces{"a"}));
  // Special tokens are no text.
  EXPECT_EQ(stream({0, 9, 1, 2}, {.stop_strings = {"ab"}}).result.texts, (Pieces{""}));
  // One at the very end, of bytes that are no character.
  const Streamed last = stream({0, 4}, {.stop_strings = {"\uFFFD"}});
  EXPECT_EQ(last.pieces, (Pieces{"a"}));
  EXPECT_EQ(last.result.generation.end_reasons.front(), EndReason::kStopString);
}

TEST(GenerateText, EndsASampleWhenToldTo) {
  ScriptedModel model = writes({0, 1, 2, 3}, 2);
  GenerationOptions options;
  options.max_new_tokens = 4;
  options.pad_token_id = 9;
  std::vector<std::string> texts(2);
  options.on_text = [&](std::string_view piece, std::size_t sample) {
    texts[sample] += piece;
    return sample == 1 || texts[0].size() < 2;
  };
  const TextGeneration written = generate_texts(model, letters(), {"abcdd", "a"}, options);
  EXPECT_EQ(written.texts, (Pieces{"ab", "abcd"}));
  EXPECT_EQ(texts, written.texts);
  EXPECT_EQ(written.generation.end_reasons,
            (std::vector<EndReason>{EndReason::kCallback, EndReason::kMaxNewTokens}));
  // Prompts have padding at the left.
  EXPECT_TRUE(equal(written.generation.sequences,
                    tensor(Tokens{8, 3, 0, 1, 9, 9, 9, 0, 0, 1, 2, 3}).view({2, 6})));
  EXPECT_TRUE(equal(model.masks[0], tensor(Tokens{1, 1, 0, 1}).view({2, 2}).to(kBool)));
  EXPECT_TRUE(equal(model.masks[1], tensor(Tokens{1, 1, 1, 0, 1, 1}).view({2, 3}).to(kBool)));
}

TEST(GenerateText, WritesWithBeams) {
  ScriptedModel model = writes({0, 1, 9}, 2, 2);
  const TextGeneration written = generate_text(
      model, letters(), "a", {.max_new_tokens = 3, .eos_token_ids = {9}, .num_beams = 2});
  EXPECT_EQ(written.texts, (Pieces{"ab"}));
  EXPECT_EQ(written.generation.scores.size(), 1u);
}

TEST(GenerateText, EncodesAsAsked) {
  ScriptedModel one = writes({0}), two = writes({0});
  Tokenizer tokenizer = letters();
  tokenizer.set_padding(Padding{.length = 40});  // as files have it for training
  generate_text(one, tokenizer, "ab<|end|>", {.max_new_tokens = 1});
  EXPECT_TRUE(equal(one.inputs[0], tensor(Tokens{6, 9}).unsqueeze(0)));
  generate_text(two, tokenizer, "ab<|end|>",
                {.max_new_tokens = 1, .encoding = {.parse_special_tokens = false}});
  EXPECT_TRUE(equal(two.inputs[0], tensor(Tokens{6, 3}).unsqueeze(0)));  // "nd" of it
}

TEST(GenerateText, Refuses) {
  ScriptedModel model = writes({0});
  const auto text = [&](const std::vector<std::string>& prompts, const GenerationOptions& options) {
    return error_of([&] { generate_texts(model, letters(), prompts, options); });
  };
  EXPECT_EQ(text({}, {}), "text::generate: there is no prompt");
  EXPECT_EQ(text({"a", ""}, {}), "text::generate: prompt 1 has no tokens: ''");
  EXPECT_EQ(text({"a"}, {.stop_strings = {""}}), "text::generate: a stop string must not be empty");
  EXPECT_EQ(text({"a"}, {.attention_mask = ones({1, 1}).to(kBool)}),
            "text::generate: generate_text() makes the attention_mask itself");
  EXPECT_EQ(text({"a"}, {.stop_strings = {"b"}, .num_beams = 2}),
            "text::generate: beam search (num_beams 2) cannot be combined with stop_strings");
  EXPECT_TRUE(model.inputs.empty());
}

}  // namespace
}  // namespace tern::text
