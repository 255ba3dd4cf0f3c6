#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/tensor/state.h>

namespace tern::optim {

/// The name of a member that states of older PyTorch versions lack; loading such a state is no
/// error. Used in the function fields() of schedulers.
///
/// Example:
///   visit(Later("best"), best_);
struct Later {
  /// Names a member.
  explicit constexpr Later(const char* its_name) : name(its_name) {}
  /// Returns the name.
  constexpr operator const char*() const { return name; }
  /// The name.
  const char* name;
};

class OptimizerOptions;

namespace detail {

/// The members of an object that its base class saves and loads. Each member adds itself when it is
/// made. The list has offsets, so that the list of a copy has the members of the copy.
class TERN_API FieldList {
 public:
  void add(const void* field);
  std::size_t size() const { return size_; }
  /// Returns member `i`, which has the base class T.
  template <class T>
  T& at(std::size_t i) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(this) + offsets_[i]);
  }
  template <class T>
  const T& at(std::size_t i) const {
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(this) + offsets_[i]);
  }

 private:
  std::uint8_t size_ = 0;
  std::uint16_t offsets_[15] = {};
};

/// Makes a member for a list: `Field member = FieldMaker<Field>(list, traits) = initial`.
template <class Field>
class FieldMaker {
 public:
  FieldMaker(FieldList& list, const typename Field::Traits& traits)
      : list_(list), traits_(traits) {}
  operator Field() const { return Field(list_, traits_, {}); }
  // NOLINTNEXTLINE(misc-unconventional-assign-operator): for the `=` behind TERN_OPTIM_ARG.
  Field operator=(typename Field::Value initial) const {
    return Field(list_, traits_, std::move(initial));
  }

 private:
  FieldList& list_;
  const typename Field::Traits& traits_;
};

/// What is known of an option beside its value; see TERN_OPTIM_ARG.
struct OptionTraits {
  const char* key;         // its name in files
  bool later = false;      // states of older PyTorch versions lack it; it then gets its default
  bool unchecked = false;  // every number is valid
  double least = 0;        // the range of a number
  double most = std::numeric_limits<double>::max();
  const char* newer = nullptr;  // begins an error text in the style of PyTorch's newer optimizers
};

/// The options of a group as the rule of a step takes them.
struct TERN_API RuleArguments {
  explicit RuleArguments(const OptimizerOptions& options);

  static constexpr int kMostNumbers = 6;
  double numbers[kMostNumbers] = {};  // without the learning rate, in the order of the options
  unsigned form = 0;                  // bit 0: maximize; from bit 1: the other bools in their order
  bool capturable = false;
  int number_count = 0;
  int flag_count = 0;
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
/// Throws Error for a number out of its range. Pairs are betas, which are at least 0 and below 1.
TERN_API void check_option(const OptionTraits& traits, double value);
TERN_API void check_option(const OptionTraits& traits, std::int64_t value);
TERN_API void check_option(const OptionTraits& traits, const std::tuple<double, double>& value);
template <class T>
void check_option(const OptionTraits& /*traits*/, const T& /*value*/) {}
/// Adds an option to those of a rule.
TERN_API void add_option(RuleArguments& rule, const char* name, double value);
TERN_API void add_option(RuleArguments& rule, const char* name, bool value);
TERN_API void add_option(RuleArguments& rule, const char* name,
                         const std::tuple<double, double>& value);
template <class T>
void add_option(RuleArguments& /*rule*/, const char* /*name*/, const T& /*value*/) {}

/// One option of any type.
class TERN_API OptionBase {
 public:
  const OptionTraits& traits() const { return *traits_; }
  virtual void save(State& group) const = 0;
  virtual void load(const State& group) = 0;
  virtual void inherit(const OptionBase& defaults) = 0;
  virtual void check() const = 0;
  virtual void add_to(RuleArguments& rule) const = 0;

 protected:
  explicit OptionBase(const OptionTraits& traits) : traits_(&traits) {}
  OptionBase(const OptionBase&) = default;
  OptionBase& operator=(const OptionBase&) = default;
  ~OptionBase() = default;

 private:
  const OptionTraits* traits_;
};

/// An option of type T. Knows whether the user set its value.
template <class T>
class TERN_API OptionField final : public OptionBase {
 public:
  using Traits = OptionTraits;
  using Value = T;

  OptionField(FieldList& list, const OptionTraits& traits, T initial_value)
      : OptionBase(traits), value(initial_value), initial(std::move(initial_value)) {
    list.add(static_cast<OptionBase*>(this));
  }
  void set(T new_value) {
    value = std::move(new_value);
    chosen = true;
  }
  void save(State& group) const override { save_option(group, traits().key, value); }
  void load(const State& group) override {
    if (traits().later && !group.contains(traits().key)) {
      value = initial;
    } else {
      load_option(group, traits().key, value);
    }
  }
  void inherit(const OptionBase& defaults) override {
    if (chosen || value != initial) return;
    value = static_cast<const OptionField&>(defaults).value;
  }
  void check() const override { check_option(traits(), value); }
  void add_to(RuleArguments& rule) const override { add_option(rule, traits().key, value); }

  T value;
  T initial;
  bool chosen = false;
};

// In the library, so that programs do not compile them.
extern template class OptionField<double>;
extern template class OptionField<bool>;
extern template class OptionField<std::int64_t>;
extern template class OptionField<std::optional<std::int64_t>>;
extern template class OptionField<std::optional<std::string>>;
extern template class OptionField<std::tuple<double, double>>;
extern template class OptionField<std::tuple<double, double, double>>;
extern template class OptionField<std::tuple<std::optional<double>, double>>;

/// std::unique_ptr<T>, in a form that depends on `Derived`: a definition in a template makes the
/// class only for programs that derive from the template.
template <class T, class Derived>
struct ClonePointer {
  using type = std::unique_ptr<T>;
};

}  // namespace detail

/// The options of one parameter group, such as the learning rate. Every optimizer has its own class
/// of options.
class TERN_API OptimizerOptions {
 public:
  /// Frees the options.
  virtual ~OptimizerOptions();
  /// Returns a copy.
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  /// Returns the learning rate.
  virtual double get_lr() const;
  /// Sets the learning rate.
  virtual void set_lr(double lr);
  /// Returns the option `momentum`, or the first of `betas`. Empty if the optimizer has neither.
  virtual std::optional<double> get_momentum() const;
  /// Sets the number that get_momentum() returns. Does nothing if the optimizer has none.
  virtual void set_momentum(double momentum);
  /// Throws Error if a number is out of its range ("Invalid learning rate: -1").
  virtual void check() const;
  /// Copies the options that were not set here from `defaults`. Throws Error if `defaults` has
  /// another class.
  virtual void inherit(const OptimizerOptions& defaults);
  /// Inserts every option into `group` under its name.
  virtual void save(State& group) const;
  /// Reads every option except `capturable` from `group`. An option that PyTorch added later gets
  /// its default if the group lacks it. Throws IndexError if another option is missing.
  virtual void load(const State& group);

 protected:
  /// For deriving classes.
  OptimizerOptions() = default;
  /// For deriving classes.
  OptimizerOptions(const OptimizerOptions&) = default;
  /// For deriving classes.
  OptimizerOptions& operator=(const OptimizerOptions&) = default;

  /// The bound of an option that is finite.
  static constexpr double kLargest = std::numeric_limits<double>::max();
  /// The bound of an option that may be infinite.
  static constexpr double kInf = std::numeric_limits<double>::infinity();

  /// The options, in the order in which they are declared and saved.
  detail::FieldList fields_;

 private:
  friend struct detail::RuleArguments;
};

namespace detail {
/// Returns true for equal options of one class.
TERN_API bool are_equal(const OptimizerOptions& a, const OptimizerOptions& b);
}  // namespace detail

/// Implements clone() of an options class.
template <class Derived>
class TERN_API OptimizerCloneableOptions : public OptimizerOptions {
 public:
  /// Returns a copy.
  typename detail::ClonePointer<OptimizerOptions, Derived>::type clone() const override;
};

/// Returns true if all options are equal.
template <class Options>
requires std::is_base_of_v<OptimizerCloneableOptions<Options>, Options>
bool operator==(const Options& a, const Options& b) { return detail::are_equal(a, b); }

// Not inline, so that `extern template` keeps it out of programs.
template <class Derived>
typename detail::ClonePointer<OptimizerOptions, Derived>::type
OptimizerCloneableOptions<Derived>::clone() const {
  static_assert(
      !requires { Derived::fields(); }, "TERN_OPTIM_ARG is all that there is to say");
  return std::make_unique<Derived>(static_cast<const Derived&>(*this));
}

}  // namespace tern::optim

// NOLINTBEGIN(bugprone-macro-parentheses): types and names cannot be in parentheses.

/// Declares an option with its accessors in an options class. All that there is to say of an option
/// stands in this line: the options of a class are saved, checked and given to the rule of the step
/// in the order of their lines. A number must be finite and at least 0, unless members of
/// OptionTraits behind the name say something else.
///
/// Example:
///   TERN_OPTIM_ARG(double, lr) = 1e-3;
///   TERN_OPTIM_ARG(double, rho, .most = 1) = 0.9;
///   TERN_OPTIM_ARG(bool, maximize, .later = true) = false;
#define TERN_OPTIM_ARG(Type, name, ...)                                                    \
 public:                                                                                   \
  auto& name(::tern::detail::Argument<Type> value) {                                       \
    name##_.set(std::forward<decltype(value)>(value));                                     \
    return *this;                                                                          \
  }                                                                                        \
  Type& name() noexcept { return name##_.value; }                                          \
  const Type& name() const noexcept { return name##_.value; }                              \
                                                                                           \
 private:                                                                                  \
  static constexpr ::tern::optim::detail::OptionTraits name##_traits_ = {.key = #name,     \
                                                                         __VA_ARGS__};     \
  ::tern::optim::detail::OptionField<Type> name##_ =                                       \
      ::tern::optim::detail::FieldMaker<::tern::optim::detail::OptionField<Type>>(fields_, \
                                                                                  name##_traits_)

// NOLINTEND(bugprone-macro-parentheses)
