#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include <tern/serialization/base64.h>
#include <tern/serialization/detail/flat_state.h>
#include <tern/serialization/detail/json_file.h>
#include <tern/serialization/detail/json_source.h>
#include <tern/serialization/detail/json_text.h>
#include <tern/serialization/detail/json_values.h>

namespace tern::detail {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxKeySize = 4096;
constexpr std::size_t kMaxDims = 64;  // as PyTorch
constexpr std::uint64_t kMaxElements = std::numeric_limits<std::int64_t>::max();

/// One tensor while it is read.
struct Entry {
  std::string name;
  const char* place = nullptr;  // in the text, behind the name
  std::optional<ScalarType> dtype;
  std::optional<DimVector> sizes;
  std::string encoding;
  const char* data = nullptr;  // where the elements stand
  const char* end = nullptr;   // behind them
  Tensor tensor;               // once they are read
};

/// Receives the events of the grammar and knows which of them a state file may have.
class JsonReader {
 public:
  explicit JsonReader(const TextFile& file) : file_(file), source_{file, file.begin(), {}} {}

  FlatState read() {
    Json::sax_parse(SourceIterator(&source_), SourceIterator(nullptr), this);
    return is_plain() ? finish_plain() : finish();
  }

  bool null() { wrong_value("null"); }
  bool boolean(bool value);
  bool number_integer(std::int64_t) { wrong_value("a negative number"); }
  bool number_unsigned(std::uint64_t value);
  bool number_float(double, const std::string&) { wrong_value("a floating number"); }
  bool string(std::string& value);
  bool binary(Json::binary_t&) { return false; }  // not in JSON
  bool key(std::string& key);
  bool start_object(std::size_t);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    fail(parse_error_text(error.what()));
  }

 private:
  enum Level { kOutside, kTop, kMetadata, kTensors, kEntry, kShape };

  bool is_plain() const { return format_.empty() && !keys_[kTop].contains("tensors"); }
  void take_value(Entry& entry, const char* value);
  void set_dtype(const std::string& name);
  void finish_entry();
  void read_elements(Entry& entry);
  void read_base64(Entry& entry);
  void allocate(Entry& entry);
  void check_version(const Entry& entry);
  FlatState finish();
  FlatState finish_plain();

  [[noreturn]] void wrong_value(const char* found);
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) {
    file_.fail(source_.next - 1, parts...);
  }
  template <class... Parts>
  [[noreturn]] void fail_in(const Entry& entry, const Parts&... parts) {
    file_.fail(entry.place, "tensor '", entry.name, "': ", parts...);
  }

  const TextFile& file_;
  Source source_;
  Level level_ = kOutside;
  std::string key_;                               // the last one
  std::unordered_set<std::string> keys_[kShape];  // of the open object of each level
  bool value_taken_ = false;                      // the next event is `inserted`, not the file
  std::string format_;
  std::string tree_;
  std::vector<Entry> tensors_;
  std::vector<Entry> top_values_;  // "version", or the tensors of the plain form
};

// --- Events --------------------------------------------------------------------------------------

bool JsonReader::boolean(bool) {
  if (!std::exchange(value_taken_, false)) wrong_value("a bool");
  return true;
}

bool JsonReader::number_unsigned(std::uint64_t value) {
  if (level_ != kShape) wrong_value("a number");
  DimVector& sizes = *tensors_.back().sizes;
  if (value > kMaxElements) wrong_value("a number past 2^63 - 1");
  if (sizes.size() == kMaxDims) wrong_value("more than 64 of them");
  sizes.push_back(static_cast<std::int64_t>(value));
  return true;
}

bool JsonReader::string(std::string& value) {
  if (level_ == kTop && key_ == "format") {
    if (value != kJsonFormat) {
      fail("the format is '", value.substr(0, 40), "', not '", kJsonFormat, "'");
    }
    format_ = std::move(value);
  } else if (level_ == kMetadata) {
    if (key_ == kTreeKey) tree_ = std::move(value);
  } else if (level_ == kEntry && key_ == "dtype") {
    set_dtype(value);
  } else if (level_ == kEntry && key_ == "encoding") {
    if (value != "base64") fail_in(tensors_.back(), "unknown encoding, only 'base64' is one");
    tensors_.back().encoding = std::move(value);
  } else {
    wrong_value("a string");
  }
  return true;
}

bool JsonReader::key(std::string& key) {
  if (key.size() > kMaxKeySize) fail("a key of ", key.size(), " bytes; ", kMaxKeySize, " may be");
  if (!keys_[level_].insert(key).second) fail("key '", key, "' appears twice");
  key_ = std::move(key);
  if (level_ == kTensors) {
    tensors_.emplace_back().name = key_;
    tensors_.back().place = source_.next;
  }
  const char* colon = skip_space(source_.next);
  if (*colon != ':') return true;  // the parser will say so
  const char* value = skip_space(colon + 1);
  if (level_ == kTop && *value != '"' && *value != '{') {
    Entry& entry = top_values_.emplace_back();
    entry.name = key_;
    entry.place = source_.next;
    take_value(entry, value);
  } else if (level_ == kEntry && key_ == "data") {
    take_value(tensors_.back(), value);
  }
  return true;
}

/// Reads the elements at `value`, or only finds their end when they must wait for what is said
/// about them, and hides them from the parser of the grammar.
void JsonReader::take_value(Entry& entry, const char* value) {
  entry.data = value;
  if (entry.dtype && entry.sizes && *value != '"') {
    read_elements(entry);
  } else {
    entry.end = outline_value(file_, value, entry.name).end;
  }
  source_.next = entry.end;
  source_.inserted = ": true ";
  value_taken_ = true;
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
  const bool is_object = key_ == "metadata" || key_ == "tensors";
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
      fail_in(tensors_.back(), "expected an object with dtype, shape and data, found ", found);
    case kEntry:
      if (key_ == "shape") fail_in(tensors_.back(), "shape: expected a list, found ", found);
      if (key_ == "data") fail_in(tensors_.back(), "data: expected lists, found ", found);
      if (key_ != "dtype" && key_ != "encoding") {
        fail_in(tensors_.back(), "unknown field '", key_, "'");
      }
      fail_in(tensors_.back(), key_, ": expected a string, found ", found);
    case kShape:
      fail_in(tensors_.back(), "shape: expected non-negative integers, found ", found);
  }
  TERN_ASSERT(false);
}

// --- Tensors -------------------------------------------------------------------------------------

void JsonReader::set_dtype(const std::string& name) {
  std::string known;
#define TERN_DTYPE(type_name, type, number, file_name, python_name, category) \
  if (name == file_name) tensors_.back().dtype = ScalarType::type_name;       \
  known += known.empty() ? file_name : ", " file_name;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  if (!tensors_.back().dtype) {
    fail_in(tensors_.back(), "dtype '", name.substr(0, 40), "' is none of ", known);
  }
}

/// Makes the tensor, after comparing its claimed size with what the text can hold.
void JsonReader::allocate(Entry& entry) {
  std::int64_t product = 1;  // without zeros, so that the strides cannot overflow either
  bool is_empty = false;
  for (const std::int64_t size : *entry.sizes) {
    is_empty = is_empty || size == 0;
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(size, 1), &product)) {
      fail_in(entry, "shape ", IntArrayRef(*entry.sizes), " is larger than any memory");
    }
  }
  // Every element takes a byte of text and more, in base64, too.
  if (!is_empty && product > file_.end() - entry.data) {
    fail_in(entry, "shape ", IntArrayRef(*entry.sizes), " needs ", product,
            " elements, more than the file can hold");
  }
  entry.tensor = make_tensor(*entry.sizes, *entry.dtype, kCPU);
}

void JsonReader::finish_entry() {
  Entry& entry = tensors_.back();
  for (const char* field : {"dtype", "shape", "data"}) {
    if (!keys_[kEntry].contains(field)) fail_in(entry, "no '", field, "'");
  }
  if (!entry.encoding.empty()) {
    read_base64(entry);
  } else if (!entry.tensor.defined()) {
    read_elements(entry);
  }
}

void JsonReader::read_elements(Entry& entry) {
  allocate(entry);
  const char* end = read_value(file_, entry.data, entry.name, entry.tensor);
  if (entry.end != nullptr && end != entry.end)
    file_.fail(end, "tensor '", entry.name, "': more follows");
  entry.end = end;
}

void JsonReader::read_base64(Entry& entry) {
  if (*entry.data != '"') fail_in(entry, "data: expected a string in base64");
  allocate(entry);
  const char* begin = entry.data + 1;
  std::string bytes;
  try {
    bytes = base64_decode({begin, std::strchr(begin, '"')});
  } catch (const Error& error) {
    fail_in(entry, "data: ", error.what());
  }
  if (bytes.size() != entry.tensor.nbytes()) {
    fail_in(entry, "data: expected ", entry.tensor.nbytes(), " bytes, found ", bytes.size());
  }
  if (entry.dtype == kBool && std::ranges::any_of(bytes, [](char c) { return c != 0 && c != 1; })) {
    fail_in(entry, "data: a byte of a bool is neither 0 nor 1");
  }
  if (!bytes.empty()) std::memcpy(entry.tensor.data_ptr(), bytes.data(), bytes.size());
}

// --- The end -------------------------------------------------------------------------------------

FlatState JsonReader::finish() {
  if (format_.empty()) file_.fail(file_.begin(), "no \"format\": \"", kJsonFormat, "\"");
  if (!keys_[kTop].contains("tensors")) file_.fail(file_.begin(), "no 'tensors'");
  if (!keys_[kTop].contains("version")) file_.fail(file_.begin(), "no 'version'");
  for (const Entry& entry : top_values_) {
    if (entry.name == "metadata" || entry.name == "tensors") {
      file_.fail(entry.place, "key '", entry.name, "': expected an object");
    }
    if (entry.name != "version") file_.fail(entry.place, "unexpected key '", entry.name, "'");
    check_version(entry);
  }
  FlatState flat{{}, std::move(tree_)};
  for (Entry& entry : tensors_) {
    flat.tensors.emplace_back(std::move(entry.name), std::move(entry.tensor));
  }
  return flat;
}

void JsonReader::check_version(const Entry& entry) {
  int version = 0;
  const auto result = std::from_chars(entry.data, entry.end, version);
  if (result.ptr != entry.end || version < 1)
    file_.fail(entry.place, "the version is no number from 1");
  if (version > kJsonVersion) {
    file_.fail(entry.place, "version ", version, " is newer than this library reads, which is ",
               kJsonVersion);
  }
}

/// The elements as float32, when that changes none of them.
Tensor narrow_if_exact(const Tensor& wide) {
  Tensor narrow = make_tensor(wide.sizes(), kFloat, kCPU);
  const double* from = wide.data_ptr<double>();
  float* to = narrow.data_ptr<float>();
  for (std::int64_t i = 0; i < wide.numel(); ++i) {
    if (std::isfinite(from[i]) && std::abs(from[i]) > std::numeric_limits<float>::max()) {
      return wide;  // the conversion would have no defined result
    }
    to[i] = static_cast<float>(from[i]);
    if (!std::isnan(from[i]) && static_cast<double>(to[i]) != from[i]) return wide;
  }
  return narrow;
}

FlatState JsonReader::finish_plain() {
  FlatState flat;
  for (Entry& entry : top_values_) {
    const ValueOutline outline = outline_value(file_, entry.data, entry.name);
    entry.dtype = outline.dtype;
    entry.sizes = outline.sizes;
    read_elements(entry);
    if (outline.dtype == kDouble) entry.tensor = narrow_if_exact(entry.tensor);
    flat.tensors.emplace_back(std::move(entry.name), std::move(entry.tensor));
  }
  return flat;
}

}  // namespace

bool recognizes_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first == head.npos || head[first] == '{';
}

State read_json_state(const InputFile& file) {
  const TextFile text(file);
  return unflatten(JsonReader(text).read());
}

}  // namespace tern::detail
