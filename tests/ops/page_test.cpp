#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "ops/op_case.h"
#include "ops/page_pictures.h"
#include "serialization/scratch.h"

// What the pages of ops say of the records: docs/api/facts.tsv, which `make generate` makes tables
// of, and pictures. TERN_WRITE_PAGES=1, as `make ops-page` sets it, writes them instead.

namespace tern::testing {
namespace {

const std::string kDocs = TERN_SOURCE_DIR "/docs/";

/// Compares a file with what it should hold, or writes it.
void check_file(const std::string& path, const std::string& text) {
  const bool is_there = std::filesystem::exists(path);
  if (is_there && read_file(path) == text) return;
  if (std::getenv("TERN_WRITE_PAGES") != nullptr) return write_file(path, text);
  ADD_FAILURE() << path << " is " << (is_there ? "stale" : "missing") << ": run make ops-page";
}

constexpr ScalarType kDtypes[] = {
#define TERN_DTYPE(name, ...) ScalarType::name,
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
};

/// Returns the sample with its floating inputs in another dtype; without any, those with the dtype
/// of the first one.
std::vector<Tensor> inputs_in(const Sample& sample, ScalarType dtype) {
  std::vector<Tensor> inputs = make_inputs(sample, kFloat, Layout::kContiguous);
  const bool floating = std::ranges::any_of(sample, &Input::is_floating);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool varies = floating ? sample[i].is_floating() : sample[i].dtype == sample[0].dtype;
    if (varies) inputs[i] = inputs[i].to(dtype);
  }
  return inputs;
}

bool has_no_elements(const Input& input) {
  return std::ranges::find(input.sizes, 0) != input.sizes.end();
}

/// True when a call returns, or fails because a number of the record does not fit the dtype.
bool accepts(const OpCase& op, ScalarType dtype) {
  return std::ranges::any_of(op.samples, [&](const Sample& sample) {
    if (std::ranges::any_of(sample, has_no_elements)) return false;  // some ops accept any dtype
    try {
      return op.function(inputs_in(sample, dtype)).numel() > 0;
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.find("outside the representable range") != text.npos ||
             text.find("without overflow") != text.npos;
    }
  });
}

bool has_gradient_of(const OpCase& op) {
  return std::ranges::any_of(op.samples, [&](const Sample& sample) {
    std::vector<Tensor> inputs = inputs_in(sample, kDouble);
    for (Tensor& input : inputs) {
      if (input.is_floating_point()) input.requires_grad_();
    }
    try {
      return op.function(inputs).requires_grad();
    } catch (const Error&) {
      return false;  // an op of integers
    }
  });
}

/// Returns the name of a set of dtypes: "all", "floating, bool", "int64".
std::string name_of_dtypes(const std::vector<ScalarType>& dtypes) {
  std::string text;
  const auto append = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (const auto& [category, name] : {std::pair(DtypeCategory::kFloating, "floating"),
                                       std::pair(DtypeCategory::kIntegral, "integers"),
                                       std::pair(DtypeCategory::kBoolean, "bool")}) {
    const auto is_of = [&, wanted = category](ScalarType dtype) {
      return dtype_info(dtype).category == wanted;
    };
    if (std::ranges::count_if(dtypes, is_of) == std::ranges::count_if(kDtypes, is_of)) {
      append(name);
      continue;
    }
    for (const ScalarType dtype : dtypes) {
      if (is_of(dtype)) append(dtype_info(dtype).python_name);
    }
  }
  return text == "floating, integers, bool" ? "all" : text;
}

/// Returns a line for each op with a record: name, dtypes, gradient, devices.
std::string facts() {
  struct Facts {
    std::vector<ScalarType> dtypes;
    bool gradient = false, meta = false;
  };
  std::map<std::string, Facts> of;
  for (const OpCase& op : all_cases()) {
    Facts& facts = of[op.op];
    facts.gradient = facts.gradient || has_gradient_of(op);
    facts.meta = facts.meta || op.meta;
    for (const ScalarType dtype : kDtypes) {
      const bool is_known = std::ranges::find(facts.dtypes, dtype) != facts.dtypes.end();
      if (!is_known && accepts(op, dtype)) facts.dtypes.push_back(dtype);
    }
  }
  std::string text;
  for (const auto& [name, facts] : of) {
    text += name + '\t' + name_of_dtypes(facts.dtypes) + '\t' + (facts.gradient ? "yes" : "no") +
            '\t' + (facts.meta ? "all" : "not meta") + '\n';
  }
  return text;
}

std::string examples() {
  std::string text;
  for (const auto& file : std::filesystem::directory_iterator(kDocs + "api/examples")) {
    text += read_file(file.path().string());
  }
  return text;
}

int count_of(const std::string& what, const std::string& text) {
  int count = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(OpsPage, HasTheFactsOfTheRecords) { check_file(kDocs + "api/facts.tsv", facts()); }

TEST(OpsPage, ShowsWhatTheOpsReturn) {
  const auto pictures = page_pictures();
  const std::string shown = examples();
  for (const auto& [name, svg] : pictures) {
    check_file(kDocs + "images/ops/" + name, svg);
    EXPECT_EQ(count_of("](../images/ops/" + name + ")", shown), 1) << name;
  }
  for (const auto& file : std::filesystem::directory_iterator(kDocs + "images/ops")) {
    EXPECT_TRUE(pictures.contains(file.path().filename().string())) << file.path();
  }
}

}  // namespace
}  // namespace tern::testing
