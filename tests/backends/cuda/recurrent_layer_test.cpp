#include <dlfcn.h>

#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <tern/backends/cuda/host/graph.h>
#include <tern/tern.h>
#include <tern/train/profiler.h>

#include "backends/cuda/emulator/cudnn.h"
#include "backends/cuda/simulated.h"

// Recurrent layers on CUDA: whole ones by cuDNN where it is, and by the own kernels. Both compute
// what the CPU computes.

namespace tern {
namespace {

using Tensors = std::vector<Tensor>;

enum class Kind { kTanh, kRelu, kLstm, kGru };
constexpr Kind kKinds[] = {Kind::kTanh, Kind::kRelu, Kind::kLstm, Kind::kGru};

/// A layer and the sequences for it.
struct Case {
  Kind kind;
  ScalarType dtype = kDouble;
  std::int64_t steps = 4, batch = 3, inputs = 3, hidden = 5;
  bool has_biases = true, bidirectional = true;
  std::vector<std::int64_t> batch_sizes{};  // of packed sequences
};

std::string name_of(const Case& c) {
  return "kind " + std::to_string(static_cast<int>(c.kind)) + ", steps " + std::to_string(c.steps) +
         ", batch " + std::to_string(c.batch) + ", hidden " + std::to_string(c.hidden) +
         (c.has_biases ? "" : ", no bias") + (c.batch_sizes.empty() ? "" : ", packed");
}

/// Returns the input, the states and the parameters, drawn on the CPU.
Tensors drawn_for(const Case& c) {
  const std::int64_t gates = c.kind == Kind::kLstm ? 4 : c.kind == Kind::kGru ? 3 : 1;
  const std::int64_t directions = c.bidirectional ? 2 : 1;
  std::int64_t rows = 0;
  for (const std::int64_t size : c.batch_sizes) rows += size;
  Tensors all = {c.batch_sizes.empty() ? randn({c.steps, c.batch, c.inputs}, c.dtype)
                                       : randn({rows, c.inputs}, c.dtype)};
  for (int i = 0; i < (c.kind == Kind::kLstm ? 2 : 1); ++i) {
    all.push_back(randn({directions, c.batch, c.hidden}, c.dtype));
  }
  for (std::int64_t direction = 0; direction < directions; ++direction) {
    all.push_back(randn({gates * c.hidden, c.inputs}, c.dtype) * 0.5);
    all.push_back(randn({gates * c.hidden, c.hidden}, c.dtype) *
                  (1 / std::sqrt(2.0 * static_cast<double>(c.hidden))));
    for (int i = 0; c.has_biases && i < 2; ++i) {
      all.push_back(randn({gates * c.hidden}, c.dtype));
    }
  }
  return all;
}

Tensors leaves_on(Device device, const Tensors& drawn) {
  Tensors leaves;
  for (const Tensor& tensor : drawn) {
    leaves.push_back(tensor.detach().to(device, /*non_blocking=*/false, /*copy=*/true));
    leaves.back().requires_grad_();
  }
  return leaves;
}

/// Returns the output and the last states.
Tensors run(const Case& c, const Tensors& in) {
  const std::size_t states = c.kind == Kind::kLstm ? 2 : 1;
  const Tensors hx(in.begin() + 1, in.begin() + 1 + static_cast<std::ptrdiff_t>(states));
  const Tensors params(in.begin() + 1 + static_cast<std::ptrdiff_t>(states), in.end());
  const auto list = [](const auto& results) {
    return std::apply([](const auto&... tensors) { return Tensors{tensors...}; }, results);
  };
  const auto call = [&](const auto& function, const auto& state) {
    if (c.batch_sizes.empty()) {
      return list(
          function(in[0], state, params, c.has_biases, 1, 0.0, true, c.bidirectional, false));
    }
    return list(function(in[0], tensor(c.batch_sizes), state, params, c.has_biases, 1, 0.0, true,
                         c.bidirectional));
  };
  switch (c.kind) {
    case Kind::kTanh:
      return call([](const auto&... args) { return rnn_tanh(args...); }, hx[0]);
    case Kind::kRelu:
      return call([](const auto&... args) { return rnn_relu(args...); }, hx[0]);
    case Kind::kLstm:
      return call([](const auto&... args) { return lstm(args...); }, TensorList(hx));
    default:
      return call([](const auto&... args) { return gru(args...); }, hx[0]);
  }
}

Tensor loss_of(const Tensors& outputs) {
  Tensor sum = zeros({}, outputs[0].options());
  for (const Tensor& output : outputs) sum = sum + (output * output.cos()).sum();
  return sum;
}

/// Returns the results, their first gradients, and if wanted the second ones.
Tensors computed(const Case& c, Device device, const Tensors& drawn, bool twice) {
  const Tensors in = leaves_on(device, drawn);
  Tensors all = run(c, in);
  const Tensors first = autograd::grad({loss_of(all)}, in, {}, std::nullopt, twice);
  all.insert(all.end(), first.begin(), first.end());
  if (twice) {
    const Tensors second = autograd::grad({loss_of(first)}, in);
    all.insert(all.end(), second.begin(), second.end());
  }
  return all;
}

/// Compares each tensor with its largest element as the measure.
void expect_close(const Tensors& got, const Tensors& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i].device().is_cuda());
    ASSERT_EQ(got[i].sizes(), want[i].sizes()) << i;
    if (want[i].numel() == 0) continue;
    const Tensor x = want[i].detach(), error = (got[i].detach().cpu() - x).abs().max();
    EXPECT_LE(error.item<double>(), tolerance * (1 + x.abs().max().item<double>())) << i;
  }
}

/// Returns which kernels of recurrent layers, and which notes on them, `body` left in a profile.
template <class Body>
std::set<std::string> seen(const Body& body) {
  profiler::Profile profile;
  profile.start();
  body();
  cuda::synchronize(0);
  profile.stop();
  std::set<std::string> names;
  for (const profiler::FunctionEvent& event : profile.events()) {
    if (event.name.starts_with("recurrent") &&
        (event.category == "kernel" || event.category == "user_annotation")) {
      names.insert(event.name);
    }
  }
  return names;
}

const std::set<std::string> kLayers = {"recurrent_layer"}, kOwn = {"recurrent"};

class RecurrentLayerOnCuda : public ::testing::Test {
 protected:
  RecurrentLayerOnCuda() {
    backends::cudnn.allow_tf32 = false;
    manual_seed(7);
  }
  ~RecurrentLayerOnCuda() override {
    backends::cudnn.enabled = backends::cudnn.allow_tf32 = true;
    backends::cudnn.deterministic = false;
    use_deterministic_algorithms(false);
    if (emulator::Cudnn* const library = stand_in()) {
      library->layer_status = library->layer_run_status = library->layer_gradient_status = 0;
    }
  }

  /// Whether this run's device computes whole layers: it has cuDNN, or what replaces it.
  static bool has_layers() {
    const Case c{Kind::kTanh};
    const Tensors in = leaves_on(kCUDA, drawn_for(c));
    return seen([&] { run(c, in); }) == kLayers;
  }

  /// What replaces cuDNN in this process; null if it has none.
  static emulator::Cudnn* stand_in() {
    void* const library = dlopen("libtern_cuda_emulated.so", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    const auto function =
        reinterpret_cast<emulator::Cudnn& (*)()>(dlsym(library, "_ZN4tern8emulator5cudnnEv"));
    return function == nullptr ? nullptr : &function();
  }

  const Device cuda_{kCUDA, 0};
};

#define TERN_NEEDS_LAYERS() \
  if (!has_layers()) GTEST_SKIP() << "there is no cuDNN, nor what replaces it"
// Only there a refusal is known when the call returns.
#define TERN_NEEDS_STAND_IN() \
  if (stand_in() == nullptr || !testing::on_gpu()) GTEST_SKIP() << "needs what replaces cuDNN"

TEST_F(RecurrentLayerOnCuda, ComputesWhatTheCpuComputes) {
  for (const Kind kind : kKinds) {
    for (const Case& c :
         {Case{kind}, Case{kind, kFloat}, Case{.kind = kind, .has_biases = false},
          Case{.kind = kind, .batch = 1, .bidirectional = false}, Case{.kind = kind, .steps = 1},
          Case{.kind = kind, .inputs = 1, .hidden = 1},
          Case{.kind = kind, .dtype = kFloat, .steps = 9, .batch = 17, .inputs = 12, .hidden = 11},
          Case{.kind = kind, .steps = 3, .batch = 4, .batch_sizes = {4, 3, 1}},
          Case{.kind = kind, .dtype = kFloat, .batch = 3, .batch_sizes = {3, 3, 2, 2, 1, 1}},
          Case{.kind = kind, .steps = 1, .batch = 3, .has_biases = false, .batch_sizes = {3}}}) {
      SCOPED_TRACE(name_of(c));
      const Tensors drawn = drawn_for(c);
      expect_close(computed(c, cuda_, drawn, false), computed(c, kCPU, drawn, false),
                   c.dtype == kFloat ? 2e-5 : 1e-12);
    }
  }
}

TEST_F(RecurrentLayerOnCuda, HasTheSecondDerivativesOfTheCpu) {
  for (const Kind kind : kKinds) {
    for (const Case& c :
         {Case{.kind = kind, .steps = 2, .batch = 2, .inputs = 2, .hidden = 2},
          Case{.kind = kind, .batch = 2, .inputs = 2, .hidden = 2, .batch_sizes = {2, 1}}}) {
      SCOPED_TRACE(name_of(c));
      const Tensors drawn = drawn_for(c);
      expect_close(computed(c, cuda_, drawn, true), computed(c, kCPU, drawn, true), 1e-11);
    }
  }
}

TEST_F(RecurrentLayerOnCuda, ComputesNothingOfNoSequences) {
  for (const Kind kind : kKinds) {
    const Case c{.kind = kind, .batch = 0};
    const Tensors drawn = drawn_for(c);
    expect_close(computed(c, cuda_, drawn, false), computed(c, kCPU, drawn, false), 0);
  }
}

TEST_F(RecurrentLayerOnCuda, IsOneKernelWhereCudnnIs) {
  TERN_NEEDS_LAYERS();
  for (const Kind kind : kKinds) {
    const Case c{kind};
    const Tensors drawn = drawn_for(c);
    EXPECT_EQ(seen([&] { computed(c, cuda_, drawn, false); }), kLayers);
    const NoGradGuard no_grad;
    const Tensors in = leaves_on(cuda_, drawn);
    EXPECT_EQ(seen([&] { run(c, in); }), kLayers);
  }
}

TEST_F(RecurrentLayerOnCuda, OwnKernelsComputeIfTheProgramSaysSo) {
  const Case c{Kind::kGru};
  const Tensors drawn = drawn_for(c), want = computed(c, kCPU, drawn, false);
  const auto expect_own = [&] {
    Tensors got;
    EXPECT_EQ(seen([&] { got = computed(c, cuda_, drawn, false); }), kOwn);
    expect_close(got, want, 1e-12);
  };
  backends::cudnn.enabled = false;
  expect_own();
  backends::cudnn.enabled = true;
  backends::cudnn.deterministic = true;
  expect_own();
  backends::cudnn.deterministic = false;
  use_deterministic_algorithms(true);
  expect_own();
}

TEST_F(RecurrentLayerOnCuda, ComputesGradientsAgainAndInParts) {
  for (const Kind kind : kKinds) {
    const Case c{kind};
    const Tensors drawn = drawn_for(c), in = leaves_on(cuda_, drawn);
    const Tensors host = leaves_on(kCPU, drawn);
    const Tensors outputs = run(c, in), wanted = run(c, host);
    const Tensor loss = loss_of(outputs), want = loss_of(wanted);
    for (int i = 0; i < 2; ++i) {
      expect_close(autograd::grad({loss}, in, {}, /*retain_graph=*/true),
                   autograd::grad({want}, host, {}, /*retain_graph=*/true), 1e-12);
    }
    for (const Tensors& part : {Tensors{in[0]}, Tensors{in.back()}, Tensors{in[1], in[2]}}) {
      Tensors of_host;
      for (const Tensor& tensor : part) {
        for (std::size_t k = 0; k < in.size(); ++k) {
          if (in[k].is_same(tensor)) of_host.push_back(host[k]);
        }
      }
      // Gradients arrive at the last state alone.
      expect_close(autograd::grad({outputs[1].sum()}, part, {}, /*retain_graph=*/true),
                   autograd::grad({wanted[1].sum()}, of_host, {}, /*retain_graph=*/true), 1e-12);
    }
  }
}

TEST_F(RecurrentLayerOnCuda, OnlyTheInputMayNeedAGradient) {
  const Case c{.kind = Kind::kLstm, .batch_sizes = {3, 2}};
  const Tensors drawn = drawn_for(c);
  const auto gradient_on = [&](Device device) {
    Tensors in = leaves_on(device, drawn);
    for (std::size_t i = 1; i < in.size(); ++i) in[i] = in[i].detach();
    return autograd::grad({loss_of(run(c, in))}, {in[0]});
  };
  expect_close(gradient_on(cuda_), gradient_on(kCPU), 1e-12);
}

TEST_F(RecurrentLayerOnCuda, IsCapturedIntoGraphs) {
  for (const Kind kind : kKinds) {
    for (const bool is_packed : {false, true}) {
      Case c{kind};
      if (is_packed) c.batch_sizes = {3, 2, 2, 1};
      const Tensors drawn = drawn_for(c), in = leaves_on(cuda_, drawn);
      Tensors captured;
      const auto step = [&] {
        captured = run(c, in);
        for (const Tensor& gradient : autograd::grad({loss_of(captured)}, in)) {
          captured.push_back(gradient);
        }
      };
      step();
      cuda::CUDAGraph graph;
      graph.capture(step);
      Tensors pinned;  // takes any host memory that the capture gave back
      for (int i = 0; i < 20; ++i) pinned.push_back(full({8}, 99, kLong).pin_memory());
      for (int i = 0; i < 2; ++i) {
        const Tensors others = drawn_for(c);
        {
          const NoGradGuard no_grad;
          for (std::size_t k = 0; k < in.size(); ++k) in[k].copy_(others[k]);
        }
        graph.replay();
        cuda::synchronize(0);
        SCOPED_TRACE(name_of(c));
        expect_close(captured, computed(c, kCPU, others, false), 1e-12);
      }
    }
  }
}

TEST_F(RecurrentLayerOnCuda, OwnKernelsComputeWhatTheLibraryRefuses) {
  TERN_NEEDS_STAND_IN();
  const int not_supported = 3000, no_memory = 4004;
  for (const Kind kind : kKinds) {
    for (const bool is_packed : {false, true}) {
      Case c{.kind = kind, .steps = 2, .hidden = 6};  // other sizes than those of other tests
      if (is_packed) c.batch_sizes = {3, 1};
      const Tensors drawn = drawn_for(c), want = computed(c, kCPU, drawn, false);
      const auto expect = [&](std::set<std::string> names) {
        Tensors got;
        EXPECT_EQ(seen([&] { got = computed(c, cuda_, drawn, false); }), names);
        expect_close(got, want, 1e-12);
      };
      stand_in()->layer_run_status = no_memory;
      expect({"recurrent", "recurrent_layer",
              "recurrent layer without cuDNN: no memory for its workspace"});
      stand_in()->layer_run_status = 0;
      expect(kLayers);  // the other direction was the call to let pass
      // The forward pass by the library, the gradients by own kernels.
      stand_in()->layer_gradient_status = not_supported;
      expect({"recurrent", "recurrent_layer"});
      stand_in()->layer_gradient_status = 0;
      expect(kOwn);  // remembered
    }
  }
}

TEST_F(RecurrentLayerOnCuda, ARefusedLayerIsNotTriedAgain) {
  TERN_NEEDS_STAND_IN();
  const Case c{.kind = Kind::kLstm, .hidden = 8};
  const Tensors drawn = drawn_for(c), want = computed(c, kCPU, drawn, false);
  stand_in()->layer_run_status = 3000;
  EXPECT_EQ(seen([&] { computed(c, cuda_, drawn, false); }),
            (std::set<std::string>{"recurrent", "recurrent_layer"}));
  stand_in()->layer_run_status = 0;
  Tensors got;
  EXPECT_EQ(seen([&] { got = computed(c, cuda_, drawn, false); }), kOwn);
  expect_close(got, want, 1e-12);
}

}  // namespace
}  // namespace tern
