#pragma once

#include <cstdint>
#include <memory>
#include <tuple>

#include <tern/core/tensor/state.h>
#include <tern/nn/optim/options.h>
#include <tern/nn/options/options_arg.h>

namespace tern::optim {

/// The state that an optimizer keeps for one parameter.
class TERN_API OptimizerParamState {
 public:
  /// Frees the state.
  virtual ~OptimizerParamState();
  /// Returns a copy; tensors share their elements.
  virtual std::unique_ptr<OptimizerParamState> clone() const = 0;
  /// Returns every defined entry under its name, in Python's form.
  virtual State save() const = 0;
  /// Copies the entries of `state` to the device and dtype of `parameter`. Tensors may be null or
  /// missing. Throws Error if an entry has the wrong kind, dtype or size.
  virtual void load(const State& state, const Tensor& parameter) = 0;
  /// Throws Error if the state lacks an entry that step() needs.
  virtual void check() const {}

 protected:
  /// For deriving classes.
  OptimizerParamState() = default;
  /// For deriving classes.
  OptimizerParamState(const OptimizerParamState&) = default;
  /// For deriving classes.
  OptimizerParamState& operator=(const OptimizerParamState&) = default;
};

namespace detail {

TERN_API void save_entry(State& state, const char* name, const Tensor& tensor);
/// Saves a step count as a tensor, as Python does.
TERN_API void save_entry(State& state, const char* name, std::int64_t step);
TERN_API void load_entry(const State& state, const char* name, const Tensor& parameter,
                         Tensor& tensor);
TERN_API void load_entry(const State& state, const char* name, const Tensor& parameter,
                         std::int64_t& step);
/// Saves a number as a tensor, as Python does.
TERN_API void save_entry(State& state, const char* name, float number);
TERN_API void load_entry(const State& state, const char* name, const Tensor& parameter,
                         float& number);

}  // namespace detail

/// Implements the virtual functions of a state class. Derived must have a static fields(), which
/// returns pairs of a name and a pointer to the member: a tensor, a step count or a float.
template <class Derived>
class TERN_API OptimizerCloneableParamState : public OptimizerParamState {
 public:
  /// Returns a copy; tensors share their elements.
  typename detail::ClonePointer<OptimizerParamState, Derived>::type clone() const override;
  /// Returns every defined entry under its name.
  State save() const override;
  /// Copies the entries of `state` to the device and dtype of `parameter`.
  void load(const State& state, const Tensor& parameter) override;

 private:
  template <class Visit>
  static void each(const Visit& visit) {
    std::apply([&](const auto&... field) { (visit(field.first, field.second), ...); },
               Derived::fields());
  }
};

// Not inline, so that `extern template` keeps them out of programs.

template <class Derived>
typename detail::ClonePointer<OptimizerParamState, Derived>::type
OptimizerCloneableParamState<Derived>::clone() const {
  return std::make_unique<Derived>(static_cast<const Derived&>(*this));
}

template <class Derived>
State OptimizerCloneableParamState<Derived>::save() const {
  State state;
  each([&](const char* name, auto member) {
    detail::save_entry(state, name, static_cast<const Derived&>(*this).*member);
  });
  return state;
}

template <class Derived>
void OptimizerCloneableParamState<Derived>::load(const State& state, const Tensor& parameter) {
  each([&](const char* name, auto member) {
    detail::load_entry(state, name, parameter, static_cast<Derived&>(*this).*member);
  });
}

}  // namespace tern::optim
