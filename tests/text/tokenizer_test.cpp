#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <tern/text/text.h>

#include "error_of.h"
#include "sanitizer.h"
#include "small.h"

namespace tern::text {
namespace {

using Ids = std::vector<std::int64_t>;

Tokenizer small() { return Tokenizer::from_json(small_json()); }

TEST(Tokenizer, HasTheTokensOfItsVocabulary) {
  const Tokenizer tokenizer = small();
  EXPECT_EQ(tokenizer.vocab_size(), 8u);
  EXPECT_EQ(tokenizer.token_to_id("Ġab"), 4);
  EXPECT_EQ(tokenizer.token_to_id("x"), std::nullopt);
  EXPECT_EQ(tokenizer.id_to_token(2), "ab");
  EXPECT_TRUE(tokenizer.is_special(5));
  EXPECT_FALSE(tokenizer.is_special(4));
  EXPECT_FALSE(tokenizer.is_special(-1));
  for (const std::int64_t id : {std::int64_t{-1}, std::int64_t{8}, std::int64_t{1} << 40}) {
    const std::string wanted =
        "id " + std::to_string(id) + " is no token; the tokenizer has 8 tokens and 1 added ones";
    EXPECT_EQ(error_of<IndexError>([&] { tokenizer.id_to_token(id); }), wanted);
    EXPECT_EQ(error_of<IndexError>([&] { tokenizer.decode({0, id}); }), wanted);
  }
}

TEST(Tokenizer, TakesSpecialTokensOfTextsThatAreTrusted) {
  const Tokenizer tokenizer = small();
  EXPECT_EQ(tokenizer.encode("ab<|end|> ab").ids, (Ids{2, 5, 4}));
  EXPECT_EQ(tokenizer.encode("ab<|end|> ab").tokens,
            (std::vector<std::string>{"ab", "<|end|>", "Ġab"}));
  EXPECT_EQ(tokenizer.encode_ids("ab<|end|> ab", {.parse_special_tokens = false}),
            (Ids{2, 4}));  // no token of the vocabulary stands for < | e n d >
  EXPECT_EQ(tokenizer.decode({2, 5, 4}), "ab ab");
  EXPECT_EQ(tokenizer.decode({2, 5, 4}, false), "ab<|end|> ab");
}

TEST(Tokenizer, ShortensAndLengthens) {
  Tokenizer tokenizer = small();
  tokenizer.set_truncation(Truncation{.max_length = 2});
  tokenizer.set_padding(Padding{.length = 3, .id = 5, .token = "<|end|>"});
  const Encoding one = tokenizer.encode("abaab");
  EXPECT_EQ(one.ids, (Ids{2, 0, 5}));
  EXPECT_EQ(one.attention_mask, (Ids{1, 1, 0}));
  EXPECT_EQ(one.tokens.back(), "<|end|>");
  EXPECT_EQ(one.offsets[2], (Offset{0, 0}));
  EXPECT_EQ(tokenizer.encode_ids("abaab"), one.ids);

  tokenizer.set_truncation(Truncation{.max_length = 2, .left = true});
  tokenizer.set_padding(Padding{.multiple_of = 2, .left = true, .id = 7});
  const std::vector<Encoding> batch = tokenizer.encode_batch({"abaab", "b", ""});
  EXPECT_EQ(batch[0].ids, (Ids{0, 2}));
  EXPECT_EQ(batch[1].ids, (Ids{7, 1}));
  EXPECT_EQ(batch[2].ids, (Ids{7, 7}));

  tokenizer.set_padding({});
  tokenizer.set_truncation(
      Truncation{.max_length = 2, .strategy = TruncationStrategy::kOnlySecond});
  EXPECT_EQ(tokenizer.encode_pair("a", "bbb").ids, (Ids{0, 1}));
  EXPECT_EQ(error_of([&] { tokenizer.encode_pair("aaa", "b"); }),
            "truncation to 2 tokens needs 2 tokens less, but the second text has only 1");
  EXPECT_EQ(error_of([&] { tokenizer.encode("aaa"); }),
            "truncation of the second text, but there is only one text");
  EXPECT_EQ(error_of([&] { tokenizer.set_truncation(Truncation{.max_length = -1}); }),
            "max_length must not be negative, got -1");
  EXPECT_EQ(error_of([&] { tokenizer.set_padding(Padding{.multiple_of = -4}); }),
            "multiple_of must not be negative, got -4");
  EXPECT_EQ(tokenizer.truncation()->max_length, 2);
}

TEST(Tokenizer, TakesBrokenPartsAsReplacementCharacters) {
  BpeVocabulary vocabulary;
  vocabulary.tokens = {"ï", "¿", "½", "a", "Ã", "©"};
  const Tokenizer tokenizer(vocabulary);
  const Encoding encoding = tokenizer.encode(
      "a\xE2\x82"
      "a\xFF");
  EXPECT_EQ(encoding.ids, (Ids{3, 0, 1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(encoding.offsets[1], (Offset{1, 3}));
  EXPECT_EQ(encoding.offsets[7], (Offset{4, 5}));
  EXPECT_EQ(tokenizer.decode({3, 4, 3}),
            "a\xEF\xBF\xBD"
            "a");
}

TEST(DecodeStream, HoldsBytesBackUntilACharacterIsWhole) {
  DecodeStream stream(small());
  EXPECT_EQ(stream.next(0), "a");
  EXPECT_EQ(stream.next(6), "");
  EXPECT_EQ(stream.next(7), "\u00e9");
  EXPECT_EQ(stream.next(5), "");  // special
  EXPECT_EQ(stream.next(6), "");
  EXPECT_EQ(stream.next(0),
            "\ufffd"
            "a");
  EXPECT_EQ(stream.next(6), "");
  error_of<IndexError>([&] { stream.next(99); });
  EXPECT_EQ(stream.finish(), "\ufffd");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.next(4), " ab");
}

TEST(Tokenizer, EncodesOnSeveralThreads) {
  const Tokenizer tokenizer = small();
  std::string text;
  for (int i = 0; i < 2000; ++i) text += i % 3 == 0 ? " ab" : "ba ";
  const Ids wanted = tokenizer.encode_ids(text);
  std::vector<Ids> got(4);
  std::vector<std::thread> threads;
  for (Ids& ids : got) threads.emplace_back([&] { ids = tokenizer.encode_ids(text); });
  for (std::thread& thread : threads) thread.join();
  for (const Ids& ids : got) EXPECT_EQ(ids, wanted);
}

// A quadratic algorithm needs hours for one of these.
TEST(Tokenizer, NeedsTimeInProportionToTheText) {
  BpeVocabulary vocabulary;
  vocabulary.tokens = {"a", "aa", "aaaa", "Ġ", "ĠĠ", "'", "Ċ"};
  vocabulary.merges = {"a a", "aa aa", "Ġ Ġ"};
  // A sanitizer sees the same in a tenth.
  const std::size_t count = testing::has_sanitizer() ? 10'000 : 100'000;
  const auto begin = std::chrono::steady_clock::now();
  for (const char* const split : {"gpt2", "llama-bpe", "smollm", "qwen2"}) {
    vocabulary.pre_tokenizer = split;
    const Tokenizer tokenizer(vocabulary);
    EXPECT_EQ(tokenizer.encode_ids(std::string(10 * count, 'a')).size(), 5 * count / 2);
    EXPECT_EQ(tokenizer.encode(std::string(10 * count, ' ')).size(), 5 * count);
    EXPECT_EQ(tokenizer.encode_ids(std::string(10 * count, '\'')).size(), 10 * count);
    EXPECT_EQ(tokenizer.encode_ids(std::string(count, '\n') + std::string(count, ' ')).size(),
              3 * count / 2);
    const Ids ids(3 * count, 1);
    EXPECT_EQ(tokenizer.decode(ids).size(), 6 * count);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(BpeVocabulary, MakesTheTokenizerOfAGgufFile) {
  BpeVocabulary vocabulary;
  vocabulary.tokens = {"<s>", "</s>", "1", "2", "a", "b", "ab", "Ġ", "x<", "12"};
  vocabulary.merges = {"a b", "1 2"};
  vocabulary.token_types = {3, 3, 1, 1, 1, 1, 1, 1, 4, 1};
  vocabulary.bos = 0;
  vocabulary.eos = 1;
  const Tokenizer tokenizer(vocabulary);
  EXPECT_EQ(tokenizer.encode("ab12x<").ids, (Ids{0, 6, 9, 8, 1}));
  EXPECT_EQ(tokenizer.encode("ab", {.add_special_tokens = false}).ids, (Ids{6}));
  EXPECT_EQ(tokenizer.encode_pair("a", "b").ids, (Ids{0, 4, 1, 0, 5, 1}));
  EXPECT_EQ(tokenizer.encode_pair("a", "b").type_ids, (Ids{0, 0, 0, 1, 1, 1}));
  EXPECT_FALSE(tokenizer.is_special(8));
  vocabulary.pre_tokenizer = "smollm";
  EXPECT_EQ(Tokenizer(vocabulary).encode_ids("12 "), (Ids{0, 2, 3, 7, 1}));

  const auto refused = [&](auto change) {
    BpeVocabulary changed = vocabulary;
    change(changed);
    return error_of([&] { Tokenizer{changed}; });
  };
  EXPECT_EQ(refused([](BpeVocabulary& v) { v.pre_tokenizer = "bloom"; }),
            "pre_tokenizer is 'bloom'; tern splits as gpt2, llama-bpe, smollm and qwen2");
  EXPECT_EQ(refused([](BpeVocabulary& v) { v.merges = {"a c"}; }),
            "the vocabulary: key 'merges[0]': the merge of 'a' and 'c' needs the token 'c', which "
            "the vocabulary does not have");
  EXPECT_EQ(refused([](BpeVocabulary& v) { v.merges = {"ab"}; }),
            "the vocabulary: key 'merges[0]': a merge is two tokens with a blank between them, got "
            "'ab'");
  EXPECT_EQ(refused([](BpeVocabulary& v) { v.tokens[3] = "a"; }),
            "the vocabulary: key 'tokens': token 'a' has the ids 3 and 4");
  EXPECT_EQ(refused([](BpeVocabulary& v) { v.tokens[3] = "\xC3"; }),
            "token 3 is not UTF-8 at byte 0");
  EXPECT_EQ(refused([](BpeVocabulary& v) { v.token_types = {1}; }),
            "token_types has 1 entries, but there are 10 tokens");
  EXPECT_EQ(refused([](BpeVocabulary& v) { v.bos = 10; }), "bos is 10, but there are 10 tokens");
}

}  // namespace
}  // namespace tern::text
