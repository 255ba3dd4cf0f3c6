#include <tern/serialization/checkpoint.h>

#include <mutex>
#include <utility>
#include <vector>

#include <tern/core/kernels/backend.h>
#include <tern/serialization/file/detail/base64.h>

namespace tern {

namespace {

std::vector<std::uint8_t> bytes_of(const State& state) {
  const std::string bytes = detail::base64_decode(state.string());
  return {bytes.begin(), bytes.end()};
}

void set_locked(Generator& generator, const std::vector<std::uint8_t>& bytes) {
  const std::lock_guard lock(generator.mutex());
  generator.set_state_bytes(bytes);
}

}  // namespace

State generator_state(const Generator& generator) {
  const std::lock_guard lock(generator.mutex());
  const std::vector<std::uint8_t> bytes = generator.state_bytes();
  return detail::base64_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void set_generator_state(Generator& generator, const State& state) {
  set_locked(generator, bytes_of(state));
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
  // Checks all states before setting the first, so that an error changes nothing.
  std::vector<std::pair<Generator, std::vector<std::uint8_t>>> staged;
  for (const auto& [device, state] : states) {
    const auto& [generator, bytes] =
        staged.emplace_back(default_generator(Device(device)), bytes_of(state));
    Generator trial(generator.device());
    trial.set_state_bytes(bytes);
  }
  for (auto& [generator, bytes] : staged) set_locked(generator, bytes);
}

}  // namespace tern
