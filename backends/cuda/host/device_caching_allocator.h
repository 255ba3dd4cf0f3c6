#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include <tern/core/kernels/plugin.h>
#include <tern/core/tensor/detail/allocator.h>

namespace tern::cuda::detail {

/// The cached memory of one device, by PyTorch's rules. Memory comes from the driver in segments:
/// 2 MiB for requests up to 1 MiB, 20 MiB below 10 MiB, else multiples of 2 MiB. Segments are cut
/// into blocks (multiples of 512 bytes), freed neighbours grow together again, and the best fit is
/// taken. A block belongs to the stream that allocated it: work there is in order, so the block may
/// be handed out again at once. Use on another stream must be recorded; the block then waits for
/// an event of that stream.
///
/// Graphs have private pools, with numbers from 1: their blocks are handed out again to allocations
/// for the same pool only, and are not given back while a graph holds the pool. Not thread-safe.
class DeviceCachingAllocator {
 public:
  explicit DeviceCachingAllocator(DeviceIndex device) : device_(device) {}
  DeviceCachingAllocator(const DeviceCachingAllocator&) = delete;
  DeviceCachingAllocator& operator=(const DeviceCachingAllocator&) = delete;

  /// Null when the driver has none left, even after empty_cache.
  void* allocate(std::size_t bytes, void* stream, std::uint64_t pool = 0);
  /// Allocates nothing itself. What the driver refuses is left to the next allocation.
  void deallocate(void* pointer) noexcept;
  /// The block of `pointer` is used on `stream`, too.
  void record_stream(const void* pointer, void* stream);
  /// Gives all segments without a live block back, waiting for blocks in use elsewhere. Does
  /// nothing while a capture records work of the device, when the driver refuses that.
  void empty_cache();

  /// Throws the OutOfMemoryError of a request that failed.
  [[noreturn]] void throw_out_of_memory(std::size_t bytes) const;

  /// Every graph of a private pool holds it.
  void hold(std::uint64_t pool) { ++holders_[pool]; }
  void let_go(std::uint64_t pool);
  /// While a capture records a stream of the device no segment is given back, and blocks that the
  /// stream has used wait.
  void begin_capture(void* stream) { captured_.push_back(stream); }
  void end_capture(void* stream);

  const MemoryStats& stats() const { return stats_; }
  void reset_peak() {
    stats_.peak_bytes = stats_.live_bytes;
    stats_.peak_reserved_bytes = reserved_;
  }
  /// The block around an address.
  bool find_block(const void* address, kernels::PluginBlock* found) const;

 private:
  struct Block;
  using Segment = std::list<Block>;  // its blocks in the order of their addresses
  struct BestFit {                   // by pool, stream, then size, then address
    bool operator()(const Block* a, const Block* b) const;
  };
  using FreeBlocks = std::set<Block*, BestFit>;
  struct Block {
    char* start;
    std::size_t size;
    void* stream;
    std::uint64_t pool;
    Segment* segment;
    bool small;  // the kind of the segment
    Segment::iterator self{};
    bool live = false;
    std::size_t requested = 0;
    std::int64_t serial = 0;
    std::vector<void*> used_on{};  // further streams, whose use is not marked yet
    int marks = 0;
    Block* next_unmarked = nullptr;
    FreeBlocks::node_type node{};  // while it is not free, so that freeing allocates nothing
  };
  struct Mark {  // the end of a stream's use of a block that was given back
    void* event;
    Block* block;
  };

  Block* take_free(std::size_t size, void* stream, std::uint64_t pool);
  Block* new_segment(std::size_t size, void* stream, std::uint64_t pool);
  void split(Block& block, std::size_t size);
  static void make_node(Block& block);
  void set_free(Block& block);
  void mark_uses();
  void collect_waiting(bool wait);
  void release_free_segments(FreeBlocks& blocks);
  bool is_captured(void* stream) const;
  bool is_held(const Block& block) const { return holders_.contains(block.pool); }

  DeviceIndex device_;
  MemoryStats stats_;
  std::int64_t reserved_ = 0;
  FreeBlocks free_[2];  // of large and of small segments
  std::unordered_map<const void*, Block*> live_;
  std::map<const char*, Segment> segments_;
  Block* unmarked_ = nullptr;                // given back with `used_on`
  std::map<void*, std::deque<Mark>> marks_;  // by stream, in the order of its work
  std::map<std::uint64_t, int> holders_;     // by pool
  std::vector<void*> captured_;              // streams
};

}  // namespace tern::cuda::detail
