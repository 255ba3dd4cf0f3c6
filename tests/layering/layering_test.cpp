#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <regex>
#include <set>

#include "layers.h"
#include "source.h"

namespace layering {
namespace {

const std::vector<std::string> kLibrary = {"core",  "backends", "nn",  "serialization",
                                           "train", "compat",   "text"};

std::string at(const Source& source, std::size_t line) {
  return source.path + ":" + std::to_string(line + 1) + ": " + source.lines[line];
}

/// The headers that users include: the roots and what they reach.
std::set<std::string> public_headers() {
  std::set<std::string> found;
  std::vector<std::string> open = {"tern.h",
                                   "compat/torch/torch.h",
                                   "compat/torch/script.h",
                                   "compat/names/c10d.h",
                                   "serialization/json_document.h",
                                   "serialization/gguf.h",
                                   "serialization/safetensors.h",
                                   "train/train.h",
                                   "nn/models.h",
                                   "text/text.h"};
  const std::filesystem::path root = TERN_SOURCE_DIR;
  while (!open.empty()) {
    const std::string path = open.back();
    open.pop_back();
    if (!found.insert(path).second) continue;
    for (const std::string& line : read_source(root, root / path).lines) {
      const std::string file = included(line);
      if (file.starts_with("tern/")) open.push_back(file.substr(5));
    }
  }
  return found;
}

/// Private headers lie where this can be seen.
bool is_private(const std::string& path) {
  return path.find("/detail/") != std::string::npos || is_under(path, "core/kernels");
}

TEST(Layers, RefuseAnArrowThatIsNotInTheTable) {
  EXPECT_TRUE(may_include("core/ops/linalg/matmul.cpp", "core/autograd/node.h"));
  EXPECT_TRUE(may_include("core/tensor/tensor.h", "core/ops/shape/view_methods.inc"));
  EXPECT_TRUE(may_include("nn/detail/a.h", "nn/detail/b.h"));
  EXPECT_TRUE(may_include("serialization/torch/writer.cpp", "serialization/zip/detail/writer.h"));
  EXPECT_FALSE(may_include("core/tensor/storage.h", "core/ops/shape/view_methods.inc"));
  EXPECT_FALSE(may_include("core/base/error.h", "core/tensor/tensor.h"));
  EXPECT_FALSE(may_include("core/autograd/node.h", "core/ops/ops.h"));
  EXPECT_FALSE(may_include("backends/cpu/kernels/unary.cpp", "core/autograd/node.h"));
  EXPECT_FALSE(may_include("backends/cuda/host/stream.h", "backends/cpu/registration.h"));
  EXPECT_FALSE(may_include("serialization/json/reader.cpp", "nn/module.h"));
  EXPECT_FALSE(may_include("nn/module.cpp", "serialization/json/detail/x.h"));
  EXPECT_TRUE(may_include("backends/cpu/kernels/register.cpp", "generated/cpu_families.def"));
  EXPECT_FALSE(may_include("core/tensor/tensor.h", "generated/kernel_slots.def"));
  EXPECT_FALSE(may_include("nn/linear.h", "tern.h"));
  EXPECT_FALSE(may_include("text/tokenizer.h", "core/tensor/tensor.h"));
}

TEST(Layers, TheLibraryKeepsItsArrows) {
  for (const Source& source : read_sources(kLibrary)) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string file = included(source.lines[i]);
      if (!file.starts_with("tern/")) continue;
      EXPECT_TRUE(may_include(source.path, file.substr(5))) << at(source, i);
    }
  }
}

TEST(Layers, ProgramsUsePublicHeadersOnly) {
  for (const Source& source : read_sources({"examples", "benchmarks", "tools"})) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string file = included(source.lines[i]);
      // A network that is slow is a transport, whose interface is for plugins.
      const bool is_transport = source.path == "benchmarks/distributed_step.cpp" &&
                                file == "tern/core/distributed/detail/transport.h";
      EXPECT_TRUE(is_transport || file.find("/detail/") == std::string::npos) << at(source, i);
      EXPECT_FALSE(file.starts_with("tern/backends/") &&
                   !file.starts_with("tern/backends/cuda/host/"))
          << at(source, i);
    }
  }
}

TEST(Headers, ArePublicOrPrivateByTheirFolder) {
  const std::set<std::string> found = public_headers();
  for (const std::string& path : found) EXPECT_FALSE(is_private(path)) << path;
  for (const Source& source : read_sources(kLibrary)) {
    if (!source.header() || source.in("backends")) continue;
    EXPECT_NE(found.contains(source.path), is_private(source.path))
        << source.path << ": headers that tern.h does not reach lie in a folder detail";
  }
}

TEST(Headers, OneSpellingOfIncludes) {
  for (const Source& source : read_sources(kLibrary)) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      if (included(source.lines[i]).empty()) continue;
      EXPECT_EQ(source.lines[i].find('"'), std::string::npos)
          << at(source, i) << "\nwrite <tern/...> with the path from the root";
    }
  }
}

TEST(Headers, PublicOnesBringNothingHeavyAndNothingForeign) {
  const std::regex banned(
      "iostream|thread|random|filesystem|future|regex|"
      "(unsupported/)?Eigen/.*|nlohmann/.*|zlib\\.h|cuda.*|cublas.*|curand.*|CLI/.*|stb.*|gtest/"
      ".*");
  const std::set<std::string> found = public_headers();
  for (const Source& source : read_sources(kLibrary)) {
    // The headers of compat bring what libtorch's headers bring.
    if (!found.contains(source.path) || source.in("compat")) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      EXPECT_FALSE(std::regex_match(included(source.lines[i]), banned)) << at(source, i);
    }
  }
}

TEST(Headers, AreIncludedOnce) {
  for (const Source& source : read_sources(kLibrary)) {
    if (!source.header()) continue;
    EXPECT_NE(std::ranges::find(source.lines, "#pragma once"), source.lines.end()) << source.path;
  }
}

TEST(Macros, CarryThePrefix) {
  // Switches of other people's headers are set in .cpp files alone.
  const std::regex macro("\\s*#\\s*define\\s+(\\w+).*");
  const std::regex others("EIGEN_\\w+|JSON_\\w+|_GNU_SOURCE");
  for (const Source& source : read_sources(kLibrary)) {
    if (source.in("compat")) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_match(source.lines[i], match, macro)) continue;
      const std::string name = match[1];
      const bool allowed = name.starts_with("TERN_") ||
                           (source.path.ends_with(".cpp") && std::regex_match(name, others));
      EXPECT_TRUE(allowed) << at(source, i);
    }
  }
}

/// Returns true if the code contains the word.
bool has_word(const std::string& code, const std::string& word) {
  const auto is_part = [](char c) { return c == '_' || std::isalnum(c) != 0; };
  for (std::size_t at = code.find(word); at != code.npos; at = code.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part(code[at - 1]);
    if (begins && (end == code.size() || !is_part(code[end]))) return true;
  }
  return false;
}

// Texts are joined by text_of() and numbers written by number_text(); one file knows streams.
TEST(Text, IsWrittenAndReadInNoLocale) {
  const std::regex floating(R"re(.*"[^"]*%[-+ #0]*[0-9*]*(\.[0-9*]+)?L?[aAeEfFgG].*)re");
  const std::set<std::string> own = {"core/base/text.cpp", "core/base/detail/plain_text.h"};
  for (const Source& source : read_sources({"core", "backends", "nn", "serialization", "train",
                                            "compat", "text", "examples", "tools", "benchmarks"})) {
    if (own.contains(source.path)) continue;
    const bool is_program = source.in("examples") || source.in("tools") || source.in("benchmarks");
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string code = source.lines[i].substr(0, source.lines[i].find("//"));
      for (const char* word : {"setlocale", "std::locale", "imbue"}) {
        EXPECT_FALSE(has_word(code, word)) << at(source, i);
      }
      // Programs run in the C locale, which they never leave.
      if (is_program) continue;
      for (const char* word : {"ostringstream",
                               "istringstream",
                               "stringstream",
                               "stod",
                               "stof",
                               "stold",
                               "strtod",
                               "strtof",
                               "strtold",
                               "atof",
                               "strftime",
                               "put_time",
                               "strerror",
                               "generic_category",
                               "system_category",
                               "isalpha",
                               "isalnum",
                               "isdigit",
                               "isspace",
                               "isupper",
                               "islower",
                               "isprint",
                               "toupper",
                               "tolower"}) {
        EXPECT_FALSE(has_word(code, word)) << at(source, i);
      }
      if (code.find('%') == code.npos) continue;
      EXPECT_FALSE(std::regex_match(code, floating)) << at(source, i);
    }
  }
}

// A program that includes torch.h prints as libtorch does; the library would make every one do so.
TEST(Compat, TheLibraryIncludesNoTorchH) {
  std::size_t count = 0;
  for (const Source& source : read_sources({"core", "nn", "serialization", "train", "compat"})) {
    if (source.in("compat/torch")) continue;
    ++count;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      EXPECT_EQ(source.lines[i].find("#include <tern/compat/torch/"), std::string::npos)
          << at(source, i);
    }
  }
  EXPECT_GT(count, 400u);
}

TEST(Files, StayReadable) {
  const std::vector<Source> sources = read_written_files();
  EXPECT_GT(sources.size(), 400u);
  for (const Source& source : sources) {
    EXPECT_LE(source.lines.size(), 400u) << source.path << ": split it by topic";
  }
}

TEST(Files, FewInAFolder) {
  std::map<std::filesystem::path, int> count_in;
  for (const std::filesystem::path& file : repository_files()) ++count_in[file.parent_path()];
  for (const auto& [folder, count] : count_in) {
    EXPECT_LE(count, 40) << folder << ": give each family a folder of its own";
  }
}

}  // namespace
}  // namespace layering
