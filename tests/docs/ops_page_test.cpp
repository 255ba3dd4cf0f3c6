#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "serialization/scratch.h"

// docs/ops.md, the page of all ops and layers, lists what the headers declare.
// tests/ops/page_test.cpp compares it with the records.

namespace tern {
namespace {

const std::string kSource = TERN_SOURCE_DIR "/";

TEST(OpsPage, HasOneOfEachKind) {
  const std::string page = read_file(kSource + "docs/ops.md");
  for (const char* row :
       {"| `log2(self)`<br>`log2_` | the logarithm to base 2 | all | yes | all | |\n",
        "| `ge(self, other)`<br>`ge_` | true where ",
        "| `tensor(data, options = {})` | a tensor of ", "| `x.view(sizes)` | ",
        "| `split(self, split_size, dim = 0)` | ", "| `x.random_(from, to, generator = {})`<br>",
        "| `linalg::diagonal(", "| `gather(self, dim, index)` | Picks ",
        "](pytorch-differences.md) |\n", "| `mse_loss(", "| `Linear` | ", "| `Sequential` | ",
        "| `DataParallel` | ", "| `xavier_uniform_(", "| `clip_grad_norm_(", "| `SGD` | "}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    EXPECT_NE(line.substr(line.find(" | ", 2), 4), " | |") << line << " has no comment";
  }
}

/// The files of ops stand in docs/api/ops.sh one by one.
TEST(OpsPage, LeavesOutNoFamily) {
  const std::string script = read_file(kSource + "docs/api/ops.sh");
  int families = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "core/ops")) {
    const std::string name = entry.path().filename().string();
    const std::string include = "#include <tern/core/ops/" + name + ">";
    const bool is_public = read_file(kSource + "core/ops/ops.h").find(include) != std::string::npos;
    if (!is_public && !name.ends_with(".inc")) continue;
    ++families;
    EXPECT_NE(script.find("$ops/" + name), std::string::npos)
        << name << " is not in docs/api/ops.sh";
  }
  EXPECT_GT(families, 15);
}

}  // namespace
}  // namespace tern
