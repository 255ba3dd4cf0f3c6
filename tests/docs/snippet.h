#pragma once

#include <filesystem>
#include <functional>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "mnist_files.h"
#include "serialization/scratch.h"

// What snippets.awk needs for the code that it takes from pages, in which not every variable is
// used and sections use the same names.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"

namespace tern::testing {

/// True when the texts are equal. Numbers with a point may differ by 2 %, since instruction sets
/// round differently and training adds that up.
bool same_output(const std::string& actual, const std::string& expected);

/// Runs the code of a page in an empty folder.
class Snippets : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(scratch_.folder()); }
  void TearDown() override { std::filesystem::current_path(before_); }

  /// Runs `code`, which should print `expected`; null for any text.
  static void run(const std::function<void()>& code, const char* expected);

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
  const Scratch scratch_;
};

}  // namespace tern::testing
