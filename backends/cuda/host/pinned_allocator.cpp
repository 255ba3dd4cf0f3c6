#include <tern/backends/cuda/host/pinned_allocator.h>

#include <algorithm>
#include <utility>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/event_pool.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/recording.h>
#include <tern/core/base/profile_scope.h>

namespace tern::cuda::detail {
namespace {

using kernels::Plugin;

constexpr std::size_t kSmallest = 4096;
constexpr std::size_t kLargest = std::size_t{1} << 62;

// Returns the device with which to allocate pinned memory: the current device if it has a context,
// else another device in use, if any, to avoid starting a device for this alone.
DeviceIndex used_device() {
  const DeviceIndex current = current_device();
  if (plugin().has_context(current) != 0) return current;
  for (DeviceIndex device = 0; device < device_count(); ++device) {
    if (plugin().has_context(device) != 0) return device;
  }
  return current;
}

void profile_change(std::int64_t bytes) {
  if (tern::detail::is_profiled(tern::detail::kProfileMemory)) [[unlikely]] {
    tern::detail::record_memory(bytes, static_cast<std::int8_t>(kCPU), -1);
  }
}

}  // namespace

void* PinnedAllocator::allocate(std::size_t bytes, DeviceIndex) {
  tern::detail::allocation_point(bytes, kCPU);
  TERN_CHECK(bytes <= kLargest, OutOfMemoryError, "CUDA error: out of memory (", bytes,
             " pinned bytes)");
  const std::size_t size = std::bit_ceil(std::max(bytes, kSmallest));
  const std::lock_guard lock(mutex_);
  ++stats_.allocations;
  auto block = take_free(size);
  if (block == blocks_.end()) block = new_block(size);
  block->second.live = true;
  stats_.live_bytes += static_cast<std::int64_t>(size);
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  profile_change(static_cast<std::int64_t>(size));
  return const_cast<char*>(block->first);
}

void PinnedAllocator::deallocate(void* pointer, std::size_t, DeviceIndex) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(static_cast<const char*>(pointer));
  TERN_ASSERT(block != blocks_.end());
  block->second.live = false;
  const std::size_t size = block->second.size;
  free_[class_of(size)].push_back(block);
  stats_.live_bytes -= static_cast<std::int64_t>(size);
  stats_.cached_bytes += static_cast<std::int64_t>(size);
  profile_change(-static_cast<std::int64_t>(size));
}

void PinnedAllocator::begin_capture() {
  const std::lock_guard lock(mutex_);
  ++captures_;
}

void PinnedAllocator::end_capture() {
  const std::lock_guard lock(mutex_);
  --captures_;
}

void PinnedAllocator::empty_cache() {
  const std::lock_guard lock(mutex_);
  release_free_blocks();
}

// Returns true if all copies that use the block are done.
bool PinnedAllocator::is_idle(Block& block) {
  if (captures_here()) return block.in_use.empty();  // CUDA forbids event queries during a capture
  std::vector<Use>& uses = block.in_use;
  while (!uses.empty() && collect_event(uses.back().stream.device_index(), uses.back().end)) {
    uses.pop_back();
  }
  return uses.empty();
}

PinnedAllocator::Blocks::iterator PinnedAllocator::take_free(std::size_t size) {
  auto& blocks = free_[class_of(size)];
  const auto idle = std::find_if(blocks.begin(), blocks.end(),
                                 [](const auto& block) { return is_idle(block->second); });
  if (idle == blocks.end()) return blocks_.end();
  const auto block = *idle;
  blocks.erase(idle);
  stats_.cached_bytes -= static_cast<std::int64_t>(size);
  return block;
}

PinnedAllocator::Blocks::iterator PinnedAllocator::new_block(std::size_t size) {
  free_[class_of(size)].reserve(made_[class_of(size)] + 1);
  Blocks made;  // allocated first: the driver's memory must not leak if this throws
  made.emplace(nullptr, Block{size});
  auto node = made.extract(nullptr);
  kernels::PluginStatus status;
  const DeviceIndex device = used_device();
  void* pointer = plugin().allocate_host(device, size, &status);
  if (status.code == kernels::StatusCode::kOutOfMemory) {
    release_free_blocks();
    pointer = call(&Plugin::allocate_host, device, size);
  } else {
    check(status);
  }
  ++stats_.system_requests;
  ++made_[class_of(size)];
  node.key() = static_cast<const char*>(pointer);
  return blocks_.insert(std::move(node)).position;
}

void PinnedAllocator::release_free_blocks() {
  if (captures_ != 0) return;
  for (auto& blocks : free_) {
    for (std::size_t k = blocks.size(); k-- > 0;) {
      const auto block = blocks[k];
      if (!is_idle(block->second)) continue;
      void* pointer = const_cast<char*>(block->first);
      stats_.cached_bytes -= static_cast<std::int64_t>(block->second.size);
      --made_[class_of(block->second.size)];
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
      blocks_.erase(block);
      call(&Plugin::release_host, used_device(), pointer);
    }
  }
}

MemoryStats PinnedAllocator::stats(DeviceIndex) const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void PinnedAllocator::reset_peak(DeviceIndex) {
  const std::lock_guard lock(mutex_);
  stats_.peak_bytes = stats_.live_bytes;
}

void PinnedAllocator::record_stream(const void* pointer, Stream stream) {
  const std::lock_guard lock(mutex_);
  Block* block = find(pointer);
  if (block == nullptr) return;
  const auto use = std::find_if(block->in_use.begin(), block->in_use.end(),
                                [&](const Use& known) { return known.stream == stream; });
  if (use == block->in_use.end()) {
    void* end = record_event(stream.device_index(), stream.stream());
    block->in_use.push_back({stream, end});
  } else {
    call(&Plugin::event_record, use->end, stream.stream());
  }
}

bool PinnedAllocator::is_pinned(const void* pointer) {
  const std::lock_guard lock(mutex_);
  return find(pointer) != nullptr;
}

PinnedAllocator::Block* PinnedAllocator::find(const void* pointer) {
  const char* byte = static_cast<const char*>(pointer);
  auto block = blocks_.upper_bound(byte);
  if (block == blocks_.begin()) return nullptr;
  --block;
  const bool inside = byte < block->first + block->second.size;
  return inside && block->second.live ? &block->second : nullptr;
}

}  // namespace tern::cuda::detail
