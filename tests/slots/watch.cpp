#include "watch.h"

#include <utility>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/backend.h>

#include "rules.h"

namespace tern::slots {
namespace {

KernelTable before;     // the kernels of the CPU
KernelTable reference;  // what a device must agree with
Slot watched = Slot::kCount;
std::string watched_label;
Mistake planted = Mistake::kNone;
Device device(kCPU);
Outcome outcomes[kSlots];

template <class Args>
void compare_call(const Args& args) {
  constexpr Slot kSlot = SlotOf<Args>::slot;
  if (!applies(&args)) return;
  const Pause pause;
  const bool is_test = planted != Mistake::kNone;
  if (is_test && outcome_of(kSlot).elements > 0) return;
  Comparer comparer(device, outcome_of(kSlot), watched_label, planted);
  comparer.compare(call_of(args, reference[kSlot]));
}

template <class Args>
void watched_kernel(const void* raw, KernelContext* context) {
  constexpr Slot kSlot = SlotOf<Args>::slot;
  if (watched == kSlot) compare_call(*static_cast<const Args*>(raw));
  before[kSlot](raw, context);
}

}  // namespace

void set_up(Device chosen) {
  device = chosen;
  Backend& cpu = backend_of(kCPU);
  before = cpu.kernels();
  reference = before;
  // The CPU draws other numbers than a device; the simulator draws the same.
  static const sim::OracleTable oracle = sim::make_oracle();
  for (const Slot slot : {Slot::random, Slot::sample}) reference[slot] = oracle.kernels[slot];
  // The table is a member of an object that is not const.
  auto& table = const_cast<KernelTable&>(cpu.kernels());
#define TERN_SLOT(name, Args) \
  if (before[Slot::name] != nullptr) table[Slot::name] = watched_kernel<Args>;
#include <tern/generated/kernel_slots.def>
#undef TERN_SLOT
}

Watch::Watch(Slot slot, std::string text, Mistake mistake) {
  watched = slot;
  planted = mistake;
  watched_label = std::move(text);
}
Watch::~Watch() { watched = Slot::kCount; }

Pause::Pause() : before_(std::exchange(watched, Slot::kCount)) {}
Pause::~Pause() { watched = before_; }

void label(std::string text) { watched_label = std::move(text); }

void compare(const ElementwiseArgs& args) { compare_call(args); }

void forget(Slot slot) { outcome_of(slot) = {}; }

Outcome& outcome_of(Slot slot) { return outcomes[static_cast<std::size_t>(slot)]; }

}  // namespace tern::slots
