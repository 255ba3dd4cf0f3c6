#pragma once

#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include <tern/backends/cuda/host/stream.h>
#include <tern/core/tensor/detail/allocator.h>

namespace tern::cuda::detail {

/// Host memory that devices reach by themselves, so that copies run while the host goes on. Taking
/// it from the driver is slow: freed blocks are kept by powers of two and handed out again once the
/// copies that use them are done. The device index of its functions means nothing.
class TERN_API PinnedAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, DeviceIndex device) override;
  void deallocate(void* pointer, std::size_t bytes, DeviceIndex device) noexcept override;
  /// Leaves out what copies still use, and does nothing during a capture, when the driver refuses
  /// that.
  void empty_cache() override;
  /// From here to end_capture() there is a capture, on any device.
  void begin_capture();
  void end_capture();
  MemoryStats stats(DeviceIndex device) const override;
  void reset_peak(DeviceIndex device) override;

  /// Says that a copy on `stream` uses the memory at `pointer`, if it is pinned by tern.
  void record_stream(const void* pointer, Stream stream);
  /// Whether the address lies in a live block.
  bool is_pinned(const void* pointer);

 private:
  struct Use {  // a stream that copies from or to a block, and a mark behind its last copy
    Stream stream;
    void* end;
  };
  struct Block {
    std::size_t size;
    bool live = true;
    std::vector<Use> in_use{};
  };
  using Blocks = std::map<const char*, Block>;  // by address

  // With the lock held:
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
  // By size, the longest free first; with room for all, so that freeing allocates nothing.
  std::array<std::vector<Blocks::iterator>, 64> free_;
  std::array<std::size_t, 64> made_{};  // blocks, by size
  int captures_ = 0;
  MemoryStats stats_;
};

}  // namespace tern::cuda::detail
