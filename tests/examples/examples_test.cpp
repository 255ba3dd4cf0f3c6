#include <gtest/gtest.h>

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
        ExampleRun{"gru", "--steps 3 --length 4 --save net.json", "mean squared error on new"},
        ExampleRun{"linear_regression", "--epochs 1 --save net.json", "learned: y = 2.0"},
        ExampleRun{"multi_device", "--epochs 2 --save net.json", "epoch 2: loss"},
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

}  // namespace
}  // namespace tern
