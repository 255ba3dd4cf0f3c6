#include <tern/backends/cuda/host/pinned_allocator.h>

#include <algorithm>
#include <bit>
#include <utility>

#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/recording.h>

namespace tern::cuda::detail {
namespace {

constexpr std::size_t kSmallest = 4096;
constexpr std::size_t kLargest = std::size_t{1} << 62;

template <class Uses>
bool all_done(Uses& uses) {
  if (recordings != 0) return uses.empty();  // a capture forbids to ask
  std::erase_if(uses, [](const auto& use) { return use.end.query(); });
  return uses.empty();
}

}  // namespace

void* PinnedAllocator::allocate(std::size_t bytes, DeviceIndex) {
  tern::detail::allocation_point(bytes, kCPU);
  TERN_CHECK(bytes <= kLargest, OutOfMemoryError, "CUDA error: out of memory (", bytes,
             " pinned bytes)");
  const std::size_t size = std::bit_ceil(std::max(bytes, kSmallest));
  const std::lock_guard lock(mutex_);
  ++stats_.allocations;
  for (auto& [start, block] : blocks_) {
    if (block.live || block.size != size || !all_done(block.in_use)) continue;
    block.live = true;
    stats_.cached_bytes -= static_cast<std::int64_t>(size);
    add_live(size);
    return const_cast<char*>(start);
  }
  void* pointer = call(&kernels::Plugin::allocate_host, size);
  ++stats_.system_requests;
  blocks_.emplace(static_cast<const char*>(pointer), Block{size, true, {}});
  add_live(size);
  return pointer;
}

void PinnedAllocator::deallocate(void* pointer, std::size_t, DeviceIndex) noexcept {
  const std::lock_guard lock(mutex_);
  Block& block = blocks_.at(static_cast<const char*>(pointer));
  block.live = false;
  stats_.live_bytes -= static_cast<std::int64_t>(block.size);
  stats_.cached_bytes += static_cast<std::int64_t>(block.size);
}

void PinnedAllocator::empty_cache() {
  const std::lock_guard lock(mutex_);
  for (auto place = blocks_.begin(); place != blocks_.end();) {
    if (place->second.live) {
      ++place;
      continue;
    }
    void* pointer = const_cast<char*>(place->first);
    stats_.cached_bytes -= static_cast<std::int64_t>(place->second.size);
    place = blocks_.erase(place);
    call(&kernels::Plugin::release_host, pointer);
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
  auto use = std::find_if(block->in_use.begin(), block->in_use.end(),
                          [&](const Use& known) { return known.stream == stream; });
  if (use == block->in_use.end()) use = block->in_use.insert(use, {stream, Event()});
  use->end.record(stream);
}

bool PinnedAllocator::is_pinned(const void* pointer) {
  const std::lock_guard lock(mutex_);
  return find(pointer) != nullptr;
}

PinnedAllocator::Block* PinnedAllocator::find(const void* pointer) {
  const char* place = static_cast<const char*>(pointer);
  auto block = blocks_.upper_bound(place);
  if (block == blocks_.begin()) return nullptr;
  --block;
  const bool inside = place < block->first + block->second.size;
  return inside && block->second.live ? &block->second : nullptr;
}

void PinnedAllocator::add_live(std::size_t size) {
  stats_.live_bytes += static_cast<std::int64_t>(size);
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
}

}  // namespace tern::cuda::detail
