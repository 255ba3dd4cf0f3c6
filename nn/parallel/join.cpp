#include <string>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/parallel/detail/reducer.h>

namespace tern::nn::detail {
namespace {

template <class... Norms>
bool is_synchronized_as(const Module& module) {
  const auto is = [](const auto* norm) {
    return norm != nullptr && norm->synchronized_group() && norm->synchronized_group()->size() > 1;
  };
  return (is(dynamic_cast<const Norms*>(&module)) || ...);
}

bool is_synchronized(const Module& module) {
  return is_synchronized_as<BatchNorm1dImpl, BatchNorm2dImpl, BatchNorm3dImpl, SyncBatchNormImpl>(
      module);
}

}  // namespace

// Before each communication all ranks say what they do next, so that those without a batch know
// how to answer.
void Reducer::join(const std::function<void()>& train, const parallel::JoinOptions& options) {
  TERN_CHECK(joining_ == nullptr, Error, "DistributedDataParallel: join() inside of join()");
  if (group_.size() == 1) return train();
  ModuleWalk::modules(*module_, [&](const std::string& name, const Module& part) {
    TERN_CHECK(!is_synchronized(part) || options.throw_on_early_termination(), Error,
               "DistributedDataParallel: join() needs throw_on_early_termination for a module with "
               "a SyncBatchNorm ('",
               name, "')");
  });
  struct Scope {
    Reducer& reducer;
    ~Scope() {
      reducer.joining_ = nullptr;
      reducer.is_done_ = false;
      reducer.root_ = 0;
      reducer.divisor_ = reducer.group_.size();
    }
  };
  const Scope scope{*this};
  joining_ = &options;
  train();
  is_done_ = true;
  const NoGradGuard no_grad;
  for (Step step; (step = announce(Step::kDone)) != Step::kDone;) answer(step);
  Named tensors = buffers_of(*module_);
  ModuleWalk::parameters(*module_, true, [&](const std::string& name, const Tensor& tensor) {
    tensors.emplace_back(name, tensor);
  });
  broadcast_all(group_, tensors, root_);
}

// Returns what the ranks do that have not ended; kDone if all have.
Reducer::Step Reducer::announce(Step mine) {
  const NoGradGuard no_grad;
  const Tensor all = empty({group_.size()}, kLong);
  group_.all_gather(all, full({1}, static_cast<std::int64_t>(mine), kLong));
  const auto* const steps = all.data_ptr<std::int64_t>();
  int first = -1, training = 0;
  for (int rank = 0; rank < group_.size(); ++rank) {
    if (static_cast<Step>(steps[rank]) == Step::kDone) continue;
    if (first < 0) first = rank;
    ++training;
    TERN_CHECK(steps[rank] == steps[first], Error, "DistributedDataParallel: in join() rank ",
               first, steps[first] == 0 ? " calls forward" : " calls backward()", ", but rank ",
               rank, steps[rank] == 0 ? " calls forward" : " calls backward()");
  }
  if (training == 0) return Step::kDone;
  if (training < group_.size() && joining_->throw_on_early_termination()) {
    tern::detail::raise<Error>("DistributedDataParallel: ", group_.size() - training, " of ",
                               group_.size(), " ranks have no more batches; rank ", first,
                               " goes on");
  }
  root_ = first;
  divisor_ = joining_->divide_by_initial_world_size() ? group_.size() : training;
  return static_cast<Step>(steps[first]);
}

void Reducer::answer(Step step) {
  if (step == Step::kForward) return broadcast_all(group_, buffers_of(*module_), root_);
  reset_buckets();
  for (Bucket& bucket : buckets_) {
    bucket.elements.zero_();
    bucket.missing = 0;
  }
  finish_buckets({});
}

}  // namespace tern::nn::detail
