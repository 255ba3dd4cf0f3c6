#include <tern/serialization/detail/safetensors_header.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/serialization/detail/json_events.h>
#include <tern/serialization/detail/safetensors_dtype.h>

namespace tern::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kMaxDims = 64;  // as PyTorch
constexpr int kMaxSkipped = 100;      // levels of a field that nobody knows

class HeaderReader final : public JsonEvents {
 public:
  HeaderReader(const std::string& path, std::uint64_t data_size)
      : path_(path), data_size_(data_size) {}

  SafetensorsHeader take(std::uint64_t data_begin) {
    refuse_equal_names();
    refuse_holes();
    for (SafetensorsEntry& entry : header_.entries) {
      entry.begin += data_begin;
      entry.end += data_begin;
    }
    return std::move(header_);
  }

  // --- Events ------------------------------------------------------------------------------------

  bool null() override {
    // Some writers put it where there is no metadata.
    if (level_ == kTop && key_ == kMetadataKey) return true;
    return ignored("null");
  }
  bool boolean(bool) override { return ignored("a bool"); }
  bool number_integer(std::int64_t) override { return ignored("a negative number"); }
  bool number_float(double, const std::string& text) override {
    return ignored(("the number " + text.substr(0, 40)).c_str());
  }
  bool number_unsigned(std::uint64_t value) override {
    if (level_ == kShape) {
      DimVector& shape = entry().shape;
      if (value > kMaxSize) unexpected("a number past 2^63 - 1");
      if (shape.size() == kMaxDims) unexpected("more than 64 of them");
      shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (level_ == kOffsets) {
      if (offsets_ == 2) unexpected("a third number");
      (offsets_++ == 0 ? entry().begin : entry().end) = value;
      return true;
    }
    return ignored("a number");
  }
  bool string(std::string& value) override {
    if (level_ == kMetadata) {
      header_.metadata.back().second = std::move(value);
      return true;
    }
    if (level_ != kEntry || key_ != "dtype") return ignored("a string");
    const SafetensorsDtype* dtype = find_safetensors_dtype(value);
    if (dtype == nullptr) fail_in(entry(), "unknown dtype '", shown_name(value), "'");
    entry().dtype = dtype->name;
    bits_ = dtype->bits;
    return true;
  }
  bool key(std::string& key) override {
    if (skipped_ > 0) return true;
    if (level_ == kTop && key != kMetadataKey) {
      header_.entries.emplace_back().name = key;
      fields_.clear();
    } else if (level_ == kTop) {
      if (std::exchange(has_metadata_, true)) fail("'", kMetadataKey, "' appears twice");
    } else if (level_ == kMetadata) {
      header_.metadata.emplace_back(key, "");
    } else if (std::ranges::find(kFields, key) != std::end(kFields)) {
      if (std::ranges::find(fields_, key) != fields_.end()) {
        fail_in(entry(), "'", key, "' appears twice");
      }
      fields_.push_back(key);
    }
    key_ = std::move(key);
    return true;
  }
  bool start_object(std::size_t) override {
    if (level_ == kOutside) {
      level_ = kTop;
    } else if (level_ == kTop) {
      level_ = key_ == kMetadataKey ? kMetadata : kEntry;
    } else {
      skip("an object");
    }
    return true;
  }
  bool end_object() override {
    if (skipped_ > 0) return --skipped_, true;
    if (level_ == kEntry) check_entry();
    level_ = level_ == kTop ? kOutside : kTop;
    return true;
  }
  bool start_array(std::size_t) override {
    if (level_ == kEntry && skipped_ == 0 && key_ == "shape") {
      level_ = kShape;
    } else if (level_ == kEntry && skipped_ == 0 && key_ == "data_offsets") {
      level_ = kOffsets;
      offsets_ = 0;
    } else {
      skip("a list");
    }
    return true;
  }
  bool end_array() override {
    if (skipped_ > 0) return --skipped_, true;
    if (level_ == kOffsets && offsets_ != 2) unexpected("fewer");
    level_ = kEntry;
    return true;
  }

  [[noreturn]] bool unexpected(const char* found) override {
    switch (level_) {
      case kOutside:
        fail("expected an object, found ", found);
      case kTop:
        if (key_ == kMetadataKey) fail("'", key_, "': expected an object, found ", found);
        fail_in(entry(), "expected an object, found ", found);
      case kMetadata:
        fail("metadata '", shown_name(key_), "': expected a string, found ", found);
      case kEntry:
        fail_in(entry(), key_, ": expected ", key_ == "dtype" ? "a string" : "a list", ", found ",
                found);
      case kShape:
        fail_in(entry(), "shape: expected non-negative integers, found ", found);
      case kOffsets:
        fail_in(entry(), "data_offsets: expected two non-negative integers, found ", found);
    }
    TERN_ASSERT(false);
  }
  [[noreturn]] bool syntax_error(std::size_t position, const std::string& what) override {
    fail("byte ", position, ": ", what);
  }

 private:
  enum Level { kOutside, kTop, kMetadata, kEntry, kShape, kOffsets };
  static constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();
  static constexpr std::string_view kFields[] = {"dtype", "shape", "data_offsets"};

  SafetensorsEntry& entry() { return header_.entries.back(); }

  /// Whether the value belongs to a field of an entry that is not the format's.
  bool in_unknown_field() const {
    return skipped_ > 0 ||
           (level_ == kEntry && std::ranges::find(kFields, key_) == std::end(kFields));
  }
  bool ignored(const char* found) {
    if (!in_unknown_field()) unexpected(found);
    return true;
  }
  void skip(const char* found) {
    ignored(found);
    if (++skipped_ > kMaxSkipped) fail_in(entry(), "nested deeper than ", kMaxSkipped);
  }

  /// What an entry says must agree with itself; the order of shape must not matter.
  void check_entry() {
    const SafetensorsEntry& e = entry();
    for (const std::string_view field : kFields) {
      if (std::ranges::find(fields_, field) == fields_.end()) fail_in(e, "no '", field, "'");
    }
    std::int64_t product = 1;  // without zeros, so that the strides cannot overflow either
    bool is_empty = false;
    bool too_large = false;
    for (const std::int64_t size : e.shape) {
      is_empty = is_empty || size == 0;
      too_large |= __builtin_mul_overflow(product, std::max<std::int64_t>(size, 1), &product);
    }
    std::int64_t bits = 0;
    too_large |= __builtin_mul_overflow(product, static_cast<std::int64_t>(bits_), &bits);
    if (too_large) fail_in(e, "shape ", IntArrayRef(e.shape), " is larger than any memory");
    if (is_empty) bits = 0;
    if (bits % 8 != 0) {
      fail_in(e, "shape ", IntArrayRef(e.shape), " of ", e.dtype, " does not fill whole bytes");
    }
    if (e.end < e.begin) {
      fail_in(e, "data_offsets: the end, ", e.end, ", is before the begin, ", e.begin);
    }
    if (e.end - e.begin != static_cast<std::uint64_t>(bits / 8)) {
      fail_in(e, "shape ", IntArrayRef(e.shape), " of ", e.dtype, " needs ", bits / 8,
              " bytes, but data_offsets [", e.begin, ", ", e.end, "] are ", e.end - e.begin);
    }
    if (e.end > data_size_) {
      fail_in(e, "its data end at byte ", e.end, ", but the file has only ", data_size_,
              " bytes of data");
    }
  }

  void refuse_equal_names() const {
    const auto refuse = [this](std::vector<std::string_view> names, const char* what) {
      std::ranges::sort(names);
      const auto twice = std::ranges::adjacent_find(names);
      if (twice != names.end()) fail(what, " '", shown_name(*twice), "' appears twice");
    };
    std::vector<std::string_view> names;
    names.reserve(header_.entries.size());
    for (const SafetensorsEntry& e : header_.entries) names.push_back(e.name);
    refuse(std::move(names), "tensor");
    names.clear();
    for (const auto& [key, value] : header_.metadata) names.push_back(key);
    refuse(std::move(names), "metadata");
  }

  /// Each tensor must begin where the one before ends, and the last must end with the file.
  void refuse_holes() const {
    std::vector<const SafetensorsEntry*> order;
    order.reserve(header_.entries.size());
    for (const SafetensorsEntry& e : header_.entries) order.push_back(&e);
    std::ranges::sort(order, [](const auto* a, const auto* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
    });
    std::uint64_t end = 0;
    for (const SafetensorsEntry* e : order) {
      if (e->begin != end) {
        fail_in(*e, "its data begin at byte ", e->begin, ", ",
                e->begin < end ? "inside the tensor before it, which ends at byte "
                               : "which leaves a hole behind byte ",
                end);
      }
      end = e->end;
    }
    if (end != data_size_) {
      fail("the tensors end at byte ", end, " of the data, but ", data_size_, " bytes follow");
    }
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    raise<FileError>("load: '", path_, "': header: ", parts...);
  }
  template <class... Parts>
  [[noreturn]] void fail_in(const SafetensorsEntry& e, const Parts&... parts) const {
    raise<FileError>("load: '", path_, "': tensor '", shown_name(e.name), "': ", parts...);
  }

  const std::string& path_;
  const std::uint64_t data_size_;
  SafetensorsHeader header_;
  Level level_ = kOutside;
  std::string key_;                  // the last one
  std::vector<std::string> fields_;  // of the open entry, so far
  std::uint64_t bits_ = 0;           // of an element of the open entry
  int offsets_ = 0;                  // how many data_offsets the open entry has
  int skipped_ = 0;                  // open levels of a field that is not ours
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
  if (size > kMaxHeaderSize) fail("a header of ", size, " bytes; ", kMaxHeaderSize, " may be");
  if (size > rest) fail("a header of ", size, " bytes, but only ", rest, " follow");
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(sizeof size, text.data(), text.size());
  HeaderReader reader(file.path(), rest - size);
  parse_json(text, reader);
  return reader.take(sizeof size + size);
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t kMaxShown = 200;
  std::string shown(name.substr(0, kMaxShown));
  if (name.size() > kMaxShown) shown += "...";
  // Names of a file may contain anything; a NUL would end the error's text.
  std::ranges::replace_if(
      shown, [](char c) { return '\0' <= c && c < ' '; }, '?');
  return shown;
}

}  // namespace tern::detail
