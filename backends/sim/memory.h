#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

namespace tern::sim {

/// The memory of one simulated device: one memory file, mapped twice. Users get addresses of a
/// mapping without access rights, so that the host cannot use them by mistake. Kernels use the
/// other mapping, at a fixed distance. With TERN_SIM_HOST_ACCESS=1 the host may use both, as an MPI
/// that takes pointers to device memory does. Pages take memory only after the first write.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::size_t total() const { return bytes_; }
  std::size_t used() const { return used_; }

  /// Returns the lowest free range of this size, or null if there is none. The first call makes the
  /// memory file, so processes forked before have separate memory. Throws Failure if the system
  /// refuses.
  void* allocate(std::size_t bytes);
  /// Gives the pages back to the system. Returns false if `pointer` did not come from allocate().
  bool release(void* pointer);

  /// Returns true if the address belongs to this device, allocated or not. Safe in a signal
  /// handler.
  bool owns(const void* address) const;
  /// Returns true if [first, last) lies inside one allocation.
  bool is_allocated(const char* first, const char* last) const;
  /// Converts a user's address into the address that kernels use.
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
  std::map<std::size_t, std::size_t> ranges_;  // offset -> size of each allocation
};

}  // namespace tern::sim
