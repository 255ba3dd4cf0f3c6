#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_set>

#include <tern/core/base/detail/read_text.h>
#include <tern/serialization/json/detail/format.h>
#include <tern/serialization/json/detail/source.h>
#include <tern/serialization/json/detail/tensor.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/json/detail/tree_reader.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

constexpr std::uint64_t kMaxElements = std::numeric_limits<std::int64_t>::max();

/// Returns true if the value of this key must be an object, except in a file of the plain form.
bool is_object_key(std::string_view key) {
  return key == "metadata" || key == "state" || key == "tensors";
}

/// Receives the events of the parser and refuses events that a state file cannot have.
class JsonReader final : public JsonEvents {
 public:
  JsonReader(TextFile& text, const LoadFileOptions& options)
      : text_(text), metadata_(options.metadata), source_{text, {}} {}

  State read() {
    parse(*this, true);
    return is_plain() ? finish_plain() : finish();
  }

  bool null() override { wrong_value("null"); }
  bool boolean(bool value) override;
  bool number_integer(std::int64_t) override { wrong_value("a negative number"); }
  bool number_unsigned(std::uint64_t value) override;
  bool number_float(double, const std::string&) override { wrong_value("a floating number"); }
  bool string(std::string& value) override;
  bool binary(Json::binary_t&) override { return false; }  // JSON has no binary values
  bool key(std::string& key) override;
  bool start_object(std::size_t) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    fail(parse_error_text(error.what()));
  }

 private:
  enum Level { kOutside, kTop, kMetadata, kTensors, kEntry, kShape };

  /// Parses the next value of the file; with `to_end`, nothing may follow the value.
  void parse(JsonEvents& events, bool to_end) {
    parse_json(SourceIterator(&source_), SourceIterator(nullptr), events, to_end);
  }
  bool is_plain() const { return format_.empty() && !state_ && !keys_[kTop].contains("tensors"); }
  void take_value(JsonTensor& entry);
  void hide_value();
  void read_state(TreeReader& reader);
  void finish_entry();
  int version_of(const JsonTensor& entry);
  State finish();
  State finish_plain();

  [[noreturn]] void wrong_value(const char* found);
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) {
    text_.fail(text_.offset() - std::min<std::uint64_t>(text_.offset(), 1), parts...);
  }

  TextFile& text_;
  decltype(LoadFileOptions::metadata) const metadata_;  // receives the user's strings; may be null
  Source source_;
  Level level_ = kOutside;
  std::string key_;                               // the last key
  std::unordered_set<std::string> keys_[kShape];  // keys of the open object of each level
  bool value_taken_ = false;                      // the next event comes from `inserted`
  std::string format_;
  std::string tree_;                    // the tree of version 1
  std::optional<std::uint64_t> state_;  // position of the object "state"
  std::vector<JsonTensor> tensors_;
  std::vector<JsonTensor> top_values_;  // "version", or the tensors of the plain form
};

// --- Events --------------------------------------------------------------------------------------

bool JsonReader::boolean(bool) {
  if (!std::exchange(value_taken_, false)) wrong_value("a bool");
  return true;
}

bool JsonReader::number_unsigned(std::uint64_t value) {
  if (level_ != kShape) wrong_value("a number");
  DimVector& sizes = *tensors_.back().sizes;
  if (value > kMaxElements) wrong_value("a number above 2^63 - 1");
  if (sizes.size() == kMaxFileDims) {
    tensors_.back().fail(text_, "shape: expected at most ", kMaxFileDims, " sizes, found more");
  }
  sizes.push_back(static_cast<std::int64_t>(value));
  return true;
}

bool JsonReader::string(std::string& value) {
  if (level_ == kTop && key_ == "format") {
    if (value != kJsonFormat) {
      fail("expected the format '", kJsonFormat, "', found '", value.substr(0, 40), "'");
    }
    format_ = std::move(value);
  } else if (level_ == kMetadata) {
    if (key_ == kTreeKey) {
      tree_ = std::move(value);
    } else if (metadata_ != nullptr) {
      metadata_->emplace_back(key_, std::move(value));
    }
  } else if (level_ == kEntry && key_ == "dtype") {
    tensors_.back().set_dtype(text_, value);
  } else if (level_ == kEntry && key_ == "encoding") {
    if (value != "base64") {
      tensors_.back().fail(text_, "encoding: expected 'base64', found '", value.substr(0, 40), "'");
    }
    tensors_.back().encoding = std::move(value);
  } else {
    wrong_value("a string");
  }
  return true;
}

bool JsonReader::key(std::string& key) {
  if (key.size() > kMaxJsonKey)
    fail("the key has ", key.size(), " bytes, at most ", kMaxJsonKey, " are allowed");
  if (!keys_[level_].insert(key).second) fail("key '", key, "' appears twice");
  key_ = std::move(key);
  if (level_ == kTensors) {
    tensors_.emplace_back().name = key_;
    tensors_.back().place = text_.offset();
  }
  const std::uint64_t place = text_.offset();
  if (text_.skip_space() != ':') return true;  // the parser reports the error
  text_.skip(1);
  source_.inserted = ":";
  const char value = text_.skip_space();
  if (level_ == kTop && value != '"' && value != '{') {
    JsonTensor& entry = top_values_.emplace_back();
    entry.name = key_;
    entry.place = place;
    take_value(entry);
  } else if (level_ == kTop && key_ == "state" && value == '{') {
    state_ = text_.offset();
    TreeReader check(TreeReader::kInFile);
    read_state(check);
    hide_value();
  } else if (level_ == kEntry && key_ == "data") {
    take_value(tensors_.back());
  }
  return true;
}

/// Reads the elements at the current position. If dtype or shape are not yet known, only finds the
/// end of the elements.
void JsonReader::take_value(JsonTensor& entry) {
  entry.data = text_.offset();
  if (entry.dtype && entry.sizes && text_.peek() != '"') {
    entry.read_elements(text_);
  } else {
    entry.outline = outline_value(text_, entry.name);
    entry.end = text_.offset();
  }
  hide_value();
}

/// Gives nlohmann's parser the word `true` in place of a value that tern has read.
void JsonReader::hide_value() {
  source_.inserted = ": true ";
  value_taken_ = true;
}

/// Reads the tree at the current position.
void JsonReader::read_state(TreeReader& reader) {
  source_.inserted = {};
  try {
    parse(reader, false);
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    fail("state: ", error.what());
  }
}

bool JsonReader::start_object(std::size_t) {
  if (level_ == kOutside) {
    level_ = kTop;
  } else if (level_ == kTop && key_ == "metadata") {
    level_ = kMetadata;
  } else if (level_ == kTop && key_ == "tensors") {
    level_ = kTensors;
  } else if (level_ == kTensors) {
    level_ = kEntry;
    keys_[kEntry].clear();
  } else {
    wrong_value("an object");
  }
  return true;
}

bool JsonReader::end_object() {
  if (level_ == kEntry) {
    finish_entry();
    level_ = kTensors;
  } else {
    level_ = level_ == kTop ? kOutside : kTop;
  }
  return true;
}

bool JsonReader::start_array(std::size_t) {
  if (level_ != kEntry || key_ != "shape") wrong_value("a list");
  level_ = kShape;
  tensors_.back().sizes.emplace();
  return true;
}

bool JsonReader::end_array() {
  level_ = kEntry;
  return true;
}

void JsonReader::wrong_value(const char* found) {
  const bool is_object = is_object_key(key_);
  switch (level_) {
    case kOutside:
      fail("expected an object, found ", found);
    case kTop:
      fail("key '", key_, "': expected ",
           is_object          ? "an object"
           : key_ == "format" ? "a string"
                              : "nested lists of numbers",
           ", found ", found);
    case kMetadata:
      fail("metadata '", key_, "': expected a string, found ", found);
    case kTensors:
      tensors_.back().fail(text_, "expected an object with dtype, shape and data, found ", found);
    case kEntry:
      if (key_ == "shape") tensors_.back().fail(text_, "shape: expected a list, found ", found);
      if (key_ == "data") tensors_.back().fail(text_, "data: expected lists, found ", found);
      if (key_ != "dtype" && key_ != "encoding") {
        tensors_.back().fail(text_, "unknown field '", key_, "'");
      }
      tensors_.back().fail(text_, key_, ": expected a string, found ", found);
    case kShape:
      tensors_.back().fail(text_, "shape: expected non-negative integers, found ", found);
  }
  TERN_ASSERT(false);
}

void JsonReader::finish_entry() {
  JsonTensor& entry = tensors_.back();
  for (const char* field : {"dtype", "shape", "data"}) {
    if (!keys_[kEntry].contains(field)) entry.fail(text_, "missing field '", field, "'");
  }
  if (!entry.encoding.empty() || !entry.tensor.defined()) entry.read_late(text_);
}

// --- The end -------------------------------------------------------------------------------------

State JsonReader::finish() {
  if (format_.empty()) text_.fail(0, "missing \"format\": \"", kJsonFormat, "\"");
  if (!keys_[kTop].contains("tensors")) text_.fail(0, "missing key 'tensors'");
  if (!keys_[kTop].contains("version")) text_.fail(0, "missing key 'version'");
  int version = 0;
  for (const JsonTensor& entry : top_values_) {
    if (is_object_key(entry.name)) {
      text_.fail(entry.place, "key '", entry.name, "': expected an object");
    }
    if (entry.name != "version") text_.fail(entry.place, "unexpected key '", entry.name, "'");
    version = version_of(entry);
  }
  FlatState flat{{}, std::move(tree_)};
  for (JsonTensor& entry : tensors_) {
    flat.tensors.emplace_back(std::move(entry.name), std::move(entry.tensor));
  }
  if (version == 1) {
    if (state_) text_.fail(*state_, "unexpected key 'state' in version 1");
    return unflatten(flat);
  }
  if (!flat.tree.empty()) text_.fail(0, "metadata '", kTreeKey, "' is only allowed in version 1");
  if (!state_) text_.fail(0, "missing key 'state', which version 2 needs");
  text_.seek(*state_);
  TreeReader reader(TreeReader::kInFile, flat);
  read_state(reader);
  try {
    return reader.take();
  } catch (const Error& error) {
    text_.fail(*state_, "state: ", error.what());
  }
}

int JsonReader::version_of(const JsonTensor& entry) {
  text_.seek(entry.data);
  const char* begin = text_.at();
  int version = 0;
  const auto result = std::from_chars(begin, begin + TextFile::kMaxToken, version);
  if (entry.data + static_cast<std::uint64_t>(result.ptr - begin) != entry.end || version < 1) {
    text_.fail(entry.place, "version: expected an integer of at least 1");
  }
  if (version > kJsonVersion) {
    text_.fail(entry.place, "version ", version, " is newer than version ", kJsonVersion,
               ", the newest that this library can read");
  }
  return version;
}

State JsonReader::finish_plain() {
  State state;
  for (JsonTensor& entry : top_values_) {
    entry.read_plain(text_);
    state.insert(std::move(entry.name), State::untyped(std::move(entry.tensor)));
  }
  return state;
}

}  // namespace

bool recognizes_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first == head.npos || (head[first] == '{' && !is_utf16(head.substr(first)));
}

State read_json_state(const InputFile& file, const LoadFileOptions& options) {
  TextFile text(file);
  return JsonReader(text, options).read();
}

}  // namespace tern::detail
