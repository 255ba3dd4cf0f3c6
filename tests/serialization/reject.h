#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <vector>

#include <tern/core/ops/ops.h>
#include <tern/nn/module.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/optim/adam.h>
#include <tern/serialization/checkpoint.h>
#include <tern/serialization/state_file.h>

#include "hang_guard.h"
#include "peak_memory.h"
#include "scratch.h"

// What every test of refused files shares: the models that they were meant for, which must stay as
// they were, to the bit.

namespace tern {

struct NetImpl : nn::Module {
  NetImpl() {
    register_module("fc", fc);
    register_module("bn", bn);
    scale = register_parameter("scale", ones({}));
    mask = register_buffer("mask", ones({2}, kBool));
    register_buffer("scratch", zeros({2}), /*persistent=*/false);
  }
  Tensor forward(const Tensor& x) { return bn(fc(x)) * scale; }

  nn::Linear fc{3, 2};
  nn::BatchNorm1d bn{2};
  Tensor scale, mask;
};
TERN_MODULE(Net);

/// All that a state holds, as bytes.
inline void append_facts(std::ostream& out, const State& state) {
  if (state.is_tensor()) {
    const Tensor& tensor = state.tensor();
    const Tensor host = tensor.detach().cpu().contiguous();
    out << tensor.device() << tensor.dtype() << tensor.sizes() << tensor.strides()
        << tensor.requires_grad();
    out.write(static_cast<const char*>(host.data_ptr()), static_cast<long>(host.nbytes()));
  } else if (state.is_dict()) {
    for (const auto& [key, value] : state) append_facts(out << key, value);
  } else if (state.is_list()) {
    for (const State& element : state.elements()) append_facts(out, element);
  } else if (state.is_string()) {
    out << state.string();
  } else if (state.is_bool()) {
    out << state.to<bool>();
  } else if (!state.is_null()) {
    out << state.to<double>();
  }
}

/// A flat state with tensors of its own.
inline State copy_of(const State& state) {
  State copy;
  for (const auto& [key, value] : state) copy.insert(key, value.tensor().clone());
  return copy;
}

/// A model after a step of training, with its optimizer.
class TrainedNet {
 public:
  explicit TrainedNet(const char* device) {
    manual_seed(1);
    net.to(Device(device));
    adam.emplace(net->parameters(), 0.1);
    net(randn({4, 3}).to(Device(device))).sum().backward();
    adam->step();
  }
  /// Parameters, buffers, gradients, their places in memory, the optimizer and the generators.
  std::string facts() const {
    std::ostringstream out;
    std::vector<Tensor> tensors = net->buffers();
    for (const Tensor& parameter : net->parameters()) {
      tensors.insert(tensors.end(), {parameter, parameter.grad()});
    }
    for (const Tensor& tensor : tensors) append_facts(out << tensor.data_ptr(), tensor);
    append_facts(out, adam->state_dict());
    append_facts(out, generator_states());
    out << net->is_training();
    return out.str();
  }

  Net net;
  std::optional<optim::Adam> adam;
};

class RejectTest : public ::testing::Test {
 protected:
  /// Loads `path` into a model on the CPU and one on a simulated device, read and mapped, and
  /// expects an error of kind E that contains `part`.
  template <class E = FileError>
  void expect_refused(const std::string& path, const std::string& part,
                      const std::vector<bool>& strictness = {true, false}) {
    for (TrainedNet* model : {&on_cpu_, &on_cuda_}) {
      const std::string before = model->facts();
      for (const bool strict : strictness) {
        for (const bool map : {false, true}) {
          if (map && !path.ends_with(".safetensors")) continue;
          const testing::HangGuard guard("the refusal of " + path);
          const std::string text = error_of<E>([&] {
            if (!map) return void(load(model->net, path, strict));
            model->net->load_state_dict(load_state(path, {.map = true}), strict);
          });
          EXPECT_NE(text.find(part), std::string::npos)
              << "  said: " << text.substr(0, 500) << "\n  not:  " << part;
          if (!map || std::is_same_v<E, FileError>) {
            EXPECT_NE(text.find(path), std::string::npos) << text.substr(0, 500);
          }
          EXPECT_LT(text.size(), 10000u) << "an error must stay readable";
        }
      }
      EXPECT_TRUE(model->facts() == before) << part;
    }
  }

  const Scratch scratch_;
  TrainedNet on_cpu_{"cpu"}, on_cuda_{"cuda:1"};
};

}  // namespace tern
