#include <tern/serialization/json/detail/tree_reader.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/serialization/json/detail/format.h>
#include <tern/serialization/json/detail/text.h>

namespace tern::detail {

TreeReader::TreeReader(Place place, const FlatState& flat) : place_(place), flat_(&flat) {
  for (const auto& [name, tensor] : flat.tensors) tensors_.emplace(name, tensor);
}

State TreeReader::take() {
  for (const auto& [name, tensor] : flat_->tensors) {
    TERN_CHECK(used_.contains(name), Error, "tensor '", name,
               "' is in the file, but not in the tree");
  }
  return std::move(result_);
}

bool TreeReader::string(std::string& value) {
  count();
  if (flat_ != nullptr) put(std::move(value));
  return true;
}

bool TreeReader::key(std::string& key) {
  if (flat_ == nullptr) return true;
  Frame& frame = frames_.back();
  TERN_CHECK(frame.word.empty(), Error, "'", frame.word, "' must be the only key of its object");
  if (key.starts_with("$$")) {
    key.erase(0, 1);
  } else if (key.starts_with('$')) {
    TERN_CHECK(frame.value.empty(), Error, "'", key, "' must be the only key of its object");
    frame.word = key;
  }
  frame.key = std::move(key);
  return true;
}

bool TreeReader::number_float(double value, const std::string&) { return add(value); }

bool TreeReader::parse_error(std::size_t position, const std::string&,
                             const Json::exception& error) {
  const std::string text = parse_error_text(error.what());
  if (place_ == kInFile) raise<Error>(text);  // JsonReader adds the line and column
  raise<Error>("byte ", position - std::min<std::size_t>(position, 1), ": ", text);
}

/// Counts a value. In a file, the object that wraps a root is not a value of the state.
void TreeReader::count() {
  const std::size_t wrappers = place_ == kInFile ? 1 : 0;
  TERN_CHECK(++values_ <= kMaxTreeValues + wrappers, Error, "more than ", kMaxTreeValues,
             " values");
}

bool TreeReader::add(State value) {
  count();
  if (flat_ != nullptr) put(std::move(value));
  return true;
}

bool TreeReader::push(bool is_list) {
  // An object that stands for a leaf is not a level of the state. In a file, an object that wraps a
  // root is not a level either.
  const int most = State::kMaxDepth + (place_ == kInFile ? 2 : 1);
  TERN_CHECK(++depth_ <= most, Error, "nested deeper than ", State::kMaxDepth);
  count();
  if (flat_ != nullptr) frames_.push_back({is_list ? State::list() : State(), {}, {}});
  return true;
}

bool TreeReader::pop() {
  --depth_;
  if (flat_ == nullptr) return true;
  const bool is_wrapper = is_wrapped_root(frames_.back());
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (!is_wrapper) put(frame.word.empty() ? std::move(frame.value) : leaf(frame));
  return true;
}

void TreeReader::put(State value) {
  if (frames_.empty() || is_wrapped_root(frames_.back())) {
    result_ = std::move(value);
  } else if (Frame& frame = frames_.back(); frame.value.is_list()) {
    frame.value.push_back(std::move(value));
  } else {
    frame.value.insert(frame.key, std::move(value));
  }
}

bool TreeReader::is_wrapped_root(const Frame& frame) const {
  return place_ == kInFile && frames_.size() == 1 && frame.word == kRootWord;
}

State TreeReader::leaf(const Frame& frame) {
  const bool is_tensor = frame.word == "$tensor";
  TERN_CHECK(is_tensor || frame.word == "$double", Error, "unknown key '", frame.word,
             "', expected '$tensor' or '$double'");
  const auto text = frame.value.get<std::string>(frame.word);
  if (is_tensor) {
    const auto found = tensors_.find(text);
    TERN_CHECK(found != tensors_.end(), Error, "the file has no tensor '", text, "'");
    used_.insert(text);
    return found->second;
  }
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  TERN_CHECK(text == "-Infinity", Error, "unknown number '", text,
             "', expected 'NaN', 'Infinity' or '-Infinity'");
  return -std::numeric_limits<double>::infinity();
}

State read_tree(const FlatState& flat) {
  const auto parse = [&flat](JsonEvents& events) {
    parse_json(flat.tree.begin(), flat.tree.end(), events);
  };
  TreeReader check(TreeReader::kInMetadata);
  parse(check);
  TreeReader reader(TreeReader::kInMetadata, flat);
  parse(reader);
  return reader.take();
}

}  // namespace tern::detail
