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

/// The cached memory of one device, by PyTorch's rules. Memory comes from the driver in segments: 2
/// MiB for requests up to 1 MiB, 20 MiB for requests below 10 MiB, else a multiple of 2 MiB.
/// Segments are divided into blocks (multiples of 512 bytes), free neighbours merge, and a request
/// takes the best fit. A block belongs to the stream that allocated it: work of one stream runs in
/// order, so the block can be reused at once. Use on another stream must be recorded; freeing the
/// block then waits for an event of that stream.
///
/// Graphs have private pools, numbered from 1. A pool's blocks are reused only by allocations for
/// the same pool and are not given back while a graph holds the pool. Not thread-safe.
class DeviceCachingAllocator {
 public:
  explicit DeviceCachingAllocator(DeviceIndex device) : device_(device) {}
  DeviceCachingAllocator(const DeviceCachingAllocator&) = delete;
  DeviceCachingAllocator& operator=(const DeviceCachingAllocator&) = delete;

  /// Returns null if the driver has no memory left, even after empty_cache.
  void* allocate(std::size_t bytes, void* stream, std::uint64_t pool = 0);
  /// Allocates no memory itself. Driver calls that fail are repeated by the next allocation.
  void deallocate(void* pointer) noexcept;
  /// Records that `stream` uses the block of `pointer`, too.
  void record_stream(const void* pointer, void* stream);
  /// Gives all segments without a live block back to the driver, waiting for blocks that other
  /// streams use. Does nothing while a capture records work of the device, because the driver
  /// refuses it then.
  void empty_cache();

  /// Throws OutOfMemoryError for a request that failed.
  [[noreturn]] void throw_out_of_memory(std::size_t bytes) const;

  /// Adds a graph to the holders of a private pool.
  void hold(std::uint64_t pool) { ++holders_[pool]; }
  void let_go(std::uint64_t pool);
  /// While a stream of the device is captured, no segment is given back, and blocks that the stream
  /// has used wait.
  void begin_capture(void* stream) { captured_.push_back(stream); }
  void end_capture(void* stream);

  const MemoryStats& stats() const { return stats_; }
  void reset_peak() {
    stats_.peak_bytes = stats_.live_bytes;
    stats_.peak_reserved_bytes = reserved_;
  }
  /// Finds the block that contains an address.
  bool find_block(const void* address, kernels::PluginBlock* found) const;

 private:
  struct Block;
  using Segment = std::list<Block>;  // the segment's blocks, ordered by address
  struct BestFit {                   // ordered by pool, stream, size, then address
    bool operator()(const Block* a, const Block* b) const;
  };
  using FreeBlocks = std::set<Block*, BestFit>;
  struct Block {
    char* start;
    std::size_t size;
    void* stream;
    std::uint64_t pool;
    Segment* segment;
    bool small;  // whether the segment is for small requests
    Segment::iterator self{};
    bool live = false;
    std::size_t requested = 0;
    std::int64_t serial = 0;
    std::vector<void*> used_on{};  // other streams that use the block, without an event yet
    int marks = 0;
    Block* next_unmarked = nullptr;
    FreeBlocks::node_type node{};  // held while not free, so that freeing allocates nothing
  };
  struct Mark {  // an event behind a stream's last use of a freed block
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
  FreeBlocks free_[2];  // [0]: of large segments; [1]: of small segments
  std::unordered_map<const void*, Block*> live_;
  std::map<const char*, Segment> segments_;
  Block* unmarked_ = nullptr;                // freed blocks with a non-empty `used_on`
  std::map<void*, std::deque<Mark>> marks_;  // by stream, in the order of the stream's work
  std::map<std::uint64_t, int> holders_;     // by pool
  std::vector<void*> captured_;              // captured streams
};

}  // namespace tern::cuda::detail
