#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

// A test program with one source that includes this runs on two simulated devices; the variable is
// read at the first use of CUDA.

namespace tern::testing {

class SimulatedDevices : public ::testing::Environment {
 public:
  void SetUp() override { setenv("TERN_SIMULATE_CUDA", "2", /*overwrite=*/1); }
};

[[maybe_unused]] inline const auto* const kSimulatedDevices =
    ::testing::AddGlobalTestEnvironment(new SimulatedDevices);

}  // namespace tern::testing
