#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tern/core/tensor/generator.h>
#include <tern/nn/module.h>

namespace tern::nn {

namespace detail {

/// Puts the CPU's default generator back to where it was: what reset() draws for a copy is thrown
/// away, so it must not change the numbers to come.
class TERN_API RandomStateGuard {
 public:
  RandomStateGuard();
  ~RandomStateGuard();
  RandomStateGuard(const RandomStateGuard&) = delete;
  RandomStateGuard& operator=(const RandomStateGuard&) = delete;

 private:
  std::vector<std::uint8_t> state_;
};

}  // namespace detail

/// A module that can be deep-copied.
///
/// Derived registers all parameters, buffers and submodules in reset(), which its constructor
/// calls. clone() copies the object, calls reset() so that the copy gets its own tensors, and fills
/// them. The copy keeps dtypes, requires_grad, modes and hooks; it has no gradients.
template <class Derived>
class TERN_API Cloneable : public Module {
 public:
  using Module::Module;

  /// Registers parameters, buffers and submodules anew, with their initial values.
  virtual void reset() = 0;

  /// Returns a deep copy, optionally on another device. Draws no random numbers from the default
  /// generator.
  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
};

template <class Derived>
std::shared_ptr<Module> Cloneable<Derived>::clone(const std::optional<Device>& device) const {
  const detail::RandomStateGuard guard;
  // Through the bases: Derived may inherit in private, and a pointer to Module is one that every
  // program instantiates anyway.
  Cloneable* const fresh = new Derived(static_cast<const Derived&>(*this));
  std::shared_ptr<Module> copy(static_cast<Module*>(fresh));
  fresh->forget_registered();
  fresh->reset();
  fresh->copy_from(*this, device);
  return copy;
}

}  // namespace tern::nn
