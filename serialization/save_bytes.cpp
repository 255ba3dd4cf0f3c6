#include <tern/serialization/save_bytes.h>

#include <tern/serialization/file/detail/atomic_file.h>

namespace tern {

void save_bytes(std::string_view bytes, const std::string& path) {
  detail::AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace tern
