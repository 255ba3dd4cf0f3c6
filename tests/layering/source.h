#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

// The sources of tern as the layering tests see them.
namespace layering {

/// A file of the tree: its path from the root, and its lines.
struct Source {
  std::string path;
  std::vector<std::string> lines;

  bool in(const std::string& folder) const { return path.starts_with(folder + "/"); }
  bool header() const { return path.ends_with(".h") || path.ends_with(".cuh"); }
};

inline bool is_source(const std::filesystem::path& file) {
  static constexpr const char* kSuffixes[] = {".h", ".cpp", ".cu", ".cuh", ".def", ".inc"};
  return std::ranges::find(kSuffixes, file.extension().string()) != std::end(kSuffixes);
}

inline Source read_source(const std::filesystem::path& root, const std::filesystem::path& file) {
  Source source{file.lexically_relative(root).generic_string(), {}};
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) source.lines.push_back(line);
  return source;
}

/// Every source file in these folders of the repository, and tern.h.
inline std::vector<Source> read_sources(const std::vector<std::string>& folders) {
  const std::filesystem::path root = TERN_SOURCE_DIR;
  std::vector<Source> sources{read_source(root, root / "tern.h")};
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (is_source(entry.path())) sources.push_back(read_source(root, entry.path()));
    }
  }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

/// Every file of the repository: none that a build, git or Python makes.
inline std::vector<std::filesystem::path> repository_files() {
  std::vector<std::filesystem::path> files;
  std::filesystem::recursive_directory_iterator entry(TERN_SOURCE_DIR), end;
  for (; entry != end; ++entry) {
    const std::string name = entry->path().filename().string();
    if (!entry->is_directory()) {
      files.push_back(entry->path());
    } else if ((name.starts_with(".") && name != ".ci") || name == "__pycache__" ||
               (entry.depth() == 0 && (name == "build" || name == "out"))) {
      entry.disable_recursion_pending();
    }
  }
  return files;
}

/// Every file that people write and read line by line: sources, scripts and files of CMake.
inline std::vector<Source> read_written_files() {
  static constexpr const char* kSuffixes[] = {".sh", ".py", ".cmake", ".in", ".map"};
  static constexpr const char* kNames[] = {"CMakeLists.txt", "Makefile", "run"};
  std::vector<Source> sources;
  for (const std::filesystem::path& file : repository_files()) {
    if (is_source(file) || std::ranges::count(kNames, file.filename().string()) > 0 ||
        std::ranges::count(kSuffixes, file.extension().string()) > 0) {
      sources.push_back(read_source(TERN_SOURCE_DIR, file));
    }
  }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

/// What an #include line names, brackets or quotes removed; empty for other lines.
inline std::string included(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return "";
  const std::size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return "";
  const std::size_t begin = line.find_first_of("<\"", word) + 1;
  const std::size_t end = line.find_first_of(">\"", begin);
  return begin == 0 || end == std::string::npos ? "" : line.substr(begin, end - begin);
}

}  // namespace layering
