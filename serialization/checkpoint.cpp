#include <tern/serialization/checkpoint.h>

#include <mutex>

#include <tern/core/kernels/backend.h>
#include <tern/serialization/base64.h>

namespace tern {

State generator_state(const Generator& generator) {
  const std::lock_guard lock(generator.mutex());
  const std::vector<std::uint8_t> bytes = generator.state_bytes();
  return base64_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void set_generator_state(Generator& generator, const State& state) {
  const std::string bytes = base64_decode(state.string());
  const std::lock_guard lock(generator.mutex());
  generator.set_state_bytes({bytes.begin(), bytes.end()});
}

State generator_states() {
  State states;
  states.insert("cpu", generator_state(default_generator(kCPU)));
  const int count = kernels::backend_of(kCUDA).device_count();
  for (DeviceIndex i = 0; i < count; ++i) {
    const Device device(kCUDA, i);
    states.insert(device.str(), generator_state(default_generator(device)));
  }
  return states;
}

void set_generator_states(const State& states) {
  for (const auto& [device, state] : states) {
    Generator trial{Device(device)};
    set_generator_state(trial, state);
  }
  for (const auto& [device, state] : states) {
    set_generator_state(default_generator(Device(device)), state);
  }
}

}  // namespace tern
