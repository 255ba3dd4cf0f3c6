#include <tern/serialization/gguf/detail/header.h>

#include <unordered_set>

#include <tern/serialization/gguf/detail/cursor.h>
#include <tern/serialization/gguf/detail/types.h>
#include <tern/serialization/gguf/detail/values.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/elements.h>

namespace tern::detail {
namespace {

// The least bytes of a key with its value, and of the entry of a tensor.
constexpr std::uint64_t kMinKey = 8 + 4 + 1, kMinEntry = 8 + 4 + 4 + 8;
constexpr std::uint32_t kMaxDims = 4;
constexpr std::string_view kAlignmentKey = "general.alignment";

class HeaderReader {
 public:
  explicit HeaderReader(const InputFile& file) : file_(file), cursor_(file, 0, "header") {}

  GgufHeader read() {
    if (cursor_.text(kGgufMagic.size()) != kGgufMagic) {
      cursor_.fail("the file does not begin with ", kGgufMagic);
    }
    read_version();
    const std::uint64_t tensors = count(kMinEntry, " tensors");
    const std::uint64_t keys = count(kMinKey, " keys");
    header_.keys.reserve(static_cast<std::size_t>(keys));
    for (std::uint64_t i = 0; i < keys; ++i) read_key();
    header_.entries.reserve(static_cast<std::size_t>(tensors));
    for (std::uint64_t i = 0; i < tensors; ++i) read_entry();
    place_entries();
    refuse_equal("key", header_.keys);
    refuse_equal("tensor", header_.entries);
    return std::move(header_);
  }

 private:
  void read_version() {
    const auto version = cursor_.number<std::uint32_t>();
    if (version == 2 || version == 3) return;  // they differ in nothing but the byte order
    if (version != 0 && version % (1 << 16) == 0) {
      cursor_.fail("the file is big-endian, expected little-endian");
    }
    cursor_.fail("the version is ", version, ", expected 2 or 3");
  }

  std::uint64_t count(std::uint64_t min_size, const char* things) {
    const auto count = cursor_.number<std::uint64_t>();
    cursor_.require(count, min_size, things);
    if (count > kMaxGgufItems) {
      cursor_.fail("the file has ", count, things, ", at most ", kMaxGgufItems, " are allowed");
    }
    return count;
  }

  std::string name(const char* what, std::uint64_t number) {
    cursor_.set_subject(text_of(what, " number ", number));
    const auto size = cursor_.number<std::uint64_t>();
    if (size > kMaxGgufName) {
      cursor_.fail("the name has ", size, " bytes, at most ", kMaxGgufName, " are allowed");
    }
    std::string name = cursor_.text(size);
    cursor_.set_subject(text_of(what, " '", shown_name(name), "'"));
    return name;
  }

  void read_key() {
    GgufKey& key = header_.keys.emplace_back();
    key.name = name("key", header_.keys.size() - 1);
    key.kind = cursor_.number<std::uint32_t>();
    key.at = cursor_.position();
    skip_gguf_value(cursor_, key.kind);
    if (key.name == kAlignmentKey) read_alignment(key);
  }

  void read_alignment(const GgufKey& key) {
    GgufCursor again(file_, key.at, text_of("key '", kAlignmentKey, "'"));
    const State value = read_gguf_value(again, key.kind);
    if (!value.is_int()) again.fail("expected an integer, found ", kind_name(value.kind()));
    const auto alignment = value.to<std::int64_t>();
    constexpr std::int64_t kLargest = std::int64_t{1} << 31;
    if (alignment < 1 || alignment > kLargest || (alignment & (alignment - 1)) != 0) {
      again.fail("the alignment is ", alignment, ", expected a power of two up to ", kLargest);
    }
    alignment_ = static_cast<std::uint64_t>(alignment);
  }

  /// Reads an entry; its begin is left as the file has it, from the begin of all data on.
  void read_entry() {
    GgufEntry& entry = header_.entries.emplace_back();
    entry.name = name("tensor", header_.entries.size() - 1);
    const auto dims = cursor_.number<std::uint32_t>();
    if (dims > kMaxDims) cursor_.fail("it has ", dims, " dimensions, expected at most ", kMaxDims);
    entry.shape.resize(dims);
    for (std::uint32_t i = 0; i < dims; ++i) {
      const auto size = cursor_.number<std::int64_t>();
      if (size < 0) cursor_.fail("size ", i, " is above 2^63 - 1");
      entry.shape[dims - 1 - i] = size;  // the file begins with the innermost
    }
    const auto number = cursor_.number<std::uint32_t>();
    const GgufType* const type = find_gguf_type(number);
    if (type == nullptr) cursor_.fail("the type ", number, " is unknown");
    entry.type = type->name;
    for (int i = 0; i <= static_cast<int>(BlockFormat::kQ6_K); ++i) {
      const auto format = static_cast<BlockFormat>(i);
      if (block_format_name(format) == type->name) entry.blocks = format;
    }
    entry.begin = cursor_.number<std::uint64_t>();
    entry.end = bytes_of(entry, *type);
  }

  /// Returns the number of bytes of the elements.
  std::uint64_t bytes_of(const GgufEntry& entry, const GgufType& type) const {
    const std::int64_t row = entry.shape.empty() ? 1 : entry.shape[entry.shape.size() - 1];
    if (row % type.elements != 0) {
      cursor_.fail("shape ", IntArrayRef(entry.shape), " has rows of ", row,
                   " elements, which are no whole blocks of ", type.name, ", of ", type.elements);
    }
    const auto extent = extent_of(entry.shape, type.bytes);
    if (!extent) {
      cursor_.fail("shape ", IntArrayRef(entry.shape), " of ", type.name, " is too large");
    }
    if (extent->is_empty) return 0;
    return static_cast<std::uint64_t>(extent->product) / type.elements;
  }

  std::uint64_t aligned(std::uint64_t position) const {
    return (position + alignment_ - 1) / alignment_ * alignment_;
  }

  /// Makes `begin` and `end` of all entries positions in the file. Throws unless each tensor begins
  /// where the one before it ends, and the last one ends at the end of the file.
  void place_entries() {
    const std::uint64_t data = aligned(cursor_.position()), size = file_.size();
    std::uint64_t end = data;
    for (GgufEntry& entry : header_.entries) {
      cursor_.set_subject(text_of("tensor '", shown_name(entry.name), "'"));
      if (entry.begin != end - data) {
        cursor_.fail("its offset is ", entry.begin, ", expected ", end - data,
                     ", the end of the tensor before it");
      }
      const std::uint64_t bytes = entry.end;
      if (bytes != 0 && (end > size || bytes > size - end)) {
        cursor_.fail("it needs ", bytes, " bytes at byte ", end, ", but the file has only ", size);
      }
      entry.begin = end;
      entry.end = end + bytes;
      end = aligned(entry.end);
    }
    cursor_.set_subject("header");
    if (size > end) cursor_.fail("the tensors end at byte ", end, ", but the file has ", size);
  }

  template <class Item>
  void refuse_equal(const char* what, const std::vector<Item>& items) const {
    std::unordered_set<std::string_view> names;
    for (const Item& item : items) {
      if (!names.insert(item.name).second) {
        cursor_.fail(what, " '", shown_name(item.name), "' appears twice");
      }
    }
  }

  const InputFile& file_;
  GgufCursor cursor_;
  GgufHeader header_;
  std::uint64_t alignment_ = 32;
};

}  // namespace

GgufHeader read_gguf_header(const InputFile& file) { return HeaderReader(file).read(); }

}  // namespace tern::detail
