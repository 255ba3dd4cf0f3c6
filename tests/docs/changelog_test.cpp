#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <tern/tern.h>

#include "serialization/scratch.h"

// CHANGELOG.md: "Unreleased", then a section for each version, the newest first.

namespace tern {
namespace {

struct Section {
  std::string title;
  std::vector<std::string> lines;  // without the empty ones
};

std::vector<Section> sections() {
  std::vector<Section> found;
  std::istringstream page(read_file(TERN_SOURCE_DIR "/CHANGELOG.md"));
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) {
      found.push_back({line.substr(3), {}});
    } else if (!found.empty() && !line.empty()) {
      found.back().lines.push_back(line);
    }
  }
  return found;
}

TEST(Changelog, EndsAtTheVersionOfTheLibrary) {
  const std::vector<Section> all = sections();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[0].title, "Unreleased");
  const std::string newest = all[1].title;
  EXPECT_EQ(newest.substr(0, newest.find(' ')), version());
  EXPECT_TRUE(std::regex_match(newest, std::regex(R"([0-9.]+ \(20\d\d-\d\d-\d\d\))"))) << newest;
}

TEST(Changelog, SaysInFewLinesWhatAVersionBrings) {
  const std::regex title(R"((\d+)\.(\d+)\.(\d+)( \(20\d\d-\d\d-\d\d\))?)");
  std::vector<int> newer;
  const std::vector<Section> all = sections();
  ASSERT_GE(all.size(), 2u);
  for (std::size_t i = 1; i < all.size(); ++i) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(all[i].title, parts, title)) << all[i].title;
    const std::vector<int> numbers = {std::stoi(parts[1]), std::stoi(parts[2]),
                                      std::stoi(parts[3])};
    EXPECT_TRUE(newer.empty() || numbers < newer) << all[i].title << " is below an older version";
    newer = numbers;
    EXPECT_GE(all[i].lines.size(), 1u) << all[i].title;
    EXPECT_LE(all[i].lines.size(), 25u) << all[i].title;
  }
}

}  // namespace
}  // namespace tern
