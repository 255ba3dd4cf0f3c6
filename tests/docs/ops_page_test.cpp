#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "examples/program.h"
#include "serialization/scratch.h"

// docs/api/ops.sh makes the page of all ops and layers of the headers.

namespace tern {
namespace {

const std::string kSource = TERN_SOURCE_DIR "/";

TEST(OpsPage, HasOneOfEachKind) {
  const ProgramResult made = run_program(kSource + "docs/api/ops.sh");
  ASSERT_EQ(made.code, 0) << made.text;
  const std::string& page = made.text;
  for (const char* row :
       {"| `exp` | function, method, in place | e^x |",
        "| `ge` | function, method, in place | true where ",
        "| `tensor` | function | a tensor of the given numbers |", "| `view` | method | ",
        "| `split` | function, method | ", "| `random_` | in place | ", "| `mse_loss` | ",
        "| `Linear` | ", "| `Sequential` | ", "| `DataParallel` | ", "| `xavier_uniform_` | ",
        "| `clip_grad_norm_` | ", "| `SGD` | "}) {
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(page.find("| |"), std::string::npos) << "a name without a comment";
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
