#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cases.h"
#include "watch.h"

// Runs every kernel of a CUDA device beside the CPU's and prints a line per slot.

namespace tern::slots {
namespace {

using kernels::Slot;

constexpr const char kUsage[] =
    "slots_against_cpu [--device cuda] [--small] [--slots NAME,...] [--without NAME,...] "
    "[--part K/N] [--self-test]\n"
    "Runs every kernel of a device beside the CPU's, each call with three alignments. Prints for "
    "each\n"
    "slot the calls, the elements, the largest difference and the limit, both in units of the "
    "dtype's\n"
    "epsilon. --part runs every N-th elementwise op from the K-th, counted from 0. --self-test "
    "plants mistakes in one call of each slot and expects them to be found. "
    "Ends with 0 if no slot failed, 1 if one did, 2 for wrong options, 3 without the "
    "device.\n";

struct Options {
  std::string device = "cuda";
  bool small = false, self_test = false;
  int part = 0, parts = 1;
  std::vector<std::string> only, without;
};

bool is_slot(const std::string& name) {
  for (std::size_t i = 0; i < kernels::kSlots; ++i) {
    if (name == slot_name(static_cast<Slot>(i))) return true;
  }
  return false;
}

// Returns false for a name that no slot has.
bool read_names(const std::string& text, std::vector<std::string>& names) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, end - at));
    if (!is_slot(names.back())) {
      std::fprintf(stderr, "there is no slot '%s'\n", names.back().c_str());
      return false;
    }
    at = end + 1;
  }
  return true;
}

bool read_options(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--small") {
      options.small = true;
    } else if (name == "--self-test") {
      options.self_test = true;
    } else if (i + 1 == count) {
      return false;
    } else if (name == "--device") {
      options.device = arguments[++i];
    } else if (name == "--part") {
      if (std::sscanf(arguments[++i], "%d/%d", &options.part, &options.parts) != 2) return false;
      if (options.part < 0 || options.part >= options.parts) return false;
    } else if (name == "--slots") {
      if (!read_names(arguments[++i], options.only)) return false;
    } else if (name == "--without") {
      if (!read_names(arguments[++i], options.without)) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool contains(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void run_cases(const std::vector<Case>& cases, Slot slot, const Sizes& sizes, Mistake mistake) {
  forget(slot);
  for (const Case& each : cases) {
    if (each.slot != slot) continue;
    try {
      tern::manual_seed(1);
      const Watch watch(slot, slot_name(slot), mistake);
      each.run(sizes);
    } catch (const std::exception& error) {
      ++outcome_of(slot).wrong;
      outcome_of(slot).examples.emplace_back(error.what());
    }
  }
}

// Returns true if a planted mistake is not found.
bool misses(const std::vector<Case>& cases, Slot slot, const Sizes& sizes) {
  bool missed = false;
  for (int i = 1; i < static_cast<int>(Mistake::kCount); ++i) {
    run_cases(cases, slot, sizes, static_cast<Mistake>(i));
    const Outcome& outcome = outcome_of(slot);
    const bool found = outcome.elements == 0 || outcome.wrong > 0;  // some kernels write nothing
    if (!found) std::printf("%s: mistake %d is not found\n", slot_name(slot), i);
    missed = missed || !found;
  }
  return missed;
}

// Prints the line of a slot and returns true if it failed.
bool tell(Slot slot) {
  const Outcome& outcome = outcome_of(slot);
  const bool failed = outcome.wrong > 0 || outcome.calls == 0;
  std::printf("%-16s %6lld calls %12lld elements  largest difference %-9.3g of %-6.4g %s\n",
              slot_name(slot), static_cast<long long>(outcome.calls),
              static_cast<long long>(outcome.elements), outcome.largest, outcome.limit,
              failed ? "FAIL" : "ok");
  if (outcome.calls == 0) std::puts("    no case calls this kernel");
  for (const std::string& example : outcome.examples) std::printf("    %s\n", example.c_str());
  if (outcome.wrong > static_cast<std::int64_t>(outcome.examples.size())) {
    std::printf("    and %lld more\n", static_cast<long long>(outcome.wrong) -
                                           static_cast<long long>(outcome.examples.size()));
  }
  std::fflush(stdout);
  return failed;
}

int run(const Options& options) {
  backends::cudnn.allow_tf32 = false;
  const Device device(options.device);
  if (device.is_cuda() && !cuda::is_available()) {
    std::printf("no device: %s\n0 slots, 0 failed\n", cuda::unavailable_reason().c_str());
    return 3;
  }
  set_up(Device(device.type(), device.has_index() ? device.index() : DeviceIndex{0}));
  Sizes sizes = options.small ? Sizes{1037, 37, 9} : Sizes{(1 << 20) + 13, 1021, 61};
  sizes.part = options.part;
  sizes.parts = options.parts;
  std::vector<Case> cases = elementwise_cases();
  for (const auto& more : {shape_cases(), number_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  int told = 0, failed = 0;
  for (std::size_t i = 0; i < kernels::kSlots; ++i) {
    const auto slot = static_cast<Slot>(i);
    const char* const name = slot_name(slot);
    if (!options.only.empty() && !contains(options.only, name)) continue;
    if (contains(options.without, name)) continue;
    // Of the CPU alone, and of CUDA alone.
    if (slot == Slot::quantized_linear || slot == Slot::recurrent_layer) continue;
    ++told;
    if (options.self_test) {
      failed += misses(cases, slot, sizes) ? 1 : 0;
      continue;
    }
    run_cases(cases, slot, sizes, Mistake::kNone);
    failed += tell(slot) ? 1 : 0;
  }
  std::printf("%d slots, %d failed\n", told, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tern::slots

int main(int count, char** arguments) {
  tern::slots::Options options;
  if (!tern::slots::read_options(count, arguments, options)) {
    std::fputs(tern::slots::kUsage, stderr);
    return 2;
  }
  return tern::slots::run(options);
}
