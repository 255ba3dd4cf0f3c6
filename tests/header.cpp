// Carries the precompiled header of the tests, and what all of them do first.
#include <cstdlib>

#include <gtest/gtest.h>

#include <tern/backends/cpu/capability.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/nn/cudnn.h>

#include "locales.h"

namespace tern::testing {
namespace {

/// Runs no test where TERN_CPU_CAPABILITY names an instruction set that the machine lacks: each
/// would fail with this one error.
class InstructionSet : public ::testing::Environment {
 public:
  void SetUp() override {
    try {
      cpu::choose_capability(std::getenv("TERN_CPU_CAPABILITY"));
    } catch (const Error& error) {
      FAIL() << error.what();
    }
    // A GPU's results are compared with those of the CPU.
    backends::cudnn.allow_tf32 = false;
  }
};

/// Runs all tests in the locale TERN_TEST_LOCALE.
class Locale : public ::testing::Environment {
 public:
  void SetUp() override {
    const char* const name = std::getenv("TERN_TEST_LOCALE");
    if (name != nullptr) set_locale(name);
  }
};

[[maybe_unused]] const auto* const kLocale = ::testing::AddGlobalTestEnvironment(new Locale);
[[maybe_unused]] const auto* const kInstructionSet =
    ::testing::AddGlobalTestEnvironment(new InstructionSet);

}  // namespace
}  // namespace tern::testing
