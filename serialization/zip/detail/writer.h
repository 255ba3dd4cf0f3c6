#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tern/serialization/file/detail/atomic_file.h>

namespace tern::detail {

/// Writes a ZIP archive without compression. The data of each entry begin at a multiple of 64, so
/// that they can be mapped. Large entries and archives get zip64 records.
class ZipWriter {
 public:
  /// Receives the bytes of the archive in order.
  using Sink = std::function<void(std::string_view bytes)>;

  explicit ZipWriter(AtomicFile& file)
      : ZipWriter(file.path(), [&file](std::string_view bytes) { file.write(bytes); }) {}
  /// Writes to `sink`. Error texts have `name` where a file has its path.
  ZipWriter(std::string name, Sink sink) : name_(std::move(name)), sink_(std::move(sink)) {}

  /// Writes one entry that consists of all pieces. All names must differ.
  void add(std::string_view name, std::initializer_list<std::string_view> pieces);
  /// Writes the list of contents. The caller commits the file.
  void finish();

 private:
  void write(std::string_view bytes);

  std::string name_;
  Sink sink_;
  std::uint64_t position_ = 0;
  std::uint64_t count_ = 0;
  std::string directory_;
};

}  // namespace tern::detail
