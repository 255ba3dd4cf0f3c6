#include <tern/serialization/file/detail/mapped_file.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>

namespace tern::detail {

MappedFile::MappedFile(const InputFile& file, bool read_ahead)
    : size_(static_cast<std::size_t>(file.size())) {
  void* const data = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                            file.descriptor(), 0);
  TERN_CHECK(data != MAP_FAILED, FileError, "load: cannot map '", file.path(),
             "': ", tern::detail::system_reason(errno));
  data_ = static_cast<char*>(data);
  struct stat facts;
  if (::fstat(file.descriptor(), &facts) == 0 &&
      static_cast<std::uint64_t>(facts.st_size) >= file.size()) {
    if (read_ahead) start_reading(file.descriptor());
    return;
  }
  ::munmap(data_, size_);
  raise<FileError>("load: '", file.path(), "' became shorter while it was read");
}

MappedFile::~MappedFile() {
  if (reader_.joinable()) {
    is_stopped_ = true;
    if (::getpid() == process_) {
      reader_.join();
    } else {
      reader_.detach();  // a child of fork() does not have the thread
    }
  }
  ::munmap(data_, size_);
}

void MappedFile::set_apart(std::uint64_t begin, std::uint64_t end) const {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = (begin + page - 1) / page * page, last = end / page * page;
  // Another advice makes the range a part of its own; failure costs memory alone.
  if (first < last) ::madvise(data_ + first, last - first, MADV_RANDOM);
}

/// Reads in pieces: the system would queue all requests for the whole file at once, and others, for
/// pages that are needed first, would wait behind them. A mapping of its own, which keeps no piece,
/// adds nothing to the memory of the process. Any failure ends the reading alone.
void MappedFile::start_reading([[maybe_unused]] int descriptor) {
#ifdef MADV_POPULATE_READ
  void* const mapping = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapping == MAP_FAILED) return;
  ::madvise(mapping, size_, MADV_SEQUENTIAL);
  process_ = ::getpid();
  const auto read = [this, begin = static_cast<char*>(mapping), size = size_] {
    constexpr std::size_t kPiece = 1 << 20;
    for (std::size_t at = 0; at < size && !is_stopped_; at += kPiece) {
      const std::size_t count = std::min(kPiece, size - at);
      if (::madvise(begin + at, count, MADV_POPULATE_READ) != 0) break;
      ::madvise(begin + at, count, MADV_DONTNEED);
    }
    ::munmap(begin, size);
  };
  try {
    reader_ = std::thread(read);
  } catch (const std::system_error&) {
    ::munmap(mapping, size_);
  }
#endif
}

}  // namespace tern::detail
