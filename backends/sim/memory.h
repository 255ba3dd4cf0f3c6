#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

namespace tern::sim {

/// The memory of one simulated device: one memory file, mapped twice. The addresses that users
/// hold give no access, so the host cannot touch them by mistake; kernels look at the other
/// mapping, a fixed distance away. Pages exist once they are written to.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::size_t total() const { return bytes_; }
  std::size_t used() const { return used_; }

  /// The lowest free range, or null when there is none of that size. The first call makes the
  /// memory file: processes that are forked before have memory of their own. Throws Failure when
  /// the system refuses.
  void* allocate(std::size_t bytes);
  /// False when `pointer` did not come from `allocate`. The pages go back to the system.
  bool release(void* pointer);

  /// Whether the address belongs to this device, allocated or not. Safe in a signal handler.
  bool owns(const void* address) const;
  /// Whether [first, last) lies inside one allocation.
  bool is_allocated(const char* first, const char* last) const;
  /// Where kernels find what the user calls `address`.
  char* kernel_address(const void* address) const {
    return kernel_side_ + (static_cast<const char*>(address) - user_side_);
  }

 private:
  void make();

  std::size_t bytes_;
  std::size_t used_ = 0;
  int file_ = -1;
  std::atomic<char*> user_side_ = nullptr;  // read by a signal handler
  char* kernel_side_ = nullptr;
  std::map<std::size_t, std::size_t> ranges_;  // offset -> size of what is allocated
};

}  // namespace tern::sim
