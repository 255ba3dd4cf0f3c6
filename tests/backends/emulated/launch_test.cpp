#include "backends/cuda/emulator/emulator.h"
#include "backends/kernel_test.h"

#include <tern/core/kernels/families/require.h>

namespace tern {
namespace {

using namespace kernels;

// A CUDA call of the program itself failed, and the program did not check.
TEST(Launch, AnErrorOfTheProgramIsNotTakenForOneOfTheKernel) {
  KernelTable table;
  emulator::cuda_kernels().register_kernels(&table);
  const bool holds[] = {true};
  const RequireArgs args{RequireOp::kProbability, kBool, 1, holds};
  KernelContext context;
  emulator::last_error() = 2;  // cudaErrorMemoryAllocation
  table[Slot::require](&args, &context);
  EXPECT_EQ(context.status, StatusCode::kOk) << context.message;
  EXPECT_EQ(emulator::last_error(), 2);  // the program can still read its error
  emulator::last_error() = 0;
}

}  // namespace
}  // namespace tern
