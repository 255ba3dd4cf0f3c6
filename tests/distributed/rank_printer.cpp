#include <cstdlib>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

// Under mpirun every rank runs all tests. Rank 0 prints them all, the others only what fails: so
// the lines of ranks do not mix, and each test counts once.

namespace tern::testing {
namespace {

class FailuresOfRank : public ::testing::EmptyTestEventListener {
 public:
  explicit FailuresOfRank(std::string rank) : rank_(std::move(rank)) {}

  void OnTestStart(const ::testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + '.' + test.name();
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed())
      std::cout << "rank " << rank_ << ": " << test_ << ": " << result << std::endl;
  }

 private:
  std::string rank_, test_;
};

[[maybe_unused]] const bool is_other_rank = [] {
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr || rank == std::string("0")) return false;
  ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailuresOfRank(rank));
  return true;
}();

}  // namespace
}  // namespace tern::testing
