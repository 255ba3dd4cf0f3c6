#include <tern/backends/sim/launch.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/simulator.h>

namespace tern::sim {
namespace {

std::string hex(const void* address) {
  char text[32];
  std::snprintf(text, sizeof(text), "%p", address);
  return text;
}

[[noreturn]] void illegal_access(const Simulator& simulator, std::int32_t device, Slot slot,
                                 const Operand& operand, const std::string& problem) {
  throw Failure{StatusCode::kDeviceFault,
                "CUDA error: an illegal memory access was encountered: kernel " +
                    std::string(slot_name(slot)) + " on cuda:" + std::to_string(device) + " got " +
                    operand.name + " in " + simulator.describe(operand.pointer) + " at " +
                    hex(operand.pointer) + problem};
}

// Finds what a GPU would not: a kernel may touch live memory of its own device only. Returns the
// serial number of the block, which tells a graph later whether it is still the same; 0 where that
// is not known, or does not matter: memory that is kept for graphs.
std::int64_t check_operand(Simulator& simulator, std::int32_t device, Slot slot,
                           const Operand& operand) {
  const char* first = static_cast<const char*>(operand.pointer) + operand.first;
  const char* last = static_cast<const char*>(operand.pointer) + operand.last;
  if (!simulator.device(device).memory.owns(operand.pointer)) {
    illegal_access(simulator, device, slot, operand, "");
  }
  if (!simulator.device(device).memory.is_allocated(first, last)) {
    illegal_access(simulator, device, slot, operand, ", which is not allocated");
  }
  const auto find_block = simulator.host().find_block;
  PluginBlock block{};
  if (find_block == nullptr || find_block(device, operand.pointer, &block) == 0) return 0;
  if (block.graph != 0) return 0;
  const char* start = static_cast<const char*>(block.start);
  if (block.live == 0) illegal_access(simulator, device, slot, operand, ", which was freed");
  if (first < start || last > start + block.bytes) {
    illegal_access(simulator, device, slot, operand,
                   ", beyond its block of " + std::to_string(block.bytes) + " bytes");
  }
  return block.serial;
}

using Range = std::pair<const char*, const char*>;

// Up to 64 bytes before and behind each operand, as kernel addresses: the kernel must not write
// there.
std::vector<Range> borders(const DeviceMemory& memory, const Operands& operands) {
  constexpr std::ptrdiff_t kWidth = 64;
  std::vector<Range> inside;
  for (const Operand& operand : operands) {
    const char* const pointer = static_cast<const char*>(operand.pointer);
    inside.emplace_back(pointer + operand.first, pointer + operand.last);
  }
  std::sort(inside.begin(), inside.end());
  std::vector<Range> result;
  const auto add = [&](const char* first, const char* last) {
    if (first >= last || !memory.owns(first) || !memory.owns(last - 1)) return;
    result.emplace_back(memory.kernel_address(first), memory.kernel_address(last));
  };
  const char* end = nullptr;  // of the operands so far
  for (const auto& [first, last] : inside) {
    const char* const before = first - kWidth;
    if (end == nullptr) {
      add(before, first);
    } else {
      add(end, std::min(end + kWidth, first));
      add(std::max(before, end + kWidth), first);
    }
    end = std::max(end, last);
  }
  if (end != nullptr) add(end, end + kWidth);
  return result;
}

std::string contents(const std::vector<Range>& ranges) {
  std::string bytes;
  for (const auto& [first, last] : ranges) bytes.append(first, last);
  return bytes;
}

using Numbers = std::vector<std::int64_t>;

// Copies the numbers of the host to which the arguments point, and makes them point to the copy.
template <class Args>
std::shared_ptr<const Numbers> copy_host_numbers(Args& args) {
  if constexpr (requires { host_numbers(args); }) {
    const auto [field, count] = host_numbers(args);
    auto copy = std::make_shared<const Numbers>(*field, *field + count);
    if (count > 0) *field = copy->data();
    return copy;
  } else {
    return nullptr;
  }
}

// A kernel with its arguments, which checks and translates them for each run.
template <class Args>
struct Call {
  Args args;
  std::int32_t device;
  std::shared_ptr<const Numbers> numbers;
  std::vector<std::int64_t> serials{};  // of the blocks at the first run

  Stream::Work operator()() {
    Simulator& simulator = Simulator::get();
    const bool again = !serials.empty();
    Args own = args;
    std::size_t k = 0;
    const Operands all = operands(own);
    for (const Operand& operand : all) {
      const std::int64_t serial = check_operand(simulator, device, SlotOf<Args>::slot, operand);
      if (!again) {
        serials.push_back(serial);
      } else if (const std::int64_t first = serials[k++]; first != serial && first * serial != 0) {
        illegal_access(simulator, device, SlotOf<Args>::slot, operand,
                       ", which was freed since the graph was captured");
      }
      const char* moved = simulator.device(device).memory.kernel_address(operand.pointer);
      std::memcpy(operand.field, &moved, sizeof(moved));
    }
    const KernelFn kernel = kernel_table().kernels[SlotOf<Args>::slot];
    return [own, kernel, kept = numbers,
            outside = borders(simulator.device(device).memory, all)](KernelContext& context) {
      const std::string before = contents(outside);
      kernel(&own, &context);
      if (contents(outside) == before) return;
      context.status = StatusCode::kDeviceFault;
      write_message(context.message, sizeof(context.message),
                    "kernel " + std::string(slot_name(SlotOf<Args>::slot)) + " on cuda:" +
                        std::to_string(context.device) + " wrote beside its operands");
    };
  }
};

template <class Args>
void queue(const Args& args, std::int32_t device, Stream* stream) {
  Simulator& simulator = Simulator::get();
  const std::lock_guard lock(simulator.mutex);
  if (stream == nullptr || stream->device() != device) {
    throw Failure{StatusCode::kDeviceFault,
                  "CUDA error: invalid resource handle: a kernel on cuda:" +
                      std::to_string(device) + " got a stream of another device"};
  }
  simulator.started(device);
  if (simulator.fault_due(PluginFault::kLaunch)) {
    throw Failure{StatusCode::kDeviceFault, "CUDA error: unspecified launch failure (injected)"};
  }
  if (simulator.fault_due(PluginFault::kKernel)) {
    return stream->submit([&simulator, device](KernelContext&) {
      simulator.lose(device, "an illegal memory access was encountered");
    });
  }
  Args own = args;
  for (const Operand& operand : operands(own)) {
    if (simulator.allows_use(*stream, device, operand.pointer, operand.first, operand.last))
      continue;
    throw reused_too_early(std::string(operand.name) + " of kernel " +
                           slot_name(SlotOf<Args>::slot) + " on cuda:" + std::to_string(device));
  }
  Args queued = args;
  const auto numbers = copy_host_numbers(queued);
  stream->give(Call<Args>{queued, device, numbers});
}

template <class Args>
void launch(const Args& args, KernelContext& context) {
  if constexpr (requires { is_question(args); }) {
    if (is_question(args)) return kernel_table().kernels[SlotOf<Args>::slot](&args, &context);
  }
  const auto supports = kernel_table().supports[static_cast<std::size_t>(SlotOf<Args>::slot)];
  if (supports != nullptr && !supports(&args)) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  PluginStatus status;
  guarded(&status, [&] {
    try {
      queue(args, context.device, static_cast<Stream*>(context.stream));
    } catch (const Failure& failure) {
      context.detail = failure.detail;
      context.limit = failure.limit;
      throw;
    }
    return true;
  });
  context.status = status.code;
  if (status.code != StatusCode::kOk) {
    write_message(context.message, sizeof(context.message), status.message);
  }
}

/// Fills the slot of `Args` if there is a kernel to launch.
template <class Args>
void add_launch(KernelTable& table) {
  const bool has_kernel = kernel_table().kernels[SlotOf<Args>::slot] != nullptr;
  if (has_kernel) kernels::set<Args, launch<Args>>(table);
}

}  // namespace

KernelTable launch_table() {
  KernelTable table;
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a type takes none.
#define TERN_SLOT(name, Args) add_launch<Args>(table);
#include <tern/generated/kernel_slots.def>
#undef TERN_SLOT
  return table;
}

}  // namespace tern::sim
