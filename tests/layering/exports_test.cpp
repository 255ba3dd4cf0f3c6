#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

// What the built files show to the outside, as nm lists it.
namespace {

const std::filesystem::path kBuild = TERN_BUILD_DIR;

struct Symbol {
  char kind = 0;
  std::string name;
};

std::vector<Symbol> nm(const std::string& options, const std::filesystem::path& file) {
  const std::string command = "nm " + options + " '" + file.string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<Symbol> symbols;
  char line[4096];
  while (pipe && std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    // "0000000000001100 T name", without the number for undefined symbols.
    std::istringstream words(line);
    std::string word;
    Symbol symbol;
    while (words >> word) {
      if (word.size() == 1) symbol.kind = word[0];
      symbol.name = word;
    }
    symbols.push_back(symbol);
  }
  return symbols;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Exports, ASealedCpuSetShowsItsRegisterFunctionAlone) {
  int sets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kBuild)) {
    const std::string stem = entry.path().stem().string();
    if (!stem.starts_with("tern_cpu_") || entry.path().extension() != ".o") continue;
    ++sets;
    const auto symbols = nm("-g --defined-only", entry.path());
    ASSERT_EQ(symbols.size(), 1u) << entry.path();
    EXPECT_EQ(symbols[0].name, "tern_cpu_register_" + stem.substr(9));
    EXPECT_EQ(symbols[0].kind, 'T');
  }
  EXPECT_GT(sets, 0);
}

TEST(Exports, TheLibraryShowsNothingOfOthers) {
  const auto symbols = nm("-D --defined-only", kBuild / "lib/libtern.so");
  EXPECT_FALSE(symbols.empty());
  for (const Symbol& symbol : symbols) {
    EXPECT_FALSE(contains(symbol.name, "5Eigen") || contains(symbol.name, "8nlohmann"))
        << symbol.name;
  }
}

// Numbers in a stream, std::to_string(double) and std::stof() follow the locale of the stream or of
// the process: the library writes and reads with std::to_chars() and std::from_chars(). Only
// TextPart gives numbers to a stream, its own.
TEST(Exports, TheLibraryWritesAndReadsNoNumberInALocale) {
  // A preloaded sanitizer would judge awk, too.
  const std::string command =
      "unset LD_PRELOAD; cd '" + kBuild.string() +
      "/CMakeFiles' && find tern.dir tern_small.dir tern_sim.dir -name '*.o' "
      "| xargs objdump -r | awk '/file format/ { ++files; file = $1 } "
      "/^RELOCATION RECORDS/ { section = $4 } "
      "/ (_ZNSo9_M_insert|_ZNSolsE[ijlmstdfb]|_ZNSi10_M_extract|_ZNSirsE|vsnprintf|strto(f|ld)-)/ "
      "{ if (section !~ /TextPart5print/) print file, section, $3 } "
      "END { print (files > 20 ? \"many files\" : \"few files\") }'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string found;
  char line[4096];
  while (pipe && std::fgets(line, sizeof line, pipe.get()) != nullptr) found += line;
  EXPECT_EQ(found, "many files\n");
}

// A plugin that uses no symbol of the library, and shows its entry alone.
void check_plugin(const std::filesystem::path& plugin) {
  SCOPED_TRACE(plugin);
  for (const Symbol& symbol : nm("-D --undefined-only", plugin)) {
    EXPECT_FALSE(contains(symbol.name, "tern")) << symbol.name;
  }
  const auto symbols = nm("-D --defined-only", plugin);
  ASSERT_EQ(symbols.size(), 1u);
  EXPECT_EQ(symbols[0].name, "tern_plugin_entry");
}

TEST(Exports, PluginsUseNothingOfTheLibrary) {
  check_plugin(kBuild / "lib/libtern_sim.so");
  // Built where there is a CUDA toolkit, OpenMPI, and SentencePiece.
  for (const char* name :
       {"lib/libtern_cuda.so", "lib/libtern_mpi.so", "lib/libtern_sentencepiece.so"}) {
    if (std::filesystem::exists(kBuild / name)) check_plugin(kBuild / name);
  }
}

}  // namespace
