#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "distributed/ranks.h"
#include "examples/program.h"

// What mpirun does when a rank dies. The tests start one of the programs below, which are tests
// that only mpirun runs.

namespace tern::testing {
namespace {

/// The processes of mpirun: rank 1 does something, the others wait for it.
void rank_one(const std::function<void(ProcessGroup&)>& program) {
  ProcessGroup group = distributed::init_process_group();
  ASSERT_GT(group.size(), 1);
  group.set_timeout(20);
  group.all_reduce(ones({1}));
  if (group.rank() == 1) program(group);
  group.barrier();
}

class Program : public ::testing::Test {
 public:
  void SetUp() override {
    if (std::getenv("TERN_TEST_PROGRAM") == nullptr) GTEST_SKIP() << "needs a test that starts it";
  }
};

TEST_F(Program, IsKilled) {
  rank_one([](ProcessGroup&) { raise(SIGKILL); });
}
TEST_F(Program, Throws) {
  rank_one([](ProcessGroup&) { throw std::runtime_error("no data"); });
}
TEST_F(Program, Exits) {
  rank_one([](ProcessGroup&) { std::exit(3); });
}
TEST_F(Program, ComesLate) {
  rank_one([](ProcessGroup&) { std::this_thread::sleep_for(std::chrono::seconds(1)); });
}
TEST_F(Program, DoesNotComeInTime) {
  ProcessGroup group = distributed::init_process_group();
  group.set_timeout(0.5);
  if (group.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(4));
  group.barrier();
}

/// Runs a program on two processes.
ProgramResult run_ranks(const std::string& name) {
  const std::string self = std::string(TERN_BUILD_DIR) + "/bin/distributed_test";
  return run_program("exec timeout 60 " + std::string(std::getenv("TERN_TEST_MPIEXEC")) +
                     " --timeout 40 -x TERN_TEST_PROGRAM=1 -np 2 " + self +
                     " --gtest_catch_exceptions=0"
                     " --gtest_filter=Program." +
                     name);
}

class Processes : public ::testing::Test {
 public:
  void SetUp() override {
    if (std::getenv("TERN_TEST_MPIEXEC") == nullptr || is_under_mpirun()) {
      GTEST_SKIP() << "needs mpirun, which ctest knows";
    }
  }
};

// mpirun ends with 128 and the signal, or with the code of the rank; 110 is its time limit.

TEST_F(Processes, EndWithARankThatIsKilled) {
  const ProgramResult result = run_ranks("IsKilled");
  EXPECT_EQ(result.code, 128 + SIGKILL) << result.text;
}

TEST_F(Processes, EndWithARankThatThrows) {
  const ProgramResult result = run_ranks("Throws");
  EXPECT_EQ(result.code, 128 + SIGABRT) << result.text;
  EXPECT_TRUE(contains(result.text, "no data")) << result.text;
}

TEST_F(Processes, EndWithARankThatExits) {
  const ProgramResult result = run_ranks("Exits");
  EXPECT_EQ(result.code, 3) << result.text;
}

TEST_F(Processes, WaitForARankThatComesLate) {
  const ProgramResult result = run_ranks("ComesLate");
  EXPECT_EQ(result.code, 0) << result.text;
}

TEST_F(Processes, NameTheRankThatDoesNotCome) {
  const ProgramResult result = run_ranks("DoesNotComeInTime");
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.code, 110);
  EXPECT_TRUE(contains(result.text, "rank 0 waited 0.5 s in barrier at processes_test.cpp:"))
      << result.text;
  EXPECT_TRUE(contains(result.text, " for rank 1, which does not take part")) << result.text;
}

}  // namespace
}  // namespace tern::testing
