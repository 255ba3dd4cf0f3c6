#include <tern/backends/cpu/capability.h>
#include <tern/backends/cpu/cpu_backend.h>
#include <tern/core/base/error.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

TEST(Capability, BestByDefault) {
  const auto sets = testing::runnable_sets();
  ASSERT_FALSE(sets.empty());
  EXPECT_STREQ(cpu::choose_capability(nullptr).name, sets.back()->name);
  EXPECT_STREQ(cpu::choose_capability("").name, sets.back()->name);
}

TEST(Capability, ByName) {
  for (const cpu::Capability* set : testing::runnable_sets()) {
    EXPECT_STREQ(cpu::choose_capability(set->name).name, set->name);
  }
}

TEST(Capability, UnknownNamesTheChoices) {
  try {
    cpu::choose_capability("sse9");
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("TERN_CPU_CAPABILITY: 'sse9'"), std::string::npos) << text;
    for (const cpu::Capability* set : testing::runnable_sets()) {
      EXPECT_NE(text.find(set->name), std::string::npos) << text;
    }
  }
}

TEST(Capability, EverySetFillsEverySlotOfTheCpu) {
  for (const cpu::Capability* set : testing::runnable_sets()) {
    kernels::KernelTable table;
    set->register_kernels(&table);
    for (std::size_t i = 0; i < kernels::kSlots; ++i) {
      const auto slot = static_cast<kernels::Slot>(i);
      const bool is_of_cuda = slot == kernels::Slot::recurrent_layer;  // cuDNN's
      EXPECT_EQ(table[slot] == nullptr, is_of_cuda) << set->name << ' ' << slot_name(slot);
    }
  }
}

}  // namespace
}  // namespace tern
