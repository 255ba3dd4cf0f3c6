#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "examples/program.h"
#include "serialization/scratch.h"

// snippets.awk, which takes the code out of pages.

namespace tern {
namespace {

const std::string kRoot = TERN_SOURCE_DIR "/";

ProgramResult snippets(const std::string& arguments) {
  return run_program("awk -f " + kRoot + "tests/docs/snippets.awk " + arguments);
}

std::vector<std::string> pages() {
  std::vector<std::string> paths;
  for (const char* folder : {"", "docs/"}) {
    for (const auto& entry : std::filesystem::directory_iterator(kRoot + folder)) {
      if (entry.path().extension() == ".md") paths.push_back(entry.path().string());
    }
  }
  return paths;
}

TEST(SnippetsScript, TakesEveryBlock) {
  int blocks = 0;
  for (const std::string& page : pages()) {
    const ProgramResult made = snippets(page);
    EXPECT_EQ(made.code, 0) << made.text;
    std::ifstream in(page);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.find("```c") == std::string::npos || line == "```cmake") continue;
      ++blocks;
      const std::string begin = "#line " + std::to_string(number + 1) + " \"" + page + "\"\n";
      EXPECT_NE(made.text.find(begin), std::string::npos) << page << ":" << number;
    }
  }
  EXPECT_GE(blocks, 20);
}

TEST(SnippetsScript, TellsStatementsDeclarationsAndProgramsApart) {
  const Scratch scratch;
  const std::string page = scratch.path("page.md");
  write_file(page,
             "## One\n```cpp\nint x = 1;\n```\n<!-- prepare\nstruct A {};\n-->\n"
             "## Two\n```cpp\n#include <b.h>\nint main() {\n}\n```\n```text\n5\n```\n");
  const std::string path = "\"" + page + "\"\n";
  EXPECT_EQ(snippets(page).text,
            "// Made of the pages by tests/docs/snippets.awk.\n#include \"docs/snippet.h\"\n"
            "namespace { using Page = tern::testing::Snippets; }\n"
            "namespace Page_page {\nusing namespace tern;\n#line 6 " +
                path + "struct A {};\nTEST_F(Page, One) {\n  run([&] {\n#line 3 " + path +
                "int x = 1;\n  }, nullptr);\n}\n}\n"
                "#include <b.h>\nnamespace Page10 {\n#line 10 " +
                path +
                "\ninline void main_program() {\n}\n}\nTEST_F(Page, Program10) {\n"
                "  run([&] {\n    Page10::main_program();\n  }, R\"~(5\n)~\");\n}\n");
  EXPECT_EQ(snippets("-v programs=" + scratch.folder() + " " + page).code, 0);
  EXPECT_EQ(read_file(scratch.path("Page10.cpp")), "#include <b.h>\nint main() {\n}\n");
}

TEST(SnippetsScript, PreparesEachSectionWithStatements) {
  const Scratch scratch;
  const std::string page = scratch.path("page.md");
  write_file(page,
             "<!-- prepare each section\n#include <a.h>\nint x = 1;\n-->\n"
             "## One\n```cpp\nf(x);\n```\n## Two\n```cpp\nint main() {\n}\n```\n");
  const std::string path = "\"" + page + "\"\n";
  const std::string text = snippets(page).text;
  EXPECT_NE(text.find("#include <a.h>\nnamespace Page_page {\nusing namespace tern;\n"
                      "TEST_F(Page, One) {\n  run([&] {\n#line 2 " +
                      path + "\nint x = 1;\n#line 7 " + path + "f(x);\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("int x = 1;"), text.rfind("int x = 1;")) << text;
}

TEST(SnippetsScript, RefusesWhatItWouldPassOver) {
  const Scratch scratch;
  const std::string page = scratch.path("page.md");
  const std::pair<std::string, std::string> cases[] = {
      {"text\n  ```cpp\n", ":2: begin the block in the first column, or no test compiles it\n"},
      {"```c++\nint x;\n```\n", ":1: write ```cpp\n"},
      {"```cpp\nint x;\n", ":2: the page ends inside a block\n"},
      {"```cpp\nx();\n```\n```cpp\nint main() {\n}\n```\n",
       ":7: a whole program needs a section of its own\n"}};
  for (const auto& [text, error] : cases) {
    write_file(page, text);
    const ProgramResult result = snippets(page);
    EXPECT_EQ(result.code, 1) << text;
    EXPECT_NE(result.text.find(page + error), std::string::npos) << result.text;
  }
}

}  // namespace
}  // namespace tern
