#include <tern/backends/meta/meta_backend.h>

#include <tern/core/base/error.h>

namespace tern {
namespace {

class MetaAllocator final : public Allocator {
 public:
  void* allocate(std::size_t, DeviceIndex) override { return nullptr; }
  void deallocate(void*, std::size_t, DeviceIndex) noexcept override {}
  void empty_cache() override {}
  MemoryStats stats(DeviceIndex) const override { return {}; }
  void reset_peak(DeviceIndex) override {}
};

class MetaBackend final : public kernels::Backend {
 public:
  MetaBackend() {
    for (auto& kernel : table_.kernels) kernel = [](const void*, kernels::KernelContext*) {};
  }

  Allocator& allocator() override { return allocator_; }
  const kernels::KernelTable& kernels() override { return table_; }
  int device_count() override { return 1; }
  DeviceIndex current_device() override { return 0; }
  void check_device(DeviceIndex device) override {
    TERN_CHECK(device <= 0, DeviceError, "meta device index must be -1 or zero, got ", device);
  }
  void* stream(DeviceIndex) override { return nullptr; }
  void copy_bytes(void*, Device, const void*, Device from, std::size_t, bool) override {
    TERN_CHECK(!from.is_meta(), NotImplementedError, "Cannot copy out of meta tensor; no data!");
  }
  void synchronize(DeviceIndex) override {}

 private:
  MetaAllocator allocator_;
  kernels::KernelTable table_;
};

}  // namespace

kernels::Backend& meta_backend() {
  static kernels::Backend* const backend = new MetaBackend();
  return *backend;
}

}  // namespace tern
