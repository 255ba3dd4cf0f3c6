#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "examples/program.h"
#include "serialization/scratch.h"

// What the heads of the examples promise.

namespace tern {
namespace {

const std::string kFolder = TERN_BUILD_DIR "/bin/";

/// The number behind the last occurrence of `words` in what a program printed.
double last_number(const ProgramResult& result, const std::string& words) {
  EXPECT_EQ(result.code, 0) << result.text;
  const std::size_t at = result.text.rfind(words);
  EXPECT_NE(at, std::string::npos) << result.text;
  return at == std::string::npos ? 0 : std::atof(result.text.c_str() + at + words.size());
}

TEST(ExpectedResults, LinearRegression) {
  const ProgramResult result = run_program(kFolder + "linear_regression --device cpu");
  EXPECT_LT(last_number(result, "mean squared error "), 0.0002);
  EXPECT_NE(result.text.find("learned: y = 2.00 a - 3.40 b + 4.20\n"), std::string::npos)
      << result.text;
}

TEST(ExpectedResults, Mnist) {
  const ProgramResult result = run_program(kFolder + "mnist --device cpu --epochs 3");
  EXPECT_GT(last_number(result, "accuracy "), 0.99) << result.text;
}

TEST(ExpectedResults, MnistMlp) {
  const ProgramResult result = run_program(kFolder + "mnist_mlp --device cpu");
  EXPECT_GT(last_number(result, "accuracy "), 0.98) << result.text;
}

TEST(ExpectedResults, MultiDevice) {
  for (const char* environment : {"TERN_CUDA=0 ", "TERN_SIMULATE_CUDA=2 "}) {
    const ProgramResult result = run_program(environment + kFolder + "multi_device");
    EXPECT_GT(last_number(result, "accuracy "), 0.97) << result.text;
  }
}

TEST(ExpectedResults, CustomDataset) {
  const ProgramResult two = run_program(kFolder + "custom_dataset --device cpu");
  EXPECT_GT(last_number(two, "correct on new pictures: "), 0.95) << two.text;
  EXPECT_EQ(run_program(kFolder + "custom_dataset --device cpu --workers 0").text, two.text);
}

TEST(ExpectedResults, Gru) {
  const ProgramResult result = run_program(kFolder + "gru --device cpu");
  EXPECT_LT(last_number(result, "mean squared error on new sequences: "), 0.002) << result.text;
}

TEST(ExpectedResults, CharLm) {
  const ProgramResult result = run_program(kFolder + "char_lm --device cpu");
  EXPECT_LT(last_number(result, "step 200: loss "), 0.3) << result.text;
  EXPECT_GT(last_number(result, "validation loss "), 3) << result.text;
}

TEST(ExpectedResults, SineForecast) {
  const Scratch scratch;
  const ProgramResult result =
      run_program("cd " + scratch.folder() + " && " + kFolder + "sine_forecast --device cpu");
  EXPECT_LT(last_number(result, "200 forecast points: "), 0.02) << result.text;
}

TEST(ExpectedResults, DateTranslate) {
  const Scratch scratch;
  const ProgramResult result = run_program("cd " + scratch.folder() + " && " + kFolder +
                                           "date_translate --device cpu --date \"3 May '87\"");
  EXPECT_GT(last_number(result, "right on new days "), 0.99) << result.text;
  EXPECT_TRUE(result.text.ends_with(" 1987-05-03\n")) << result.text;
}

TEST(ExpectedResults, SentenceClasses) {
  const Scratch scratch;
  const std::string command = "cd " + scratch.folder() + " && " + kFolder + "sentence_classes ";
  const ProgramResult result = run_program(command + "--device cpu");
  EXPECT_GT(last_number(result, "accuracy "), 0.98) << result.text;
  const ProgramResult shuffled = run_program(command + "--device cpu --shuffle");
  EXPECT_LT(last_number(shuffled, "accuracy "), 0.6) << shuffled.text;
}

}  // namespace
}  // namespace tern
