#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <tern/core/base/error.h>

#include "error_of.h"
#include "source_folder.h"

namespace tern {

/// Files that Python wrote.
inline const std::string kGoldenFolder = testing::golden_folder() + "/serialization/";

/// A new folder of a test's own, removed with all in it at the end.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "tern-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
    folder_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name = "state.json") const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }
  /// Its files by name.
  std::map<std::string, std::string> contents() const;
  /// How many files the folder has.
  long count() const {
    return std::distance(std::filesystem::directory_iterator(folder_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::string folder_;
};

inline void write_file(const std::string& path, const std::string& bytes) {
  // Some file systems wait for the disk when an old content is replaced.
  std::filesystem::remove(path);
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::map<std::string, std::string> Scratch::contents() const {
  std::map<std::string, std::string> contents;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    contents[entry.path().filename().string()] = read_file(entry.path().string());
  }
  return contents;
}

/// `full` when the environment variable TERN_TEST_FULL is set, else `quick`.
inline long count_for(long quick, long full) {
  return ::getenv("TERN_TEST_FULL") != nullptr ? full : quick;
}

}  // namespace tern
