#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "examples/program.h"
#include "sanitizer.h"
#include "serialization/scratch.h"

// Wrong arguments of programs: an error in one line, before any work.

namespace tern {
namespace {

const std::string kPrograms = TERN_BUILD_DIR "/bin/";

/// Runs a program in the folder. One that works in spite of wrong arguments is stopped.
ProgramResult run_briefly(const Scratch& scratch, const std::string& command) {
  return run_program("cd " + scratch.folder() + " && timeout 20 " + kPrograms + command);
}

void check_refused(const Scratch& scratch, const std::string& command, const std::string& text) {
  const ProgramResult result = run_briefly(scratch, command);
  EXPECT_EQ(result.code, 2) << command << "\n" << result.text;
  EXPECT_NE(result.text.find(text), std::string::npos) << command << "\n" << result.text;
  EXPECT_EQ(std::ranges::count(result.text, '\n'), 1) << command << "\n" << result.text;
}

const char* const kCommands[] = {"char_lm",
                                 "cifar_resnet",
                                 "classify",
                                 "custom_dataset",
                                 "custom_op",
                                 "date_translate",
                                 "dcgan",
                                 "gru",
                                 "mnist",
                                 "mnist_mlp",
                                 "vae",
                                 "linear_regression",
                                 "multi_device",
                                 "sentence_classes",
                                 "sine_forecast",
                                 "vae_distributed",
                                 "tern-state convert",
                                 "tern-state diff"};

TEST(Arguments, EveryNumberHasARange) {
  const Scratch scratch;
  // Every start is slow under sanitizers, which look at the library, not at command lines.
  std::vector<const char*> values = {"99999999999999999999999", "x", "1x", "''", "nan", "-1"};
  if (testing::has_sanitizer()) values = {"x"};
  int count = 0;
  for (const std::string command : kCommands) {
    const std::string help = run_briefly(scratch, command + " --help").text;
    const std::regex option("(--[a-z-]+) (INT|UINT|FLOAT)\\b");
    for (std::sregex_iterator found(help.begin(), help.end(), option), end; found != end; ++found) {
      const std::string name = found->str(1);
      for (const char* const value : values) {
        if (found->str(2) == "FLOAT" && std::isdigit(*value) != 0 && value[1] == '9') continue;
        check_refused(scratch, command + " " + name + " " + value, name + ": should be a ");
      }
      ++count;
    }
  }
  EXPECT_GT(count, 70);
}

TEST(Arguments, RangesAndWordsAreChecked) {
  const Scratch scratch;
  const std::string whole = "should be a whole number from ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"vae --epochs 99999999999999999999",
       "--epochs: " + whole + "1 to 2147483647, got 99999999999999999999"},
      {"vae --epochs 0", "--epochs: " + whole + "1 to"},
      {"vae --batch-size 2.5", "--batch-size: " + whole + "1 to"},
      {"vae --log-interval 0", "--log-interval: " + whole + "1 to"},
      {"vae --seed 18446744073709551616", "--seed: " + whole + "0 to 18446744073709551615, got"},
      {"vae --lr 0", "--lr: should be a number above 0, got 0"},
      {"vae --lr 1e400", "--lr: should be a number above 0, got 1e400"},
      {"vae --threads 100000", "; 4 threads for each processor are the most"},
      {"vae --amp int8", "--amp: should be bfloat16 or float16, got int8"},
      {"vae --epochs", "--epochs"},
      {"vae --no-such-option", "--no-such-option"},
      {"custom_dataset --workers 100000", "; 4 threads for each processor are the most"},
      {"custom_op --rows 0", "--rows: " + whole + "1 to"},
      {"gru --length 1", "--length: " + whole + "2 to"},
      {"date_translate --date ''", "--date: is empty"},
      {"char_lm --data ''", "--data: is empty"},
      {"date_translate --dates 35526", "--dates: " + whole + "1 to 35525, got 35526"},
      {"classify --top 0 --weights a b", "--top: " + whole + "1 to"},
      {"tern-state diff a b --tolerance -1",
       "--tolerance: should be a number of at least 0, got -1"},
      {"tern-state convert a b.json --max-shard-size 0", "--max-shard-size: " + whole + "1 to"},
      {"tern-state", "subcommand"},
  };
  for (const auto& [command, text] : cases) check_refused(scratch, command, text);
}

TEST(Arguments, OutputsAreCheckedBeforeTheWork) {
  const Scratch scratch;
  std::ofstream(scratch.path("file")) << "no folder";
  std::filesystem::create_directory(scratch.path("folder.json"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"vae --out file", "--out: not a folder: "},
      {"vae --out file/sub/folder", "--out: not a folder: "},
      {"vae --out ''", "--out: should be the name of a folder"},
      {"vae --save none/net.json", "--save: the folder does not exist: none"},
      {"vae --save net.txt",
       "--save: the name should end in .json, .safetensors or .pt, got net.txt"},
      {"vae --save folder.json", "--save: is a folder: folder.json"},
      {"vae --save file/net.json", "--save: not a folder: file"},
      {"dcgan --out file", "--out: not a folder: "},
      {"date_translate --out file", "--out: not a folder: "},
      {"sentence_classes --out file", "--out: not a folder: "},
      {"sine_forecast --picture wave.png", "--picture: the name should end in .svg, got wave.png"},
      {"cifar_resnet --show none/shown.svg", "--show: the folder does not exist: none"},
      {"cifar_resnet --show shown.jpg", "--show: the name should end in .svg, got shown.jpg"},
      {"tern-state convert a none/b.json", "B: the folder does not exist: none"},
      {"tern-state convert a b.txt", "B: the name should end in .json, .safetensors, "},
  };
  for (const auto& [command, text] : cases) check_refused(scratch, command, text);
  EXPECT_EQ(scratch.count(), 2) << "nothing was made";
}

TEST(Arguments, BenchmarksSayHowToCallThem) {
  const Scratch scratch;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TERN_SOURCE_DIR "/benchmarks")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".cpp") continue;
    if (!std::filesystem::exists(kPrograms + name)) GTEST_SKIP() << "needs TERN_BUILD_BENCHMARKS";
    const ProgramResult help = run_briefly(scratch, name + " --help");
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_EQ(help.text.rfind("usage: ", 0), 0u) << name << "\n" << help.text;
    const std::string first = name == "images" ? " folder" : "";
    for (const char* wrong : {" x", " 100000", " 1 2 3 4 5"}) {
      check_refused(scratch, name + first + wrong, "wrong; usage: ");
    }
    ++count;
  }
  EXPECT_GT(count, 15);
}

}  // namespace
}  // namespace tern
