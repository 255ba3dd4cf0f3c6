#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/text/text.h>

#include "error_of.h"
#include "serialization/scratch.h"
#include "source_folder.h"

// What the library SentencePiece 0.1.97 makes of strings with odd Unicode and of lists of pieces:
// tests/text/sentence_piece_golden.py.

namespace tern::text {
namespace {

using Tokens = std::vector<std::int64_t>;

std::string golden(const std::string& name) {
  return testing::source_folder() + "/tests/text/golden_sentence_piece/" + name;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// Decodes token by token.
std::string streamed(const Tokenizer& tokenizer, const Tokens& ids, bool skip_special = true) {
  DecodeStream stream(tokenizer, skip_special);
  std::string text;
  for (const std::int64_t id : ids) text += stream.next(id);
  return text + stream.finish();
}

class SentencePieceTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(TERN_BUILD_DIR "/lib/libtern_sentencepiece.so")) {
      GTEST_SKIP() << "needs the plugin for SentencePiece (Debian package libsentencepiece-dev)";
    }
    name_ = GetParam();
    cases_ = nlohmann::json::parse(std::ifstream(golden(name_ + ".json")));
  }
  Tokenizer tokenizer(const SentencePieceOptions& options = {}) const {
    return Tokenizer::from_sentence_piece_file(golden(name_ + ".model"), options);
  }
  /// The model's pieces, as a GGUF file has them.
  SentencePieceVocabulary vocabulary() const {
    SentencePieceVocabulary found;
    for (const auto& piece : cases_["pieces"]) {
      found.tokens.push_back(piece[0]);
      found.scores.push_back(piece[1]);
      found.token_types.push_back(piece[2]);
    }
    return found;
  }
  /// Checks ids and offsets. The reference takes special tokens in a text for text.
  void check_cases(const Tokenizer& tokenizer) const {
    ASSERT_GT(cases_["cases"].size(), 30U);
    for (const auto& one : cases_["cases"]) {
      const std::string text = from_hex(one[0]);
      SCOPED_TRACE(one[0].get<std::string>() + " " + text);
      const EncodeOptions options{.add_special_tokens = false, .parse_special_tokens = false};
      const Encoding encoding = tokenizer.encode(text, options);
      EXPECT_EQ(encoding.ids, one[1].get<Tokens>());
      EXPECT_EQ(tokenizer.encode_ids(text, options), encoding.ids);
      std::vector<std::vector<std::size_t>> offsets;
      for (const Offset& offset : encoding.offsets) offsets.push_back({offset.begin, offset.end});
      EXPECT_EQ(offsets, one[2].get<decltype(offsets)>());
      EXPECT_EQ(tokenizer.decode(encoding.ids), one[3].get<std::string>());
      EXPECT_EQ(streamed(tokenizer, encoding.ids), one[3].get<std::string>());
    }
  }

  std::string name_;
  nlohmann::json cases_;
};
INSTANTIATE_TEST_SUITE_P(Models, SentencePieceTest, ::testing::Values("bpe", "unigram"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(SentencePieceTest, EncodesAsTheLibrary) { check_cases(tokenizer()); }

TEST_P(SentencePieceTest, DecodesAnyPieces) {
  const Tokenizer pieces = tokenizer();
  ASSERT_EQ(cases_["decoded"].size(), 40U);
  for (const auto& [ids, text] :
       cases_["decoded"].get<std::vector<std::pair<Tokens, std::string>>>()) {
    EXPECT_EQ(pieces.decode(ids), text) << nlohmann::json(ids);
    EXPECT_EQ(streamed(pieces, ids), text) << nlohmann::json(ids);
    EXPECT_EQ(streamed(pieces, ids, false), pieces.decode(ids, false)) << nlohmann::json(ids);
  }
  EXPECT_EQ(error_of<IndexError>([&] {
              pieces.decode({1, 100000});
            }),
            "id 100000 is no token; the tokenizer has " + std::to_string(pieces.vocab_size()) +
                " tokens and 3 added ones");
}

TEST_P(SentencePieceTest, KnowsThePieces) {
  const Tokenizer pieces = tokenizer();
  ASSERT_EQ(pieces.vocab_size(), cases_["pieces"].size());
  for (std::size_t id = 0; id < pieces.vocab_size(); ++id) {
    const auto token = static_cast<std::int64_t>(id);
    EXPECT_EQ(pieces.id_to_token(token), cases_["pieces"][id][0].get<std::string>());
    EXPECT_EQ(pieces.token_to_id(pieces.id_to_token(token)), token);
    EXPECT_EQ(pieces.is_special(token), cases_["pieces"][id][2] == 3) << id;
  }
}

TEST_P(SentencePieceTest, ControlPiecesAreSpecialTokens) {
  const Tokenizer pieces = tokenizer({.add_bos = true, .add_eos = true});
  const Tokens world = pieces.encode_ids("world", {.add_special_tokens = false});
  Tokens wanted = {1};
  wanted.insert(wanted.end(), world.begin(), world.end());
  wanted.push_back(3);  // <ctl>
  wanted.insert(wanted.end(), world.begin(), world.end());
  wanted.push_back(2);
  const Encoding encoding = pieces.encode("world<ctl>world");
  EXPECT_EQ(encoding.ids, wanted);
  EXPECT_EQ(encoding.special_tokens_mask.front(), 1);
  EXPECT_EQ(encoding.special_tokens_mask.back(), 1);
  EXPECT_EQ(encoding.offsets[world.size() + 1], (Offset{5, 10}));
  EXPECT_EQ(encoding.offsets[encoding.size() - 2].end, 15U);
  EXPECT_EQ(pieces.decode(encoding.ids, false), "<s>world<ctl>world</s>");
  EXPECT_EQ(streamed(pieces, encoding.ids, false), "<s>world<ctl>world</s>");
  EXPECT_EQ(pieces.decode(encoding.ids), "world world");
  EXPECT_EQ(pieces.encode_pair("a", "b").type_ids.back(), 1);
}

TEST_P(SentencePieceTest, AFolderNamesWhatIsAdded) {
  const Scratch scratch;
  std::filesystem::copy(golden(name_ + ".model"), scratch.path("tokenizer.model"));
  const auto ids = [&](const char* config, const char* text) {
    if (*config != '\0') std::ofstream(scratch.path("tokenizer_config.json")) << config;
    return Tokenizer::from_folder(scratch.folder()).encode_ids(text);
  };
  const Tokens plain = tokenizer().encode_ids("the");
  Tokens begun = plain, ended = plain, more = plain;
  begun.insert(begun.begin(), 1);
  ended.push_back(2);
  more.push_back(std::ssize(cases_["pieces"]));
  EXPECT_EQ(ids("", "the"), plain);
  EXPECT_EQ(ids(R"({"tokenizer_class": "LlamaTokenizer"})", "the"), begun);
  EXPECT_EQ(ids(R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": false,)"
                R"( "add_eos_token": true})",
                "the"),
            ended);
  const std::string added =
      R"({"added_tokens_decoder": {"1": {"content": "<s>", "special": true}, ")" +
      std::to_string(more.back()) + R"(": {"content": "<more>"}}})";
  EXPECT_EQ(ids(added.c_str(), "the<more>"), more);
  EXPECT_EQ(Tokenizer::from_folder(scratch.folder()).decode(more), "the<more>");
  EXPECT_EQ(error_of<FileError>(
                [&] { ids(R"({"added_tokens_decoder": {"1x": {"content": "<more>"}}})", "the"); }),
            scratch.path("tokenizer_config.json") +
                ": key 'added_tokens_decoder.1x' must have an id as its key");
  EXPECT_EQ(error_of<FileError>(
                [&] { ids(R"({"added_tokens_decoder": {"1": {"content": "<more>"}}})", "the"); }),
            scratch.path("tokenizer.model") +
                ": key 'added tokens': id 1 is '<more>', but '<s>' in the vocabulary");
}

// GGUF's kind "llama" joins pairs.
class SentencePieceListsTest : public SentencePieceTest {};
INSTANTIATE_TEST_SUITE_P(Models, SentencePieceListsTest, ::testing::Values("bpe"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(SentencePieceListsTest, GiveTheSame) {
  SentencePieceVocabulary lists = vocabulary();
  check_cases(Tokenizer(lists));
  lists.add_space_prefix = false;
  lists.bos = 1;
  lists.eos = 2;
  const Tokenizer without_blank(lists);
  const Encoding encoding = without_blank.encode("the");
  EXPECT_EQ(encoding.ids.front(), 1);
  EXPECT_EQ(encoding.ids.back(), 2);
  EXPECT_NE(encoding.tokens[1].substr(0, 3), "\u2581");
  EXPECT_EQ(without_blank.decode(encoding.ids), "the");

  const auto refusal = [&](const auto& change) {
    SentencePieceVocabulary wrong = vocabulary();
    change(wrong);
    return error_of([&] { Tokenizer tokenizer(wrong); });
  };
  EXPECT_EQ(refusal([](auto& wrong) { wrong.scores.pop_back(); }),
            "scores has 399 entries, but there are 400 tokens");
  EXPECT_EQ(refusal([](auto& wrong) { wrong.token_types.clear(); }),
            "token_types has 0 entries, but there are 400 tokens");
  EXPECT_EQ(refusal([](auto& wrong) { wrong.token_types[7] = 9; }),
            "token_types[7] is 9, but the types of pieces are 1 to 6");
  EXPECT_EQ(refusal([](auto& wrong) { wrong.bos = 400; }), "bos is 400, but there are 400 tokens");
  EXPECT_EQ(refusal([](auto& wrong) { wrong.tokens[300] = "a\xFF"; }),
            "the vocabulary: piece 300 is not UTF-8 at byte 1");
  EXPECT_TRUE(refusal([](auto& wrong) {
                wrong.token_types[0] = 1;
              }).starts_with("the vocabulary: is no model of SentencePiece: Internal: "))
      << refusal([](auto& wrong) { wrong.token_types[0] = 1; });
}

TEST_P(SentencePieceListsTest, OfAFileBelongToItsModel) {
  const LanguageModel model = load_language_model(golden("llama.gguf"));
  check_cases(model.tokenizer);
  Tokens wanted = tokenizer().encode_ids("the end");
  wanted.insert(wanted.begin(), 1);  // llama.cpp's default
  EXPECT_EQ(model.tokenizer.encode_ids("the end"), wanted);
  EXPECT_EQ(model.bos_token, "<s>");
  EXPECT_EQ(model.eos_token, "</s>");
  EXPECT_EQ(model.eos_token_ids, (Tokens{2}));
  // The text streams piece by piece.
  GenerationOptions options = model.options();
  std::string streamed_text;
  options.on_text = [&](std::string_view piece, std::size_t) {
    streamed_text += piece;
    return true;
  };
  options.eos_token_ids = {};
  const TextGeneration written = generate_text(*model.model, model.tokenizer, "the end", options);
  EXPECT_EQ(written.generation.lengths.front(), 20);
  EXPECT_FALSE(streamed_text.empty());
  EXPECT_EQ(streamed_text, written.texts.front());
}

TEST_P(SentencePieceTest, LongTextsTakeTimeInProportion) {
  const Tokenizer pieces = tokenizer();
  const std::string text(200000, 'a');
  const Encoding encoding = pieces.encode(text);
  EXPECT_EQ(encoding.offsets.back().end, text.size());
  EXPECT_EQ(pieces.decode(encoding.ids), text);
  EXPECT_TRUE(pieces.encode("").ids.empty());
}

TEST_P(SentencePieceTest, WrongFilesAreRefused) {
  const Scratch scratch;
  const std::string path = scratch.path("wrong.model");
  const auto refusal = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return error_of<FileError>([&] { Tokenizer::from_sentence_piece_file(path); });
  };
  std::ifstream file(golden(name_ + ".model"), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& bytes : {std::string(), std::string("no model"), good.substr(0, 2000)}) {
    EXPECT_TRUE(refusal(bytes).starts_with(path + ": is no model of SentencePiece: "))
        << refusal(bytes);
  }
  EXPECT_THROW(Tokenizer::from_sentence_piece_file(scratch.path("none")), FileError);
}

TEST_P(SentencePieceTest, AMissingLibraryIsNamed) {
  const Scratch scratch;
  std::ofstream(scratch.path("libtern_sentencepiece.so")) << "";
  setenv("TERN_PLUGIN_PATH", scratch.folder().c_str(), /*overwrite=*/1);
  const std::string refusal = error_of([&] { tokenizer(); });
  unsetenv("TERN_PLUGIN_PATH");
  EXPECT_EQ(refusal, golden(name_ + ".model") + " needs SentencePiece, but " +
                         scratch.path("libtern_sentencepiece.so") +
                         " cannot be loaded: the file is cut off (Debian: apt-get install "
                         "libsentencepiece-dev; tern's plugin is built where CMake finds it)");
  EXPECT_EQ(tokenizer().vocab_size(), cases_["pieces"].size());
}

}  // namespace
}  // namespace tern::text
