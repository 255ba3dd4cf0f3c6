#pragma once

#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include <tern/backends/cuda/host/stream.h>
#include <tern/core/tensor/detail/allocator.h>

namespace tern::cuda::detail {

/// Pinned host memory, which devices can access directly, so that copies run while the host
/// continues. Allocating it by the driver is slow: freed blocks are cached by powers of two and
/// reused when the copies that use them are done. Device indices are ignored.
class TERN_API PinnedAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, DeviceIndex device) override;
  void deallocate(void* pointer, std::size_t bytes, DeviceIndex device) noexcept override;
  /// Gives idle blocks back to the driver; blocks that copies still use stay. Does nothing during a
  /// capture, because the driver refuses it then.
  void empty_cache() override;
  /// Marks the start of a capture, on any device.
  void begin_capture();
  void end_capture();
  MemoryStats stats(DeviceIndex device) const override;
  void reset_peak(DeviceIndex device) override;

  /// Records that a copy on `stream` uses the memory at `pointer`, if the memory is pinned by tern.
  void record_stream(const void* pointer, Stream stream);
  /// Returns true if the address lies in a live block.
  bool is_pinned(const void* pointer);

 private:
  struct Use {  // a stream that copies from or to a block, and an event behind its last copy
    Stream stream;
    void* end;
  };
  struct Block {
    std::size_t size;
    bool live = true;
    std::vector<Use> in_use{};
  };
  using Blocks = std::map<const char*, Block>;  // by address

  // The caller must hold the lock:
  static bool is_idle(Block& block);
  Blocks::iterator take_free(std::size_t size);
  Blocks::iterator new_block(std::size_t size);
  void release_free_blocks();
  Block* find(const void* pointer);
  static std::size_t class_of(std::size_t size) {
    return static_cast<std::size_t>(std::countr_zero(size));
  }

  mutable std::mutex mutex_;
  Blocks blocks_;
  // Indexed by size class, the longest free first. Has capacity for all blocks, so that
  // freeing allocates nothing.
  std::array<std::vector<Blocks::iterator>, 64> free_;
  std::array<std::size_t, 64> made_{};  // number of blocks, by size
  int captures_ = 0;
  MemoryStats stats_;
};

}  // namespace tern::cuda::detail
