#include <tern/core/tensor/state.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include <tern/core/base/missing_key.h>

namespace tern {
namespace {

constexpr const char* kKindNames[] = {"null",     "a bool",   "an integer", "a floating number",
                                      "a string", "a tensor", "a list",     "a dictionary"};

void check_depth(int depth) {
  TERN_CHECK(depth <= State::kMaxDepth, Error,
             "State: dictionaries and lists may be nested at most ", State::kMaxDepth,
             " levels deep, got ", depth);
}

/// Returns the depth of a dictionary with these items.
int depth_of(const std::vector<State::Item>& items) {
  int depth = 0;
  for (const State::Item& item : items) depth = std::max(depth, item.value.depth());
  return depth + 1;
}

bool identical_tensors(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) return false;
  if (a.numel() == 0) return true;
  if (a.is_meta() || b.is_meta()) return a.is_meta() && b.is_meta();
  const Tensor x = a.detach().cpu().contiguous(), y = b.detach().cpu().contiguous();
  return std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

/// Returns the content, which is a T, for reading.
template <class T>
const T& read(const std::shared_ptr<void>& content) {
  TERN_CHECK(content, Error, "State: used after it was moved from");
  return *static_cast<const T*>(content.get());
}

/// Returns the content for writing. Copies it first if other States share it.
template <class T>
T& write(std::shared_ptr<void>& content) {
  if (content.use_count() != 1) content = std::make_shared<T>(read<T>(content));
  std::atomic_thread_fence(std::memory_order_acquire);  // sees the last writes of former owners
  return *static_cast<T*>(content.get());
}

}  // namespace

struct State::List {
  std::vector<State> elements;
  int depth = 1;
};

struct State::Dict {
  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>()(key);
    }
  };

  std::vector<Item> items;
  std::unordered_map<std::string, std::size_t, KeyHash, std::equal_to<>> index;
  int depth = 1;
};

State::State() : kind_(Kind::Dict), content_(std::make_shared<Dict>()) {}

State::State(std::string text)
    : kind_(Kind::String), content_(std::make_shared<std::string>(std::move(text))) {}
State::State(std::string_view text) : State(std::string(text)) {}
State::State(const char* text) : State(std::string(text)) {}

State::State(Tensor tensor) : kind_(Kind::Tensor) {
  TERN_CHECK(tensor.defined(), Error, "State: an undefined tensor cannot be stored");
  content_ = std::make_shared<Tensor>(std::move(tensor));
}

State State::list(std::vector<State> elements) {
  State result(nullptr);
  result.kind_ = Kind::List;
  result.content_ = std::make_shared<List>();
  for (State& element : elements) result.push_back(std::move(element));
  return result;
}

// --- Leaves --------------------------------------------------------------------------------------

const char* kind_name(State::Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

void State::kind_error(const char* expected, std::string_view name) const {
  const std::string value = is_int() ? detail::text_of(' ', integer_) : "";
  const std::string where = name.empty() ? "" : detail::text_of(" for key '", name, "'");
  detail::raise<Error>("State: expected ", expected, where, ", found ", kind_name(kind()), value);
}

Tensor State::tensor() const {
  if (!is_tensor()) kind_error("a tensor", {});
  return read<Tensor>(content_);
}

const std::string& State::string() const& {
  if (!is_string()) kind_error("a string", {});
  return read<std::string>(content_);
}

std::string State::string() && { return std::as_const(*this).string(); }

std::int64_t State::to_integer(std::string_view name, std::int64_t lowest,
                               std::int64_t highest) const {
  if (!is_int()) kind_error("an integer", name);
  TERN_CHECK(integer_ >= lowest && integer_ <= highest, Error, "State: the value ", integer_,
             name.empty() ? "" : " of key '", name, name.empty() ? "" : "'",
             " is outside the requested range from ", lowest, " to ", highest);
  return integer_;
}

double State::to_double(std::string_view name) const {
  if (is_int()) return static_cast<double>(integer_);
  if (!is_double()) kind_error("a number", name);
  return floating_;
}

bool State::to_bool(std::string_view name) const {
  if (!is_bool()) kind_error("a bool", name);
  return integer_ != 0;
}

// --- Containers ----------------------------------------------------------------------------------

const State::Dict& State::as_dict() const {
  if (!is_dict()) kind_error("a dictionary", {});
  return read<Dict>(content_);
}

const State::List& State::as_list() const {
  if (!is_list()) kind_error("a list", {});
  return read<List>(content_);
}

std::size_t State::size() const {
  return is_list() ? as_list().elements.size() : as_dict().items.size();
}

int State::depth() const {
  if (is_list()) return as_list().depth;
  return is_dict() ? as_dict().depth : 0;
}

const State* State::find(std::string_view key) const {
  const Dict& dict = as_dict();
  const auto found = dict.index.find(key);
  return found == dict.index.end() ? nullptr : &dict.items[found->second].value;
}

const State& State::operator[](std::string_view key) const& {
  const State* value = find(key);
  if (value == nullptr) {
    std::vector<std::string_view> known;
    for (const Item& item : *this) known.emplace_back(item.key);
    detail::missing_key_error("Key", key, known);
  }
  return *value;
}

std::vector<std::string> State::keys() const {
  std::vector<std::string> result;
  result.reserve(size());
  for (const Item& item : as_dict().items) result.push_back(item.key);
  return result;
}

const State::Item* State::begin() const { return as_dict().items.data(); }
const State::Item* State::end() const { return begin() + as_dict().items.size(); }

void State::insert(std::string key, State value) {
  TERN_CHECK(!contains(key), Error, "Key '", key, "' already defined");
  set(std::move(key), std::move(value));
}

void State::set(std::string key, State value) {
  const int depth = value.depth() + 1;
  check_depth(depth);
  as_dict();
  Dict& dict = write<Dict>(content_);
  dict.depth = std::max(dict.depth, depth);
  const auto [found, is_new] = dict.index.try_emplace(key, dict.items.size());
  if (!is_new) {
    State& old = dict.items[found->second].value;
    const bool was_deepest = depth < dict.depth && old.depth() + 1 == dict.depth;
    old = std::move(value);
    if (was_deepest) dict.depth = depth_of(dict.items);
    return;
  }
  try {
    dict.items.push_back({std::move(key), std::move(value)});
  } catch (...) {
    dict.index.erase(found);
    throw;
  }
}

void State::erase(std::string_view key) {
  (*this)[key];  // throws when it is missing
  Dict& dict = write<Dict>(content_);
  const auto found = dict.index.find(key);
  dict.items.erase(dict.items.begin() + static_cast<std::ptrdiff_t>(found->second));
  dict.index.erase(found);
  for (std::size_t i = 0; i < dict.items.size(); ++i) dict.index[dict.items[i].key] = i;
  dict.depth = depth_of(dict.items);
}

const State& State::operator[](std::size_t index) const& {
  const auto& elements = as_list().elements;
  TERN_CHECK(index < elements.size(), IndexError, "State: index ", static_cast<std::int64_t>(index),
             " is out of range for a list of ", elements.size());
  return elements[index];
}

const std::vector<State>& State::elements() const& { return as_list().elements; }
std::vector<State> State::elements() && { return std::as_const(*this).elements(); }

void State::push_back(State value) {
  const int depth = value.depth() + 1;
  check_depth(depth);
  as_list();
  List& list = write<List>(content_);
  list.elements.push_back(std::move(value));
  list.depth = std::max(list.depth, depth);
}

bool identical(const State& a, const State& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case State::Kind::Null:
      return true;
    case State::Kind::Bool:
      return a.to<bool>() == b.to<bool>();
    case State::Kind::Int:
      return a.to<std::int64_t>() == b.to<std::int64_t>();
    case State::Kind::Double:
      return std::bit_cast<std::uint64_t>(a.to<double>()) ==
             std::bit_cast<std::uint64_t>(b.to<double>());
    case State::Kind::String:
      return a.string() == b.string();
    case State::Kind::Tensor:
      return identical_tensors(a.tensor(), b.tensor());
    case State::Kind::List:
      return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(),
                        b.elements().end(), identical);
    case State::Kind::Dict:
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](const State::Item& x, const State::Item& y) {
                          return x.key == y.key && identical(x.value, y.value);
                        });
  }
  return false;
}

namespace {

/// Appends a tree. `indent` is that of the line on which the tree begins.
void append_text(std::string& text, const State& state, std::size_t indent) {
  const std::string line = "\n" + std::string(indent + 2, ' ');
  switch (state.kind()) {
    case State::Kind::Null:
      text += "null";
      return;
    case State::Kind::Bool:
      text += state.to<bool>() ? "true" : "false";
      return;
    case State::Kind::Int:
      text += std::to_string(state.to<std::int64_t>());
      return;
    case State::Kind::Double: {
      char number[32];
      text.append(number, std::to_chars(number, std::end(number), state.to<double>()).ptr);
      return;
    }
    case State::Kind::String:
      text += "'" + state.string() + "'";
      return;
    case State::Kind::Tensor: {
      const Tensor tensor = state.tensor();
      text += detail::text_of(dtype_info(tensor.dtype()).python_name, ' ', tensor.sizes());
      if (!tensor.is_cpu()) text += detail::text_of(" on ", tensor.device());
      return;
    }
    case State::Kind::List: {
      const bool is_flat = state.depth() == 1;
      text += '[';
      const char* separator = "";
      for (const State& element : state.elements()) {
        text += separator;
        if (!is_flat) text += line;
        append_text(text, element, indent + 2);
        separator = is_flat ? ", " : ",";
      }
      if (!is_flat) text += line.substr(0, indent + 1);
      text += ']';
      return;
    }
    case State::Kind::Dict: {
      text += '{';
      const char* separator = "";
      for (const auto& [key, value] : state) {
        text += tern::detail::text_of(separator, line, "'", key, "': ");
        append_text(text, value, indent + 2);
        separator = ",";
      }
      if (!state.empty()) text += line.substr(0, indent + 1);
      text += '}';
      return;
    }
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const State& state) {
  std::string text;
  append_text(text, state, 0);
  return detail::print_text(stream, text);
}

}  // namespace tern
