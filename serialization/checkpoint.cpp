#include <tern/serialization/checkpoint.h>

#include <mutex>

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

}  // namespace tern
