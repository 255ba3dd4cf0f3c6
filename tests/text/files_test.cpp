#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <tern/text/text.h>

#include "error_of.h"
#include "serialization/scratch.h"
#include "small.h"
#include "source_folder.h"

namespace tern::text {
namespace {

using Ids = std::vector<std::int64_t>;

class TextFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) const {
    write_file(scratch_.path(name), content);
    return scratch_.path(name);
  }

  const Scratch scratch_;
  const std::string folder_ = scratch_.folder();
};

std::string refused(const std::string& json) {
  return error_of<FileError>([&] { Tokenizer::from_json(json, "t.json"); });
}
std::string not_implemented(const std::string& json) {
  return error_of<NotImplementedError>([&] { Tokenizer::from_json(json, "t.json"); });
}

TEST_F(TextFiles, AreReadFromAFolder) {
  EXPECT_EQ(error_of<FileError>([&] { Tokenizer::from_folder(folder_); }),
            folder_ + ": has none of tokenizer.json, vocab.json, tokenizer.model and vocab.txt");
  write("vocab.txt", "[PAD]\n[UNK]\r\n[CLS]\n[SEP]\nna\n##ive\nNa\n");
  const Tokenizer bert = Tokenizer::from_folder(folder_);
  EXPECT_EQ(bert.encode("Na\u00efve x").ids, (Ids{2, 4, 5, 1, 3}));
  EXPECT_EQ(bert.decode({2, 4, 5, 3}), "naive");
  write("tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(Tokenizer::from_folder(folder_).encode("Na").ids, (Ids{2, 6, 3}));

  write("vocab.json", R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3})");
  const std::string merges = write("merges.txt", "#version: 0.2\na b\n");
  EXPECT_EQ(Tokenizer::from_folder(folder_).encode("ab<|endoftext|>b").ids, (Ids{2, 3, 1}));
  write("merges.txt", "#version: 0.2\na b\nb c\n");
  EXPECT_EQ(error_of<FileError>([&] { Tokenizer::from_folder(folder_); }),
            merges +
                ": key 'line 3': the merge of 'b' and 'c' needs the token 'c', which the "
                "vocabulary does not have");

  write("tokenizer.json", small_json());
  EXPECT_EQ(Tokenizer::from_folder(folder_).encode("ab").ids, (Ids{2}));
}

TEST_F(TextFiles, ThatCannotBeReadAreNamed) {
  EXPECT_EQ(error_of<FileError>([&] { Tokenizer::from_file(folder_ + "/x.json"); }),
            folder_ + "/x.json: cannot be opened, there is no such file");
  EXPECT_EQ(error_of<FileError>([&] { Tokenizer::from_file(folder_); }),
            folder_ + ": is no regular file");
  const std::string path = write("vocab.txt", "a\n\xFF\n");
  EXPECT_EQ(error_of<FileError>([&] { Tokenizer::from_vocabulary_file(path); }),
            path + ": byte 2 is not UTF-8");
  write("vocab.txt", "a\nb\na\n");
  EXPECT_EQ(error_of<FileError>([&] { Tokenizer::from_vocabulary_file(path); }),
            path + ": key 'line 3': token 'a' has the ids 0 and 2");
}

TEST(TokenizerJson, RefusesContradictions) {
  EXPECT_EQ(refused("[]"), "t.json: key '' must be an object, got a list of 0");
  EXPECT_EQ(refused("{}"), "t.json: key 'model' is missing");
  EXPECT_EQ(refused(small_json(R"({"type": "BPE", "vocab": {"a": -1}, "merges": []})")),
            "t.json: key 'model.vocab.a' must be an integer from 0 to 65537, got -1");
  EXPECT_EQ(refused(small_json(R"({"type": "BPE", "vocab": {"a": 1e300}, "merges": []})")),
            "t.json: key 'model.vocab.a' must be an integer from 0 to 65537, got 1e+300");
  EXPECT_EQ(refused(small_json(R"({"type": "BPE", "vocab": {"a": 1, "b": 1}, "merges": []})")),
            "t.json: key 'model.vocab': id 1 is both 'a' and 'b'");
  EXPECT_EQ(refused(small_json(R"({"type": "BPE", "vocab": {"a": 1}, "merges": [["a"]]})")),
            "t.json: key 'model.merges[0]' must be two tokens, got a list of 1");
  EXPECT_EQ(refused(small_json(R"({"type": "BPE", "vocab": {"a": 1}, "merges": ["a a"]})")),
            "t.json: key 'model.merges[0]': the merge of 'a' and 'a' needs the token 'aa', which "
            "the vocabulary does not have");
  EXPECT_EQ(refused(small_json(R"({"type": "BPE", "vocab": {"a": 1}, "merges": [],)"
                               R"( "unk_token": "b"})")),
            "t.json: key 'model.unk_token' is \"b\", which the vocabulary does not have");
  EXPECT_EQ(refused(small_json(kBytesModel, R"([{"id": 4, "content": "x"}])")),
            "t.json: key 'added_tokens': id 4 is 'x', but 'Ġab' in the vocabulary");
  EXPECT_EQ(refused(small_json(kBytesModel, R"([{"id": 9, "content": "ab"}])")),
            "t.json: key 'added_tokens': token 'ab' has id 9, but 2 in the vocabulary");
  EXPECT_EQ(
      refused(small_json(kBytesModel, R"([{"id": 9, "content": "x"}, {"id": 9, "content": "y"}])")),
      "t.json: key 'added_tokens': id 9 is both 'x' and 'y'");
  EXPECT_EQ(refused(small_json(kBytesModel, R"([{"id": 9}])")),
            "t.json: key 'added_tokens[0].content' is missing");
  EXPECT_EQ(refused(small_json(kBytesModel, kAdded,
                               R"(, "post_processor": {"type": "BertProcessing",)"
                               R"( "cls": ["x", 77], "sep": ["<|end|>", 5]})")),
            "t.json: key 'post_processor' adds the id 77, which no token has");
  EXPECT_EQ(refused(small_json(kBytesModel, kAdded,
                               R"(, "post_processor": {"type": "TemplateProcessing",)"
                               R"( "special_tokens": {}, "pair": [],)"
                               R"( "single": [{"Sequence": {"id": "B", "type_id": 0}}]})")),
            "t.json: key 'post_processor.single[0].Sequence.id' must be A, got \"B\"");
  EXPECT_EQ(refused(small_json(kBytesModel, kAdded, R"(, "truncation": {"max_length": "7"})")),
            "t.json: key 'truncation.max_length' must be an integer from 0 to 4294967295, got "
            "\"7\"");
  EXPECT_EQ(refused(small_json(kBytesModel, kAdded,
                               R"(, "padding": {"strategy": {"Fixed": 99999999999}})")),
            "t.json: key 'padding.strategy.Fixed' must be an integer from 0 to 4194303, got "
            "99999999999");
  EXPECT_EQ(refused(small_json().substr(0, 60)).substr(0, 39),
            "t.json: is no JSON: parse error at line");
}

TEST(TokenizerJson, NamesWhatIsNotImplemented) {
  EXPECT_EQ(not_implemented(small_json(R"({"type": "Unigram", "vocab": []})")),
            "t.json: key 'model.type': tern has no model Unigram");
  EXPECT_EQ(not_implemented(small_json(R"({"type": "BPE", "vocab": {}, "merges": [],)"
                                       R"( "dropout": 0.1})")),
            "t.json: key 'model.dropout': tern has no merges that are left out at random");
  EXPECT_EQ(not_implemented(
                small_json(kBytesModel, kAdded, R"(, "normalizer": {"type": "Precompiled"})")),
            "t.json: key 'normalizer.type': tern has no normalizer Precompiled");
  EXPECT_EQ(not_implemented(R"({"pre_tokenizer": {"type": "Split", "behavior": "Isolated",)"
                            R"( "pattern": {"Regex": "\\d+"}}})"),
            "t.json: key 'pre_tokenizer.pattern.Regex': tern has no splits by the regular "
            "expression \\d+; it knows those of GPT-2, Llama 3 and Qwen2");
}

// Damaged files: an error of tern, or a tokenizer that works.
TEST(TokenizerJson, DamageIsRefusedOrHarmless) {
  std::mt19937 generator(7);
  const auto below = [&](std::size_t limit) { return generator() % limit; };
  int accepted = 0, rejected = 0;
  for (const char* const name : {"bert_short", "llama3", "metaspace", "roberta"}) {
    std::ifstream file(testing::source_folder() + "/tests/text/golden/" + name + ".json");
    std::string golden((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t begin = golden.find('{', 1);
    const std::string json = golden.substr(begin, golden.find("\n\"cases\"") - 1 - begin);
    ASSERT_NO_THROW(Tokenizer::from_json(json));
    static constexpr const char* kPieces[] = {
        "{",    "}",  "[]",         "null", "-1", "1e999", "\"\"", ",", "99999999999999999999",
        "true", "{}", "\"\\ud800\""};
    for (int round = 0; round < 60; ++round) {
      std::string damaged = json;
      for (std::size_t i = 0; i <= below(3) && !damaged.empty(); ++i) {
        const std::size_t at = below(damaged.size());
        switch (below(5)) {
          case 0:
            damaged.resize(at + 1);
            break;
          case 1:
            damaged[at] = static_cast<char>(below(256));
            break;
          case 2:
            damaged.erase(at, 1 + below(8));
            break;
          case 3:
            damaged.insert(at, kPieces[below(std::size(kPieces))]);
            break;
          default: {  // another value
            const std::size_t colon = damaged.find(':', at);
            if (colon == damaged.npos) break;
            const std::size_t end = damaged.find_first_of(",}]", colon);
            damaged.replace(colon + 1, end - colon - 1, kPieces[below(std::size(kPieces))]);
          }
        }
      }
      try {
        const Tokenizer tokenizer = Tokenizer::from_json(damaged);
        const Encoding encoding = tokenizer.encode("The dog\xFF <r>  K\u00f6ln\u0301 '12 ");
        (void)tokenizer.decode(encoding.ids);
        ++accepted;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()), "");
        ++rejected;
      }
    }
  }
  EXPECT_GT(accepted, 3);
  EXPECT_GT(rejected, 100);
}

}  // namespace
}  // namespace tern::text
