#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "serialization/scratch.h"

// The pages of all ops and layers and of all options list what the headers declare.

namespace tern {
namespace {

const std::string kSource = TERN_SOURCE_DIR "/";

TEST(OpsPage, HasOneOfEachKind) {
  std::string page;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "docs/ops")) {
    page += read_file(entry.path().string());
  }
  for (const char* row :
       {"| `log2(self)`<br>`log2_` | the logarithm to base 2 | all | yes | all | |\n",
        "| `ge(self, other)`<br>`ge_` | true where ",
        "| `tensor(data, options = {})` | a tensor of ", "| `x.view(sizes)`<br>`x.view(dtype)` | ",
        "| `split(self, split_size, dim = 0)` | ", "| `x.random_(from, to, generator = {})`<br>",
        "| `linalg::diagonal(", "| `gather(self, dim, index, sparse_grad = false)` | Picks ",
        "](../pytorch-differences.md) |\n", "| `mse_loss(", "| `Linear` | ", "| `Sequential` | ",
        "| `DataParallel` | ", "| `xavier_uniform_(", "| `clip_grad_norm_(", "| `SGD` | ",
        "| `Adagrad` | ", "| `StepLR` | ", "| `ReduceLROnPlateau` | "}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    EXPECT_NE(line.substr(line.find(" | ", 2), 4), " | |") << line << " has no comment";
  }
}

/// Every class of options in a header stands on the page.
TEST(OptionsPage, LeavesOutNoClass) {
  const std::string page = read_file(kSource + "docs/options.md");
  const std::regex declaration("(struct|class)( TERN_API)? ([A-Za-z]*Options)\\b[^;]*");
  const std::set<std::string> bases = {"NoOptions", "OptimizerOptions",
                                       "OptimizerCloneableOptions"};
  int classes = 0;
  for (const char* folder : {"core", "nn", "serialization", "train"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource + folder)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".h") || path.find("/detail/") != std::string::npos) continue;
      std::istringstream lines(read_file(path));
      std::smatch found;
      for (std::string line; std::getline(lines, line);) {
        if (!std::regex_match(line, found, declaration)) continue;
        std::string name = found[3];
        if (bases.contains(name)) continue;
        if (name == "Options") name = "train::Options";
        ++classes;
        EXPECT_NE(page.find("\n### " + name + "\n"), std::string::npos)
            << name << " of " << path << " is not in docs/options.md: run make generate";
      }
    }
  }
  EXPECT_GT(classes, 120);
}

/// The tables of docs/optimizers.md have every optimizer and every schedule.
TEST(OptimizersPage, LeavesOutNoClass) {
  const std::string page = read_file(kSource + "docs/optimizers.md");
  const std::regex declaration(
      "class TERN_API (\\w+) : public (Optimizer|OptimizerOf<.*>|LRScheduler) \\{");
  int classes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource + "nn/optim")) {
    if (!entry.path().string().ends_with(".h")) continue;
    std::istringstream lines(read_file(entry.path().string()));
    std::smatch found;
    for (std::string line; std::getline(lines, line);) {
      if (!std::regex_match(line, found, declaration) || found[1] == "OptimizerOf") continue;
      ++classes;
      const std::string name = "`" + found[1].str();
      const bool is_there =
          page.find(name + "`") != page.npos || page.find(name + "(") != page.npos;
      EXPECT_TRUE(is_there) << found[1] << " is not in docs/optimizers.md";
    }
  }
  EXPECT_GE(classes, 30);
}

TEST(OptionsPage, HasOneOfEachKind) {
  const std::string page = read_file(kSource + "docs/options.md");
  for (const char* row :
       {"Made from `LinearOptions(in_features, out_features)`.\n",
        "The class of `Conv1dOptions`, `Conv2dOptions`, `Conv3dOptions`.",
        "| `bias` | `bool` | `true` | True: the module has a bias. |\n",
        "| `drop_last` | `bool` | `false` | ", "| `timeout` | `Duration` |  | ",
        "| `momentum` | `double or nullopt` | `0.1` | ", "| `clip_norm` | `double` | `0` | "}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(page.find("|  |\n"), std::string::npos) << "an option without a comment";
}

}  // namespace
}  // namespace tern
