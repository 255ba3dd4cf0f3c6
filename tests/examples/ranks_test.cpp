#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "examples/program.h"
#include "serialization/scratch.h"

// Examples that several processes run.

namespace tern {
namespace {

/// Returns mpirun with its options; empty where the build has no MPI.
std::string mpirun() {
  const char* const command = std::getenv("TERN_TEST_MPIEXEC");
  return command == nullptr ? "" : command;
}

ProgramResult run_ranks(int ranks, const Scratch& scratch, const std::string& command) {
  return run_program("cd " + scratch.folder() + " && TERN_NUM_THREADS=1 " + mpirun() + " -np " +
                     std::to_string(ranks) + " " TERN_BUILD_DIR "/bin/" + command);
}

TEST(ExamplesOnRanks, CharLmWritesWhatOneProcessWrites) {
  if (mpirun().empty()) GTEST_SKIP() << "needs MPI";
  const Scratch scratch;
  const auto written = [&](int ranks) {
    const ProgramResult result =
        run_ranks(ranks, scratch,
                  "char_lm --distributed --device cpu --steps 3 --length 8 --width 16 --write 9");
    EXPECT_EQ(result.code, 0) << result.text;
    return std::regex_replace(result.text, std::regex("[0-9.]+ ms a step"), "");
  };
  EXPECT_EQ(written(2), written(1));
  const ProgramResult odd = run_ranks(2, scratch, "char_lm --distributed --batch-size 3");
  EXPECT_NE(odd.code, 0);
  EXPECT_NE(odd.text.find("--batch-size 3 cannot be divided among 2 processes"), std::string::npos)
      << odd.text;
}

TEST(ExamplesOnRanks, VaeContinuesWithAnotherNumber) {
  if (mpirun().empty()) GTEST_SKIP() << "needs MPI";
  const Scratch scratch;
  const std::string command = "vae_distributed --device cpu --batch-size 256 --epochs ";
  const ProgramResult first = run_ranks(2, scratch, command + "1");
  EXPECT_EQ(first.code, 0) << first.text;
  EXPECT_TRUE(
      std::regex_search(first.text, std::regex("^Processes: 2\nepoch 1/1  loss [0-9.]+  lr 0.001  "
                                               "val_loss [0-9.]+  \\([0-9.]+ s\\)\n$")))
      << first.text;
  const ProgramResult second = run_ranks(1, scratch, command + "2");
  EXPECT_EQ(second.code, 0) << second.text;
  EXPECT_EQ(second.text.find("epoch 2/2  loss "), std::string("Processes: 1\n").size())
      << second.text;
  for (const char* name : {"sample_1.png", "sample_2.png", "losses.csv", "vae.json"}) {
    EXPECT_TRUE(std::filesystem::exists(scratch.path("results/") + name)) << name;
  }
}

}  // namespace
}  // namespace tern
