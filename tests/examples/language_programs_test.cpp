#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "examples/program.h"
#include "serialization/scratch.h"

// chat and embed, with tiny weights.

namespace tern {
namespace {

const std::string kGguf = TERN_TEST_DATA "/serialization/gguf/llama.gguf";

class LanguagePrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(TERN_BUILD_DIR "/bin/chat")) GTEST_SKIP() << "needs tern::text";
  }
  ProgramResult run(const std::string& command) const {
    return run_program("cd " + scratch_.folder() +
                       " && TERN_NUM_THREADS=1 " TERN_BUILD_DIR "/bin/" + command);
  }
  const Scratch scratch_;
};

TEST_F(LanguagePrograms, ChatLearnsATextAndWrites) {
  const ProgramResult result = run("chat --seconds 0.01 --max-tokens 12 'Subject to'");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(std::regex_search(
      result.text, std::regex("step 1: loss [0-9.]+\nSubject to[^]*\n\\[10 tokens read, the first "
                              "one written after [0-9.]+ s; 12 written, [0-9.]+ tokens/s\\]\n$")))
      << result.text;
}

TEST_F(LanguagePrograms, ChatReadsWeights) {
  const std::string command = "chat --weights " + kGguf + " --raw abc --max-tokens 5 ";
  const ProgramResult one = run(command + "--seed 3"), two = run(command + "--seed 3");
  EXPECT_EQ(one.code, 0) << one.text;
  const auto text = [](const ProgramResult& result) {
    return result.text.substr(0, result.text.find("\n["));
  };
  EXPECT_EQ(text(one).rfind("abc", 0), 0u) << one.text;
  EXPECT_EQ(text(one), text(two));
  for (const char* more :
       {"--beams 2", "--temperature 0", "--top-p 0.5 --min-p 0.1 --threads 1", "--quantize q8_0"}) {
    const ProgramResult result = run(command + more);
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_NE(result.text.find(" tokens/s]\n"), std::string::npos) << result.text;
  }
}

TEST_F(LanguagePrograms, ChatSaysWhatIsWrong) {
  const auto expect_line = [&](const std::string& command, const std::string& wanted) {
    const ProgramResult result = run(command);
    EXPECT_EQ(result.code, 1) << result.text;
    EXPECT_NE(result.text.find(wanted), std::string::npos) << result.text;
    EXPECT_EQ(std::count(result.text.begin(), result.text.end(), '\n'), 1) << result.text;
  };
  expect_line("chat --weights none 'x'", "no file or folder 'none'");
  expect_line("chat --data none 'x'", "cannot read the text 'none'");
  expect_line("chat --weights " + kGguf + " --raw", "a text to go on with is missing");
  std::ofstream(scratch_.path("short")) << "short";
  expect_line("chat --data short 'x'", "the text has 5 bytes; more than 64 are needed");
  expect_line("embed --weights none a b", "none/config.json");
  expect_line("embed --weights none a", "needs two sentences or more");
}

TEST_F(LanguagePrograms, EmbedComparesSentences) {
  const std::string golden = TERN_TEST_DATA "/nn/language/bert";
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::copy_file(golden + "/" + name, scratch_.path(name));
  }
  std::ofstream vocabulary(scratch_.path("vocab.txt"));
  vocabulary << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";
  for (int i = 4; i < 61; ++i) vocabulary << "w" << i << "\n";
  vocabulary.close();
  const ProgramResult result = run("embed --weights . 'w4 w5 w6' 'w9' 'w4 w5 w6'");
  EXPECT_EQ(result.code, 0) << result.text;
  const std::string number = " *(-?[0-9.]+)";
  std::smatch match;
  ASSERT_TRUE(std::regex_search(
      result.text, match,
      std::regex("^ +1\\.0000" + number + " +1\\.0000  w4 w5 w6\n" + number + " +1\\.0000" +
                 number + "  w9\n +1\\.0000" + number + " +1\\.0000  w4 w5 w6\n$")))
      << result.text;
  EXPECT_EQ(match[1], match[2]);  // padding changes nothing
  EXPECT_LT(std::stod(match[1]), 0.9999);
}

}  // namespace
}  // namespace tern
