#pragma once

#include <cstddef>
#include <optional>

#include <tern/core/distributed/process_group.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/batch_norm.h>

namespace tern::nn {

/// Makes every BatchNorm in the module, or the module itself, a SyncBatchNorm: they keep type,
/// parameters, buffers and options, so that members and optimizers stay valid, and take mean and
/// variance over the batches of all ranks. Returns their number. Without `group`, the ranks are
/// those of distributed::init_process_group(). All ranks must call it.
///
/// Example:
///   nn::convert_sync_batchnorm(net);
///   nn::parallel::DistributedDataParallel<Net> ddp(net);
TERN_API std::size_t convert_sync_batchnorm(Module& module,
                                            std::optional<distributed::ProcessGroup> group = {});
template <class Contained, class Derived>
std::size_t convert_sync_batchnorm(const ModuleHolder<Contained, Derived>& module,
                                   std::optional<distributed::ProcessGroup> group = {}) {
  return convert_sync_batchnorm(*module, std::move(group));
}

}  // namespace tern::nn
