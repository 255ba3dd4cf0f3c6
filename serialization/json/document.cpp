#include <tern/serialization/json_document.h>

#include <utility>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/json/detail/events.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/flat_state.h>
#include <tern/serialization/state_file.h>

namespace tern {
namespace {

constexpr std::uint64_t kMaxDocument = 64 << 20;

/// Builds a State of the events of the parser.
class DocumentReader final : public detail::JsonEvents {
 public:
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(detail::Json::binary_t&) override { return false; }  // JSON has no binary values
  bool key(std::string& key) override {
    open_.back().key = std::move(key);
    return true;
  }
  bool start_object(std::size_t) override { return push(State()); }
  bool end_object() override { return pop(); }
  bool start_array(std::size_t) override { return push(State::list()); }
  bool end_array() override { return pop(); }
  bool parse_error(std::size_t position, const std::string&,
                   const detail::Json::exception& error) override {
    detail::raise<Error>("byte ", position == 0 ? 0 : position - 1, ": ",
                         detail::parse_error_text(error.what()));
  }

  State take() { return std::move(result_); }

 private:
  struct Open {
    State value;
    std::string key;  // of the next value
  };

  bool push(State container) {
    TERN_CHECK(open_.size() < State::kMaxDepth, Error, "nested deeper than ", State::kMaxDepth);
    open_.push_back({std::move(container), {}});
    return true;
  }
  bool pop() {
    State value = std::move(open_.back().value);
    open_.pop_back();
    return put(std::move(value));
  }
  bool put(State value) {
    TERN_CHECK(++values_ <= detail::kMaxTreeValues, Error, "more than ", detail::kMaxTreeValues,
               " values");
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.is_list()) {
      parent.value.push_back(std::move(value));
    } else {
      parent.value.insert(parent.key, std::move(value));
    }
    return true;
  }

  std::vector<Open> open_;
  std::size_t values_ = 0;
  State result_;
};

}  // namespace

State load_json(const std::string& path) {
  try {
    const detail::InputFile file(path);
    TERN_CHECK(file.size() <= kMaxDocument, Error, "the file has ", file.size(),
               " bytes, but a JSON document may have ", kMaxDocument);
    const std::string text = file.head(file.size());
    DocumentReader reader;
    detail::parse_json(text.begin(), text.end(), reader);
    State document = reader.take();
    TERN_CHECK(document.is_dict(), Error, "expected an object, found ", kind_name(document.kind()));
    return document;
  } catch (...) {
    detail::rethrow_named("load_json", path);
  }
}

}  // namespace tern
