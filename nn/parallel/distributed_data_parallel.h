#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <tern/core/distributed/distributed.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/parallel/no_sync.h>

namespace tern::nn::detail {
class Reducer;
}

namespace tern::nn::parallel {

/// Options of DistributedDataParallel.
struct DistributedDataParallelOptions {
  /// The ranks; none: init_process_group().
  TERN_ARG(std::optional<distributed::ProcessGroup>, process_group);
  /// The size in MiB at which a bucket of gradients is full. The first is full at 1 MiB, if this
  /// is larger, so that communication begins early.
  TERN_ARG(double, bucket_cap_mb) = 25;
  /// Allows that backward computes no gradient for some parameters on some ranks.
  TERN_ARG(bool, find_unused_parameters) = false;
  /// Copies rank 0's buffers to all ranks before each forward in training.
  TERN_ARG(bool, forward_sync_buffers) = true;
  /// The dtype in which gradients travel, kBFloat16 or kHalf: half as many bytes, but each sum is
  /// rounded. grad() keeps its dtype. None: gradients travel as they are.
  TERN_ARG(std::optional<ScalarType>, reduce_dtype);
};

/// Options of DistributedDataParallelBase::join().
struct JoinOptions {
  /// True: gradients are divided by the size of the group, also when some ranks have ended, so that
  /// each batch has the same weight. False: by the number of ranks that still train.
  TERN_ARG(bool, divide_by_initial_world_size) = true;
  /// Throws Error on all ranks when one has no more batches.
  TERN_ARG(bool, throw_on_early_termination) = false;
};

/// What DistributedDataParallelImpl has for every module.
class TERN_API DistributedDataParallelBase : public Module {
 public:
  ~DistributedDataParallelBase() override;
  DistributedDataParallelBase(const DistributedDataParallelBase&) = delete;
  DistributedDataParallelBase& operator=(const DistributedDataParallelBase&) = delete;

  /// Stops averaging for a scope, around forward and backward: to accumulate the gradients of
  /// several batches. The next backward() outside of it averages what has accumulated.
  ///
  /// Example:
  ///   {
  ///     const auto local = ddp->no_sync();
  ///     loss_of(ddp(first)).backward();
  ///   }
  ///   loss_of(ddp(second)).backward();  // averages the sum of both
  [[nodiscard]] NoSync no_sync() const;

  /// Runs `train`, in which the ranks may make different numbers of steps. A rank whose `train` has
  /// ended takes part in the averages of the others, with zeros, until all have ended. Then
  /// parameters and buffers are copied from a rank that trained longest to all.
  ///
  /// All ranks must call it. Throws Error for a module with a SyncBatchNorm, whose sums a rank
  /// without a batch cannot join, unless throw_on_early_termination is set; on all ranks with that
  /// option; and where one rank calls forward and another backward().
  ///
  /// Example:
  ///   ddp->join([&] {
  ///     for (auto& batch : *loader) step(ddp, batch);  // not equally many on all ranks
  ///   });
  void join(const std::function<void()>& train, const JoinOptions& options = {}) const;

 protected:
  /// Wraps the module; see DistributedDataParallelImpl.
  DistributedDataParallelBase(const std::shared_ptr<Module>& module,
                              const DistributedDataParallelOptions& options);
  /// Checks that the module still has the parameters that it was wrapped with, and copies buffers.
  void before_forward() const;

 private:
  std::shared_ptr<detail::Reducer> reducer_;
};

/// Trains one module on all ranks of a group, each with its own part of the batch: backward()
/// averages the gradients over the ranks, so that the same optimizer step keeps the parameters
/// equal everywhere. With a loss that is a mean over the batch, and parts of equal size, the
/// gradients are those of the whole batch.
///
/// The constructor checks that all ranks have the same module (names, sizes, dtypes and
/// requires_grad of parameters and buffers) and copies rank 0's parameters and buffers to all.
/// Optimizers that exist stay valid. Gradients are collected in buckets, in the order in which
/// they become complete in the first backward(); a full bucket is averaged while backward() goes
/// on. After backward(), the grad() of each parameter is a view of its bucket. Gradients that were
/// there before are averaged with the new ones.
///
/// Every backward() through the module outside of no_sync() averages, and all ranks must take part:
/// also one of the inner module's results, and several of one forward. It throws Error on all
/// ranks, with names, if it computes no gradient for some parameters, unless find_unused_parameters
/// is set: then a parameter without a gradient on some ranks counts as 0 there, and one without a
/// gradient on all ranks keeps the grad() that it had. autograd::grad() does not average. A group
/// of one rank calls the module and does nothing else.
///
/// Throws Error for a module without parameters that require a gradient, with uninitialized
/// parameters, or that differs over the ranks; and, at the next forward, after a parameter was
/// added, replaced, moved, cast, frozen or unfrozen.
template <class Impl>
class DistributedDataParallelImpl : public DistributedDataParallelBase {
 public:
  /// Registers the module as "module".
  explicit DistributedDataParallelImpl(const std::shared_ptr<Impl>& wrapped,
                                       const DistributedDataParallelOptions& options = {})
      : DistributedDataParallelBase(wrapped, options) {
    module = register_module("module", wrapped);
  }

  /// Calls the module.
  template <class... Inputs>
  auto forward(Inputs&&... inputs)
      -> decltype(std::declval<Impl&>().forward(std::forward<Inputs>(inputs)...)) {
    before_forward();
    return detail::call(*module, std::forward<Inputs>(inputs)...);
  }

  /// The module.
  std::shared_ptr<Impl> module;
};

/// The holder of DistributedDataParallelImpl.
///
/// Example:
///   auto group = distributed::init_process_group();
///   Net net;
///   nn::parallel::DistributedDataParallel ddp(net);
///   optim::SGD optimizer(net->parameters(), 0.1);
///   loss_of(ddp(x)).backward();  // x: this rank's part of the batch
///   optimizer.step();
template <class Holder>
class DistributedDataParallel
    : public ModuleHolder<DistributedDataParallelImpl<typename Holder::ContainedType>,
                          DistributedDataParallel<Holder>> {
  using Impl = DistributedDataParallelImpl<typename Holder::ContainedType>;
  using Base = ModuleHolder<Impl, DistributedDataParallel<Holder>>;

 public:
  /// Makes an empty holder.
  DistributedDataParallel(std::nullptr_t) : Base(nullptr) {}
  /// Shares an existing module.
  DistributedDataParallel(std::shared_ptr<Impl> impl) : Base(std::move(impl)) {}
  /// Wraps a module; see DistributedDataParallelImpl.
  explicit DistributedDataParallel(const Holder& module,
                                   const DistributedDataParallelOptions& options = {})
      : Base(std::make_shared<Impl>(module.ptr(), options)) {}
};

}  // namespace tern::nn::parallel
