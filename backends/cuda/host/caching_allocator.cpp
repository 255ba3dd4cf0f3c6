#include <tern/backends/cuda/host/caching_allocator.h>

#include <atomic>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/recording.h>
#include <tern/core/base/error.h>
#include <tern/core/base/profile_scope.h>

namespace tern::cuda::detail {
namespace {

// The allocator that a signal handler reads; set once, by the constructor.
constinit std::atomic<const CachingAllocator*> instance = nullptr;

/// Records by how much a call changes the live bytes. The caller holds the lock.
class ProfiledChange {
 public:
  ProfiledChange(const DeviceCachingAllocator& allocator, DeviceIndex device)
      : allocator_(allocator), device_(device) {
    if (tern::detail::is_profiled(tern::detail::kProfileMemory)) [[unlikely]] {
      before_ = allocator.stats().live_bytes;
    }
  }
  ~ProfiledChange() {
    if (before_ < 0) return;
    const std::int64_t change = allocator_.stats().live_bytes - before_;
    if (change == 0) return;
    tern::detail::record_memory(change, static_cast<std::int8_t>(kCUDA),
                                static_cast<std::int8_t>(device_));
  }
  ProfiledChange(const ProfiledChange&) = delete;
  ProfiledChange& operator=(const ProfiledChange&) = delete;

 private:
  const DeviceCachingAllocator& allocator_;
  const DeviceIndex device_;
  std::int64_t before_ = -1;
};

}  // namespace

CachingAllocator::CachingAllocator() {
  for (DeviceIndex device = 0; device < device_count(); ++device) {
    devices_.push_back(std::make_unique<LockedDevice>(device));
  }
  instance = this;
}

void* CachingAllocator::allocate(std::size_t bytes, DeviceIndex device) {
  const Stream stream = getCurrentCUDAStream(device);
  const Recording* recording = recording_on(stream.stream());
  return allocate(bytes, stream, recording == nullptr ? 0 : recording->pool);
}

void* CachingAllocator::allocate_outside_graphs(std::size_t bytes, DeviceIndex device) {
  return allocate(bytes, getCurrentCUDAStream(device), 0);
}

void* CachingAllocator::allocate(std::size_t bytes, Stream stream, std::uint64_t pool) {
  tern::detail::allocation_point(bytes, stream.device());
  LockedDevice& owner = locked(stream.device_index());
  const auto try_once = [&](bool last) {
    const std::lock_guard lock(owner.mutex);
    const ProfiledChange profiled(owner.allocator, stream.device_index());
    void* pointer = owner.allocator.allocate(bytes, stream.stream(), pool);
    if (pointer == nullptr && last) owner.allocator.throw_out_of_memory(bytes);
    return pointer;
  };
  if (void* pointer = try_once(/*last=*/false)) return pointer;
  empty_cache();  // of all devices: they may be parts of one GPU
  return try_once(/*last=*/true);
}

void CachingAllocator::deallocate(void* pointer, std::size_t, DeviceIndex device) noexcept {
  LockedDevice& owner = locked(device);
  const std::lock_guard lock(owner.mutex);
  const ProfiledChange profiled(owner.allocator, device);
  owner.allocator.deallocate(pointer);
}

template <class Body>
void CachingAllocator::for_each_device(const Body& body) {
  for (const auto& owner : devices_) {
    const std::lock_guard lock(owner->mutex);
    body(owner->allocator);
  }
}

void CachingAllocator::empty_cache() {
  for_each_device([](DeviceCachingAllocator& each) { each.empty_cache(); });
}

void CachingAllocator::hold(std::uint64_t id) {
  for_each_device([id](DeviceCachingAllocator& each) { each.hold(id); });
}

void CachingAllocator::let_go(std::uint64_t id) {
  for_each_device([id](DeviceCachingAllocator& each) { each.let_go(id); });
}

void CachingAllocator::begin_capture(Stream stream) {
  LockedDevice& owner = locked(stream.device_index());
  const std::lock_guard lock(owner.mutex);
  owner.allocator.begin_capture(stream.stream());
}

void CachingAllocator::end_capture(Stream stream) {
  LockedDevice& owner = locked(stream.device_index());
  const std::lock_guard lock(owner.mutex);
  owner.allocator.end_capture(stream.stream());
}

MemoryStats CachingAllocator::stats(DeviceIndex device) const {
  const LockedDevice& owner = locked(device);
  const std::lock_guard lock(owner.mutex);
  return owner.allocator.stats();
}

void CachingAllocator::reset_peak(DeviceIndex device) {
  LockedDevice& owner = locked(device);
  const std::lock_guard lock(owner.mutex);
  owner.allocator.reset_peak();
}

void CachingAllocator::record_stream(const void* pointer, Stream stream) {
  LockedDevice& owner = locked(stream.device_index());
  const std::lock_guard lock(owner.mutex);
  owner.allocator.record_stream(pointer, stream.stream());
}

bool CachingAllocator::find_block(DeviceIndex device, const void* address,
                                  kernels::PluginBlock* block) const {
  const LockedDevice& owner = locked(device);
  const std::unique_lock lock(owner.mutex, std::try_to_lock);
  return lock.owns_lock() && owner.allocator.find_block(address, block);
}

std::int32_t find_block(std::int32_t device, const void* address, kernels::PluginBlock* block) {
  const CachingAllocator* allocator = instance;
  return allocator != nullptr && allocator->find_block(device, address, block) ? 1 : 0;
}

}  // namespace tern::cuda::detail
