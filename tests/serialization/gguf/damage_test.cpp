#include <gtest/gtest.h>

#include <tern/core/tensor/detail/allocator.h>
#include <tern/serialization/gguf.h>
#include <tern/serialization/state_file.h>

#include "serialization/gguf/builder.h"
#include "serialization/peak_memory.h"
#include "serialization/scratch.h"

// Files that were damaged on their way, and headers that shall cost memory.

namespace tern {
namespace {

/// Reads all that the file has. Throws FileError for what is wrong.
void read_all(const std::string& path, bool map) {
  const GgufFile file(path, {.map = map});
  for (const std::string_view key : file.keys()) {
    file.text(key);
    try {
      file.metadata(key);
    } catch (const FileError&) {  // an integer above 2^63 - 1
    }
  }
  for (const GgufEntry& entry : file.entries()) {
    file.read(entry.name);
    if (entry.blocks) file.read_blocks(entry.name);
  }
}

class GgufDamage : public ::testing::Test {
 protected:
  GgufDamage() : bytes_(read_file(kGoldenFolder + "gguf/types.gguf")) { write_file(path_, bytes_); }

  const Scratch scratch_;
  const std::string path_ = scratch_.path("x.gguf"), bytes_;
};

TEST_F(GgufDamage, CutOffAnywhere) {
  const GgufEntry last = GgufFile(path_).entries().back();
  for (std::size_t size = bytes_.size(); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    if (size >= last.end) {  // only the padding is lost
      EXPECT_EQ(load_state(path_).size(), 13u);
    } else {
      EXPECT_THROW(load_state(path_), FileError) << "after " << size << " bytes";
    }
  }
}

TEST_F(GgufDamage, OneByteMore) {
  write_file(path_, bytes_ + '\0');
  EXPECT_THROW(load_state(path_), FileError);
}

TEST_F(GgufDamage, OneChangedByteOfTheHeader) {
  Allocator& allocator = detail::allocator_of(DeviceType::CPU);
  const std::size_t data = GgufFile(path_).entries()[0].begin;
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  long read = 0, refused = 0;
  for (std::size_t at = 0; at < data; ++at) {
    for (const int change : {1, 0x80, 0xff}) {
      file.seekp(static_cast<long>(at)).put(static_cast<char>(bytes_[at] ^ change)).flush();
      const std::int64_t before = allocator.stats(0).live_bytes;
      allocator.reset_peak(0);
      try {
        read_all(path_, change == 1);
        ++read;
      } catch (const FileError&) {
        ++refused;
      }
      // Blocks become 8 times as large at most, and one tensor lives at a time.
      EXPECT_LE(allocator.stats(0).peak_bytes - before,
                static_cast<std::int64_t>(8 * bytes_.size()));
    }
    file.seekp(static_cast<long>(at)).put(bytes_[at]).flush();
  }
  EXPECT_GT(refused, read);
  EXPECT_GT(read, 0);
}

TEST(GgufMemory, ARefusalTakesTheNamesAndALittle) {
  TERN_NEEDS_PEAK_MEMORY();
  const Scratch scratch;
  const std::string path = scratch.path("x.gguf");
  const auto size = static_cast<std::size_t>(count_for(20'000'000, 500'000'000));
  const auto number = [](std::size_t i) { return std::to_string(i); };
  std::vector<std::pair<std::string, std::string>> files;
  {
    // A long array of numbers, of strings and of arrays, each with a wrong key behind it.
    const std::string wrong = gguf_key("w", 99, "");
    files.emplace_back(
        "the type of the value is 99",
        GgufBytes{{gguf_key("a", 9, gguf_array(0, size) + std::string(size, 'x')), wrong}, {}}
            .str());
    files.emplace_back(
        "the type of the value is 99",
        GgufBytes{
            {gguf_key("a", 9, gguf_array(8, size / 8) + std::string(size / 8 * 8, '\0')), wrong},
            {}}
            .str());
    // As many keys and tensors as the reader takes, with an equal name at the end.
    GgufBytes many;
    for (std::size_t i = 0; i < 65535; ++i) {
      many.keys.push_back(gguf_key(number(i), 7, "\1"));
      many.entries.push_back(gguf_entry(number(i), {0}, 0, 0));
    }
    many.keys.push_back(many.keys[0]);
    many.entries.push_back(many.entries[0]);
    files.emplace_back("key '0' appears twice", many.str());
  }
  for (const auto& [says, bytes] : files) {
    write_file(path, bytes);
    const long before = reset_peak();
    const std::string text = error_of<FileError>([&] { load_state(path); });
    EXPECT_LT(peak_bytes() - before, (16 << 20) + 65536 * 32);
    EXPECT_NE(text.find(says), text.npos) << text.substr(0, 500);
  }
}

TEST(GgufMemory, ReadingTakesOneTensorAtATime) {
  Allocator& allocator = detail::allocator_of(DeviceType::CPU);
  const Scratch scratch;
  const std::string path = scratch.path("x.gguf");
  constexpr std::int64_t kBlocks = 1 << 14;
  GgufBytes file;
  for (std::int64_t i = 0; i < 4; ++i) {
    file.entries.push_back(gguf_entry(std::to_string(i), {32, kBlocks}, 8, 34 * kBlocks * i));
  }
  file.data = 4 * 34 * kBlocks;
  write_file(path, file.str());
  const std::int64_t before = allocator.stats(0).live_bytes;
  allocator.reset_peak(0);
  const GgufFile opened(path);
  for (const GgufEntry& entry : opened.entries()) opened.read(entry.name);
  EXPECT_LE(allocator.stats(0).peak_bytes - before, 4 * 32 * kBlocks);
  allocator.reset_peak(0);
  for (const GgufEntry& entry : opened.entries()) opened.read_blocks(entry.name);
  EXPECT_LE(allocator.stats(0).peak_bytes - before, 34 * kBlocks + 64);
}

}  // namespace
}  // namespace tern
