#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/golden.h"
#include "ops/op_case.h"

// Which memory a call shares and which versions it counts, for every record: a result shares the
// memory of an argument only where PyTorch's does, and a call changes and counts a change of
// nothing but the tensor that it is told to change.

namespace tern::testing {
namespace {

using nlohmann::json;

constexpr Layout kAllLayouts[] = {Layout::kContiguous, Layout::kTransposed, Layout::kGaps};

const char* letter(std::size_t argument) {
  constexpr const char* kLetters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  return kLetters[argument];
}

/// Changes every element.
void change_elements(const Tensor& tensor) {
  Tensor x = tensor.detach();
  if (x.is_floating_point()) {
    x.mul_(-1.75).add_(0.375);
  } else {
    x.bitwise_not_();
  }
}

/// The elements and the versions of tensors before a call.
class Before {
 public:
  explicit Before(const std::vector<Tensor>& tensors) : tensors_(tensors) {
    for (const Tensor& tensor : tensors) {
      elements_.push_back(tensor.clone());
      versions_.push_back(tensor._version());
    }
  }
  void expect_unchanged(std::size_t i) const {
    EXPECT_EQ(difference(tensors_[i], elements_[i], 0), "") << "argument " << letter(i);
    EXPECT_EQ(tensors_[i]._version(), versions_[i]) << "argument " << letter(i);
  }
  void expect_unchanged_from(std::size_t first) const {
    for (std::size_t i = first; i < tensors_.size(); ++i) expect_unchanged(i);
  }

 private:
  std::vector<Tensor> tensors_, elements_;
  std::vector<std::int64_t> versions_;
};

class OpSharingTest : public OpCaseTest {
 protected:
  /// Returns the arguments that a result of PyTorch's shares memory with, for any sample.
  static std::set<std::string> shared_arguments() {
    std::set<std::string> letters;
    for (const json& golden : *GetParam().golden) {
      for (const json& text : golden.value("shares", json::array())) {
        if (!text.get<std::string>().empty()) letters.insert({text.get<std::string>().back()});
      }
    }
    return letters;
  }
};
class OpSharingInPlaceTest : public OpSharingTest {};
class OpSharingOutTest : public OpSharingTest {};

/// Says how the result shares memory with an argument, in the words of golden.py.
std::string sharing_of(const Tensor& result, const std::vector<Tensor>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (result.is_same(arguments[i])) return std::string("same as ") + letter(i);
    if (!result.is_alias_of(arguments[i])) continue;
    return std::string(result.is_view() ? "view of " : "alias of ") + letter(i);
  }
  return "";
}

TEST_P(OpSharingTest, SharesMemoryWherePyTorchDoes) {
  for (const json& golden : *GetParam().golden) {
    for (const Layout layout : kAllLayouts) {
      SCOPED_TRACE(golden["inputs"].dump() + " layout " + std::to_string(static_cast<int>(layout)));
      std::vector<Tensor> inputs;
      for (const json& input : golden["inputs"]) {
        const bool floating = input["dtype"] == "floating";
        const ScalarType dtype = floating ? kFloat : golden_dtype(input["dtype"]);
        const Tensor dense = golden_tensor(input["data"], dtype)
                                 .reshape(input["shape"].get<std::vector<std::int64_t>>());
        inputs.push_back(laid_out(dense, layout));
      }
      std::string shares;
      try {
        const Tensor result = GetParam().function(inputs);
        if (result.numel() == 0) continue;  // nobody can tell
        shares = sharing_of(result, inputs);
      } catch (const Error&) {  // a view that the layout does not allow
      }
      const json empty = {"", "", ""};
      EXPECT_EQ(json(shares), golden.value("shares", empty)[static_cast<std::size_t>(layout)]);
    }
  }
}

TEST_P(OpSharingTest, LeavesItsArgumentsAlone) {
  const std::set<std::string> shared = shared_arguments();
  for (const Sample& sample : GetParam().samples) {
    for (const Layout layout : kAllLayouts) {
      for (const ScalarType dtype : {kDouble, kHalf}) {
        SCOPED_TRACE(describe(sample, layout) + " " + dtype_info(dtype).name);
        const std::vector<Tensor> inputs = make_inputs(sample, dtype, layout);
        const Before before(inputs);
        Tensor result;
        try {
          result = GetParam().function(inputs);
        } catch (const Error&) {
          EXPECT_EQ(dtype, kHalf);
          continue;
        }
        before.expect_unchanged_from(0);
        if (result.self().has_internal_overlap() || result.numel() == 0) continue;
        if (shared.empty()) {
          EXPECT_FALSE(GetParam().function(inputs).is_alias_of(result));
        }
        change_elements(result);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          if (!shared.contains(letter(i))) before.expect_unchanged(i);
        }
      }
    }
  }
}

TEST_P(OpSharingInPlaceTest, CountsTheChangeOfItsTensor) {
  for (const Sample& sample : GetParam().samples) {
    for (const Layout layout : kAllLayouts) {
      SCOPED_TRACE(describe(sample, layout));
      for (const bool recorded : {false, true}) {
        std::vector<Tensor> inputs = make_inputs(sample, kDouble, layout);
        if (GetParam().function(inputs).sizes() != inputs[0].sizes()) continue;
        if (recorded) {
          inputs = require_grad(inputs, sample);
          inputs[0] = inputs[0] * 1;
        }
        const Before before(inputs);
        const std::int64_t version = inputs[0]._version();
        EXPECT_TRUE(GetParam().in_place(inputs).is_same(inputs[0]));
        EXPECT_GT(inputs[0]._version(), version);
        before.expect_unchanged_from(1);
      }
    }
  }
}

TEST_P(OpSharingOutTest, CountsTheChangeOfItsResult) {
  for (const Sample& sample : GetParam().samples) {
    SCOPED_TRACE(describe(sample, Layout::kContiguous));
    const std::vector<Tensor> inputs = make_inputs(sample, kDouble, Layout::kContiguous);
    const Tensor expected = GetParam().function(inputs);
    for (const bool fits : {true, false}) {
      Tensor out = fits ? zeros_like(expected) : expected.new_empty({0});
      const Before before(inputs);
      const std::int64_t version = out._version();
      EXPECT_TRUE(GetParam().out(out, inputs).is_same(out));
      EXPECT_EQ(difference(out, expected, 1e-12), "");
      EXPECT_GT(out._version(), version);
      EXPECT_EQ(sharing_of(out, inputs), "");
      before.expect_unchanged_from(0);
    }
  }
}

const auto sharing_name = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(All, OpSharingTest, ::testing::ValuesIn(all_cases()), sharing_name);
INSTANTIATE_TEST_SUITE_P(All, OpSharingInPlaceTest,
                         ::testing::ValuesIn(cases_where([](const OpCase& op) {
                           return op.in_place != nullptr;
                         })),
                         sharing_name);
INSTANTIATE_TEST_SUITE_P(All, OpSharingOutTest,
                         ::testing::ValuesIn(cases_where([](const OpCase& op) {
                           return op.out != nullptr;
                         })),
                         sharing_name);

}  // namespace
}  // namespace tern::testing
