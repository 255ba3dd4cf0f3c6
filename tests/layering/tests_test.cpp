#include <gtest/gtest.h>

#include <regex>

#include "source.h"

// What the tests themselves must not do.

namespace layering {
namespace {

/// Where tests of `source` leave early, and so pass without having looked:
/// "path:line". A test that cannot run says so with GTEST_SKIP; parameters without a meaning are
/// not instantiated.
std::vector<std::string> early_returns(const Source& source) {
  static const std::regex begin("^(TYPED_)?TEST(_F|_P)?\\(.*");
  static const std::regex leaves(".*\\breturn;.*");
  std::vector<std::string> found;
  bool inside = false;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    if (std::regex_match(line, begin)) inside = true;
    if (inside && std::regex_match(line, leaves)) {
      found.push_back(source.path + ":" + std::to_string(i + 1));
    }
    if (line == "}") inside = false;  // clang-format puts the end of a function here alone
  }
  return found;
}

/// Where tests of `source` are left out without a word: "path:line" of a GTEST_SKIP without a
/// reason and of a disabled test.
std::vector<std::string> silent_skips(const Source& source) {
  static const std::regex with_reason(".*GTEST_SKIP\\(\\) << *\\S.*"), reason(" *<< *\\S.*");
  static const std::string skip = std::string("GTEST_") + "SKIP()",
                           disabled = std::string("DIS") + "ABLED_";
  std::vector<std::string> found;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    const std::string& line = source.lines[i];
    const bool continues = line.ends_with(skip) && i + 1 < source.lines.size() &&
                           std::regex_match(source.lines[i + 1], reason);
    const bool skips = line.find(skip) != std::string::npos && line.find("//") != 0;
    if ((skips && !continues && !std::regex_match(line, with_reason)) ||
        line.find(disabled) != std::string::npos) {
      found.push_back(source.path + ":" + std::to_string(i + 1));
    }
  }
  return found;
}

// Not inside a test, where these lines would be found.
const Source kEarly{"x.cpp",
                    {"TEST_P(A, b) {", "  if (!GetParam()) return;", "}", "void f() {", "  return;",
                     "}", "TYPED_TEST(A, c) {", "  return;", "}", "TEST_P(A, d) {",
                     "  if (!GetParam()) GTEST_SKIP() << 1;", "  return f(x);", "}", "TEST(A, e) {",
                     "  return;", "}", "TEST_F(A, f) {", "  return;", "}"}};

TEST(Tests, AreRefusedWhenTheyReturnEarly) {
  EXPECT_EQ(early_returns(kEarly),
            (std::vector<std::string>{"x.cpp:2", "x.cpp:8", "x.cpp:15", "x.cpp:18"}));
}

TEST(Tests, AreRefusedWhenTheySkipWithoutAReason) {
  const std::string skip = std::string("  GTEST_") + "SKIP()";  // not found in this file
  const Source source{"x.cpp",
                      {skip + ";", skip + " << \"needs two processors\";", skip,
                       "      << \"needs two processors\";", skip, "  f();",
                       std::string("TEST(A, DIS") + "ABLED_b) {"}};
  EXPECT_EQ(silent_skips(source), (std::vector<std::string>{"x.cpp:1", "x.cpp:5", "x.cpp:7"}));
}

TEST(Tests, SayWhyTheySkip) {
  for (const Source& source : read_sources({"tests"})) {
    for (const std::string& place : silent_skips(source)) {
      ADD_FAILURE() << place << ": write GTEST_SKIP() << \"needs ..\"; disable no test";
    }
  }
}

TEST(Tests, DoNotReturnEarly) {
  for (const Source& source : read_sources({"tests"})) {
    for (const std::string& place : early_returns(source)) {
      ADD_FAILURE() << place << ": choose the parameters, or GTEST_SKIP with a reason";
    }
  }
}

}  // namespace
}  // namespace layering
