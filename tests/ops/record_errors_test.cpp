#include <sstream>

#include <gtest/gtest.h>

#include "error_of.h"
#include "ops/record_functions.h"

// A wrong record is an error that names file and field.

namespace tern::testing {
namespace {

Tensor identity(const std::vector<Tensor>& in) { return in.at(0); }

/// Returns the error of a record of the op neg, whose case "neg" was compiled.
std::string record_error(const std::string& text) {
  FunctionTable functions;
  functions[{"unary/neg.json", "neg"}] = {"unary/neg.json", "neg", "-a", identity, "", nullptr};
  std::istringstream in(text);
  std::vector<OpCase> cases;
  return error_of([&] { read_record("unary/neg.json", in, &functions, &cases); });
}

/// The same for a record with one case, which consists of these fields.
std::string case_error(const std::string& fields) {
  return record_error(R"({"op": "neg", "cases": [{)" + fields + "}]}");
}

TEST(RecordErrors, NameFileAndField) {
  const std::string start = R"("name": "neg", "cpp": "-a", )";
  const std::string numbers = R"(, "golden": [])";
  EXPECT_EQ(record_error(R"({"op": "abs", "forms": []})"),
            "unary/neg.json: op: the file is not called abs");
  EXPECT_EQ(record_error(R"({"op": "neg"})"), "unary/neg.json: has neither forms nor cases");
  EXPECT_EQ(record_error(R"({"op": "neg", "forms": [{"args": 1}]})"),
            "unary/neg.json: forms[0]: has no field \"args\"");
  EXPECT_EQ(case_error(R"("cpp": "-a")"), "unary/neg.json: cases[0]: lacks the field \"name\"");
  EXPECT_EQ(case_error(start + R"("sample": "unary")" + numbers),
            "unary/neg.json: cases[0]: has no field \"sample\"");
  EXPECT_EQ(case_error(start + R"("samples": "unaries")" + numbers),
            "unary/neg.json: cases[0].samples: no set of samples is called unaries");
  EXPECT_EQ(case_error(start + R"("samples": [[{"sizes": [2], "dtype": "int"}]])" + numbers),
            "unary/neg.json: cases[0].samples[0][0].dtype: no dtype is called int");
  EXPECT_EQ(case_error(start + R"("samples": "unary", "kernel": "neg")" + numbers),
            "unary/neg.json: cases[0].kernel: no kernel slot is called neg");
  EXPECT_EQ(case_error(start + R"("samples": "unary", "golden": [{"inputs": "unary"}])"),
            "unary/neg.json: cases[0].golden[0]: lacks PyTorch's numbers: run make golden");
  EXPECT_EQ(case_error(start + R"("samples": "unary")"),
            "unary/neg.json: cases[0]: lacks the field \"golden\"");
}

TEST(RecordErrors, TellWrongTypesAndText) {
  const std::string node = case_error(R"("name": "neg", "cpp": "-a", "node": 1)");
  EXPECT_EQ(node.find("unary/neg.json: cases[0].node: "), 0u) << node;
  EXPECT_NE(node.find("must be string"), std::string::npos) << node;
  const std::string text = record_error("{");
  EXPECT_EQ(text.find("unary/neg.json: "), 0u) << text;
  EXPECT_NE(text.find("parse error at line 1"), std::string::npos) << text;
}

TEST(RecordErrors, TellCodeThatWasNotCompiled) {
  EXPECT_EQ(case_error(R"("name": "minus", "cpp": "-a")"),
            "unary/neg.json: cases[0]: was not compiled: run make generate and build ops_test");
  EXPECT_EQ(case_error(R"("name": "neg", "cpp": "0 - a")"),
            "unary/neg.json: cases[0]: was changed after it was compiled: run make generate and "
            "build ops_test");
}

}  // namespace
}  // namespace tern::testing
