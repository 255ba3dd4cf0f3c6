#include <tern/serialization/safetensors/detail/header.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/dtype.h>
#include <tern/serialization/safetensors/detail/json_scanner.h>
#include <tern/serialization/state/detail/elements.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

/// Reads a header of any size and content. Until the whole header is checked, an entry is only a
/// few numbers that refer to the text, so that an invalid header takes little memory.
class HeaderReader {
 public:
  HeaderReader(const std::string& path, std::string text, std::uint64_t data_size)
      : path_(path),
        data_size_(data_size),
        text_(std::move(text)),
        scan_(text_, "load: '" + path + "': header: ") {
    // Reserves the maximum: untouched memory costs nothing, but growing would need two copies.
    entries_.reserve(text_.size() / kMinEntry + 1);
    metadata_.reserve(std::min(text_.size() / kMinMetadata + 1, kMaxMetadata));
  }

  SafetensorsHeader read(std::uint64_t data_begin) {
    if (!scan_.at('{')) fail("expected an object, found ", scan_.kind());
    scan_.object([&](std::string_view key) {
      key == kMetadataKey ? read_metadata() : read_entry(scan_.place(key));
    });
    scan_.end();
    refuse_equal("tensor", entries_, &Entry::name);
    refuse_equal("metadata", metadata_, &Metadata::key);
    refuse_holes();
    return content(data_begin);
  }

 private:
  static constexpr std::size_t kMinEntry =
      std::string_view(R"("":{"dtype":"U8","shape":[],"data_offsets":[0,0]})").size();
  static constexpr std::size_t kMinMetadata = std::string_view(R"("":"")").size();
  static_assert(kMaxHeaderSize <= std::numeric_limits<std::uint32_t>::max());

  using Place = JsonScanner::Place;
  struct Entry {
    Place name;
    const SafetensorsDtype* dtype = nullptr;
    std::uint64_t begin = 0, end = 0;
    std::uint32_t shape = 0;  // position of the list of sizes in the text
  };
  struct Metadata {
    Place key, value;
  };

  // --- Reading -----------------------------------------------------------------------------------

  void read_metadata() {
    if (std::exchange(has_metadata_, true)) fail("'", kMetadataKey, "' appears twice");
    if (scan_.at('n')) return scan_.scalar();  // some writers store null for no metadata
    if (!scan_.at('{')) fail("'", kMetadataKey, "': expected an object, found ", scan_.kind());
    scan_.object([&](std::string_view key) {
      if (!scan_.at('"')) {
        fail("metadata '", shown_name(key), "': expected a string, found ", scan_.kind());
      }
      if (metadata_.size() == kMaxMetadata)
        fail("more than ", kMaxMetadata, " strings of metadata");
      metadata_.push_back({scan_.place(key), scan_.place(scan_.string())});
    });
  }

  void read_entry(Place name) {
    Entry entry{name};
    if (!scan_.at('{')) fail_in(entry, "expected an object, found ", scan_.kind());
    constexpr std::string_view kFields[] = {"dtype", "shape", "data_offsets"};
    bool found[std::size(kFields)] = {};
    DimVector shape;
    scan_.object([&](std::string_view field) {
      const auto number = static_cast<std::size_t>(std::ranges::find(kFields, field) - kFields);
      if (number == std::size(kFields)) {
        return scan_.skip([&] { fail_in(entry, "nested deeper than ", scan_.kMaxDepth); });
      }
      if (std::exchange(found[number], true)) fail_in(entry, "'", field, "' appears twice");
      const bool is_dtype = number == 0;
      if (!scan_.at(is_dtype ? '"' : '[')) {
        fail_in(entry, field, ": expected ", is_dtype ? "a string" : "a list", ", found ",
                scan_.kind());
      }
      if (is_dtype) {
        read_dtype(entry);
      } else if (number == 1) {
        entry.shape = static_cast<std::uint32_t>(scan_.position());
        shape = read_shape(entry);
      } else {
        read_offsets(entry);
      }
    });
    for (const std::string_view& field : kFields) {
      if (!found[&field - kFields]) fail_in(entry, "missing field '", field, "'");
    }
    check(entry, shape);
    entries_.push_back(entry);
  }

  void read_dtype(Entry& entry) {
    const std::string_view name = scan_.string();
    entry.dtype = find_safetensors_dtype(name);
    if (entry.dtype == nullptr) fail_in(entry, "unknown dtype '", shown_name(name), "'");
  }

  DimVector read_shape(const Entry& entry) {
    constexpr const char* kExpected = "shape: expected non-negative integers, found ";
    DimVector shape;
    scan_.list([&] {
      const std::uint64_t size = read_number(entry, kExpected);
      if (size > kMaxSize) fail_in(entry, kExpected, "a number above 2^63 - 1");
      if (shape.size() == kMaxFileDims) {
        fail_in(entry, "shape: expected at most ", kMaxFileDims, " sizes, found more");
      }
      shape.push_back(static_cast<std::int64_t>(size));
    });
    return shape;
  }

  void read_offsets(Entry& entry) {
    constexpr const char* kExpected = "data_offsets: expected two non-negative integers, found ";
    int count = 0;
    scan_.list([&] {
      if (count == 2) fail_in(entry, kExpected, "a third number");
      (count++ == 0 ? entry.begin : entry.end) = read_number(entry, kExpected);
    });
    if (count != 2) fail_in(entry, kExpected, "fewer");
  }

  std::uint64_t read_number(const Entry& entry, const char* expected) {
    const std::string_view kind = scan_.kind();
    if (kind != "a number") fail_in(entry, expected, kind);
    const std::string_view text = scan_.number();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail_in(entry, expected, "the number ", text.substr(0, 40));
    }
    return value;
  }

  // --- Checks ------------------------------------------------------------------------------------

  /// Throws unless dtype, shape and data_offsets of an entry agree. Multiplies the sizes in a way
  /// that gives the same result for every order.
  void check(const Entry& e, IntArrayRef shape) const {
    const auto extent = extent_of(shape, static_cast<std::int64_t>(e.dtype->bits));
    if (!extent) fail_in(e, "shape ", shape, " has too many elements");
    const std::int64_t bits = extent->is_empty ? 0 : extent->product;
    if (bits % 8 != 0) {
      fail_in(e, "shape ", shape, " of ", e.dtype->name, " does not fill whole bytes");
    }
    if (e.end < e.begin) {
      fail_in(e, "data_offsets: the end, ", e.end, ", is before the begin, ", e.begin);
    }
    if (e.end - e.begin != static_cast<std::uint64_t>(bits / 8)) {
      fail_in(e, "shape ", shape, " of ", e.dtype->name, " needs ", bits / 8,
              " bytes, but data_offsets [", e.begin, ", ", e.end, "] are ", e.end - e.begin);
    }
    if (e.end > data_size_) {
      fail_in(e, "its data end at byte ", e.end, ", but the file has only ", data_size_,
              " bytes of data");
    }
  }

  /// Throws if two items have the same `name`. Sorts the items by `name`.
  template <class Item>
  void refuse_equal(const char* what, std::vector<Item>& items, Place Item::*name) const {
    const auto text = [&](const Item& item) { return scan_.text(item.*name); };
    std::ranges::sort(items, {}, text);
    const auto twice = std::ranges::adjacent_find(items, {}, text);
    if (twice != items.end()) fail(what, " '", shown_name(text(*twice)), "' appears twice");
  }

  /// Throws unless each tensor begins at the end of the tensor before it, and the last tensor ends
  /// at the end of the file.
  void refuse_holes() {
    std::ranges::sort(entries_, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
    std::uint64_t end = 0;
    for (const Entry& e : entries_) {
      if (e.begin != end) {
        fail_in(e, "its data begin at byte ", e.begin, ", ",
                e.begin < end ? "inside the tensor before it, which ends at byte "
                              : "which leaves a hole after byte ",
                end);
      }
      end = e.end;
    }
    if (end != data_size_) {
      fail("the tensors end at byte ", end, ", but the file has ", data_size_, " bytes of data");
    }
  }

  // --- The result --------------------------------------------------------------------------------

  SafetensorsHeader content(std::uint64_t data_begin) {
    std::ranges::sort(entries_, {}, [](const Entry& e) { return e.name.begin; });
    std::ranges::sort(metadata_, {}, [](const Metadata& m) { return m.key.begin; });
    SafetensorsHeader header;
    header.entries.reserve(entries_.size());
    for (const Entry& e : entries_) {
      scan_.seek(e.shape);
      header.entries.push_back({std::string(scan_.text(e.name)), e.dtype->name, read_shape(e),
                                data_begin + e.begin, data_begin + e.end});
    }
    header.metadata.reserve(metadata_.size());
    for (const Metadata& m : metadata_)
      header.metadata.emplace_back(scan_.text(m.key), scan_.text(m.value));
    return header;
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    raise<FileError>("load: '", path_, "': header: ", parts...);
  }
  template <class... Parts>
  [[noreturn]] void fail_in(const Entry& e, const Parts&... parts) const {
    raise<FileError>("load: '", path_, "': tensor '", shown_name(scan_.text(e.name)),
                     "': ", parts...);
  }

  const std::string& path_;
  const std::uint64_t data_size_;
  std::string text_;
  JsonScanner scan_;
  std::vector<Entry> entries_;
  std::vector<Metadata> metadata_;
  bool has_metadata_ = false;
};

}  // namespace

SafetensorsHeader read_safetensors_header(const InputFile& file) {
  const auto fail = [&file](const auto&... parts) {
    raise<FileError>("load: '", file.path(), "': ", parts...);
  };
  std::uint64_t size = 0;
  if (file.size() < sizeof size) {
    fail("the size of the header takes 8 bytes, but the file has ", file.size());
  }
  file.read(0, &size, sizeof size);
  const std::uint64_t rest = file.size() - sizeof size;
  if (size > kMaxHeaderSize)
    fail("the header has ", size, " bytes, at most ", kMaxHeaderSize, " are allowed");
  if (size > rest) fail("the header has ", size, " bytes, but only ", rest, " bytes follow");
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(sizeof size, text.data(), text.size());
  return HeaderReader(file.path(), std::move(text), rest - size).read(sizeof size + size);
}

}  // namespace tern::detail
