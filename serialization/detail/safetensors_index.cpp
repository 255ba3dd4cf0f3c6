#include <tern/serialization/detail/safetensors_index.h>

#include <algorithm>
#include <unordered_set>

#include <tern/core/base/error.h>
#include <tern/serialization/detail/json_events.h>
#include <tern/serialization/detail/safetensors_header.h>

namespace tern::detail {
namespace {

class IndexReader final : public JsonEvents {
 public:
  explicit IndexReader(const std::string& path) : path_(path) {}

  SafetensorsIndex take() {
    if (!keys_.contains("weight_map")) fail("no 'weight_map'");
    return std::move(index_);
  }

  // --- Events ------------------------------------------------------------------------------------

  bool key(std::string& key) override {
    if (skipped_ > 0) return true;
    if (level_ == kTop && !keys_.insert(key).second) fail("'", shown_name(key), "' appears twice");
    if (level_ == kMap && !names_.insert(key).second) {
      fail("tensor '", shown_name(key), "' appears twice");
    }
    key_ = std::move(key);
    return true;
  }
  bool string(std::string& value) override {
    if (level_ == kMap) {
      const bool is_name = !value.empty() && value != ".." && value.find('/') == value.npos &&
                           value.find('\0') == value.npos;
      if (!is_name) {
        fail("tensor '", shown_name(key_), "': '", shown_name(value), "' is no name of a file");
      }
      index_.files.emplace_back(key_, std::move(value));
    } else if (level_ == kMetadata && skipped_ == 0) {
      index_.metadata.emplace_back(key_, std::move(value));
    } else {
      return unexpected("a string");
    }
    return true;
  }
  bool start_object(std::size_t) override {
    if (level_ == kOutside) {
      level_ = kTop;
    } else if (level_ == kTop && key_ == "metadata") {
      level_ = kMetadata;
    } else if (level_ == kTop && key_ == "weight_map") {
      level_ = kMap;
    } else {
      return skip("an object");
    }
    return true;
  }
  bool start_array(std::size_t) override { return skip("a list"); }
  bool end_object() override {
    if (skipped_ > 0) return end_array();
    level_ = level_ == kTop ? kOutside : kTop;
    return true;
  }
  bool end_array() override { return --skipped_, true; }

  /// Also comes here what an index may have and nobody needs, like numbers in its metadata.
  bool unexpected(const char* found) override {
    if (level_ == kOutside) fail("expected an object, found ", found);
    if (level_ == kMap) {
      fail("tensor '", shown_name(key_), "': expected the name of a file, found ", found);
    }
    if (level_ == kTop && skipped_ <= 1 && (key_ == "weight_map" || key_ == "metadata")) {
      fail("'", key_, "': expected an object, found ", found);
    }
    return true;
  }
  bool syntax_error(std::size_t position, const std::string& what) override {
    fail("byte ", position, ": ", what);
  }

 private:
  enum Level { kOutside, kTop, kMetadata, kMap };

  bool skip(const char* found) {
    ++skipped_;
    return unexpected(found);
  }
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    raise<FileError>("load: '", path_, "': index: ", parts...);
  }

  const std::string& path_;
  SafetensorsIndex index_;
  Level level_ = kOutside;
  int skipped_ = 0;  // open levels of what nobody needs
  std::string key_;  // the last one
  std::unordered_set<std::string> keys_, names_;
};

}  // namespace

SafetensorsIndex read_index(const InputFile& file) {
  TERN_CHECK(file.size() <= kMaxHeaderSize, FileError, "load: '", file.path(), "': an index of ",
             file.size(), " bytes; ", kMaxHeaderSize, " may be");
  const std::string text = file.head(static_cast<std::size_t>(file.size()));
  IndexReader reader(file.path());
  parse_json(text, reader);
  return reader.take();
}

std::string_view find_metadata(const SafetensorsMetadata& metadata, std::string_view key) {
  const auto found = std::ranges::find(metadata, key, &SafetensorsMetadata::value_type::first);
  return found == metadata.end() ? std::string_view() : found->second;
}

}  // namespace tern::detail
