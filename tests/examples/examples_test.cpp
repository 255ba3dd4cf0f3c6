#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "examples/program.h"
#include "mnist_files.h"
#include "serialization/scratch.h"

// Short runs of the examples, on the CPU and on the second of two simulated devices.
// expected_slow_test.cpp looks at what they learn.

namespace tern {
namespace {

const std::string kExamples = TERN_BUILD_DIR "/bin/";
const std::string kTwoDevices = "TERN_SIMULATE_CUDA=2 ";

struct ExampleRun {
  std::string name, arguments, expected;  // a part of the output
  friend void PrintTo(const ExampleRun& run, std::ostream* out) { *out << run.name; }
};

class Examples : public ::testing::TestWithParam<ExampleRun> {
 protected:
  /// Runs the example in a folder with MNIST's files.
  ProgramResult run(const std::string& environment, const std::string& arguments) const {
    write_mnist(scratch_.path("mnist"), 32);
    return run_program("cd " + scratch_.folder() + " && " + environment + kExamples +
                       GetParam().name + " " + GetParam().arguments + " " + arguments);
  }
  const Scratch scratch_;
};

INSTANTIATE_TEST_SUITE_P(
    , Examples,
    ::testing::Values(
        ExampleRun{"char_lm", "--steps 2 --length 8 --width 16 --write 5 --save net.json",
                   "validation loss "},
        ExampleRun{"custom_dataset", "--epochs 1 --save net.json", "correct on new pictures: "},
        ExampleRun{"date_translate", "--epochs 1 --dates 20 --hidden 4 --save net.json",
                   "epoch 1: loss "},
        ExampleRun{"gru", "--steps 3 --length 4 --save net.json", "mean squared error on new"},
        ExampleRun{"linear_regression", "--epochs 1 --save net.json", "learned: y = 2.0"},
        ExampleRun{"mnist", "--epochs 1 --batch-size 16 --data mnist --save net.json",
                   "epoch 1: loss "},
        ExampleRun{"mnist_mlp", "--epochs 1 --batch-size 16 --data mnist --save net.json",
                   "epoch 1: loss "},
        ExampleRun{"multi_device", "--epochs 2 --save net.json", "epoch 2: loss"},
        ExampleRun{"sentence_classes", "--epochs 1 --sentences 20 --hidden 4 --save net.json",
                   "epoch 1: loss "},
        ExampleRun{"sine_forecast", "--steps 2 --ahead 5 --hidden 4 --save net.json",
                   "mean squared error of 5 forecast points: "},
        ExampleRun{"vae", "--epochs 1 --batch-size 16 --data mnist --save net.json",
                   "====> Test set loss: "}),
    [](const auto& test) { return test.param.name; });

TEST_P(Examples, RunOnTheCpu) {
  const ProgramResult result = run("", "--device cpu");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_NE(result.text.find(GetParam().expected), std::string::npos) << result.text;
  EXPECT_NO_THROW(load_state(scratch_.path("net.json")));
}

TEST_P(Examples, RunOnTheSecondDevice) {
  const ProgramResult result = run(kTwoDevices, "--device cuda:1");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_NE(result.text.find(GetParam().expected), std::string::npos) << result.text;
}

TEST_P(Examples, TakeCudaWhereThereIsOne) {
  const ProgramResult missing = run("TERN_SIMULATE_CUDA=2 CUDA_VISIBLE_DEVICES= ", "--device cuda");
  EXPECT_EQ(missing.code, 1) << missing.text;
  const ProgramResult disabled = run("TERN_SIM_MEMORY=1 " + kTwoDevices, "--disable-cuda");
  EXPECT_EQ(disabled.code, 0) << disabled.text;
  const ProgramResult found = run("TERN_SIM_MEMORY=1 " + kTwoDevices, "");
  EXPECT_EQ(found.code, 1) << "the devices have no memory\n" << found.text;
}

TEST_P(Examples, RefuseOtherDevices) {
  for (const char* arguments :
       {"--device gpu", "--device meta", "--device", "--device cpu --disable-cuda"}) {
    const ProgramResult result = run("", arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_NE(result.text.find("--device"), std::string::npos) << result.text;
  }
}

TEST(ExamplePrograms, MnistMlpHasTheSameWeightsWithFit) {
  const Scratch scratch;
  write_mnist(scratch.path("mnist"), 32);
  const auto weights = [&](const std::string& option) {
    const ProgramResult result = run_program(
        "cd " + scratch.folder() + " && " + kExamples +
        "mnist_mlp --device cpu --epochs 2 --batch-size 8 --data mnist --save net.json " + option);
    EXPECT_EQ(result.code, 0) << result.text;
    return load_state(scratch.path("net.json"));
  };
  EXPECT_TRUE(identical(weights(""), weights("--fit")));
}

TEST(ExamplePrograms, CharLmWritesWithATransformer) {
  const std::string small = "char_lm --device cpu --steps 2 --length 8 --width 16 --write 5 ";
  const ProgramResult result =
      run_program(kExamples + small + "--model transformer --prompt 'the License'");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_NE(result.text.find("\n\nthe License"), std::string::npos) << result.text;
  const ProgramResult odd = run_program(kExamples + small + "--prompt 'a#'");
  EXPECT_EQ(odd.code, 1) << odd.text;
  EXPECT_NE(odd.text.find("--prompt has the character '#'"), std::string::npos) << odd.text;
  const ProgramResult far = run_program(kExamples + "char_lm --device cpu --length 2000");
  EXPECT_EQ(far.code, 1) << far.text;
  EXPECT_NE(far.text.find("too few for --length 2000"), std::string::npos) << far.text;
}

TEST(ExamplePrograms, DateTranslateDrawsTheDate) {
  const Scratch scratch;
  const std::string small = "cd " + scratch.folder() + " && " + kExamples +
                            "date_translate --device cpu --epochs 1 --dates 20 --hidden 4 ";
  const ProgramResult result = run_program(small + "--date \"3 May '87\" --out pictures");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_NE(result.text.find("\n3 May '87 "), std::string::npos) << result.text;
  const std::string picture = read_file(scratch.path("pictures/attention.svg"));
  for (const char* text : {">M<", ">y<", ">'<", ">␣<", "Where the decoder looks"}) {
    EXPECT_NE(picture.find(text), std::string::npos) << text;
  }
  for (const std::string odd : {"#", "日"}) {
    const ProgramResult refused = run_program(small + "--date '3 May " + odd + "'");
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.text, "date_translate: --date has the character '" + odd +
                                "', which the model does not know\n");
  }
}

TEST(ExamplePrograms, SentenceClassesJudgesASentence) {
  const Scratch scratch;
  const std::string small = "cd " + scratch.folder() + " && " + kExamples +
                            "sentence_classes --device cpu --epochs 1 --sentences 20 ";
  const ProgramResult result =
      run_program(small + "--sentence ' the food was  not bad ' --out pictures");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_TRUE(result.text.ends_with(" the food was not bad\n")) << result.text;
  const std::string picture = read_file(scratch.path("pictures/confusion.svg"));
  for (const char* text : {">negative<", ">mixed<", ">positive<"}) {
    EXPECT_NE(picture.find(text), std::string::npos) << text;
  }
  const ProgramResult odd = run_program(small + "--sentence 'the soup was bad'");
  EXPECT_EQ(odd.code, 1);
  EXPECT_EQ(odd.text.rfind("sentence_classes: --sentence has the word 'soup', which the model does "
                           "not know; it knows and annoying ",
                           0),
            0u)
      << odd.text;
}

TEST(ExamplePrograms, SayThatTrainingTakesMinutesAndHowLong) {
  const Scratch scratch;
  write_mnist(scratch.path("mnist"), 32);
  const std::string arguments = " --device cpu --data mnist --batch-size 16 --epochs ";
  for (const std::string name : {"mnist", "dcgan"}) {
    const ProgramResult result =
        run_program("cd " + scratch.folder() + " && " + kExamples + name + arguments + "1");
    EXPECT_EQ(result.text.rfind("training may take minutes: 1 epochs of 2 steps\n", 0), 0u)
        << result.text;
    EXPECT_NE(result.text.find("\ntraining: 100%, 2/2, "), std::string::npos) << result.text;
  }
  const ProgramResult vae =
      run_program("cd " + scratch.folder() + " && " + kExamples + "vae" + arguments + "2");
  const std::size_t start = vae.text.find("\nTraining may take minutes: epochs 1 to 2\n");
  EXPECT_LT(start, vae.text.find("Train Epoch: 1")) << vae.text;
  EXPECT_TRUE(std::regex_search(vae.text, std::regex("\n\\d+:\\d\\d left\nTrain Epoch: 2")))
      << vae.text;
  const ProgramResult wide = run_program("cd " + scratch.folder() + " && " + kExamples +
                                         "dcgan --device cpu --data mnist");
  EXPECT_EQ(wide.code, 1);
  EXPECT_NE(wide.text.find("--batch-size 64 is more than the 32 digits"), std::string::npos)
      << wide.text;
}

TEST(ExamplePrograms, CustomOpAgreesWithItsGradients) {
  const ProgramResult result = run_program(kExamples + "custom_op --rows 8 --columns 16");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(result.text.rfind("gradcheck: true\ngradgradcheck: true\n"
                              "fused and composed gradients agree: true\nops ",
                              0),
            0u)
      << result.text;
}

TEST(ExamplePrograms, AutogradTourPrintsWhatItsHeadPromises) {
  const ProgramResult result = run_program(kExamples + "autograd_tour");
  EXPECT_EQ(result.code, 0) << result.text;
  for (const char* line :
       {"2 x: tensor([2., 4., 6.])\ntwice: tensor([ 4.,  8., 12.])\n",
        "with a hook: tensor([30., 30.]), of the middle: tensor([1., 1.])\n",
        "derivative 1 of x^4 at 2: 32\nderivative 2 of x^4 at 2: 48\n"
        "derivative 3 of x^4 at 2: 48\n",
        "tensor([[2., 0.],\n        [0., 4.]], dtype=torch.float64)\n",
        "tensor([[ 6.,  0.],\n        [ 0., 12.]], dtype=torch.float64)\n",
        "the same gradient with checkpoint: true\n",
        "inference tensor: mul: Inference tensors cannot be saved for backward.",
        "anomaly: Function 'SqrtBackward0' returned nan values", "\nend of the tour\n"}) {
    EXPECT_NE(result.text.find(line), std::string::npos) << line << "\n" << result.text;
  }
}

}  // namespace
}  // namespace tern
