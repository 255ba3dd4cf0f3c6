#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nn/nn_test.h"

// Damages every key of the state of a class and checks that a refusal changes nothing.

namespace tern {

/// An object that saves and loads, and the state of another object of its class.
struct Subject {
  std::function<State()> save;
  std::function<void(const State&)> load;
  State other;
  /// Keys that the class does not read, as Python writes them, or whose kind is open.
  std::set<std::string> unread = {};
};

template <class T>
Subject subject_of(const std::shared_ptr<T>& object, const State& other,
                   std::set<std::string> unread = {}) {
  return {[object] { return object->state_dict(); },
          [object](const State& state) { object->load_state_dict(state); }, copy_of(other),
          std::move(unread)};
}

/// Calls visit(damaged state, what was done, whether it must be refused).
using Visit = std::function<void(const State&, const std::string&, bool)>;

inline std::vector<State> replacements_of(const State& value) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<State> all = {nullptr, State(),      State::list(), true,
                            -1,      2.5,          1e300,         kNaN,
                            "text",  ones({7, 2}), zeros({}),     ones({2}, kBool)};
  if (value.is_tensor()) {
    const Tensor tensor = value.tensor();
    all.emplace_back(tensor.unsqueeze(0));
    all.emplace_back(tensor.to(tensor.is_floating_point() ? kLong : kFloat));
    all.emplace_back(tensor.neg().sub(1));
    if (tensor.dim() > 0) all.emplace_back(tensor.slice(0, 1));
  }
  return all;
}

inline void damage(const State& state, const std::string& path, const std::set<std::string>& unread,
                   const Visit& visit) {
  const auto with_value = [&](const std::string& name, const State& value, bool is_read,
                              const std::function<State(const State&)>& put) {
    for (const State& replacement : replacements_of(value)) {
      const bool must = is_read && replacement.is_string() && !value.is_string();
      visit(put(replacement), name + " is " + kind_name(replacement.kind()), must);
    }
    damage(value, name, unread, [&](const State& damaged, const std::string& what, bool must) {
      visit(put(damaged), what, must && is_read);
    });
  };
  if (state.is_dict()) {
    State more = state;
    more.set("unknown key", 1);
    visit(more, path + " has one more", false);
    for (const auto& [key, value] : state) {
      State less = state;
      less.erase(key);
      visit(less, path + "." + key + " is missing", false);
      with_value(path + "." + key, value, !unread.contains(key), [&, name = key](const State& put) {
        State damaged = state;
        damaged.set(name, put);
        return damaged;
      });
    }
  } else if (state.is_list() && !state.empty()) {
    std::vector<State> elements = state.elements();
    elements.push_back(elements.back());
    visit(State::list(elements), path + " has one more", false);
    elements.resize(state.size() - 1);
    visit(State::list(elements), path + " has one less", false);
    for (std::size_t i = 0; i < state.size(); ++i) {
      with_value(path + "[" + std::to_string(i) + "]", state[i], true, [&](const State& put) {
        std::vector<State> damaged = state.elements();
        damaged[i] = put;
        return State::list(damaged);
      });
    }
  }
}

/// Loads the other state with each damage. A refusal changes nothing; otherwise the object still
/// takes its old state.
inline void check_subject(const std::string& name, const Subject& subject) {
  SCOPED_TRACE(name);
  const State before = copy_of(subject.save());
  EXPECT_FALSE(identical(before, subject.other)) << "the states do not differ";
  int refused = 0, failures = 0;
  const Visit visit = [&](const State& damaged, const std::string& what, bool must) {
    if (failures > 5) return;
    std::string text;
    try {
      subject.load(damaged);
      if (must) ADD_FAILURE() << what << ": accepted";
      failures += must ? 1 : 0;
      subject.load(before);
    } catch (const Error& error) {
      text = error.what();
      ++refused;
    }
    if (identical(subject.save(), before)) return;
    ADD_FAILURE() << what << ": " << (text.empty() ? "accepted, then not restored" : text);
    ++failures;
    subject.load(before);
  };
  for (const State& whole : replacements_of(State(1))) visit(whole, "the state itself", false);
  damage(subject.other, "state", subject.unread, visit);
  EXPECT_GT(refused, 0);
  subject.load(subject.other);
  EXPECT_TRUE(identical(subject.save(), subject.other));
}

}  // namespace tern
