#include <tern/backends/cuda/host/collectives.h>

#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/stream.h>

namespace tern::cuda::detail {
namespace {

class PluginLinks final : public kernels::Links {
 public:
  PluginLinks(DeviceIndex device, void* links)
      : stream_(getStreamFromPool(/*high_priority=*/true, device)), links_(links) {}
  ~PluginLinks() override { plugin().collective_disconnect(links_); }
  PluginLinks(const PluginLinks&) = delete;
  PluginLinks& operator=(const PluginLinks&) = delete;

  void on_stream(const std::function<void()>& body) override {
    const StreamGuard guard(stream_);
    body();
  }
  void run(const kernels::Collective& collective) override {
    call(&kernels::Plugin::collective_run, links_, &collective,
         getCurrentCUDAStream(stream_.device_index()).stream());
  }

 private:
  Stream stream_;
  void* links_;
};

}  // namespace

PluginCollectives::PluginCollectives() {
  kernels::PluginStatus status;
  if (plugin().has_collectives(&status) == 0) missing_ = status.message;
}

kernels::CollectiveId PluginCollectives::make_id() {
  kernels::CollectiveId id{};
  call(&kernels::Plugin::collective_id, &id);
  return id;
}

std::unique_ptr<kernels::Links> PluginCollectives::connect(DeviceIndex device,
                                                           const kernels::CollectiveId& id,
                                                           int rank, int size, double seconds) {
  void* const links = call(&kernels::Plugin::collective_connect, device, &id, rank, size, seconds);
  return std::make_unique<PluginLinks>(device, links);
}

}  // namespace tern::cuda::detail
