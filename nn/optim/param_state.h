#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tern/core/tensor/state.h>
#include <tern/nn/optim/options.h>
#include <tern/nn/options/options_arg.h>

namespace tern::optim {

namespace detail {

struct StateFields;

/// What is known of an entry of a state beside its value; see TERN_OPTIM_STATE.
struct EntryTraits {
  const char* key;         // its name in files
  bool optional = false;   // a tensor that may be missing after a step
  bool not_saved = false;  // depends on the program, not on the training
};

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
/// Adds an entry to those that a step reads and changes.
TERN_API void add_entry(StateFields& fields, const EntryTraits& traits, Tensor& tensor);
TERN_API void add_entry(StateFields& fields, const EntryTraits& traits, std::int64_t& step);
TERN_API void add_entry(StateFields& fields, const EntryTraits& traits, float& number);

/// One entry of any type.
class TERN_API EntryBase {
 public:
  const EntryTraits& traits() const { return *traits_; }
  virtual void save(State& state) const = 0;
  virtual void load(const State& state, const Tensor& parameter) = 0;
  virtual void add_to(StateFields& fields) = 0;

 protected:
  explicit EntryBase(const EntryTraits& traits) : traits_(&traits) {}
  EntryBase(const EntryBase&) = default;
  EntryBase& operator=(const EntryBase&) = default;
  ~EntryBase() = default;

 private:
  const EntryTraits* traits_;
};

/// An entry of type T: a tensor, a step count or a float.
template <class T>
class TERN_API EntryField final : public EntryBase {
 public:
  using Traits = EntryTraits;
  using Value = T;

  EntryField(FieldList& list, const EntryTraits& traits, T initial)
      : EntryBase(traits), value(std::move(initial)) {
    list.add(static_cast<EntryBase*>(this));
  }
  void save(State& state) const override { save_entry(state, traits().key, value); }
  void load(const State& state, const Tensor& parameter) override {
    load_entry(state, traits().key, parameter, value);
  }
  void add_to(StateFields& fields) override { add_entry(fields, traits(), value); }

  T value;
};

extern template class EntryField<Tensor>;
extern template class EntryField<std::int64_t>;
extern template class EntryField<float>;

}  // namespace detail

/// The state that an optimizer keeps for one parameter.
class TERN_API OptimizerParamState {
 public:
  /// Frees the state.
  virtual ~OptimizerParamState();
  /// Returns a copy; tensors share their elements.
  virtual std::unique_ptr<OptimizerParamState> clone() const = 0;
  /// Returns every defined entry under its name, in Python's form.
  virtual State save() const;
  /// Copies the entries of `state` to the device and dtype of `parameter`. Tensors may be null or
  /// missing. Throws Error if an entry has the wrong kind, dtype or size.
  virtual void load(const State& state, const Tensor& parameter);
  /// Throws Error if steps were taken but a tensor is missing that every step needs. At step 0
  /// tensors may be missing, because the first step may have failed.
  virtual void check() const;

 protected:
  /// For deriving classes.
  OptimizerParamState() = default;
  /// For deriving classes.
  OptimizerParamState(const OptimizerParamState&) = default;
  /// For deriving classes.
  OptimizerParamState& operator=(const OptimizerParamState&) = default;

  /// The entries, in the order in which they are declared and saved.
  detail::FieldList fields_;

 private:
  friend class Optimizer;
  friend struct detail::StateFields;

  Tensor parameter_;  // kept, because the optimizer finds the state by its address
};

namespace detail {
/// Returns true for states of one class with equal entries.
TERN_API bool are_equal(const OptimizerParamState& a, const OptimizerParamState& b);
}  // namespace detail

/// Implements clone() of a state class.
template <class Derived>
class TERN_API OptimizerCloneableParamState : public OptimizerParamState {
 public:
  /// Returns a copy; tensors share their elements.
  typename detail::ClonePointer<OptimizerParamState, Derived>::type clone() const override;
};

/// Returns true if all entries are equal; of tensors, dtype, size and elements.
template <class ParamState>
requires std::is_base_of_v<OptimizerCloneableParamState<ParamState>, ParamState>
bool operator==(const ParamState& a, const ParamState& b) { return detail::are_equal(a, b); }

// Not inline, so that `extern template` keeps it out of programs.
template <class Derived>
typename detail::ClonePointer<OptimizerParamState, Derived>::type
OptimizerCloneableParamState<Derived>::clone() const {
  static_assert(
      !requires { Derived::fields(); }, "declare members with TERN_OPTIM_STATE");
  return std::make_unique<Derived>(static_cast<const Derived&>(*this));
}

}  // namespace tern::optim

// NOLINTBEGIN(bugprone-macro-parentheses): types and names cannot be in parentheses.

/// Declares an entry of a state class with its accessors: a tensor, the step count or a float. The
/// entries of a class are saved in the order of their lines, and its tensors are the states of the
/// rule in this order. Members of EntryTraits follow the name.
///
/// Example:
///   TERN_OPTIM_STATE(std::int64_t, step) = 0;
///   TERN_OPTIM_STATE(Tensor, max_exp_avg_sq, .optional = true);
#define TERN_OPTIM_STATE(Type, name, ...)                                                 \
 public:                                                                                  \
  auto& name(::tern::detail::Argument<Type> value) {                                      \
    name##_.value = std::move(value);                                                     \
    return *this;                                                                         \
  }                                                                                       \
  Type& name() noexcept { return name##_.value; }                                         \
  const Type& name() const noexcept { return name##_.value; }                             \
                                                                                          \
 private:                                                                                 \
  static constexpr ::tern::optim::detail::EntryTraits name##_traits_ = {.key = #name,     \
                                                                        __VA_ARGS__};     \
  ::tern::optim::detail::EntryField<Type> name##_ =                                       \
      ::tern::optim::detail::FieldMaker<::tern::optim::detail::EntryField<Type>>(fields_, \
                                                                                 name##_traits_)

// NOLINTEND(bugprone-macro-parentheses)
