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

TEST(Tests, DoNotReturnEarly) {
  for (const Source& source : read_sources({"tests"})) {
    for (const std::string& place : early_returns(source)) {
      ADD_FAILURE() << place << ": choose the parameters, or GTEST_SKIP with a reason";
    }
  }
}

}  // namespace
}  // namespace layering
