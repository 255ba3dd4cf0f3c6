#include <cstdlib>

#include <gtest/gtest.h>

// These tests run on two simulated devices; the variable is read at the first use of CUDA.

namespace {

class SimulatedDevices : public ::testing::Environment {
 public:
  void SetUp() override { setenv("TERN_SIMULATE_CUDA", "2", /*overwrite=*/1); }
};

[[maybe_unused]] const auto* const kEnvironment =
    ::testing::AddGlobalTestEnvironment(new SimulatedDevices);

}  // namespace
