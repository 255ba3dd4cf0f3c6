#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <tern/serialization/zip/detail/archive.h>

namespace tern::detail {

/// Unpacks a deflated entry step by step.
class Inflater {
 public:
  /// Throws FileError if tern was built without zlib.
  Inflater(const InputFile& file, const ZipEntry& entry);
  ~Inflater();

  /// Reads `count` unpacked bytes. Throws FileError if the data are damaged or too short.
  void read(char* to, std::size_t count);
  /// Throws FileError unless all data were read.
  void finish();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace tern::detail
