#include <string>

#include <gtest/gtest.h>

#include <tern/tern.h>

namespace tern {
namespace {

TEST(Version, OfHeadersLibraryAndProjectIsOne) {
  EXPECT_EQ(std::string(TERN_VERSION), TERN_PROJECT_VERSION);
  EXPECT_EQ(std::string(version()), TERN_VERSION);
  EXPECT_EQ(std::string(TERN_VERSION), std::to_string(TERN_VERSION_MAJOR) + "." +
                                           std::to_string(TERN_VERSION_MINOR) + "." +
                                           std::to_string(TERN_VERSION_PATCH));
}

}  // namespace
}  // namespace tern
