#include <string>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/kernels/backend.h>

#include "backends/kernel_test.h"
#include "error_of.h"

// The kernels that each backend has.

namespace tern {
namespace {

using Names = std::vector<std::string>;

Names missing(const kernels::KernelTable& table) {
  Names names;
  for (std::size_t i = 0; i < kernels::kSlots; ++i) {
    const auto slot = static_cast<kernels::Slot>(i);
    if (table[slot] == nullptr) names.emplace_back(kernels::slot_name(slot));
  }
  return names;
}

TEST(Families, EverySetOfTheCpuHasEveryKernelButThatOfLayers) {
  for (const cpu::Capability* set : testing::runnable_sets()) {
    kernels::KernelTable table;
    set->register_kernels(&table);
    EXPECT_EQ(missing(table), Names{"recurrent_layer"}) << set->name;  // of CUDA alone
  }
}

TEST(Families, CudaHasEveryKernelButThatOfBlocks) {
  kernels::KernelTable table;
  emulator::cuda_kernels().register_kernels(&table);
  EXPECT_EQ(missing(table), Names{"quantized_linear"});  // of the CPU alone
}

TEST(Families, AnEmptySlotIsNamedWithOpAndDevice) {
  EXPECT_EQ(error_of<NotImplementedError>(
                [] { kernels::detail::throw_missing("softmax", kernels::Slot::softmax, kCUDA); }),
            "softmax: the backend of cuda has no softmax kernel");
}

TEST(Families, EverySlotHasAName) {
  for (std::size_t i = 0; i < kernels::kSlots; ++i) {
    EXPECT_NE(std::string(kernels::slot_name(static_cast<kernels::Slot>(i))), "?");
  }
  EXPECT_STREQ(kernels::slot_name(kernels::Slot::kCount), "?");
}

}  // namespace
}  // namespace tern
