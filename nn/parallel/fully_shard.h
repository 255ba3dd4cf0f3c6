#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/distributed/distributed.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/optim/optimizer.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/parallel/no_sync.h>

namespace tern::nn::detail {
class Sharding;
}

namespace tern::nn::parallel {

/// The dtypes that a sharded module computes with. Parameters, gradients and the optimizer's state
/// stay in the dtype of the parameters.
struct MixedPrecisionPolicy {
  /// The dtype of gathered parameters and of the module's floating-point inputs; none: their own.
  TERN_ARG(std::optional<ScalarType>, param_dtype);
  /// The dtype in which gradients are averaged; none: that of the gathered parameters.
  TERN_ARG(std::optional<ScalarType>, reduce_dtype);
};

/// Options of fully_shard().
struct FullyShardOptions {
  /// The ranks; none: init_process_group().
  TERN_ARG(std::optional<distributed::ProcessGroup>, process_group);
  /// The submodules whose parameters are gathered together, such as the blocks of a transformer:
  /// `.units(net->blocks->children())`. What is in none of them, or in several, is gathered for the
  /// whole forward of the module.
  TERN_ARG(std::vector<std::shared_ptr<Module>>, units);
  /// Frees the parameters of a unit after its forward, and gathers them again in backward. Without,
  /// they stay until its backward has used them: less communication, more memory.
  TERN_ARG(bool, reshard_after_forward) = true;
  /// The dtypes of parameters and gradients.
  TERN_ARG(MixedPrecisionPolicy, mp_policy);
};

/// The ranks that get whole tensors.
enum class WholeOn : std::uint8_t {
  /// Every rank has all.
  kAllRanks,
  /// Rank 0 has all, the others have them on meta.
  kRankZero,
  /// Each tensor is on one rank, and on meta on the others: what distributed::save_state() writes
  /// with all ranks, with the least memory.
  kDivided,
};

/// A module whose parameters are divided over ranks; see fully_shard(). A copy is the same.
class TERN_API FSDPModule {
 public:
  /// Makes a handle; fully_shard() calls it.
  explicit FSDPModule(std::shared_ptr<detail::Sharding> sharding);

  /// Stops averaging for a scope, to accumulate the gradients of several batches. The next
  /// backward() outside of it averages the sum. Until then each rank has the whole gradients, which
  /// grad() does not show.
  [[nodiscard]] NoSync no_sync() const;

  /// Scales the gradients so that the norm of the gradients of all ranks is at most `max_norm`, and
  /// returns that norm; see nn::utils::clip_grad_norm_(), which knows this rank's rows alone. All
  /// ranks must call it.
  double clip_grad_norm_(double max_norm, double norm_type = 2.0,
                         StrictBool error_if_nonfinite = false) const;

  /// Returns the state of the module with whole parameters, on the CPU. All ranks must call it.
  State full_state_dict(WholeOn on = WholeOn::kAllRanks) const;
  /// Copies a state with whole tensors, of any number of ranks or of a module that is not sharded,
  /// into the module. Each rank gives the same state; of one that is mapped (LoadFileOptions::map),
  /// only this rank's rows are read. Throws Error as load_state_dict() of a module does.
  void load_full_state_dict(const State& state) const;
  /// Returns the state of an optimizer of the module's parameters, with whole tensors, on the CPU.
  /// Throws Error for an optimizer whose state does not have the sizes of the parameters, such as
  /// Adafactor. All ranks must call it.
  State full_optimizer_state_dict(const optim::Optimizer& optimizer,
                                  WholeOn on = WholeOn::kAllRanks) const;
  /// Replaces the state of an optimizer by one with whole tensors; see load_full_state_dict().
  void load_full_optimizer_state_dict(optim::Optimizer& optimizer, const State& state) const;

 private:
  std::shared_ptr<detail::Sharding> sharding_;
};

/// Divides the parameters of a module over the ranks of a group, with their gradients and the state
/// of an optimizer, and returns the sharded module. Training is that of DistributedDataParallel;
/// each rank needs the memory of its part, and of the units in use.
///
/// Every parameter becomes this rank's rows: rank r has rows `[r * c, (r + 1) * c)` of dimension 0,
/// with `c = ceil(rows / ranks)`, or fewer at the end. The tensors stay the same objects. When a
/// unit (or a module below it) is called, all ranks gather its parameters; they are freed after its
/// forward, gathered again when backward() needs them, and the next unit's are gathered meanwhile.
/// Gradients are averaged by reduce_scatter, so that grad() has this rank's rows when backward()
/// ends. Parameters without a gradient on some ranks count as 0 there.
///
/// The function checks that all ranks have the same module (names, sizes, dtypes and requires_grad
/// of parameters and buffers) and copies rank 0's parameters and buffers to all. Make optimizers
/// afterwards, and move or cast the module before. All ranks must call the same units in the same
/// order, also in evaluation: other orders are an Error on all of them. Call modules through their
/// holders: a plain forward() sees rows. Buffers are not copied later.
///
/// Throws: Error for parameters that are sharded already, are in a DistributedDataParallel, are
/// uninitialized or on meta; for a unit that comes twice or is not below the module; for a module
/// that differs over the ranks; and, at the next call, after a parameter was added, replaced,
/// moved or cast.
TERN_API FSDPModule fully_shard(const std::shared_ptr<Module>& module,
                                const FullyShardOptions& options = {});
/// Shards the module of a holder.
///
/// Example:
///   Net net;
///   auto sharded = nn::parallel::fully_shard(
///       net, nn::parallel::FullyShardOptions().units(net->blocks->children()));
///   optim::AdamW optimizer(net->parameters(), optim::AdamWOptions(1e-3));
///   loss_of(net(x)).backward();  // x: this rank's part of the batch
///   sharded.clip_grad_norm_(1);
///   optimizer.step();
template <class Contained, class Derived>
FSDPModule fully_shard(const ModuleHolder<Contained, Derived>& module,
                       const FullyShardOptions& options = {}) {
  return fully_shard(module.base_ptr(), options);
}

}  // namespace tern::nn::parallel
