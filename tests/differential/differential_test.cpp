#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "differential/form.h"
#include "ops/op_case.h"

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
        << op << " has no form in tests/differential/forms_*.cpp";
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

}  // namespace
}  // namespace tern::testing::differential
