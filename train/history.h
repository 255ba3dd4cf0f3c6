#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/state.h>

namespace tern::train {

/// Numbers by name, in the order in which they were set: the losses and metrics of an epoch.
///
/// Example:
///   train::Numbers test = train::evaluate(net, loader, nn::CrossEntropyLoss());
///   std::cout << test["loss"] << "\n" << test << "\n";  // 0.1204, then "loss 0.1204"
class TERN_API Numbers {
 public:
  /// A name and its number.
  using Item = std::pair<std::string, double>;

  /// Returns the number of `name`. Throws IndexError that lists the names there are.
  double operator[](std::string_view name) const;
  /// Returns a pointer to the number of `name`, or null if there is none.
  const double* find(std::string_view name) const;
  /// Replaces the number of `name`, or appends it.
  void set(std::string_view name, double value);
  /// Returns how many numbers there are.
  std::size_t size() const noexcept { return items_.size(); }
  /// Iterators over the names and numbers in order.
  const Item* begin() const noexcept { return items_.data(); }
  const Item* end() const noexcept { return items_.data() + items_.size(); }

 private:
  std::vector<Item> items_;
};
/// Prints the names and the numbers on one line: "loss 0.1204  accuracy 0.9641".
TERN_API std::ostream& operator<<(std::ostream& out, const Numbers& numbers);

/// The numbers of each epoch of a training. Prints as a table.
///
/// Example:
///   train::History history = train::fit(net, loader, optimizer, loss, {.epochs = 5});
///   std::cout << history;
///   double last = history.back()["loss"];
///   std::vector<double> losses = history["loss"];
class TERN_API History {
 public:
  /// Returns the number of epochs.
  std::size_t size() const noexcept { return epochs_.size(); }
  /// Returns true if no epoch has ended.
  bool empty() const noexcept { return epochs_.empty(); }
  /// Returns the numbers of an epoch, from 0. Throws IndexError out of range.
  const Numbers& operator[](std::size_t index) const;
  /// Returns the numbers of the last epoch. Throws IndexError if there is none.
  const Numbers& back() const;
  Numbers& back();
  /// Returns the number with this name of every epoch, NaN where an epoch lacks it. Throws
  /// IndexError if no epoch has it.
  std::vector<double> operator[](std::string_view name) const;
  /// Returns all names in the order of their first occurrence.
  std::vector<std::string> names() const;
  /// Appends an epoch.
  void add(Numbers numbers) { epochs_.push_back(std::move(numbers)); }
  /// Returns what ended the training early: the text given to Run::stop(), else "".
  const std::string& stop_reason() const noexcept { return stop_reason_; }
  /// Sets what ended the training early.
  void set_stop_reason(std::string reason) { stop_reason_ = std::move(reason); }

  /// Returns the numbers of all epochs.
  State state_dict() const;
  /// Replaces the numbers by those of a state. Throws Error if it is no state of a History; then
  /// nothing has changed.
  void load_state_dict(const State& state);

 private:
  std::vector<Numbers> epochs_;
  std::string stop_reason_;
};
/// Prints one line of names and one line for each epoch.
TERN_API std::ostream& operator<<(std::ostream& out, const History& history);

}  // namespace tern::train
