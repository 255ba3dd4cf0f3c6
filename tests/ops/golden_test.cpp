#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/golden.h"
#include "ops/op_case.h"

// The op records compared with numbers from PyTorch (golden/ops.json, made by golden/ops.py), on
// the CPU and on a simulated device: shapes, dtypes, values and gradients, on ordinary inputs, with
// mixed dtypes, and at the edges.

namespace tern::testing {
namespace {

using nlohmann::json;
using In = const std::vector<Tensor>&;

// Edges that need arguments other than the record's.
const std::map<std::string, OpFunction> kMore = {
    {"clamp_at_bounds", [](In in) { return in[0].clamp(-0.5, 0.5); }},
    {"clamp_crossed", [](In in) { return in[0].clamp(1, -1); }},
    {"norm_inf", [](In in) { return in[0].norm(INFINITY, 1); }},
    {"norm_zero", [](In in) { return in[0].norm(0, 1); }},
    {"addmm_no_input", [](In in) { return addmm(in[0], in[1], in[2], 0, 2); }},
    {"slice_from_the_end", [](In in) { return in[0].slice(0, -3, -1); }},
    {"as_strided_of_a_part",
     [](In in) {
       return in[0].slice(0, 2).as_strided({2, 2}, {2, 1});
     }},
    {"to_long", [](In in) { return in[0].detach().to(kLong); }},
    {"to_bool", [](In in) { return in[0].detach().to(kBool); }},
};

OpFunction function_of(const std::string& name) {
  if (const auto found = kMore.find(name); found != kMore.end()) return found->second;
  for (const OpCase& op : all_cases()) {
    if (op.name == name) return op.function;
  }
  throw Error("no op record is named " + name);
}

/// Returns whether the backend of CUDA has the kernels that a record needs.
bool has_kernels_of(const std::string& name) {
  const std::vector<OpCase> named = cases_where([&](const OpCase& op) { return op.name == name; });
  return named.empty() || has_kernel(named.front());
}

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
  return is_folded ? "UnsafeViewBackward0" : name;
}

class GoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  /// Compares one golden case with what `device` computes.
  static void check(const json& golden, ScalarType dtype, Device device) {
    SCOPED_TRACE(golden["inputs"].dump() + " in " + dtype_info(dtype).python_name + " on " +
                 device.str());
    const json& wanted = golden[dtype_info(dtype).python_name];
    std::vector<Tensor> inputs, leaves;
    bool is_coarse = dtype == kFloat;
    for (const json& input : golden["inputs"]) {
      const bool floating = input["dtype"] == "floating";
      const ScalarType own = floating ? dtype : golden_dtype(input["dtype"]);
      inputs.push_back(read(input["data"], input["shape"], own).to(device));
      is_coarse = is_coarse || inputs.back().dtype() == kFloat;
      if (inputs.back().is_floating_point()) leaves.push_back(inputs.back().requires_grad_());
    }
    const Tensor out = function_of(GetParam())(inputs);
    const double tolerance = is_coarse || out.dtype() == kFloat ? 1e-6 : 1e-12;
    EXPECT_EQ(out.device(), device);
    EXPECT_EQ(out.dtype(), golden_dtype(wanted["dtype"]));
    EXPECT_EQ(difference(out, read(wanted["data"], wanted["shape"], out.dtype()), tolerance), "");
    EXPECT_EQ(out.requires_grad(), wanted.contains("grads"));
    if (out.requires_grad() && wanted.contains("grads")) {
      EXPECT_EQ(out.grad_fn()->name(), node_name(GetParam(), wanted["node"]));
      check_gradients(out, leaves, wanted["grads"], tolerance);
    }
  }

 private:
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

TEST_P(GoldenTest, EqualsPyTorch) {
  for (const json& golden : testing::golden("ops")) {
    if (golden["op"] != GetParam()) continue;
    for (const ScalarType dtype : {kFloat, kDouble}) check(golden, dtype, kCPU);
  }
}

// The simulator's kernels are the oracle of all others: this is what they are compared with.
TEST_P(GoldenTest, EqualsPyTorchOnADevice) {
  if (!has_kernels_of(GetParam())) GTEST_SKIP() << "the backend of cuda lacks the kernel";
  for (const json& golden : testing::golden("ops")) {
    if (golden["op"] != GetParam()) continue;
    for (const ScalarType dtype : {kFloat, kDouble}) check(golden, dtype, Device("cuda:1"));
  }
}

std::vector<std::string> golden_names() {
  std::set<std::string> names;
  for (const json& golden : testing::golden("ops")) names.insert(golden["op"].get<std::string>());
  return {names.begin(), names.end()};
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, ::testing::ValuesIn(golden_names()),
                         [](const auto& test) { return test.param; });

TEST(Golden, EveryRecordHasSome) {
  const std::vector<std::string> names = golden_names();
  for (const OpCase& op : all_cases()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), op.name), 1) << op.name;
  }
}

}  // namespace
}  // namespace tern::testing
