#include "nn/optim/golden.h"

// Every option of the optimizers, with their states. All backends compute with the same formulas,
// so these numbers are the only judge of a formula.

namespace tern {
namespace {

TEST(OptimizerSteps, OfSgd) { check_golden_runs<optim::SGD, optim::SGDOptions>("SGD"); }
TEST(OptimizerSteps, OfAdam) { check_golden_runs<optim::Adam, optim::AdamOptions>("Adam"); }
TEST(OptimizerSteps, OfAdamW) { check_golden_runs<optim::AdamW, optim::AdamWOptions>("AdamW"); }

}  // namespace
}  // namespace tern
