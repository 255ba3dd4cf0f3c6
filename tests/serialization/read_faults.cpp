#include "read_faults.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace {

struct {
  std::atomic<bool> active{false};
  std::atomic<long> calls{0};
  tern::ReadFault fault;
} read_faults;

}  // namespace

// The library's calls come here, too, because the names are visible.
#pragma GCC visibility push(default)
extern "C" ssize_t pread(int file, void* to, size_t size, off_t offset) {
  if (read_faults.active) {
    const tern::ReadFault& fault = read_faults.fault;
    const bool is_hit = read_faults.calls.fetch_add(1) + 1 == fault.call;
    if (is_hit && fault.kind == tern::ReadFault::kEnd) return 0;
    if (is_hit && fault.kind != tern::ReadFault::kNone) {
      errno = fault.kind == tern::ReadFault::kInterrupt ? EINTR : EIO;
      return -1;
    }
    if (fault.kind == tern::ReadFault::kShort)
      size = std::min<size_t>(size, 1 + static_cast<size_t>(offset) % 7);
  }
  return syscall(SYS_pread64, file, to, size, offset);
}
extern "C" ssize_t pread64(int file, void* to, size_t size, off_t offset) {
  return pread(file, to, size, offset);
}
#pragma GCC visibility pop

namespace tern {

ReadFaults::ReadFaults(ReadFault fault) {
  read_faults.fault = fault;
  read_faults.calls = 0;
  read_faults.active = true;
}
ReadFaults::~ReadFaults() { read_faults.active = false; }
long ReadFaults::calls() const { return read_faults.calls; }

}  // namespace tern
