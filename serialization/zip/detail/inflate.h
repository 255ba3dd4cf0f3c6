#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <tern/serialization/zip/detail/archive.h>

namespace tern::detail {

/// The bytes of a deflated entry, unpacked as they are asked for.
class Inflater {
 public:
  /// Throws FileError when tern was built without zlib.
  Inflater(const InputFile& file, const ZipEntry& entry);
  ~Inflater();

  /// Throws FileError when the data are damaged or end before.
  void read(char* to, std::size_t count);
  /// Throws FileError unless the data end here.
  void finish();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace tern::detail
