#include <tern/backends/cuda/host/device_caching_allocator.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include <tern/backends/cuda/host/event_pool.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/recording.h>
#include <tern/core/base/detail/plain_text.h>

namespace tern::cuda::detail {
namespace {

using kernels::Plugin;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kBlockUnit = 512;
constexpr std::size_t kSmallRequest = kMiB;  // the largest request that small segments serve
constexpr std::size_t kSmallSegment = 2 * kMiB;
constexpr std::size_t kLargeSegment = 20 * kMiB;
constexpr std::size_t kOwnSegment = 10 * kMiB;  // requests from here on get their own segment
constexpr std::size_t kSegmentUnit = 2 * kMiB;
constexpr std::size_t kLargestRequest = std::numeric_limits<std::size_t>::max() / 4;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// TERN_CUDA_CACHE=0 disables caching: every tensor gets its own memory of exactly its size from the
// driver, for tests and for tools that look for out-of-bounds accesses.
bool caches() {
  static const bool on = [] {
    const char* value = std::getenv("TERN_CUDA_CACHE");
    return value == nullptr || std::strcmp(value, "0") != 0;
  }();
  return on;
}

std::size_t block_size(std::size_t bytes) {
  return caches() ? round_up(std::max(bytes, kBlockUnit), kBlockUnit)
                  : std::max<std::size_t>(bytes, 1);
}

std::size_t segment_size(std::size_t size) {
  if (!caches()) return size;
  if (size <= kSmallRequest) return kSmallSegment;
  return size < kOwnSegment ? kLargeSegment : round_up(size, kSegmentUnit);
}

std::string in_units(double bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB"};
  if (bytes <= 1024) return std::to_string(static_cast<std::int64_t>(bytes)) + " bytes";
  std::size_t unit = 0;
  for (bytes /= 1024; bytes > 1024 && unit < 2; ++unit) bytes /= 1024;
  return tern::detail::number_text(bytes, 'f', 2) + ' ' + kUnits[unit];
}

}  // namespace

bool DeviceCachingAllocator::BestFit::operator()(const Block* a, const Block* b) const {
  return std::tie(a->pool, a->stream, a->size, a->start) <
         std::tie(b->pool, b->stream, b->size, b->start);
}

void* DeviceCachingAllocator::allocate(std::size_t bytes, void* stream, std::uint64_t pool) {
  if (bytes > kLargestRequest) return nullptr;
  const std::size_t size = block_size(bytes);
  collect_waiting(/*wait=*/false);
  Block* block = take_free(size, stream, pool);
  if (block == nullptr) block = new_segment(size, stream, pool);
  if (block == nullptr) {
    empty_cache();
    block = take_free(size, stream, pool);  // blocks that other streams used may fit now
    if (block == nullptr) block = new_segment(size, stream, pool);
    if (block == nullptr) return nullptr;
  }
  try {
    split(*block, size);
    live_.emplace(block->start, block);
  } catch (...) {
    set_free(*block);
    throw;
  }
  block->live = true;
  block->requested = bytes;
  block->serial = ++stats_.allocations;
  const auto taken = static_cast<std::int64_t>(block->size);
  stats_.live_bytes += taken;
  stats_.cached_bytes = reserved_ - stats_.live_bytes;
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  return block->start;
}

void DeviceCachingAllocator::deallocate(void* pointer) noexcept {
  const auto found = live_.find(pointer);
  TERN_ASSERT(found != live_.end());
  Block& block = *found->second;
  live_.erase(found);
  block.live = false;
  stats_.live_bytes -= static_cast<std::int64_t>(block.size);
  stats_.cached_bytes = reserved_ - stats_.live_bytes;
  if (block.used_on.empty()) {
    set_free(block);
  } else {
    block.next_unmarked = std::exchange(unmarked_, &block);
  }
  try {
    if (block.used_on.empty() && !caches()) empty_cache();
    mark_uses();
  } catch (...) {
    // The next allocation tries again.
  }
}

// Records events behind the present work of the other streams that used freed blocks. Streams in a
// capture are left out: the event would become part of the graph.
void DeviceCachingAllocator::mark_uses() {
  for (Block** entry = &unmarked_; *entry != nullptr;) {
    Block& block = **entry;
    for (std::size_t k = block.used_on.size(); k-- > 0;) {
      void* const stream = block.used_on[k];
      if (is_captured(stream)) continue;
      std::deque<Mark>& marks = marks_[stream];
      marks.push_back({nullptr, &block});
      try {
        marks.back().event = record_event(device_, stream);
      } catch (...) {
        marks.pop_back();
        throw;
      }
      ++block.marks;
      block.used_on.erase(block.used_on.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (block.used_on.empty()) {
      *entry = std::exchange(block.next_unmarked, nullptr);
    } else {
      entry = &block.next_unmarked;
    }
  }
}

void DeviceCachingAllocator::record_stream(const void* pointer, void* stream) {
  const auto found = live_.find(pointer);
  if (found == live_.end() || found->second->stream == stream) return;
  std::vector<void*>& streams = found->second->used_on;
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

void DeviceCachingAllocator::empty_cache() {
  collect_waiting(/*wait=*/true);
  if (!captured_.empty()) return;
  for (FreeBlocks& blocks : free_) release_free_segments(blocks);
}

void DeviceCachingAllocator::end_capture(void* stream) {
  const auto found = std::find(captured_.begin(), captured_.end(), stream);
  TERN_ASSERT(found != captured_.end());
  captured_.erase(found);
}

bool DeviceCachingAllocator::is_captured(void* stream) const {
  return std::find(captured_.begin(), captured_.end(), stream) != captured_.end();
}

void DeviceCachingAllocator::let_go(std::uint64_t pool) {
  const auto holder = holders_.find(pool);
  TERN_ASSERT(holder != holders_.end());
  if (--holder->second == 0) holders_.erase(holder);
}

DeviceCachingAllocator::Block* DeviceCachingAllocator::take_free(std::size_t size, void* stream,
                                                                 std::uint64_t pool) {
  if (!caches()) return nullptr;
  FreeBlocks& blocks = free_[size <= kSmallRequest];
  Block wanted{nullptr, size, stream, pool, nullptr, false};
  const auto fit = blocks.lower_bound(&wanted);
  if (fit == blocks.end() || (*fit)->stream != stream || (*fit)->pool != pool) return nullptr;
  Block* block = *fit;
  block->node = blocks.extract(fit);
  return block;
}

DeviceCachingAllocator::Block* DeviceCachingAllocator::new_segment(std::size_t size, void* stream,
                                                                   std::uint64_t pool) {
  const std::size_t bytes = segment_size(size);
  std::map<const char*, Segment> made;  // first, so that driver memory cannot leak
  Segment& segment = made[nullptr];
  segment.push_back(Block{nullptr, bytes, stream, pool, &segment, size <= kSmallRequest});
  Block& block = segment.front();
  block.self = segment.begin();
  make_node(block);
  auto node = made.extract(nullptr);
  kernels::PluginStatus status;
  char* start = static_cast<char*>(plugin().allocate(device_, bytes, &status));
  if (status.code == kernels::StatusCode::kOutOfMemory) return nullptr;
  check(status);
  ++stats_.system_requests;
  reserved_ += static_cast<std::int64_t>(bytes);
  stats_.peak_reserved_bytes = std::max(stats_.peak_reserved_bytes, reserved_);
  block.start = start;
  node.key() = start;
  segments_.insert(std::move(node));
  return &block;
}

// Makes the set node with which the block will enter the free list, so that freeing cannot throw.
void DeviceCachingAllocator::make_node(Block& block) {
  FreeBlocks alone{&block};
  block.node = alone.extract(alone.begin());
}

// Splits off the rest beyond `size` if it is large enough for a block of its own.
void DeviceCachingAllocator::split(Block& block, std::size_t size) {
  const std::size_t rest = block.size - size;
  if (block.small ? rest < kBlockUnit : rest <= kSmallRequest) return;
  Segment cut;
  cut.push_back(
      Block{block.start + size, rest, block.stream, block.pool, block.segment, block.small});
  Block& next = cut.front();
  next.self = cut.begin();
  make_node(next);
  block.segment->splice(std::next(block.self), cut);
  block.size = size;
  free_[block.small].insert(std::move(next.node));
}

// Merges the block with free neighbours and adds it to the free list.
void DeviceCachingAllocator::set_free(Block& block) {
  FreeBlocks& blocks = free_[block.small];
  Segment& segment = *block.segment;
  if (const auto next = std::next(block.self); next != segment.end() && blocks.erase(&*next) != 0) {
    block.size += next->size;
    segment.erase(next);
  }
  if (block.self != segment.begin()) {
    const auto previous = std::prev(block.self);
    if (blocks.erase(&*previous) != 0) {
      block.size += previous->size;
      block.start = previous->start;
      segment.erase(previous);
    }
  }
  blocks.insert(std::move(block.node));
}

// Frees the blocks whose other streams have passed their events; with `wait`, waits for all of
// them. If the driver fails, the remaining blocks wait for the next call.
void DeviceCachingAllocator::collect_waiting(bool wait) {
  mark_uses();
  if (marks_.empty() || captures_here()) return;
  for (auto& [stream, marks] : marks_) {
    while (!marks.empty() && collect_event(device_, marks.front().event, wait)) {
      Block& block = *marks.front().block;
      marks.pop_front();
      if (--block.marks == 0 && block.used_on.empty()) set_free(block);
    }
  }
}

void DeviceCachingAllocator::release_free_segments(FreeBlocks& blocks) {
  for (auto free_block = blocks.begin(); free_block != blocks.end();) {
    Block& block = **free_block;
    if (block.segment->size() > 1 || is_held(block)) {
      ++free_block;
      continue;
    }
    char* start = block.start;
    free_block = blocks.erase(free_block);
    reserved_ -= static_cast<std::int64_t>(block.size);
    segments_.erase(start);
    call(&Plugin::release, device_, static_cast<void*>(start));
  }
  stats_.cached_bytes = reserved_ - stats_.live_bytes;
}

bool DeviceCachingAllocator::find_block(const void* address, kernels::PluginBlock* found) const {
  const auto tell = [&](const Block& block) {
    const std::size_t bytes = block.live ? block.requested : block.size;
    *found = {block.start,        static_cast<std::int64_t>(bytes),
              block.serial,       block.stream,
              block.live ? 1 : 0, is_held(block) ? 1 : 0};
    return true;
  };
  const char* byte = static_cast<const char*>(address);
  if (const auto live = live_.find(byte); live != live_.end()) return tell(*live->second);
  auto segment = segments_.upper_bound(byte);
  if (segment == segments_.begin()) return false;
  --segment;
  for (const Block& block : segment->second) {
    if (byte >= block.start && byte < block.start + block.size) return tell(block);
  }
  return false;
}

void DeviceCachingAllocator::throw_out_of_memory(std::size_t bytes) const {
  std::int64_t free = 0, total = 0;
  call(&Plugin::memory_info, device_, &free, &total);
  const auto text = [](std::int64_t count) { return in_units(static_cast<double>(count)); };
  tern::detail::raise<OutOfMemoryError>(
      "CUDA out of memory. Tried to allocate ", in_units(static_cast<double>(bytes)), ". GPU ",
      device_, " has a total capacity of ", text(total), " of which ", text(free),
      " is free. Of the allocated memory ", text(stats_.live_bytes), " is allocated by tern, and ",
      text(reserved_ - stats_.live_bytes), " is reserved by tern but unallocated.",
      captured_.empty() ? ""
                        : " During the capture of a CUDA graph, cached memory cannot be freed.");
}

}  // namespace tern::cuda::detail
