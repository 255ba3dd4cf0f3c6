#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>
#include <tern/train/profiler.h>

namespace tern::testing {

/// Two layers, one inside another module.
struct ProfiledNetImpl : nn::Module {
  ProfiledNetImpl() {
    register_module("body", body);
    register_module("head", head);
  }
  Tensor forward(const Tensor& x) { return head(body(x)); }
  nn::Sequential body{nn::Linear(8, 16), nn::ReLU()};
  nn::Linear head{16, 4};
};
TERN_MODULE(ProfiledNet);

/// One step of training.
inline void train_step(ProfiledNet& net, optim::Optimizer& optimizer, const Tensor& x) {
  optimizer.zero_grad();
  net(x).pow(2).mean().backward();
  optimizer.step();
}

/// Returns the profile of `body`.
template <class Body>
void profiled(profiler::Profile& profile, const Body& body) {
  profile.start();
  body();
  profile.stop();
}

inline std::vector<profiler::FunctionEvent> named(const profiler::Profile& profile,
                                                  const std::string& name) {
  std::vector<profiler::FunctionEvent> found;
  for (const profiler::FunctionEvent& event : profile.events()) {
    if (event.name == name) found.push_back(event);
  }
  return found;
}

/// Every event lies within its parent, on the same thread.
inline void expect_nested(const profiler::Profile& profile) {
  const auto events = profile.events();
  for (const profiler::FunctionEvent& event : events) {
    if (event.parent < 0) continue;
    const profiler::FunctionEvent& parent = events.at(static_cast<std::size_t>(event.parent));
    EXPECT_EQ(event.thread_id, parent.thread_id);
    EXPECT_GE(event.start_us, parent.start_us) << event.name << " in " << parent.name;
    EXPECT_LE(event.start_us + event.duration_us, parent.start_us + parent.duration_us + 0.002)
        << event.name << " in " << parent.name;
  }
}

}  // namespace tern::testing
