#include "nn/optim/golden.h"

#include <algorithm>

// Every option of the optimizers, with their states. All backends compute with the same formulas,
// so these numbers are the only judge of a formula.

namespace tern {
namespace {

using optim::AdamOptions;
using optim::AdamWOptions;
using optim::RMSpropOptions;
using optim::SGDOptions;

TEST(OptimizerSteps, OfSgd) { check_golden_runs("SGD"); }
TEST(OptimizerSteps, OfAdam) { check_golden_runs("Adam"); }
TEST(OptimizerSteps, OfAdamW) { check_golden_runs("AdamW"); }

/// Compares options. Python also writes integers for floating numbers.
bool same_option(const State& golden, const State& option) {
  if (option.is_list()) {
    return same_option(golden[std::size_t{0}], option[std::size_t{0}]) &&
           same_option(golden[std::size_t{1}], option[std::size_t{1}]);
  }
  return option.is_double() ? golden.to<double>() == option.to<double>()
                            : identical(golden, option);
}

/// Expects golden runs of an optimizer with exactly these options. The runs load their options by
/// name; a program sets them by functions.
void expect_run(const std::string& optimizer, const optim::OptimizerOptions& options) {
  State saved;
  options.save(saved);
  const auto has_options = [&](const nlohmann::json& run) {
    const State golden = golden_state(run["options"]);
    return run["optimizer"] == optimizer &&
           std::all_of(saved.begin(), saved.end(), [&](const auto& option) {
             return same_option(golden[option.key], option.value);
           });
  };
  const auto runs = optim_goldens()["runs"];
  EXPECT_EQ(std::count_if(runs.begin(), runs.end(), has_options), 2) << optimizer;  // two dtypes
}

TEST(OptimizerSteps, HaveTheOptionsThatWereSet) {
  expect_run("SGD", SGDOptions(0.1));
  expect_run("SGD", SGDOptions(0.1).weight_decay(0.02));
  expect_run("SGD", SGDOptions(0.1).momentum(0.9));
  expect_run("SGD", SGDOptions(0.05).momentum(0.8).dampening(0.3).weight_decay(0.01));
  expect_run("SGD", SGDOptions(0.05).momentum(0.8).nesterov(true));
  expect_run("SGD", SGDOptions(0.1).momentum(0.9).maximize(true));
  expect_run("Adam", AdamOptions(0.01));
  expect_run("Adam", AdamOptions(0.01).betas({0.8, 0.99}).eps(1e-6).weight_decay(0.1));
  expect_run("Adam", AdamOptions(0.02).amsgrad(true));
  expect_run("Adam", AdamOptions(0.01).maximize(true));
  expect_run("AdamW", AdamWOptions(0.01).weight_decay(0.1));
  expect_run("RMSprop", RMSpropOptions(0.01).alpha(0.9).momentum(0.8));
  expect_run("RMSprop", RMSpropOptions(0.01).alpha(0.9).centered(true));
  expect_run("RMSprop", RMSpropOptions(0.01).alpha(0.8).eps(1e-3).weight_decay(0.1));
  expect_run("RMSprop", RMSpropOptions(0.01).alpha(0.9).maximize(true));
}

}  // namespace
}  // namespace tern
