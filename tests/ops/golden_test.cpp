#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/golden.h"
#include "ops/op_case.h"

// The cases of the records compared with numbers from PyTorch, which golden.py wrote, on the CPU
// and on a simulated device: shapes, dtypes, values and gradients, on ordinary inputs, with mixed
// dtypes, and at the edges.

namespace tern::testing {
namespace {

using nlohmann::json;

/// Returns an entry that is written with its shape, in `dtype`.
Tensor read(const json& data, const json& shape, ScalarType dtype) {
  return golden_tensor(data, dtype).reshape(shape.get<std::vector<std::int64_t>>());
}

Tensor weight_like(const Tensor& out) {
  return (arange(out.numel(), out.options()) % 4 / 4 + 1).reshape(out.sizes());
}

// Returns tern's name of the last node of `op`, which PyTorch calls `name`.
std::string node_name(const std::string& op, const std::string& name) {
  // A matrix times a batch: PyTorch folds the batch, transposes the result and copies it.
  const bool is_folded = op == "matmul_batched" && name == "CloneBackward0";
  if (is_folded) return "UnsafeViewBackward0";
  // PyTorch's own code calls another overload for numbers than Python programs.
  const bool by_number = op.find("trapezoid") != std::string::npos && name.back() == '1';
  return by_number ? name.substr(0, name.size() - 1) + '0' : name;
}

constexpr ScalarType kAllDtypes[] = {kFloat, kDouble, kHalf, kBFloat16, kInt, kShort, kChar, kByte};

/// Returns what a result of the dtype may lose: three units in the last place of narrow ones.
double tolerance_of(ScalarType dtype) {
  switch (dtype) {
    case kHalf:
      return 0x3p-10;
    case kBFloat16:
      return 0x3p-7;
    case kFloat:
      return 1e-6;
    default:
      return 1e-12;
  }
}

class GoldenTest : public ::testing::TestWithParam<OpCase> {
 protected:
  /// Compares all entries of the case with what `device` computes.
  static void check_all(Device device) {
    for (const json& golden : *GetParam().golden) {
      for (const ScalarType dtype : kAllDtypes) {
        if (golden.contains(dtype_info(dtype).python_name)) check(golden, dtype, device);
      }
    }
  }

 private:
  static void check(const json& golden, ScalarType dtype, Device device) {
    SCOPED_TRACE(golden["inputs"].dump() + " in " + dtype_info(dtype).python_name + " on " +
                 device.str());
    const json& wanted = golden[dtype_info(dtype).python_name];
    std::vector<Tensor> inputs, leaves;
    double tolerance = tolerance_of(dtype);
    for (const json& input : golden["inputs"]) {
      const bool floating = input["dtype"] == "floating";
      const ScalarType own = floating ? dtype : golden_dtype(input["dtype"]);
      inputs.push_back(read(input["data"], input["shape"], own).to(device));
      tolerance = std::max(tolerance, tolerance_of(inputs.back().dtype()));
      if (inputs.back().is_floating_point()) leaves.push_back(inputs.back().requires_grad_());
    }
    if (wanted.is_null()) {
      expect_refusal(inputs);
      return;
    }
    const Tensor out = GetParam().function(inputs);
    tolerance = std::max(tolerance, tolerance_of(out.dtype())) * GetParam().golden_factor;
    EXPECT_EQ(out.device(), device);
    EXPECT_EQ(out.dtype(), golden_dtype(wanted["dtype"]));
    EXPECT_EQ(difference(out, read(wanted["data"], wanted["shape"], out.dtype()), tolerance), "");
    EXPECT_EQ(out.requires_grad(), wanted.contains("grads"));
    if (out.requires_grad() && wanted.contains("grads")) {
      if (!GetParam().other_node) {
        EXPECT_EQ(out.grad_fn()->name(), node_name(GetParam().name, wanted["node"]));
      }
      check_gradients(out, leaves, wanted["grads"], tolerance);
    }
  }

  /// Expects an error that the dtype causes, or a number that the dtype made of another number.
  static void expect_refusal(const std::vector<Tensor>& inputs) {
    try {
      GetParam().function(inputs).cpu();  // a device may find a number late
      ADD_FAILURE() << "not refused";
    } catch (const DTypeError&) {
    } catch (const NotImplementedError&) {
    } catch (const Error& error) {
      const std::string text = error.what();
      const auto says = [&](const char* part) { return text.find(part) != std::string::npos; };
      EXPECT_TRUE(says("ZeroDivisionError") || says("outside the representable range") ||
                  says("without overflow"))
          << text;
    }
  }

  static void check_gradients(const Tensor& out, const std::vector<Tensor>& leaves,
                              const json& wanted, double tolerance) {
    const std::vector<Tensor> grads = autograd::grad(
        {out}, leaves, {weight_like(out)}, /*retain_graph=*/true, false, /*allow_unused=*/true);
    out.backward(weight_like(out));
    for (std::size_t i = 0; i < grads.size(); ++i) {
      SCOPED_TRACE("gradient of floating input " + std::to_string(i));
      ASSERT_EQ(grads[i].defined(), !wanted[i].is_null());
      if (wanted[i].is_null()) continue;
      const Tensor right = read(wanted[i], leaves[i].sizes().vec(), leaves[i].dtype());
      for (const Tensor& grad : {grads[i], leaves[i].grad()}) {
        ASSERT_TRUE(grad.defined());
        EXPECT_EQ(grad.device(), leaves[i].device());
        EXPECT_EQ(grad.dtype(), leaves[i].dtype());
        EXPECT_EQ(difference(grad, right, tolerance), "");
      }
    }
  }
};

TEST_P(GoldenTest, EqualsPyTorch) { check_all(kCPU); }

// The simulator's kernels are the oracle of all others: this is what they are compared with.
TEST_P(GoldenTest, EqualsPyTorchOnADevice) {
  if (!has_kernel(GetParam())) GTEST_SKIP() << lacks_kernel(GetParam());
  check_all(Device("cuda:1"));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(Golden, EveryRecordHasSome) {
  for (const OpCase& op : all_cases()) EXPECT_FALSE(op.golden->empty()) << op.name;
}

}  // namespace
}  // namespace tern::testing
