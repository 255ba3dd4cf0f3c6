#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/mt19937.h>

namespace tern {

class Tensor;

/// A source of random numbers for one device; copies share its state. A CPU generator is an
/// Mt19937; a CUDA generator is a seed and an offset for Philox4x32-10.
///
/// Ops that draw lock `mutex()` once per call. Lock it also to reseed a generator, or to read or
/// set its state, while another thread may draw from it.
///
/// Example:
///   tern::Generator generator;
///   generator.manual_seed(7);
///   tern::Tensor noise = tern::randn({2, 3}, generator);
class TERN_API Generator {
 public:
  /// Makes a generator that is seeded with Mt19937::kDefaultSeed. Throws DeviceError for meta.
  explicit Generator(Device device = kCPU);

  /// Returns the device whose tensors the generator fills.
  Device device() const { return impl_->device; }
  /// Returns the lock that every drawing op takes.
  std::mutex& mutex() const { return impl_->mutex; }

  /// Restarts the sequence from `seed`. On the CPU the cached normal number is dropped, on CUDA the
  /// offset becomes 0.
  void set_current_seed(std::uint64_t seed);
  /// Does the same as set_current_seed and returns this generator.
  Generator& manual_seed(std::uint64_t seed);
  /// Returns the last seed that was set; drawing does not change it.
  std::uint64_t current_seed() const { return impl_->engine.initial_seed(); }
  /// Returns the same as current_seed().
  std::uint64_t initial_seed() const { return current_seed(); }
  /// Restarts the sequence from an unpredictable seed of 53 bits and returns the seed.
  std::uint64_t seed();

  /// Returns the state that determines all later numbers. CPU: the 5,056 bytes of
  /// `torch.get_rng_state()`; CUDA: seed and offset, 16 bytes.
  std::vector<std::uint8_t> state_bytes() const;
  /// Restores a result of `state_bytes()`. Throws Error for other bytes; the generator is then
  /// unchanged.
  void set_state_bytes(const std::vector<std::uint8_t>& bytes);
  /// Returns state_bytes() as a uint8 tensor on the CPU.
  Tensor get_state() const;
  /// Restores a result of get_state(), or of PyTorch's torch.get_rng_state(). Throws DTypeError
  /// unless the tensor is uint8, and Error for other bytes; the generator is then unchanged.
  void set_state(const Tensor& state);
  /// Returns true: every generator has a device. False after a move.
  bool defined() const { return static_cast<bool>(impl_); }
  /// Returns an independent generator in the same state.
  Generator clone() const;
  /// Takes the state of `other`, which is of the same kind of device, without sharing it. Throws
  /// DeviceError if one is for the CPU and the other for CUDA.
  void copy_state(const Generator& other);

  /// Returns an independent generator for worker `index` of a program that draws in parallel. Its
  /// seed depends only on the last seed of this generator and on `index`, so it does not matter
  /// what was drawn before, or in which order workers ask. Distinct indices from 0 to 2^32 - 1 give
  /// distinct sequences. This generator does not change.
  ///
  /// Example:
  ///   tern::Generator seeds;
  ///   seeds.manual_seed(7);
  ///   tern::Generator mine = seeds.fork(worker);
  Generator fork(std::uint64_t index) const;

  /// Returns the engine. Only CPU generators have one.
  Mt19937& engine() const;

  /// Returns Philox's offset, counted in 32-bit words of each subsequence. Only for CUDA
  /// generators.
  std::uint64_t get_offset() const;
  /// Sets Philox's offset. Throws Error unless `offset` is a multiple of 4. Only for CUDA
  /// generators.
  void set_offset(std::uint64_t offset);
  /// Returns the current offset and advances it by `blocks` blocks of four words. One block is
  /// enough for four 32-bit numbers per subsequence, two blocks for four 64-bit numbers. Only for
  /// CUDA generators.
  std::uint64_t reserve(std::uint64_t blocks = 1);

  /// Returns true when both handles share one generator.
  friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }

 private:
  struct Impl final : RefCounted {
    explicit Impl(Device where) : device(where) {}
    const Device device;
    std::mutex mutex;
    Mt19937 engine;  // CUDA generators use only its seed
    std::uint64_t offset = 0;
  };
  IntrusivePtr<Impl> impl_;
};

/// Returns the generator that ops use when no generator is given. The first call makes it, with an
/// unpredictable seed unless `manual_seed` set one. The reference stays valid. Throws DeviceError
/// for meta and for `cuda` without an index.
TERN_API Generator& default_generator(Device device);

/// Seeds the default generators of the CPU and of every CUDA device, including those not made yet.
TERN_API void manual_seed(std::uint64_t seed);
/// Seeds the default generators of all devices with one unpredictable seed and returns the seed.
TERN_API std::uint64_t seed();
/// Returns the seed of the CPU's default generator.
TERN_API std::uint64_t initial_seed();

/// Restores the default generators of the CPU and of `devices` at the end of its scope, so that the
/// code inside draws without changing what is drawn after it. Throws DeviceError as
/// default_generator() does.
///
/// Example:
///   {
///     tern::ForkRngGuard guard;
///     tern::manual_seed(0);
///     noise = tern::randn({3});
///   }
class TERN_API ForkRngGuard {
 public:
  /// Remembers the states.
  explicit ForkRngGuard(const std::vector<Device>& devices = {});
  /// Restores the states.
  ~ForkRngGuard();  // NOLINT(bugprone-exception-escape): see generator.cpp
  ForkRngGuard(const ForkRngGuard&) = delete;
  ForkRngGuard& operator=(const ForkRngGuard&) = delete;

 private:
  struct Saved {
    Generator generator, state;
  };
  std::vector<Saved> saved_;
};

namespace cuda {
/// Seeds the default generators of every CUDA device, including those not made yet.
TERN_API void manual_seed_all(std::uint64_t seed);
}  // namespace cuda

}  // namespace tern
