#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/golden.h"
#include "ops/op_case.h"

// The dtypes of all records under autocast compared with PyTorch's (golden/ops/autocast.py), on the
// CPU in a region of bfloat16, on a simulated device in a region of float16.

namespace tern::testing {
namespace {

using nlohmann::json;

/// The four ways to give dtypes to the floating inputs, in the order of the file.
ScalarType dtype_of_input(int way, int number, ScalarType low) {
  const bool is_high = way == 0 || (way == 2 && number == 0) || (way == 3 && number > 0);
  return is_high ? kFloat : low;
}

std::vector<Tensor> inputs_of(const OpCase& op, int way, Device device, ScalarType low) {
  std::vector<Tensor> inputs;
  int number = 0;
  for (const json& input : (*op.golden)[0]["inputs"]) {
    const bool floating = input["dtype"] == "floating";
    const ScalarType dtype =
        floating ? dtype_of_input(way, number++, low) : golden_dtype(input["dtype"]);
    inputs.push_back(golden_tensor(input["data"], dtype)
                         .reshape(input["shape"].get<std::vector<std::int64_t>>())
                         .to(device));
  }
  return inputs;
}

/// Returns true for a call in which tern differs, with the reason.
bool differs(const std::string& name, DeviceType type, int way) {
  // PyTorch takes float32 and bfloat16 matrices together; rms_norm takes any weight.
  if (name.starts_with("solve_triangular")) return true;
  if (name == "rms_norm" && way == 2) return true;
  // positive_definite() of the records leaves narrow matrices as they are.
  if (name.starts_with("linalg_cholesky") || name.starts_with("cholesky_solve")) return way > 0;
  // Fake tensors do not compose linalg_pinv, as tensors do, and take narrow matrices.
  return type == kCUDA && (name.starts_with("pinv") || name == "svd_full" || name == "svd_product");
}

/// Calls the op. Returns an undefined tensor if the op has no rule and refuses the dtypes: fake
/// tensors check few dtypes, and PyTorch takes narrow matrices for the polar decomposition.
Tensor called(const OpCase& op, const std::vector<Tensor>& inputs, bool has_rule) {
  try {
    return op.function(inputs);
  } catch (const Error& error) {
    EXPECT_FALSE(has_rule) << error.what();
    EXPECT_TRUE(inputs[0].is_cuda() || op.name.starts_with("polar")) << error.what();
  }
  return {};
}

void check_all(Device device, ScalarType low) {
  std::map<std::string, const OpCase*> cases;
  for (const OpCase& op : all_cases()) cases[op.name] = &op;
  std::size_t compared = 0;
  for (const auto& [line, names] :
       golden("ops/autocast").at(device.is_cpu() ? "cpu" : "cuda").items()) {
    std::vector<std::string> wanted;
    std::istringstream words(line);
    for (std::string word; words >> word;) wanted.push_back(word);
    for (const json& name : names) {
      const auto found = cases.find(name);
      ASSERT_NE(found, cases.end()) << name << ": run tests/golden/ops/autocast.py again";
      if (!has_kernel(*found->second)) continue;
      const bool has_rule = wanted[0] == "float16" || (wanted.size() > 1 && wanted[1] == "float32");
      for (int way = 0; way < static_cast<int>(wanted.size()); ++way) {
        const std::string& dtype = wanted[static_cast<std::size_t>(way)];
        if (dtype == "error" || differs(name, device.type(), way)) continue;
        SCOPED_TRACE(found->first + " on " + device.str() + ", inputs number " +
                     std::to_string(way));
        const std::vector<Tensor> inputs = inputs_of(*found->second, way, device, low);
        const amp::Autocast region(device, low);
        const Tensor out = called(*found->second, inputs, has_rule);
        if (!out.defined()) continue;
        EXPECT_STREQ(dtype_info(out.dtype()).python_name, dtype.c_str());
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(AutocastGolden, GivesTheDtypesOfPyTorchOnTheCpu) { check_all(kCPU, kBFloat16); }
TEST(AutocastGolden, GivesTheDtypesOfPyTorchOnCuda) { check_all(Device(0), kHalf); }

}  // namespace
}  // namespace tern::testing
