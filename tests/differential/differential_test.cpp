#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "differential/form.h"
#include "ops/op_case.h"
#include "ops/record_files.h"
#include "serialization/scratch.h"

// Random programs reach every public op. without_form.txt lists the ops that they cannot call.

namespace tern::testing::differential {
namespace {

std::map<std::string, std::string> without_form() {
  return exceptions_in("differential/without_form.txt");
}

std::set<std::string> ops_with_form() {
  std::set<std::string> names;
  for (const auto& [python, form] : all_forms()) names.insert(op_name(form));
  return names;
}

TEST(Forms, EveryPublicOpHasOne) {
  const std::set<std::string> forms = ops_with_form();
  const auto excepted = without_form();
  for (const std::string& op : public_ops()) {
    EXPECT_TRUE(forms.contains(op) || excepted.contains(op))
        << op << " has no form in tests/ops/cases";
  }
}

// The code of the forms is compiled from the records. A form without code was lost on the way.
TEST(Forms, AreThoseOfTheRecords) {
  std::multiset<std::string> compiled;
  for (const auto& [python, form] : all_forms()) {
    compiled.insert(python.substr(0, python.find(" #")) + " in C++ " + form.cpp);
  }
  for (const std::string& file : record_files()) {
    std::ifstream in(record_folder() / file);
    const Json record = Json::parse(in);
    for (const Json& form : record.value("forms", Json::array())) {
      const auto cpp = form.at("cpp").get<std::string>();
      const std::string python = form.value("python", cpp);
      const auto found = compiled.find(python.substr(0, python.find(" #")) + " in C++ " + cpp);
      if (found == compiled.end()) {
        ADD_FAILURE() << file << ": " << form << " was not compiled";
      } else {
        compiled.erase(found);
      }
    }
  }
}

TEST(Forms, TheListOfOpsWithoutOneOnlyShrinks) {
  const std::set<std::string> forms = ops_with_form();
  for (const auto& [op, reason] : without_form()) {
    EXPECT_TRUE(public_ops().contains(op)) << op << " is gone: take it off without_form.txt";
    EXPECT_FALSE(forms.contains(op)) << op << " has a form: take it off without_form.txt";
    EXPECT_NE(reason, "") << op << " needs a reason";
  }
}

// `make differential` stops at a difference without its row.
TEST(KnownDifferences, AreRowsOfThePage) {
  const std::string page = read_file(TERN_SOURCE_DIR "/docs/pytorch-differences.md");
  int rows = 0;
  for (const std::string file : {"known.txt", "layers/known.txt"}) {
    std::ifstream known(TERN_SOURCE_DIR "/tests/differential/" + file);
    for (std::string line; std::getline(known, line);) {
      const std::size_t arrow = line.rfind(" -> ");
      if (line.starts_with('#') || arrow == std::string::npos) continue;
      EXPECT_NE(page.find(line.substr(arrow + 4)), std::string::npos) << line;
      ++rows;
    }
  }
  EXPECT_GT(rows, 10);
}

}  // namespace
}  // namespace tern::testing::differential
