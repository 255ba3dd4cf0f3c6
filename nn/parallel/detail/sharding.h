#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/autograd/saved_tensor_hooks.h>
#include <tern/nn/module.h>
#include <tern/nn/parallel/detail/shard_unit.h>
#include <tern/nn/parallel/fully_shard.h>

namespace tern::nn::detail {

/// Returns true for a parameter of a sharded module.
bool is_sharded(const Tensor& parameter);
/// Returns the group over whose ranks a parameter is divided, none for one that is not.
std::optional<distributed::ProcessGroup> group_of_shards(const Tensor& parameter);

/// A sharded module: its units, and when they are gathered. The hooks of the module own it.
class Sharding : public std::enable_shared_from_this<Sharding> {
 public:
  Sharding(const std::shared_ptr<Module>& module, const parallel::FullyShardOptions& options);
  ~Sharding();
  Sharding(const Sharding&) = delete;
  Sharding& operator=(const Sharding&) = delete;

  /// Adds the hooks.
  void install();

  const distributed::ProcessGroup& group() const { return group_; }
  std::shared_ptr<Module> module() const;
  /// Calls fn with each parameter, in the order of the module's.
  template <class Fn>
  void each(const Fn& fn) {
    for (const auto& [unit, index] : order_of_parameters_) fn(units_[unit].parameters[index]);
  }
  /// Returns the parameter that `tensor` is, null if it is none.
  const ShardedParameter* find(const Tensor& tensor) const;

  /// Above 0 in no_sync().
  std::atomic<int> local_scopes = 0;

 private:
  /// A call of a module that is running.
  struct Scope {
    const Module* module;
    std::vector<std::size_t> units;
    std::unique_ptr<autograd::SavedTensorHooks> saved;
  };

  void make_units(const parallel::FullyShardOptions& options);
  void check_parameters() const;
  void before(const Module& module, const std::vector<std::size_t>& units);
  void after(const Module& module);
  void close(Scope& scope) noexcept;
  void show_whole(std::size_t unit);
  void free_unused();

  autograd::SavedValue pack(const Tensor& tensor) const;
  Tensor unpack(const std::vector<std::int64_t>& place);
  void gather_in_backward(std::size_t unit);
  void at_end_of_backward();
  void finish_reduce();
  void on_gradients(std::size_t unit, std::vector<Tensor> given, Tensor* results,
                    const std::vector<std::size_t>& which);

  std::weak_ptr<Module> module_;
  parallel::FullyShardOptions options_;
  distributed::ProcessGroup group_;
  std::vector<ShardUnit> units_;
  std::vector<std::pair<std::size_t, std::size_t>> order_of_parameters_;  // unit, index
  std::vector<std::pair<std::shared_ptr<Module>, std::vector<std::size_t>>> hooked_;

  std::vector<Scope> scopes_;
  std::vector<std::size_t> last_order_,
      order_;                            // of the units in the last forward, and in this one
  std::size_t backward_position_ = 0;    // in last_order_
  bool awaits_end_ = false;              // of backward()
  std::optional<std::size_t> reducing_;  // the unit whose gradients are being averaged
};

}  // namespace tern::nn::detail
