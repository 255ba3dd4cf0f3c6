#include <tern/core/tensor/generator.h>

#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/tensor/detail/thread_generator.h>
#include <tern/core/tensor/tensor.h>

namespace tern {
namespace {

// 53 bits, so that readers that only have doubles keep the seed exactly.
std::uint64_t unforeseeable_seed() {
  std::random_device source;
  const std::uint64_t high = source();
  return ((high << 32) | source()) & ((std::uint64_t{1} << 53) - 1);
}

// Mixes the bits of a number reversibly: the output function of SplitMix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Does the same with 32 bits: the finalizer of MurmurHash3 (Appleby).
std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6b;
  x = (x ^ (x >> 13)) * 0xc2b2ae35;
  return x ^ (x >> 16);
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

// The default generator of the CPU on a thread that has its own.
constinit thread_local Generator* own_generator = nullptr;

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

Tensor Generator::get_state() const {
  const std::vector<std::uint8_t> bytes = state_bytes();
  Tensor state = detail::make_tensor({static_cast<std::int64_t>(bytes.size())}, kByte, kCPU);
  std::memcpy(state.data_ptr(), bytes.data(), bytes.size());
  return state;
}

void Generator::set_state(const Tensor& state) {
  TERN_CHECK(state.dtype() == kByte, DTypeError, "RNG state must be a torch.ByteTensor, got ",
             state.scalar_type());
  set_state_bytes(state.reshape({-1}).to_vector<std::uint8_t>());
}

Generator Generator::clone() const {
  Generator copy(device());
  copy.copy_state(*this);
  return copy;
}

void Generator::copy_state(const Generator& other) {
  TERN_CHECK(device().type() == other.device().type(), DeviceError,
             "copy_state: expected the state of a generator on ", device(), ", got one on ",
             other.device());
  impl_->engine = other.impl_->engine;
  impl_->offset = other.impl_->offset;
}

Generator Generator::fork(std::uint64_t index) const {
  // An Mt19937 uses only the low 32 bits of its seed. For a fixed seed, they are a bijection of the
  // low bits of the index.
  const std::uint64_t mixed = mix(current_seed());
  const auto low = mix32(static_cast<std::uint32_t>(mixed) + static_cast<std::uint32_t>(index));
  const std::uint64_t high = mix(mixed ^ mix(index + 1)) & 0xffffffff00000000;
  Generator forked(device());
  forked.set_current_seed(high | low);
  return forked;
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
  if (device.is_cpu()) return own_generator == nullptr ? generators.cpu : *own_generator;
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
  seed_locked(default_generator(kCPU), seed);
  cuda::manual_seed_all(seed);
}

std::uint64_t seed() {
  const std::uint64_t seed = unforeseeable_seed();
  manual_seed(seed);
  return seed;
}

std::uint64_t initial_seed() {
  const Generator& generator = default_generator(kCPU);
  const std::lock_guard lock(generator.mutex());
  return generator.current_seed();
}

detail::ThreadGenerator::ThreadGenerator(Generator generator)
    : generator_(std::move(generator)), outer_(std::exchange(own_generator, &generator_)) {}

detail::ThreadGenerator::~ThreadGenerator() { own_generator = outer_; }

ForkRngGuard::ForkRngGuard(const std::vector<Device>& devices) {
  const auto save = [&](Device device) {
    Generator& generator = default_generator(device);
    const std::lock_guard lock(generator.mutex());
    saved_.push_back({generator, generator.clone()});
  };
  save(kCPU);
  for (const Device device : devices) {
    if (!device.is_cpu()) save(device);
  }
}

// NOLINTNEXTLINE(bugprone-exception-escape): the states are of the generators' own kind
ForkRngGuard::~ForkRngGuard() {
  for (Saved& saved : saved_) {
    const std::lock_guard lock(saved.generator.mutex());
    saved.generator.copy_state(saved.state);
  }
}

void cuda::manual_seed_all(std::uint64_t seed) {
  DefaultGenerators& generators = default_generators();
  const std::lock_guard lock(generators.mutex);
  generators.cuda_seed = seed;
  for (auto& [index, generator] : generators.cuda) seed_locked(generator, seed);
}

}  // namespace tern
