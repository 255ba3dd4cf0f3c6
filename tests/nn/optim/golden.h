#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tern/nn/optim/optim.h>

#include "nn/nn_test.h"
#include "nn/optim/every_optimizer.h"

// Optimizers against PyTorch's steps (golden/optim/optim.json, made by golden/optim/optim.py).

namespace tern {

inline const nlohmann::json& optim_goldens() { return testing::golden("optim/optim"); }

/// Returns where all runs start.
inline Tensor golden_start(ScalarType dtype = kFloat) {
  return testing::golden_tensor(optim_goldens()["start"], dtype);
}

/// Returns the gradient of each step.
inline std::vector<Tensor> golden_gradients(ScalarType dtype = kFloat) {
  std::vector<Tensor> gradients;
  for (const nlohmann::json& gradient : optim_goldens()["gradients"]) {
    gradients.push_back(testing::golden_tensor(gradient, dtype));
  }
  return gradients;
}

/// Returns a state of a golden file as a program would have loaded it.
inline State golden_state(const nlohmann::json& value) {
  if (value.is_object()) {
    State state;
    for (const auto& [key, element] : value.items()) state.insert(key, golden_state(element));
    return state;
  }
  if (value.is_array()) {
    State state = State::list();
    for (const nlohmann::json& element : value) state.push_back(golden_state(element));
    return state;
  }
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_null()) return nullptr;
  const auto text = value.get<std::string>();
  if (text == "inf" || text == "-inf") return std::stod(text);
  return text;
}

/// Takes the steps of one run on `device`; `check(got, want)` compares parameters and states.
template <class Check>
void check_golden_run(const nlohmann::json& run, Device device, const Check& check) {
  const ScalarType dtype = testing::golden_dtype(run["dtype"]);
  const Tensor parameter = parameter_of(golden_start(dtype).to(device));
  const auto optimizer = testing::optimizer_named(run["optimizer"]).make({parameter});
  optimizer->param_groups()[0].options().load(golden_state(run["options"]));
  int step = 0;
  for (const Tensor& gradient : golden_gradients(dtype)) {
    parameter.set_grad(gradient.to(device));
    optimizer->step();
    const auto want = run["steps"].find(std::to_string(++step));
    if (want == run["steps"].end()) continue;
    EXPECT_TRUE(check(parameter, testing::golden_tensor(*want, dtype))) << "after step " << step;
  }
  const State states = optimizer->state_dict()["state"];
  const State state = states.empty() ? State() : states["0"];
  EXPECT_EQ(state.size(), run["state"].size());
  for (const auto& [name, values] : run["state"].items()) {
    ASSERT_TRUE(state.contains(name)) << name;
    const Tensor got = state[name].tensor();
    EXPECT_TRUE(check(got.reshape({-1}), testing::golden_tensor(values, got.dtype()))) << name;
  }
}

/// Checks every golden run of an optimizer: to the bit on the CPU, up to rounding on cuda:1.
inline void check_golden_runs(const std::string& optimizer) {
  int runs = 0;
  for (const nlohmann::json& run : optim_goldens()["runs"]) {
    if (run["optimizer"] != optimizer) continue;
    ++runs;
    SCOPED_TRACE(optimizer + " in " + run["dtype"].dump() + " with " + run["options"].dump());
    check_golden_run(run, kCPU, [](const Tensor& a, const Tensor& b) { return same_bits(a, b); });
    const double tolerance = run["dtype"] == "float64" ? 1e-12 : 1e-5;
    check_golden_run(run, Device("cuda:1"),
                     [&](const Tensor& a, const Tensor& b) { return close(a, b, tolerance); });
  }
  EXPECT_GT(runs, 5) << "no golden runs of " << optimizer;
}

}  // namespace tern
