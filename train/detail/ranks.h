#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <tern/core/distributed/process_group.h>
#include <tern/core/tensor/state.h>
#include <tern/nn/module.h>
#include <tern/nn/optim/optimizer.h>

namespace tern::train::detail {

/// The ranks that train one model together. Without a group there is one, and the functions below
/// only call what they are given. All ranks must call them in the same order.
class Ranks {
 public:
  /// Joins the ranks of a group: from here on backward() averages the gradients of the model.
  Ranks(const std::optional<distributed::ProcessGroup>& group,
        const std::shared_ptr<nn::Module>& model);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  bool is_first() const { return group_.rank() == 0; }
  const distributed::ProcessGroup& group() const { return group_; }

  /// Copies rank 0's buffers, before each forward in training.
  void before_forward() const;
  /// Calls `backward` and keeps the gradients of this rank.
  void backward_alone(const std::function<void()>& backward) const;
  /// Averages the gradients that backward_alone() has left.
  void average_gradients(const optim::Optimizer& optimizer) const;

  /// Returns the sums of the numbers of all ranks, the same bits on each.
  template <std::size_t N>
  std::array<double, N> sums(std::array<double, N> numbers) const {
    if (group_.size() > 1) add(numbers.data(), N);
    return numbers;
  }
  /// Calls `function` on all ranks. If it throws on some, throws on all.
  void together(const std::function<void()>& function) const;
  /// Calls `function` on rank 0 while the others wait. If it throws, throws on all.
  void on_first(const std::function<void()>& function) const;
  /// Returns the states of all ranks in order, on rank 0; nothing on the others.
  std::vector<State> gather(const State& state) const;

 private:
  class Averaged;

  void add(double* numbers, std::size_t count) const;

  distributed::ProcessGroup group_;
  std::unique_ptr<Averaged> averaged_;  // null for one rank
};

}  // namespace tern::train::detail
