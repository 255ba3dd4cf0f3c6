#include <functional>

#include <tern/backends/cuda/host/loader.h>
#include <tern/core/tensor/detail/allocator.h>

#include "nn/nn_test.h"
#include "simulated_devices.h"

// A load that fails at any point leaves the module unchanged.

namespace tern {
namespace {

/// A module on several devices including the CPU, with a tied parameter and another tensor of the
/// same elements.
struct SpreadNetImpl : nn::Module {
  SpreadNetImpl() {
    register_module("first", first.to("cuda:1"));
    register_module("host", host);
    register_module("last", last.to("cuda:0"));
    register_parameter("head", first->fc1->weight);
    register_buffer("shown", last->scale.detach());
  }
  SmallNet first, host, last;
};
TERN_MODULE(SpreadNet);

std::function<void(int)> plugin_fault(kernels::PluginFault fault) {
  return [fault](int n) { cuda::detail::plugin().inject(fault, n); };
}

TEST(LoadStateFaults, TheModuleIsLoadedWholeOrNotAtAll) {
  TERN_NEEDS_SIMULATOR();
  const std::pair<const char*, std::function<void(int)>> faults[] = {
      {"copy", plugin_fault(kernels::PluginFault::kCopy)},
      {"launch", plugin_fault(kernels::PluginFault::kLaunch)},
      {"allocation", [](int n) { testing::fail_allocation(n); }},
      {"all allocations from", [](int n) { testing::fail_allocation(n, /*onwards=*/true); }}};
  const SpreadNet net;
  const State before = copy_of(net->state_dict());
  for (const char* place : {"cpu", "cuda:0", "cuda:1"}) {
    State other;
    for (const auto& [key, value] : before) {
      // A double needs a conversion; tied tensors stay equal.
      other.insert(key, (value.tensor() + 1).to(Device(place), kDouble));
    }
    State expected;
    for (const auto& [key, value] : before) {
      expected.insert(key, other[key].tensor().to(value.tensor().dtype()));
    }
    for (const bool assign : {false, true}) {
      for (const auto& [what, fail_at] : faults) {
        for (int n = 1, failed = true; failed; ++n) {
          SCOPED_TRACE(std::string(what) + " " + std::to_string(n) + ", from " + place);
          fail_at(n);
          failed = false;
          try {
            net->load_state_dict(other, {.assign = assign, .cast = true});
          } catch (const Error&) {
            failed = true;
          }
          fail_at(0);
          ASSERT_TRUE(identical(net->state_dict(), failed ? before : expected));
          EXPECT_TRUE(failed || assign || n > 10);
        }
        net->load_state_dict(before);
      }
    }
  }
}

}  // namespace
}  // namespace tern
