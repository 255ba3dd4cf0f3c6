#include <tern/nn/parallel/distributed_data_parallel.h>

#include <utility>

#include <tern/nn/parallel/detail/reducer.h>

namespace tern::nn::parallel {

using detail::Reducer;

DistributedDataParallelBase::DistributedDataParallelBase(
    const std::shared_ptr<Module>& module, const DistributedDataParallelOptions& options)
    : reducer_(std::make_shared<Reducer>(module, options)) {}

DistributedDataParallelBase::~DistributedDataParallelBase() = default;

void DistributedDataParallelBase::before_forward() const { reducer_->before_forward(); }

void DistributedDataParallelBase::join(const std::function<void()>& train,
                                       const JoinOptions& options) const {
  reducer_->join(train, options);
}

NoSync DistributedDataParallelBase::no_sync() const { return {reducer_, reducer_->local_scopes}; }

}  // namespace tern::nn::parallel
