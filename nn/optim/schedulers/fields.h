#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/nn/optim/options.h>

namespace tern::optim {

/// Saves or loads the members of a learning rate scheduler. The function fields() of a scheduler
/// names every member once, for both directions.
///
/// Example:
///   void fields(SchedulerFields& visit) override {
///     visit("gamma", gamma_);
///     LRScheduler::fields(visit);
///   }
class TERN_API SchedulerFields {
 public:
  /// What a visit does. Check reads and checks every value, but changes no member.
  enum class Mode { Save, Check, Load };

  /// Saves to `state` in the mode Save and reads from it in the other modes.
  SchedulerFields(State& state, Mode mode) : state_(state), mode_(mode) {}
  /// Returns what a visit does.
  Mode mode() const { return mode_; }
  /// Returns the saved dictionary.
  State& state() { return state_; }

  /// Saves or loads a number. Throws if the saved value is missing or has another kind.
  void operator()(const char* name, double& value);
  /// Saves or loads an integer. Throws also if the saved value is less than `least`.
  void operator()(const char* name, std::int64_t& value,
                  std::int64_t least = std::numeric_limits<std::int64_t>::min());
  void operator()(const char* name, bool& value);
  void operator()(const char* name, std::string& value);
  /// Saves or loads a number for each parameter group. Throws also if the saved list has another
  /// length than `values`.
  void operator()(const char* name, std::vector<double>& values);
  /// Throws Error if a state to load has a text under `name` that is none of `choices`.
  void check_choice(const char* name, std::initializer_list<std::string_view> choices) const;
  /// Does the same with a member that keeps its value if a loaded state lacks it.
  template <class T>
  void operator()(Later name, T& value) {
    if (mode_ == Mode::Save || state_.contains(name.name)) (*this)(name.name, value);
  }

 private:
  State& state_;
  Mode mode_;
};

}  // namespace tern::optim
