#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <tern/core/tensor/generator.h>
#include <tern/nn/module.h>

namespace tern::nn {

namespace detail {

/// Restores the state of the CPU's default generator. The numbers that reset() draws for a copy are
/// discarded and must not change later draws.
class TERN_API RandomStateGuard {
 public:
  RandomStateGuard();
  ~RandomStateGuard();
  RandomStateGuard(const RandomStateGuard&) = delete;
  RandomStateGuard& operator=(const RandomStateGuard&) = delete;

 private:
  std::vector<std::uint8_t> state_;
};

/// An argument of constructors that register nothing, for derived classes.
struct Unregistered {};

}  // namespace detail

/// A module that can be deep-copied.
///
/// Derived registers all parameters, buffers and submodules in reset(), which its constructor
/// calls. clone() copies the object, calls reset() so that the copy gets its own tensors, and fills
/// them. The copy keeps dtypes, requires_grad, modes and hooks; it has no gradients. The other data
/// members are copied, too, also those of submodules that reset() makes, if these can be assigned.
template <class Derived>
class TERN_API Cloneable : public Module {
 public:
  using Module::Module;

  /// Registers parameters, buffers and submodules anew, with their initial values.
  virtual void reset() = 0;

  /// Returns a deep copy, optionally on another device. Draws no random numbers from the default
  /// generator.
  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;

 protected:
  /// Returns the assignment of Derived, null if it has none or if this is a class derived from it.
  Assign assignment() const override;
};

template <class Derived>
std::shared_ptr<Module> Cloneable<Derived>::clone(const std::optional<Device>& device) const {
  const detail::RandomStateGuard guard;
  // Casts through the base classes, because Derived may inherit privately. A shared_ptr<Module>
  // adds no template instantiation, because every program has one.
  Cloneable* const fresh = new Derived(static_cast<const Derived&>(*this));
  std::shared_ptr<Module> copy(static_cast<Module*>(fresh));
  fresh->forget_registered();
  fresh->reset();
  fresh->copy_from(*this, device);
  return copy;
}

template <class Derived>
Module::Assign Cloneable<Derived>::assignment() const {
  if constexpr (std::is_copy_assignable_v<Derived>) {
    if (typeid(*this) != typeid(Derived)) return nullptr;  // would assign a part of it
    return [](Module& to, const Module& from) {
      static_cast<Derived&>(static_cast<Cloneable&>(to)) =
          static_cast<const Derived&>(static_cast<const Cloneable&>(from));
    };
  }
  return nullptr;
}

}  // namespace tern::nn
