#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tern/backends/cuda/host/plugin_host.h>

#include "profiler_test.h"
#include "simulated_devices.h"

namespace tern::testing {
namespace {

using profiler::Profile;
using profiler::ProfileOptions;

TEST(ProfileDevices, SaysWhereKernelsRanAndForHowLong) {
  const Tensor host = ones({64, 64}), x = host.to("cuda:1");
  Profile profile(ProfileOptions().profile_memory(true));
  profiled(profile, [&] {
    x.mm(x);
    host.mm(host);
  });
  std::vector<std::string> devices;
  for (const auto& event : profile.events()) {
    if (event.category != "kernel") continue;
    devices.push_back(tern::detail::text_of(event.device));
    EXPECT_EQ(event.device_time_us > 0, event.device.is_cuda());
  }
  EXPECT_EQ(devices, (std::vector<std::string>{"cuda:1", "cpu"}));
  const auto averages = profile.key_averages();
  EXPECT_GT(averages.find("mm")->device_time_total, 0);
  EXPECT_EQ(averages.find("mm")->device_memory_usage, 64 * 64 * 4);
  const std::string table = averages.table("self_cuda_time_total");
  EXPECT_NE(table.find("Self CUDA %"), std::string::npos) << table;
  EXPECT_NE(table.find("CUDA Mem"), std::string::npos) << table;
  EXPECT_NE(table.find("Self CUDA time total: "), std::string::npos) << table;
  Profile without(ProfileOptions().with_device_time(false));
  profiled(without, [&] { x.mm(x); });
  EXPECT_EQ(without.key_averages().find("mm")->device_time_total, 0);
}

TEST(ProfileDevices, LeavesTheErrorOfAKernelToTheProgram) {
  TERN_NEEDS_SIMULATOR();
  const Tensor x = ones({3}, kCUDA), bad = tensor({7}, kLong).to(kCUDA);
  Profile profile;
  profiled(profile, [&] { x.index_select(0, bad); });
  EXPECT_EQ(named(profile, "index_select").size(), 1u);
  EXPECT_THROW(cuda::synchronize(), Error);
}

TEST(ProfileDevices, ShowsTheNotesOfAPlugin) {
  const kernels::PluginHost host = cuda::detail::plugin_host(0);
  host.note("unheard");
  Profile profile;
  profiled(profile, [&] { host.note("heard"); });
  EXPECT_EQ(named(profile, "unheard").size(), 0u);
  EXPECT_EQ(named(profile, "heard").size(), 1u);
}

TEST(ProfileDevices, RecordsCapturesWithoutTimes) {
  const Tensor x = ones({8}, kCUDA);
  cuda::CUDAGraph graph;
  Profile profile;
  cuda::synchronize();
  const cuda::StreamGuard guard(cuda::getStreamFromPool());
  profile.start();
  graph.capture_begin();
  const Tensor y = x.exp();
  graph.capture_end();
  graph.replay();
  profile.stop();
  EXPECT_EQ(named(profile, "cudaGraphLaunch").size(), 1u);
  EXPECT_EQ(profile.key_averages().find("exp")->device_time_total, 0);
  EXPECT_NEAR(y.sum().item<float>(), 8 * std::exp(1.0F), 1e-3);
}

TEST(Nvtx, PushesPopsAndMarks) {
  TERN_NEEDS_SIMULATOR();
  EXPECT_EQ(profiler::nvtx::range_push("a"), 0);
  EXPECT_EQ(profiler::nvtx::range_push("b"), 1);
  profiler::nvtx::mark("c");
  EXPECT_EQ(profiler::nvtx::range_pop(), 1);
  EXPECT_EQ(profiler::nvtx::range_pop(), 0);
  EXPECT_LT(profiler::nvtx::range_pop(), 0);
}

TEST(Nvtx, EmitsRangesOfOpsWhileTheGuardLives) {
  TERN_NEEDS_SIMULATOR();
  struct Asks : nn::Module {
    std::int64_t depth = -1;
    Tensor forward(const Tensor& x) {
      depth = profiler::nvtx::range_push("inside");
      profiler::nvtx::range_pop();
      return x.exp();
    }
  };
  auto asks = std::make_shared<Asks>();
  const nn::ModuleHolder<Asks> holder(asks);
  const auto depth_inside = [&] {
    const profiler::RecordFunction range("outer");
    std::as_const(holder)(ones({2}));
    return asks->depth;
  };
  EXPECT_EQ(depth_inside(), 0);
  {
    const profiler::emit_nvtx guard;
    EXPECT_EQ(depth_inside(), 2);
    const profiler::EmitNvtxGuard off(false);
    const profiler::EmitNvtxGuard second;
    EXPECT_EQ(depth_inside(), 2);
    Profile profile;
    profiled(profile, [&] { EXPECT_EQ(depth_inside(), 2); });
    EXPECT_EQ(named(profile, "outer").size(), 1u);
    EXPECT_EQ(depth_inside(), 2);
  }
  EXPECT_EQ(depth_inside(), 0);
}

}  // namespace
}  // namespace tern::testing
