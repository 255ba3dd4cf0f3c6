#include "nn/optim/every_optimizer.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "source_folder.h"

namespace tern::testing {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_FALSE(text.view().empty()) << path;
  return text.str();
}

// The classes in the headers of nn/optim are those of the list and of optim.h; docs_test looks at
// the page.
TEST(EveryOptimizer, IsListedOnce) {
  static const std::regex declaration("class TERN_API (\\w+) : public Optimizer(Of<.*>)? \\{");
  const std::filesystem::path root = source_folder();
  const std::string umbrella = text_of(root / "nn/optim/optim.h");
  std::set<std::string> declared, listed;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "nn/optim")) {
    if (file.path().extension() != ".h" || file.path().filename() == "optimizer_of.h") continue;
    const std::string text = text_of(file.path());
    std::smatch found;
    if (!std::regex_search(text, found, declaration)) continue;
    const std::string name = found[1], path = file.path().lexically_relative(root).generic_string();
    declared.insert(name);
    EXPECT_TRUE(umbrella.find("#include <tern/" + path + ">\n") != std::string::npos)
        << "optim.h does not include " << path;
  }
  for (const AnyOptimizer& optimizer : every_optimizer()) {
    EXPECT_TRUE(listed.insert(optimizer.name).second) << optimizer.name << " twice";
  }
  EXPECT_EQ(listed, declared);
}

}  // namespace
}  // namespace tern::testing
