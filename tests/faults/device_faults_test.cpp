#include <filesystem>
#include <functional>

#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/cuda/host/loader.h>
#include <tern/core/tensor/detail/allocator.h>

#include <tern/tern.h>

#include "nn/nn_test.h"

// What happens when the driver fails: every call of a kind, one after the other, in everything
// that a training program does. Without the cache each tensor asks the driver for memory.

namespace tern {
namespace {

class Devices : public ::testing::Environment {
  void SetUp() override {
    setenv("TERN_SIMULATE_CUDA", "2", 1);
    setenv("TERN_CUDA_CACHE", "0", 1);
  }
};
const auto* const kDevices = ::testing::AddGlobalTestEnvironment(new Devices);

using kernels::PluginFault;

struct NetImpl : nn::Module {
  explicit NetImpl(Device device = kCPU)
      : fc1(register_module("fc1", nn::Linear(nn::LinearOptions(3, 4).device(device)))),
        norm(register_module("norm", nn::BatchNorm1d(nn::BatchNormOptions(4).device(device)))),
        fc2(register_module("fc2", nn::Linear(nn::LinearOptions(4, 2).device(device)))) {}
  Tensor forward(const Tensor& x) { return fc2(dropout(relu(norm(fc1(x))), 0.3, true)); }
  nn::Linear fc1;
  nn::BatchNorm1d norm;
  nn::Linear fc2;
};
TERN_MODULE(Net);

/// A training program in the middle of its work.
struct Program {
  explicit Program(Device device)
      : net(device), optimizer(net->parameters(), 0.1), input(full({5, 3}, 0.5, device)) {
    step();
  }
  Tensor loss() { return net(input).square().mean(); }
  void step() {
    optimizer.zero_grad();
    loss().backward();
    optimizer.step();
  }
  Net net;
  optim::Adam optimizer;
  Tensor input;
};

struct Act {
  std::string name;
  Device device;  // where the program is before
  std::function<void(Program&)> run;
  bool all_or_nothing = false;
};

void PrintTo(const Act& act, std::ostream* out) { *out << act.name; }

const std::filesystem::path& file() {
  static const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) /
      ("tern_faults_" + std::to_string(getpid()) + ".safetensors");
  return path;
}

std::vector<Act> acts() {
  const Device gpu("cuda:1");
  return {
      {"construct", kCPU, [gpu](Program& p) { p.net = Net(gpu); }, true},
      {"forward", gpu, [](Program& p) { p.loss(); }},
      {"backward", gpu, [](Program& p) { p.loss().backward(); }},
      {"step", gpu, [](Program& p) { p.step(); }},
      {"to_gpu", kCPU, [gpu](Program& p) { p.net->to(gpu); }, true},
      {"to_other_gpu", gpu, [](Program& p) { p.net->to(Device("cuda:0"), kDouble); }, true},
      {"to_cpu", gpu, [](Program& p) { p.net->cpu(); }, true},
      {"to_dtype", gpu, [](Program& p) { p.net->to(kDouble); }, true},
      {"optimizer_follows", kCPU,
       [gpu](Program& p) {
         p.net->to(gpu);
         p.optimizer.step();
       }},
      {"save", gpu, [](Program& p) { save(p.net, file().string()); }, true},
      {"pin", kCPU, [](Program& p) { p.input = p.input.pin_memory(); }, true},
  };
}

void inject(PluginFault fault, std::int64_t n) { cuda::detail::plugin().inject(fault, n); }

std::int64_t live_bytes() {
  return cuda::memory_allocated(0) + cuda::memory_allocated(1) +
         detail::allocator_of(kCPU).stats(0).live_bytes +
         detail::pinned_allocator().stats(-1).live_bytes;
}

std::vector<Tensor> tensors_of(const Net& net) {
  std::vector<Tensor> all;
  for (const Tensor& parameter : net->parameters()) {
    all.push_back(parameter);
    if (parameter.grad().defined()) all.push_back(parameter.grad());
  }
  for (const Tensor& buffer : net->buffers()) all.push_back(buffer);
  return all;
}

std::vector<Tensor> copies_of(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors) copies.push_back(tensor.detach().clone());
  return copies;
}

::testing::AssertionResult unchanged(const std::vector<Tensor>& now,
                                     const std::vector<Tensor>& before) {
  if (now.size() != before.size()) return ::testing::AssertionFailure() << "other tensors";
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].device() != before[i].device()) {
      return ::testing::AssertionFailure() << "tensor " << i << " is on " << now[i].device();
    }
    if (const auto same = same_bits(now[i], before[i]); !same) return same;
  }
  return ::testing::AssertionSuccess();
}

// Without the cache every tensor that goes waits for the streams that use others.
TEST(DeviceErrors, AreNotLostWhenMemoryIsGivenBack) {
  const Device gpu("cuda:0");
  Tensor a = zeros({2}, gpu), b = zeros({2}, gpu);
  const Tensor rows = ones({2, 2}, gpu), five = tensor({5}, gpu);
  const cuda::Stream side = cuda::getStreamFromPool(false, 0);
  cuda::synchronize(0);
  {
    const cuda::StreamGuard guard(side);
    const Tensor kept = rows.index_select(0, five);
    a.record_stream(side);
    a.reset();
    b.reset();
  }
  EXPECT_THROW(cuda::synchronize(0), IndexError);
}

class DeviceFaults : public ::testing::TestWithParam<std::tuple<PluginFault, Act>> {};

TEST_P(DeviceFaults, EachIsATypedErrorAndTheNextRunWorks) {
  const auto& [fault, act] = GetParam();
  const auto fresh = [&act = act] {
    detail::pinned_allocator().empty_cache();
    manual_seed(1);
    auto program = std::make_unique<Program>(act.device);
    manual_seed(2);
    return program;
  };
  const auto wanted = fresh();
  act.run(*wanted);
  const std::vector<Tensor> result = tensors_of(wanted->net);
  bool failed = true;
  std::int64_t n = 1;
  for (; failed; ++n) {
    SCOPED_TRACE("call number " + std::to_string(n));
    const std::int64_t before = live_bytes();
    {
      const auto program = fresh();
      const std::vector<Tensor> tensors = tensors_of(program->net);
      const std::vector<Tensor> copies = copies_of(tensors);
      std::string text;
      // Memory is asked for again with empty caches.
      const bool memory = fault == PluginFault::kAllocate || fault == PluginFault::kAllocateHost;
      inject(fault, memory ? -n : n);
      try {
        act.run(*program);
        failed = false;
      } catch (const OutOfMemoryError& error) {
        EXPECT_TRUE(memory);
        text = error.what();
      } catch (const DeviceError& error) {
        EXPECT_TRUE(fault == PluginFault::kLaunch || fault == PluginFault::kCopy);
        text = error.what();
      }
      inject(fault, 0);
      if (!failed) break;
      EXPECT_NE(text.find("CUDA"), std::string::npos) << text;
      if (act.all_or_nothing) {
        ASSERT_TRUE(unchanged(tensors_of(program->net), copies));
        manual_seed(2);
        act.run(*program);
        ASSERT_TRUE(unchanged(tensors_of(program->net), result));
      } else {
        program->input = program->input.to(program->net->fc1->weight.device());
        program->step();
      }
    }
    cuda::synchronize(0);
    cuda::synchronize(1);
    ASSERT_EQ(live_bytes(), before);
  }
  std::filesystem::remove(file());
}

std::string name_of(const ::testing::TestParamInfo<DeviceFaults::ParamType>& info) {
  static constexpr const char* kNames[] = {"allocate", "allocate_host", "launch", "copy"};
  return std::get<1>(info.param).name + "_" +
         kNames[static_cast<std::size_t>(std::get<0>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceFaults,
    ::testing::Combine(::testing::Values(PluginFault::kAllocate, PluginFault::kAllocateHost,
                                         PluginFault::kLaunch, PluginFault::kCopy),
                       ::testing::ValuesIn(acts())),
    name_of);

}  // namespace
}  // namespace tern
