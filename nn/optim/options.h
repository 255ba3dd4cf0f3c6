#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/tensor/state.h>

namespace tern::optim {

/// The name of an option or member that states of older PyTorch versions lack; loading such a state
/// is no error. Used in the function fields() of options and schedulers.
///
/// Example:
///   std::pair(Later("maximize"), &SGDOptions::maximize_)
struct Later {
  /// Names an option or member.
  explicit constexpr Later(const char* its_name) : name(its_name) {}
  /// Returns the name.
  constexpr operator const char*() const { return name; }
  /// The name.
  const char* name;
};

/// The options of one parameter group, such as the learning rate. Every optimizer has its own class
/// of options.
class TERN_API OptimizerOptions {
 public:
  /// Frees the options.
  virtual ~OptimizerOptions();
  /// Returns a copy.
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  /// Returns the learning rate.
  virtual double get_lr() const = 0;
  /// Sets the learning rate.
  virtual void set_lr(double lr) = 0;
  /// Returns the option `momentum`, or the first of `betas`. Empty if the optimizer has neither.
  virtual std::optional<double> get_momentum() const = 0;
  /// Sets the number that get_momentum() returns. Does nothing if the optimizer has none.
  virtual void set_momentum(double momentum) = 0;
  /// Throws Error if a number is out of its range ("Invalid learning rate: -1").
  virtual void check() const = 0;
  /// Copies the options that were not set here from `defaults`. Throws Error if `defaults` has
  /// another class.
  virtual void inherit(const OptimizerOptions& defaults) = 0;
  /// Inserts every option into `group` under its name.
  virtual void save(State& group) const = 0;
  /// Reads every option from `group`. An option that PyTorch added later gets its default if the
  /// group lacks it. Throws IndexError if another option is missing.
  virtual void load(const State& group) = 0;

 protected:
  /// For deriving classes.
  OptimizerOptions() = default;
  /// For deriving classes.
  OptimizerOptions(const OptimizerOptions&) = default;
  /// For deriving classes.
  OptimizerOptions& operator=(const OptimizerOptions&) = default;
};

namespace detail {

/// One option. Knows whether the user set its value.
template <class T>
struct OptionField {
  template <class U>
  OptionField(U initial_value) : value(std::move(initial_value)), initial(value) {}
  bool is_chosen() const { return chosen || value != initial; }

  T value;
  T initial;
  bool chosen = false;
};

TERN_API void save_option(State& group, const char* name, double value);
TERN_API void save_option(State& group, const char* name, bool value);
TERN_API void save_option(State& group, const char* name, std::int64_t value);
TERN_API void save_option(State& group, const char* name, const std::string& value);
TERN_API void load_option(const State& group, const char* name, double& value);
TERN_API void load_option(const State& group, const char* name, bool& value);
TERN_API void load_option(const State& group, const char* name, std::int64_t& value);
TERN_API void load_option(const State& group, const char* name, std::string& value);
/// An empty option is null in files, as Python's None.
template <class T>
void save_option(State& group, const char* name, const std::optional<T>& value) {
  if (!value) return group.insert(name, nullptr);
  save_option(group, name, *value);
}
template <class T>
void load_option(const State& group, const char* name, std::optional<T>& value) {
  value.reset();
  if (!group[name].is_null()) load_option(group, name, value.emplace());
}
/// Returns the list under `name`. Throws Error if it has another length.
TERN_API const std::vector<State>& option_list(const State& group, const char* name,
                                               std::size_t size);
TERN_API State number_state(const std::optional<double>& number);
TERN_API void load_number(const State& state, const char* name, double& number);
TERN_API void load_number(const State& state, const char* name, std::optional<double>& number);
/// Several numbers are a list in files.
template <class... Numbers>
void save_option(State& group, const char* name, const std::tuple<Numbers...>& numbers) {
  std::apply([&](const auto&... each) { group.insert(name, State::list({number_state(each)...})); },
             numbers);
}
template <class... Numbers>
void load_option(const State& group, const char* name, std::tuple<Numbers...>& numbers) {
  const State* saved = option_list(group, name, sizeof...(Numbers)).data();
  std::apply([&](auto&... each) { (load_number(*saved++, name, each), ...); }, numbers);
}
[[noreturn]] TERN_API void options_class_error(const OptimizerOptions& options,
                                               const OptimizerOptions& defaults);

}  // namespace detail

namespace detail {
/// std::unique_ptr<T>, in a form that depends on `Derived`: a definition in a template makes the
/// class only for programs that derive from the template.
template <class T, class Derived>
struct ClonePointer {
  using type = std::unique_ptr<T>;
};
}  // namespace detail

/// Implements the virtual functions of an options class. Derived must have a static fields(), which
/// returns pairs of a name and a pointer to the member.
template <class Derived>
class TERN_API OptimizerCloneableOptions : public OptimizerOptions {
 public:
  /// Returns a copy.
  typename detail::ClonePointer<OptimizerOptions, Derived>::type clone() const override;
  /// Returns the learning rate.
  double get_lr() const override { return self().lr(); }
  /// Sets the learning rate.
  void set_lr(double lr) override { self().lr(lr); }
  /// Returns the option `momentum`, or the first of `betas`.
  std::optional<double> get_momentum() const override {
    if constexpr (requires(const Derived& options) { options.momentum(); }) {
      return self().momentum();
    } else if constexpr (requires(const Derived& options) { options.betas(); }) {
      return std::get<0>(self().betas());
    } else {
      return std::nullopt;
    }
  }
  /// Sets the number that get_momentum() returns.
  void set_momentum([[maybe_unused]] double momentum) override {
    if constexpr (requires(Derived & options) { options.momentum(momentum); }) {
      self().momentum(momentum);
    } else if constexpr (requires(Derived & options) { options.betas(); }) {
      std::get<0>(self().betas()) = momentum;
    }
  }
  /// Copies the options that were not set here from `defaults`.
  void inherit(const OptimizerOptions& defaults) override;
  /// Inserts every option into `group` under its name.
  void save(State& group) const override;
  /// Reads every option except `capturable` from `group`. A missing option gets its default if its
  /// name is a Later. Throws IndexError if another option is missing.
  void load(const State& group) override;

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  const Derived& self() const { return static_cast<const Derived&>(*this); }
  template <class Visit>
  static void each(const Visit& visit) {
    std::apply([&](const auto&... field) { (visit(field.first, field.second), ...); },
               Derived::fields());
  }
};

// Not inline, so that `extern template` keeps them out of programs.

template <class Derived>
typename detail::ClonePointer<OptimizerOptions, Derived>::type
OptimizerCloneableOptions<Derived>::clone() const {
  return std::make_unique<Derived>(self());
}

template <class Derived>
void OptimizerCloneableOptions<Derived>::inherit(const OptimizerOptions& defaults) {
  const auto* others = dynamic_cast<const Derived*>(&defaults);
  if (others == nullptr) detail::options_class_error(*this, defaults);
  each([&](const char*, auto member) {
    if (!(self().*member).is_chosen()) (self().*member).value = (others->*member).value;
  });
}

template <class Derived>
void OptimizerCloneableOptions<Derived>::save(State& group) const {
  each([&](const char* name, auto member) {
    detail::save_option(group, name, (self().*member).value);
  });
}

template <class Derived>
void OptimizerCloneableOptions<Derived>::load(const State& group) {
  each([&](auto key, auto member) {
    const char* const name = key;
    auto& field = self().*member;
    if (std::string_view(name) == "capturable") return;  // depends on the program, not the training
    if (std::is_same_v<decltype(key), Later> && !group.contains(name)) {
      field.value = field.initial;
    } else {
      detail::load_option(group, name, field.value);
    }
  });
}

}  // namespace tern::optim

// NOLINTBEGIN(bugprone-macro-parentheses): types and names cannot be in parentheses.

/// Declares an option with its accessors in an options class. The option knows whether the user set
/// it.
///
/// Example:
///   TERN_OPTIM_ARG(double, lr) = 1e-3;
#define TERN_OPTIM_ARG(Type, name)                            \
 public:                                                      \
  auto& name(::tern::detail::Argument<Type> value) {          \
    name##_.value = std::forward<decltype(value)>(value);     \
    name##_.chosen = true;                                    \
    return *this;                                             \
  }                                                           \
  Type& name() noexcept { return name##_.value; }             \
  const Type& name() const noexcept { return name##_.value; } \
                                                              \
 private:                                                     \
  ::tern::optim::detail::OptionField<Type> name##_

// NOLINTEND(bugprone-macro-parentheses)
