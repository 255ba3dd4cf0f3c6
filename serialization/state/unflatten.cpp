#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/json_scanner.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

using Json = nlohmann::json;

/// Builds a State from the events of nlohmann's parser.
class TreeReader {
 public:
  explicit TreeReader(const FlatState& flat) {
    for (const auto& [name, tensor] : flat.tensors) tensors_.emplace(name, tensor);
    check_syntax(flat.tree);
    Json::sax_parse(flat.tree.data(), flat.tree.data() + flat.tree.size(), this);
    for (const auto& [name, tensor] : flat.tensors) {
      TERN_CHECK(used_.contains(name), Error, "tensor '", name, "' has no place in the tree");
    }
  }
  State take() { return std::move(result_); }

  // --- Events ------------------------------------------------------------------------------------

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return push(State()); }
  bool start_array(std::size_t) { return push(State::list()); }
  bool key(std::string& key) {
    Frame& frame = frames_.back();
    TERN_CHECK(frame.word.empty(), Error, "'", frame.word, "' stands alone in its object");
    if (key.starts_with("$$")) {
      key.erase(0, 1);
    } else if (key.starts_with('$')) {
      TERN_CHECK(frame.value.empty(), Error, "'", key, "' stands alone in its object");
      frame.word = key;
    }
    frame.key = std::move(key);
    return true;
  }
  bool end_array() { return pop(); }
  bool end_object() { return pop(); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
    raise<Error>("at byte ", position, ": ", parse_error_text(error.what()));
  }

 private:
  /// One more than a State may have, for the objects that stand for leaves.
  static constexpr int kMaxFrames = State::kMaxDepth + 1;

  struct Frame {
    State value;
    std::string key;   // of the value that comes next
    std::string word;  // $tensor or $double, when this object stands for a leaf
  };

  /// What is no JSON shall not cost the memory of what it would build.
  static void check_syntax(std::string text) {
    JsonScanner scan(text, "");
    scan.skip([] { raise<Error>("nested deeper than ", State::kMaxDepth); }, kMaxFrames);
    scan.end();
  }

  bool push(State container) {
    frames_.push_back({std::move(container), {}, {}});
    return true;
  }

  bool pop() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return add(frame.word.empty() ? std::move(frame.value) : leaf(frame));
  }

  bool add(State value) {
    TERN_CHECK(++values_ <= kMaxTreeValues, Error, "more than ", kMaxTreeValues, " values");
    if (frames_.empty()) {
      result_ = std::move(value);
    } else if (Frame& frame = frames_.back(); frame.value.is_list()) {
      frame.value.push_back(std::move(value));
    } else {
      frame.value.insert(frame.key, std::move(value));
    }
    return true;
  }

  State leaf(const Frame& frame) {
    const auto text = frame.value.get<std::string>(frame.word);
    if (frame.word == "$tensor") {
      const auto found = tensors_.find(text);
      TERN_CHECK(found != tensors_.end(), Error, "no tensor '", text, "' in the file");
      used_.insert(text);
      return found->second;
    }
    TERN_CHECK(frame.word == "$double", Error, "unknown word '", frame.word, "'");
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    TERN_CHECK(text == "-Infinity", Error, "unknown number '", text, "'");
    return -std::numeric_limits<double>::infinity();
  }

  std::unordered_map<std::string, Tensor> tensors_;
  std::unordered_set<std::string> used_;
  std::vector<Frame> frames_;
  State result_;
  std::size_t values_ = 0;
};

}  // namespace

State unflatten(const FlatState& flat) {
  if (!flat.tree.empty()) {
    try {
      return TreeReader(flat).take();
    } catch (const Error& error) {
      raise<Error>("metadata '", kTreeKey, "': ", error.what());
    }
  }
  State state;
  for (const auto& [name, tensor] : flat.tensors) state.insert(name, tensor);
  return state;
}

}  // namespace tern::detail
