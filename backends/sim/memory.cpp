#include <tern/backends/sim/memory.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <tern/backends/sim/failure.h>
#include <tern/core/base/detail/plain_text.h>

namespace tern::sim {
namespace {

constexpr std::size_t kGranularity = 4096;  // a multiple of the page size, to give pages back

std::size_t round_up(std::size_t bytes) {
  return (bytes + kGranularity - 1) / kGranularity * kGranularity;
}

[[noreturn]] void fail(const char* call) {
  throw Failure{StatusCode::kDeviceFault, std::string("the simulator cannot make device memory: ") +
                                              call + ": " + tern::detail::system_reason(errno)};
}

char* map(int file, std::size_t bytes, int protection) {
  void* start = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (start == MAP_FAILED) fail("mmap");
  return static_cast<char*>(start);
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(round_up(bytes)) {}

void DeviceMemory::make() {
  file_ = memfd_create("tern simulated device", MFD_CLOEXEC);
  if (file_ < 0) fail("memfd_create");
  if (ftruncate(file_, static_cast<off_t>(bytes_)) != 0) fail("ftruncate");
  const char* const access = std::getenv("TERN_SIM_HOST_ACCESS");
  const bool host_may_access = access != nullptr && std::strcmp(access, "1") == 0;
  char* const user_side = map(file_, bytes_, host_may_access ? PROT_READ | PROT_WRITE : PROT_NONE);
  kernel_side_ = map(file_, bytes_, PROT_READ | PROT_WRITE);
  user_side_ = user_side;
}

void* DeviceMemory::allocate(std::size_t bytes) {
  if (bytes > bytes_) return nullptr;
  if (user_side_ == nullptr) make();
  bytes = round_up(bytes);
  std::size_t offset = 0;
  for (const auto& [start, size] : ranges_) {
    if (start - offset >= bytes) break;
    offset = start + size;
  }
  if (bytes_ - offset < bytes) return nullptr;
  ranges_[offset] = bytes;
  used_ += bytes;
  return user_side_ + offset;
}

bool DeviceMemory::release(void* pointer) {
  if (!owns(pointer)) return false;
  const auto range =
      ranges_.find(static_cast<std::size_t>(static_cast<char*>(pointer) - user_side_));
  if (range == ranges_.end()) return false;
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(range->first),
            static_cast<off_t>(range->second));
  used_ -= range->second;
  ranges_.erase(range);
  return true;
}

bool DeviceMemory::owns(const void* address) const {
  const char* byte = static_cast<const char*>(address);
  const char* start = user_side_;
  return start != nullptr && byte >= start && byte < start + bytes_;
}

bool DeviceMemory::is_allocated(const char* first, const char* last) const {
  if (!owns(first)) return false;
  const auto offset = static_cast<std::size_t>(first - user_side_);
  auto range = ranges_.upper_bound(offset);
  if (range == ranges_.begin()) return false;
  --range;
  return last <= user_side_ + range->first + range->second && offset < range->first + range->second;
}

}  // namespace tern::sim
