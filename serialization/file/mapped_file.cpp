#include <tern/serialization/file/detail/mapped_file.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>

namespace tern::detail {

MappedFile::MappedFile(const InputFile& file) : size_(static_cast<std::size_t>(file.size())) {
  void* const data = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                            file.descriptor(), 0);
  TERN_CHECK(data != MAP_FAILED, FileError, "load: cannot map '", file.path(),
             "': ", tern::detail::system_reason(errno));
  data_ = static_cast<char*>(data);
  struct stat facts;
  if (::fstat(file.descriptor(), &facts) == 0 &&
      static_cast<std::uint64_t>(facts.st_size) >= file.size()) {
    return;
  }
  ::munmap(data_, size_);
  raise<FileError>("load: '", file.path(), "' became shorter while it was read");
}

MappedFile::~MappedFile() { ::munmap(data_, size_); }

}  // namespace tern::detail
