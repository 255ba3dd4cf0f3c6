#pragma once

#include <memory>
#include <string>

#include <tern/core/kernels/collectives.h>

namespace tern::cuda::detail {

/// The collectives of the plugin, each group of ranks on a stream of its own.
class PluginCollectives final : public kernels::Collectives {
 public:
  PluginCollectives();
  const std::string& missing() override { return missing_; }
  kernels::CollectiveId make_id() override;
  std::unique_ptr<kernels::Links> connect(DeviceIndex device, const kernels::CollectiveId& id,
                                          int rank, int size, double seconds) override;

 private:
  std::string missing_;
};

}  // namespace tern::cuda::detail
