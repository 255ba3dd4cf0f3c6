#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/mt19937.h>

namespace tern {

/// A source of random numbers for one device; copies share it. On the CPU it is an Mt19937; on CUDA
/// a seed and an offset for Philox4x32-10.
///
/// Functions that draw lock `mutex()` once per call. Whoever reseeds a generator, or reads or sets
/// its state, while another thread may draw from it holds the mutex, too.
class TERN_API Generator {
 public:
  /// A new generator, seeded with Mt19937::kDefaultSeed. Throws DeviceError for meta.
  explicit Generator(Device device = kCPU);

  Device device() const { return impl_->device; }
  std::mutex& mutex() const { return impl_->mutex; }

  /// Starts over from `seed`, which also drops the cached normal or returns to offset 0.
  void set_current_seed(std::uint64_t seed);
  /// The same, returning this generator.
  Generator& manual_seed(std::uint64_t seed);
  /// The seed that was last set, whatever was drawn since.
  std::uint64_t current_seed() const { return impl_->engine.initial_seed(); }
  std::uint64_t initial_seed() const { return current_seed(); }
  /// Starts over from a seed of 53 bits that nobody can foresee, and returns it.
  std::uint64_t seed();

  /// All that decides the numbers to come: on the CPU as `torch.get_rng_state()`, 5,056 bytes; on
  /// CUDA seed and offset, 16 bytes.
  std::vector<std::uint8_t> state_bytes() const;
  /// Throws Error, and changes nothing, for what `state_bytes` cannot have written.
  void set_state_bytes(const std::vector<std::uint8_t>& bytes);
  /// An independent generator in the same state.
  Generator clone() const;

  /// The engine; CPU only.
  Mt19937& engine() const;

  /// Philox's offset, counted in words of each subsequence; CUDA only.
  std::uint64_t get_offset() const;
  /// Throws Error unless `offset` is a multiple of 4.
  void set_offset(std::uint64_t offset);
  /// Returns the offset to draw from and moves it past `blocks` blocks of four words: 1 is enough
  /// for four 32-bit numbers per subsequence, 2 for four of 64 bits.
  std::uint64_t reserve(std::uint64_t blocks = 1);

  friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }

 private:
  struct Impl final : RefCounted {
    explicit Impl(Device where) : device(where) {}
    const Device device;
    std::mutex mutex;
    Mt19937 engine;  // on CUDA it only keeps the seed
    std::uint64_t offset = 0;
  };
  IntrusivePtr<Impl> impl_;
};

/// The generator that is used where none is given; made at the first call, from a seed that nobody
/// can foresee unless `manual_seed` set one. Throws DeviceError for meta and for `cuda` without an
/// index. The reference stays valid.
TERN_API Generator& default_generator(Device device);

/// Seeds the default generators of the CPU and of every CUDA device, including those not made yet.
TERN_API void manual_seed(std::uint64_t seed);
/// Does so with a seed that nobody can foresee, and returns it.
TERN_API std::uint64_t seed();
/// The seed of the CPU's default generator.
TERN_API std::uint64_t initial_seed();

namespace cuda {
/// Seeds the default generators of every CUDA device, including those not made yet.
TERN_API void manual_seed_all(std::uint64_t seed);
}  // namespace cuda

}  // namespace tern
