#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "ops/op_case.h"

// Every public op has a record with cases. The ops come from the headers and the lists of methods
// in core/ops; without_record.txt names the others, and may only shrink.

namespace tern::testing {
namespace {

/// Returns the names that records stand for; the in-place form of `add` is `add_`.
std::set<std::string> recorded_ops() {
  std::set<std::string> names;
  for (const OpCase& op : all_cases()) {
    names.insert(op.op);
    if (op.in_place) names.insert(op.op + "_");
  }
  return names;
}

std::map<std::string, std::string> without_record() {
  return exceptions_in("ops/without_record.txt");
}

TEST(Records, EveryPublicOpHasOne) {
  const std::set<std::string> ops = public_ops(), recorded = recorded_ops();
  const auto excepted = without_record();
  EXPECT_GT(ops.size(), 150u);
  for (const char* known : {"exp", "ge", "matmul", "max", "split", "view", "copy_"}) {
    EXPECT_TRUE(ops.contains(known)) << known;  // one of each kind of list
  }
  for (const std::string& op : ops) {
    EXPECT_TRUE(recorded.contains(op) || excepted.contains(op))
        << op << " has no case in tests/ops/cases";
  }
}

TEST(Records, TheListOfOpsWithoutOneOnlyShrinks) {
  const std::set<std::string> ops = public_ops(), recorded = recorded_ops();
  for (const auto& [op, reason] : without_record()) {
    EXPECT_TRUE(ops.contains(op)) << op << " is gone: take it off without_record.txt";
    EXPECT_FALSE(recorded.contains(op)) << op << " has a record: take it off without_record.txt";
    EXPECT_NE(reason, "") << op << " needs a reason";
  }
}

TEST(Records, AreComplete) {
  for (const std::string& problem : record_problems()) ADD_FAILURE() << problem;
}

TEST(Records, HaveOneNameEach) {
  std::set<std::string> names;
  for (const OpCase& op : all_cases()) EXPECT_TRUE(names.insert(op.name).second) << op.name;
}

}  // namespace
}  // namespace tern::testing
