#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "serialization/scratch.h"

// Links of all pages: the file is there, and it has the heading. Files that pages name: they are
// there.

namespace tern {
namespace {

const std::string kRoot = TERN_SOURCE_DIR "/";

/// The lines of a page without those of its blocks of code and its comments.
std::vector<std::string> prose(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream page(read_file(path));
  bool is_code = false, is_comment = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      is_code = !is_code;
    } else if (line.starts_with("<!-- prepare") || line == "-->") {
      is_comment = line != "-->";
    } else if (!is_code && !is_comment) {
      lines.push_back(line);
    }
  }
  return lines;
}

/// GitHub's name of a heading: lower case, hyphens for spaces, no other characters.
std::string anchor(const std::string& heading) {
  std::string name;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      name += '-';
    }
  }
  return name;
}

bool has_anchor(const std::string& path, const std::string& name) {
  static std::map<std::string, std::set<std::string>> known;
  if (!known.contains(path)) {
    for (const std::string& line : prose(path)) {
      if (line.starts_with("#")) known[path].insert(anchor(line));
    }
  }
  return known[path].contains(name);
}

/// Targets of the links "[text](target)" of a line, outside of code between backticks.
std::vector<std::string> targets(const std::string& line) {
  std::vector<std::string> found;
  bool is_code = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '`') is_code = !is_code;
    if (is_code || line.compare(at, 2, "](") != 0) continue;
    const std::size_t end = line.find(')', at);
    if (end != line.npos) found.push_back(line.substr(at + 2, end - at - 2));
  }
  return found;
}

std::vector<std::string> pages() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".md") paths.push_back(entry.path().string());
    if (!entry.is_directory() || name.starts_with(".") || name == "build" || name == "out")
      continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(entry.path())) {
      if (file.path().extension() == ".md") paths.push_back(file.path().string());
    }
  }
  return paths;
}

TEST(Links, LeadToFilesAndHeadings) {
  int links = 0;
  for (const std::string& page : pages()) {
    const std::filesystem::path folder = std::filesystem::path(page).parent_path();
    for (const std::string& line : prose(page)) {
      for (const std::string& target : targets(line)) {
        if (target.find(':') != target.npos) continue;  // of the network
        ++links;
        const std::size_t hash = target.find('#');
        const std::string file = target.substr(0, hash);
        const std::string path = file.empty() ? page : (folder / file).lexically_normal().string();
        EXPECT_TRUE(std::filesystem::exists(path)) << page << ": no file for " << target;
        if (hash == target.npos || !path.ends_with(".md")) continue;
        EXPECT_TRUE(has_anchor(path, target.substr(hash + 1)))
            << page << ": no heading for " << target;
      }
    }
  }
  EXPECT_GT(links, 100);
}

/// Files of the repository that a line names by their path from the root. Names with capitals stand
/// for others: tests/ops/cases/FAMILY/OP.json.
std::vector<std::string> named_files(const std::string& line) {
  static const std::regex file(
      "(^|[^\\w./-])((core|backends|nn|serialization|train|compat|tests|tools|cmake|benchmarks|"
      "examples|docs|third_party)/[a-z0-9_/.-]+\\.(h|cpp|cu|def|inc|py|sh|json|txt|tsv|cmake|md))"
      "(?![\\w])");
  std::vector<std::string> found;
  for (std::sregex_iterator at(line.begin(), line.end(), file), end; at != end; ++at) {
    found.push_back((*at)[2]);
  }
  return found;
}

// The changelog tells of the past.
TEST(Links, PagesNameFilesThatExist) {
  int files = 0;
  for (const std::string& page : pages()) {
    if (page.ends_with("CHANGELOG.md")) continue;
    for (const std::string& line : prose(page)) {
      for (const std::string& file : named_files(line)) {
        ++files;
        EXPECT_TRUE(std::filesystem::exists(kRoot + file)) << page << " names " << file;
      }
    }
  }
  EXPECT_GT(files, 100);
  EXPECT_EQ(named_files("`core/a/b.h`, tern/nn/c.h and docs/d.md; tests/cases/OP.json"),
            (std::vector<std::string>{"core/a/b.h", "docs/d.md"}));
}

// Doxygen puts other pages at the end of the tree, behind the groups.
TEST(Links, TheTreeOfDocsHasEveryPage) {
  const std::string tree = read_file(kRoot + "docs/api/pages.dox") + "\n";
  for (const char* folder : {"docs", "docs/ops"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kRoot + folder)) {
      const std::string file = entry.path().filename().string();
      if (!file.ends_with(".md") || file == "README.md") continue;
      std::string name = std::string("md_") + folder + "_" + entry.path().stem().string();
      for (char& letter : name) letter = letter == '-' || letter == '/' ? '_' : letter;
      EXPECT_NE(tree.find("\\subpage " + name + "\n"), tree.npos) << "no line for " << name;
    }
  }
}

TEST(Links, FollowTheRulesOfGitHub) {
  EXPECT_EQ(anchor("## PyTorch files: .pt, .pth"), "pytorch-files-pt-pth");
  EXPECT_EQ(targets("[a](b.md#c), `[i](j)` and ![d](e.png)"),
            (std::vector<std::string>{"b.md#c", "e.png"}));
}

}  // namespace
}  // namespace tern
