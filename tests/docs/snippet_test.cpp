#include "docs/snippet.h"

#include <cstdlib>

#include "simulated_devices.h"

namespace tern::testing {

bool same_output(const std::string& actual, const std::string& expected) {
  const char *a = actual.c_str(), *b = expected.c_str();
  const auto length_of_number = [](const char* text) {
    return std::string_view(text).find_first_not_of("0123456789.eE+-");
  };
  while (*a != '\0' && *b != '\0') {
    const bool is_number = std::isdigit(*a) != 0 && std::isdigit(*b) != 0;
    if (!is_number) {
      if (*a++ != *b++) return false;
      continue;
    }
    const std::string left(a, std::min(length_of_number(a), std::strlen(a)));
    const std::string right(b, std::min(length_of_number(b), std::strlen(b)));
    const double x = std::atof(left.c_str()), y = std::atof(right.c_str());
    const bool is_exact = right.find('.') == std::string::npos;
    if (is_exact ? left != right : std::abs(x - y) > 0.02 * std::abs(y)) return false;
    a += left.size();
    b += right.size();
  }
  return *a == *b;
}

void Snippets::run(const std::function<void()>& code, const char* expected) {
  std::cout.copyfmt(
      std::ios(nullptr));  // as at the start of a program: no boolalpha of another page
  ::testing::internal::CaptureStdout();
  std::string error;
  try {
    code();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(error, "") << "after printing\n" << printed;
  if (expected == nullptr) expected = printed.c_str();
  EXPECT_TRUE(same_output(printed, expected)) << printed << "\nis not\n" << expected;
}

namespace {

TEST(SameOutput, ToleratesTheLastDigitsOfNumbers) {
  EXPECT_TRUE(same_output("loss 0.9940\n", "loss 0.9941\n"));
  EXPECT_TRUE(same_output("[1.5, -2e-05]", "[1.5, -2e-05]"));
  EXPECT_FALSE(same_output("loss 0.50", "loss 0.60"));
  EXPECT_FALSE(same_output("loss 0.50", "loss -0.50"));
  EXPECT_FALSE(same_output("100 steps", "101 steps"));
  EXPECT_FALSE(same_output("a\n", "a"));
  EXPECT_FALSE(same_output("a", "a\n"));
}

}  // namespace
}  // namespace tern::testing
