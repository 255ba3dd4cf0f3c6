#include "nn/optim_golden.h"

// Every option of the optimizers, with their states.

namespace tern {
namespace {

TEST(GoldenSteps, OfSgd) { check_golden_runs<optim::SGD, optim::SGDOptions>("SGD"); }
TEST(GoldenSteps, OfAdam) { check_golden_runs<optim::Adam, optim::AdamOptions>("Adam"); }
TEST(GoldenSteps, OfAdamW) { check_golden_runs<optim::AdamW, optim::AdamWOptions>("AdamW"); }

}  // namespace
}  // namespace tern
