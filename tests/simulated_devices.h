#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

#include <tern/backends/cuda/host/cuda.h>

// A test program with one source that includes this runs on two CUDA devices; the variables are
// read at the first use of CUDA. They are simulated, unless TERN_REQUIRE_GPU asks for real ones:
// then a GPU that the machine has stands for both where it has but one.

namespace tern::testing {

/// Whether the tests run on real hardware, which no test can make fail and which does not tell what
/// it was asked.
inline bool on_gpu() { return std::getenv("TERN_REQUIRE_GPU") != nullptr; }

class TwoDevices : public ::testing::Environment {
 public:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a dying test starts from a fresh program
    if (!on_gpu()) {
      setenv("TERN_SIMULATE_CUDA", "2", /*overwrite=*/1);
      return;
    }
    setenv("TERN_CUDA_VIRTUAL_DEVICES", "2", /*overwrite=*/0);
  }
  // Not before the tests: some start a program in which nobody has asked for CUDA.
  void TearDown() override {
    if (on_gpu()) {
      ASSERT_TRUE(cuda::is_available()) << cuda::unavailable_reason();
    }
  }
};

[[maybe_unused]] inline const auto* const kTwoDevices =
    ::testing::AddGlobalTestEnvironment(new TwoDevices);

}  // namespace tern::testing

/// For a test of what only the simulator can do or see.
#define TERN_NEEDS_SIMULATOR()                                     \
  if (::tern::testing::on_gpu())                                   \
  GTEST_SKIP() << "needs simulated devices; this run uses a real " \
                  "GPU"

/// For a test of work that waits to be run: a GPU has run it before the test looks. An emulated GPU
/// whose work waits says so by TERN_LATE_GPU.
#define TERN_NEEDS_LATE_WORK()                                                      \
  if (::tern::testing::on_gpu() && std::getenv("TERN_LATE_GPU") == nullptr)         \
  GTEST_SKIP() << "needs work that waits to be run; this run uses a GPU, which is " \
                  "faster than the test"
