#include <algorithm>
#include <cctype>
#include <cmath>

#include <gtest/gtest.h>

#include "error_of.h"
#include "ops/op_case.h"

// Every op rejects wrong arguments with a text that names the op and both values. Each record is
// called with one argument replaced. An op may accept the replacement, except where it must throw.

namespace tern::testing {
namespace {

/// Returns true for "op: ..", "op ..", and for op(, .op and "op anywhere, as in PyTorch's texts,
/// some of which name the in-place op.
bool names_op(const std::string& text, const std::string& op) {
  for (const std::string& form : {op + ": ", op + " ", op + "_: ", op + "_ "}) {
    if (text.starts_with(form)) return true;
  }
  for (const std::string& form : {op + "(", "." + op, "\"" + op}) {
    if (text.find(form) != std::string::npos) return true;
  }
  return false;
}

bool names_op_of(const OpCase& op, const std::string& text) {
  // Their cases first ask the argument for its dtype, which is not an op, or detach it.
  const bool asks = op.op == "to" || op.op == "linalg_tensorsolve" || op.op == "histogram" ||
                    op.op == "histogramdd";
  if (names_op(text, op.op) ||
      (asks && text.find("Expected a proper Tensor") != std::string::npos)) {
    return true;
  }
  return std::any_of(op.calls_before.begin(), op.calls_before.end(),
                     [&](const std::string& before) { return names_op(text, before); });
}

/// Counts the numbers, dtypes, devices, empty lists of sizes and words for sizes in `text`.
int count_values(const std::string& text) {
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_digit = [&](std::size_t at) {
      return std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    count += is_digit(i) && (i == 0 || !is_digit(i - 1));
  }
  for (const char* value : {"Float", "Double", "Long", "Bool", "Half", "cpu", "[]", "matrix",
                            "no dimensions", "zero-dimensional"}) {
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + 1))
      ++count;
  }
  return count;
}

/// Counts the words for wanted dtypes in `text`.
int count_rules(const std::string& text) {
  int count = 0;
  for (const char* rule :
       {"boolean", "floating point", "floating-point", "integral dtype", "not implemented for"}) {
    count += text.find(rule) != std::string::npos;
  }
  return count;
}

class ErrorText : public ::testing::TestWithParam<OpCase> {
 protected:
  /// Calls the function and the in-place form with argument `i` replaced by `wrong`, and passes the
  /// text of each error to `check`. Returns how many of the calls threw.
  template <class Check>
  static int refusals(const std::vector<Tensor>& inputs, std::size_t i, const Tensor& wrong,
                      const Check& check) {
    const OpCase& op = GetParam();
    int count = 0;
    for (const bool in_place : {false, true}) {
      const OpFunction& function = in_place ? op.in_place : op.function;
      if (!function) continue;
      std::vector<Tensor> changed;
      for (const Tensor& input : inputs) changed.push_back(input.clone());
      changed[i] = wrong;
      try {
        function(changed);
      } catch (const Error& error) {
        const std::string text = error.what();
        SCOPED_TRACE((in_place ? "in place, argument " : "argument ") + std::to_string(i) + ": " +
                     text);
        ++count;
        EXPECT_TRUE(names_op_of(op, text));
        check(text);
      }
    }
    return count;
  }

  static int forms() { return GetParam().in_place ? 2 : 1; }

  template <class Fn>
  static void for_each_argument(const Fn& fn) {
    const OpCase& op = GetParam();
    for (const Sample& sample : op.samples) {
      const auto inputs = make_inputs(sample, op.dtypes.front(), Layout::kContiguous);
      for (std::size_t i = 0; i < inputs.size(); ++i) fn(inputs, i);
    }
  }
};

TEST_P(ErrorText, OfAnUndefinedTensor) {
  for_each_argument([](const std::vector<Tensor>& inputs, std::size_t i) {
    if (!GetParam().optional.contains(i)) {
      const int refused = refusals(inputs, i, Tensor(), [](const std::string& text) {
        EXPECT_NE(text.find("Expected a proper Tensor but got None (or an undefined Tensor in C++) "
                            "for argument #"),
                  std::string::npos);
      });
      EXPECT_EQ(refused, forms()) << "argument " << i;
    }
  });
}

TEST_P(ErrorText, OfAWrongShapeOrDimension) {
  const std::vector<std::vector<std::int64_t>> kSizes = {{},     {7},        {0},
                                                         {5, 7}, {7, 5, 11}, {1, 2, 3, 5, 7}};
  int refused = 0;
  for_each_argument([&](const std::vector<Tensor>& inputs, std::size_t i) {
    for (const std::vector<std::int64_t>& sizes : kSizes) {
      refused += refusals(inputs, i, zeros(sizes, inputs[i].dtype()),
                          [](const std::string& text) { EXPECT_GE(count_values(text), 2); });
    }
  });
  // Few ops accept two tensors of arbitrary sizes.
  const std::set<std::string> takes_all = {"isin", "kron", "tensordot_none"};
  if (GetParam().samples[0].size() > 1 && !takes_all.contains(GetParam().name)) {
    EXPECT_GT(refused, 0);
  }
}

TEST_P(ErrorText, OfAWrongDtype) {
  for_each_argument([](const std::vector<Tensor>& inputs, std::size_t i) {
    for (const ScalarType dtype : {kBool, kLong, kHalf, kFloat, kDouble}) {
      if (dtype == inputs[i].dtype()) continue;
      refusals(inputs, i, inputs[i].to(dtype), [](const std::string& text) {
        EXPECT_GE(count_values(text) + count_rules(text), 2);
      });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ops, ErrorText, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

/// For records of several tensors that must be on one device.
class ErrorTextOfDevices : public ErrorText {
 protected:
  void SetUp() override {
    if (!has_kernel(GetParam())) GTEST_SKIP() << lacks_kernel(GetParam());
  }
};

TEST_P(ErrorTextOfDevices, NamesBothInTheOrderOfTheArguments) {
  for_each_argument([](const std::vector<Tensor>& inputs, std::size_t i) {
    const std::string first = i == 0 ? "cuda:1 and cpu!" : "cpu and cuda:1!";
    const int refused = refusals(inputs, i, inputs[i].to("cuda:1"), [&](const std::string& text) {
      EXPECT_NE(text.find("Expected all tensors to be on the same device, but found at least "
                          "two devices, " +
                          first),
                std::string::npos);
    });
    const auto is_number = [](const Tensor& tensor) { return tensor.dim() == 0; };
    if (!std::any_of(inputs.begin(), inputs.end(), is_number)) {
      EXPECT_EQ(refused, forms()) << "argument " << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ops, ErrorTextOfDevices,
                         ::testing::ValuesIn(cases_where([](const OpCase& op) {
                           return op.samples[0].size() > 1 && !op.mixes_devices;
                         })),
                         [](const auto& test) { return test.param.name; });

// PyTorch's texts stay part of ours, because people search for them.
TEST(ErrorTexts, NameTheOpAndBothValues) {
  const Tensor x = ones({2, 3}), i = ones({2}, kLong);
  const Device gpu("cuda:1");
  const std::pair<std::function<void()>, std::string> mistakes[] = {
      {[&] { x.view({4}); }, "view: shape '[4]' is invalid for input of size 6"},
      {[&] { ones({-1}); }, "ones: Trying to create tensor with negative dimension -1: [-1]"},
      {[&] {
         rand({2, -3});
       },
       "rand: Trying to create tensor with negative dimension -3: [2, -3]"},
      {[&] { full({-2}, 1); }, "full: Trying to create tensor with negative dimension -2: [-2]"},
      {[&] { x.new_zeros({-2}); },
       "new_zeros: Trying to create tensor with negative dimension -2: [-2]"},
      {[&] { x.split(0); },
       "split: split_size can only be 0 if dimension size is 0, but got dimension size of 2"},
      {[&] { x.sum(2); },
       "sum: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
      {[&] { x.transpose(0, -3); },
       "transpose: Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
      {[&] {
         x + ones({2, 4});
       },
       "add: The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
       "dimension 1, got sizes [2, 3] and [2, 4]"},
      {[&] {
         mse_loss(x, ones({2, 4}));
       },
       "mse_loss: The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
       "dimension 1, got sizes [2, 3] and [2, 4]"},
      {[&] { mse_loss(x, x.to(gpu)); },
       "mse_loss: Expected all tensors to be on the same device, but found at least two devices, "
       "cpu and cuda:1!"},
      {[&] { ones(std::vector<std::int64_t>(17, 1)); },
       "ones: tensors may have up to 16 dimensions, got 17"},
      {[&] { i % 0; }, "remainder: ZeroDivisionError: an integer was divided by 0."},
      {[&] { i % zeros({2}, kLong); },
       "remainder: ZeroDivisionError: an integer was divided by 0."},
      {[&] { i.add(i, 1.5); },
       "add: For integral input tensors, argument alpha must not be a floating point number. Got "
       "alpha 1.5 and the result type Long"},
      {[&] {
         cross_entropy_loss(x, tensor({0, 7}));
       },
       "cross_entropy_loss: Target 7 is out of bounds. A target is at least 0 and less than 3, the "
       "number of classes."},
      {[&] { binary_cross_entropy(x * 2, x); },
       "binary_cross_entropy: all elements of input should be between 0 and 1, got elements from 2 "
       "to 2"},
      {[&] { x + Tensor(); },
       "add: Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #1 "
       "'other'"},
      {[&] { Tensor().add_(x); },
       "add_: Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument "
       "#0 'self'"},
      {[&] { mse_loss(x, Tensor()); },
       "mse_loss: Expected a proper Tensor but got None (or an undefined Tensor in C++) for "
       "argument #1 'target'"},
      {[&] {
         cat({x, Tensor()});
       },
       "cat: Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 "
       "'tensors', element 1"},
      {[&] { exp(Tensor()); },
       "exp: Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 "
       "'self'"},
      {[&] { Device("gpu"); },
       "Expected one of cpu, cuda, meta device type at start of device string: gpu"},
      {[&] { Device("mps"); },
       "tern is not linked with support for mps devices, only for cpu, cuda and meta"},
      {[&] { x.clone().uniform_(0, 1e39); },
       "uniform_: to is out of bounds for float, got 1e+39, and the largest number is 3.40282e+38"},
      {[&] { x.clone().uniform_(std::nan(""), 1); },
       "uniform_: from is out of bounds for float, got nan, and the largest number is 3.40282e+38"},
      {[&] { x.clone().uniform_(-3e38, 3e38); },
       "uniform_ expects to-from <= 3.40282e+38, the largest float, but found to=3e+38 and "
       "from=-3e+38 which result in to-from to exceed the limit"},
      {[&] { x.to(kDouble).uniform_(-1e308, 1e308); },
       "uniform_ expects to-from <= 1.79769e+308, the largest double, but found to=1e+308 and "
       "from=-1e+308 which result in to-from to exceed the limit"},
  };
  for (const auto& [call, text] : mistakes) EXPECT_EQ(error_of(call), text);
}

// Neither a failed op nor a finished op leaves its name behind.
TEST(ErrorTexts, NameTheOpThatRuns) {
  EXPECT_THROW(mse_loss(ones({2}), ones({3})), ShapeError);
  EXPECT_EQ(error_of([] { ones({2}) + ones({3}); }).find("add: "), 0u);
  EXPECT_EQ(error_of([] { detail::raise<Error>("no op"); }), "no op");
}

}  // namespace
}  // namespace tern::testing
