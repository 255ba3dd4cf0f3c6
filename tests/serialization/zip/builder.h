#pragma once

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <vector>

#include <tern/serialization/state_file.h>

namespace tern {

/// One entry of an archive that a test makes, with what it says of itself, right or wrong. The
/// checksum is 0, as torch.save leaves it when told to.
struct ZipPart {
  ZipPart(std::string part_name, std::string part_bytes)
      : name(std::move(part_name)), bytes(std::move(part_bytes)), header_name(name) {
    packed_size = size = static_cast<std::uint32_t>(bytes.size());
  }

  std::string name, bytes;
  std::string header_name;  // the name in front of the bytes
  std::uint16_t flags = 0, method = 0;
  std::uint32_t packed_size, size, offset_error = 0;
  std::string extra;  // in the list of contents
};

template <class T>
void put(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// `numbers` as 16 bits each.
inline std::string words(std::initializer_list<std::size_t> numbers) {
  std::string text;
  for (const std::size_t number : numbers) put(text, static_cast<std::uint16_t>(number));
  return text;
}

/// False when tern was built without zlib.
inline bool reads_deflated() {
  try {
    load_state(kGoldenFolder + "numpy/arrays_deflated.npz");
    return true;
  } catch (const FileError& error) {
    if (std::string(error.what()).ends_with("this tern was built without zlib")) return false;
    throw;
  }
}

/// For the head of a test that reads compressed files.
#define TERN_NEEDS_ZLIB()        \
  if (!::tern::reads_deflated()) \
  GTEST_SKIP() << "needs compressed files, but tern was built without zlib"

inline std::string make_zip(const std::vector<ZipPart>& parts, std::uint16_t extra_count = 0) {
  std::string file, list;
  for (const ZipPart& part : parts) {
    list += "PK\1\2" + words({20, 20, part.flags, part.method, 0, 0, 0, 0});
    put(list, part.packed_size);
    put(list, part.size);
    list += words({part.name.size(), part.extra.size(), 0, 0, 0, 0, 0});
    put(list, static_cast<std::uint32_t>(file.size()) + part.offset_error);
    list += part.name + part.extra;
    file += "PK\3\4" + words({20, part.flags, part.method, 0, 0, 0, 0, 0, 0, 0, 0}) +
            words({part.header_name.size(), 0}) + part.header_name + part.bytes;
  }
  const auto offset = static_cast<std::uint32_t>(file.size());
  const std::size_t count = parts.size() + extra_count;
  file += list + "PK\5\6" + words({0, 0, count, count});
  put(file, static_cast<std::uint32_t>(list.size()));
  put(file, offset);
  return file + words({0});
}

}  // namespace tern
