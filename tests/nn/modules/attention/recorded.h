#pragma once

#include <string>
#include <vector>

#include "nn/nn_test.h"

// The cases of golden/modules/attention.py: what PyTorch's attention modules compute.

namespace tern::recorded {

using Json = nlohmann::json;

/// The numbers that attention.py gives to parameters and inputs.
inline Tensor wave(IntArrayRef sizes, double phase) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return tern::sin(tern::arange(count, kDouble) * 0.7 + phase).reshape(sizes);
}

template <class Holder>
void set_parameters(const Holder& module, ScalarType dtype) {
  module->to(dtype);
  const NoGradGuard no_grad;
  double phase = 0;
  for (Tensor parameter : module->parameters()) {
    parameter.copy_(wave(parameter.sizes(), phase++) / 2);
  }
}

inline std::vector<Tensor> inputs_of(const Json& recorded, ScalarType dtype) {
  std::vector<Tensor> inputs;
  for (const Json& sizes : recorded.at("inputs")) {
    const auto shape = sizes.get<std::vector<std::int64_t>>();
    inputs.push_back(wave(shape, static_cast<double>(inputs.size())).to(dtype).requires_grad_());
  }
  return inputs;
}

/// Returns an argument of the recorded call, undefined if it has none of this name.
inline Tensor mask_of(const Json& recorded, const std::string& name, ScalarType dtype) {
  const Json& call = recorded.at("call");
  if (!call.contains(name)) return {};
  const Tensor mask = testing::golden_tensor(call.at(name));
  return mask.dtype() == kBool ? mask : mask.to(dtype);
}

/// Returns a flag of the call, or of the options.
inline bool flag(const Json& flags, const std::string& name, bool otherwise) {
  return flags.value(name, otherwise);
}

inline double tolerance_of(ScalarType dtype) { return dtype == kDouble ? 1e-10 : 1e-5; }

/// Compares results and gradients with the recorded ones.
inline void expect_recorded(const Json& recorded, const nn::Module& module,
                            const std::vector<Tensor>& inputs, const Tensor& out,
                            const Tensor& weights = {}) {
  const double tolerance = tolerance_of(out.dtype());
  const auto wanted = [&](const Json& entry) {
    return testing::golden_tensor(entry).to(out.dtype());
  };
  ASSERT_TRUE(close(out, wanted(recorded.at("out")), tolerance));
  ASSERT_EQ(weights.defined(), recorded.contains("weights"));
  Tensor loss = (out * wave(out.sizes(), 1).to(out.dtype())).sum();
  if (weights.defined()) {
    ASSERT_TRUE(close(weights, wanted(recorded.at("weights")), tolerance));
    loss = loss + (weights * wave(weights.sizes(), 2).to(out.dtype())).sum();
  }
  loss.backward();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(close(inputs[i].grad(), wanted(recorded.at("gradients")[i]), 4 * tolerance)) << i;
  }
  const Json& sums = recorded.at("sums");
  const std::vector<Tensor> parameters = module.parameters();
  ASSERT_EQ(parameters.size(), sums.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor gradient = parameters[i].grad().to(kDouble);
    EXPECT_NEAR((gradient * wave(gradient.sizes(), 5)).sum().item<double>(), sums[i].get<double>(),
                100 * tolerance)
        << i;
  }
}

}  // namespace tern::recorded
