#include <tern/core/tensor/generator.h>

#include <cstring>
#include <map>
#include <optional>
#include <random>

#include <tern/core/base/error.h>

namespace tern {
namespace {

// 53 bits, so that readers that only have doubles keep the seed exactly.
std::uint64_t unforeseeable_seed() {
  std::random_device source;
  const std::uint64_t high = source();
  return ((high << 32) | source()) & ((std::uint64_t{1} << 53) - 1);
}

struct DefaultGenerators {
  DefaultGenerators() { cpu.seed(); }

  Generator cpu;
  std::mutex mutex;  // guards the members below; locked before a generator's mutex
  std::map<DeviceIndex, Generator> cuda;
  std::optional<std::uint64_t> cuda_seed;  // for generators not made yet
};

// Never destroyed: threads may draw until the process ends.
DefaultGenerators& default_generators() {
  static auto* const generators = new DefaultGenerators;
  return *generators;
}

void seed_locked(Generator& generator, std::uint64_t seed) {
  const std::lock_guard lock(generator.mutex());
  generator.set_current_seed(seed);
}

}  // namespace

Generator::Generator(Device device) : impl_(make_intrusive<Impl>(device)) {
  TERN_CHECK(!device.is_meta(), DeviceError, "Generator: expected a cpu or cuda device, got ",
             device);
}

void Generator::set_current_seed(std::uint64_t seed) {
  impl_->engine.seed(seed);
  impl_->offset = 0;
}

Generator& Generator::manual_seed(std::uint64_t seed) {
  set_current_seed(seed);
  return *this;
}

std::uint64_t Generator::seed() {
  set_current_seed(unforeseeable_seed());
  return current_seed();
}

std::vector<std::uint8_t> Generator::state_bytes() const {
  if (device().is_cpu()) return engine().state_bytes();
  const std::uint64_t state[2] = {current_seed(), impl_->offset};
  std::vector<std::uint8_t> bytes(sizeof(state));
  std::memcpy(bytes.data(), state, sizeof(state));
  return bytes;
}

void Generator::set_state_bytes(const std::vector<std::uint8_t>& bytes) {
  if (device().is_cpu()) return engine().set_state_bytes(bytes);
  std::uint64_t state[2];
  TERN_CHECK(bytes.size() == sizeof(state), Error, "RNG state is wrong size: a generator on ",
             device(), " has ", sizeof(state), " bytes, got ", bytes.size());
  std::memcpy(state, bytes.data(), sizeof(state));
  set_offset(state[1]);
  impl_->engine.seed(state[0]);
}

Generator Generator::clone() const {
  Generator copy(device());
  copy.impl_->engine = impl_->engine;
  copy.impl_->offset = impl_->offset;
  return copy;
}

Mt19937& Generator::engine() const {
  TERN_ASSERT(device().is_cpu());
  return impl_->engine;
}

std::uint64_t Generator::get_offset() const {
  TERN_CHECK(device().is_cuda(), DeviceError, "get_offset: a generator on ", device(),
             " has no Philox offset");
  return impl_->offset;
}

void Generator::set_offset(std::uint64_t offset) {
  TERN_CHECK(device().is_cuda(), DeviceError, "set_offset: a generator on ", device(),
             " has no Philox offset");
  TERN_CHECK(offset % 4 == 0, Error, "offset must be a multiple of 4, got ", offset);
  impl_->offset = offset;
}

std::uint64_t Generator::reserve(std::uint64_t blocks) {
  const std::uint64_t offset = get_offset();
  impl_->offset += 4 * blocks;
  return offset;
}

Generator& default_generator(Device device) {
  DefaultGenerators& generators = default_generators();
  if (device.is_cpu()) return generators.cpu;
  TERN_CHECK(device.is_cuda() && device.has_index(), DeviceError,
             "default_generator: expected cpu or cuda with an index, got ", device);
  const std::lock_guard lock(generators.mutex);
  const auto found = generators.cuda.find(device.index());
  if (found != generators.cuda.end()) return found->second;
  Generator generator(device);
  generator.set_current_seed(generators.cuda_seed ? *generators.cuda_seed : unforeseeable_seed());
  return generators.cuda.emplace(device.index(), generator).first->second;
}

void manual_seed(std::uint64_t seed) {
  seed_locked(default_generators().cpu, seed);
  cuda::manual_seed_all(seed);
}

std::uint64_t seed() {
  const std::uint64_t seed = unforeseeable_seed();
  manual_seed(seed);
  return seed;
}

std::uint64_t initial_seed() {
  const std::lock_guard lock(default_generators().cpu.mutex());
  return default_generators().cpu.current_seed();
}

void cuda::manual_seed_all(std::uint64_t seed) {
  DefaultGenerators& generators = default_generators();
  const std::lock_guard lock(generators.mutex);
  generators.cuda_seed = seed;
  for (auto& [index, generator] : generators.cuda) seed_locked(generator, seed);
}

}  // namespace tern
