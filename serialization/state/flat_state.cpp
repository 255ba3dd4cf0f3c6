#include <tern/serialization/state/detail/flat_state.h>

#include <cmath>
#include <unordered_set>
#include <utility>

#include <tern/serialization/json/detail/format.h>
#include <tern/serialization/json/detail/text.h>

namespace tern::detail {
namespace {

class Flattener {
 public:
  explicit Flattener(TreeLayout layout) : newline_(layout == TreeLayout::kLines ? "\n" : "") {}

  FlatState run(const State& state) {
    bool tensors_only = state.is_dict();
    if (tensors_only) {
      for (const auto& [key, value] : state) tensors_only = tensors_only && value.is_tensor();
    }
    write(state, state.is_tensor() ? "tensor" : "");
    if (tensors_only) {
      flat_.order = std::exchange(flat_.tree, {});
    } else {
      TERN_CHECK(values_ <= kMaxTreeValues, Error, "the state has ", values_,
                 " values besides the elements of its tensors, at most ", kMaxTreeValues,
                 " are allowed");
    }
    return std::move(flat_);
  }

 private:
  void write(const State& state, const std::string& path) {
    std::string& tree = flat_.tree;
    values_ += state.is_tensor() || state.is_double() ? 2 : 1;  // an upper bound: 3.5 is only 1
    switch (state.kind()) {
      case State::Kind::Null:
        tree += "null";
        break;
      case State::Kind::Bool:
        tree += state.to<bool>() ? "true" : "false";
        break;
      case State::Kind::Int:
        tree += std::to_string(state.to<std::int64_t>());
        break;
      case State::Kind::Double:
        write_double(state.to<double>());
        break;
      case State::Kind::String:
        tree += quote_json(state.string());
        break;
      case State::Kind::Tensor:
        tree += "{\"$tensor\": " + quote_json(add_tensor(path, state.tensor())) + "}";
        break;
      case State::Kind::List:
        tree += '[';
        for (std::size_t i = 0; i < state.size(); ++i) {
          if (i != 0) tree += ", ";
          write(state[i], join(path, std::to_string(i)));
        }
        tree += ']';
        break;
      case State::Kind::Dict:
        write_dict(state, path);
        break;
    }
  }

  void write_dict(const State& state, const std::string& path) {
    std::string& tree = flat_.tree;
    tree += '{';
    for (const auto& [key, value] : state) {
      if (&key != &state.begin()->key) tree += *newline_ == '\0' ? ", " : ",";
      tree += newline_;
      tree += quote_json(key.starts_with('$') ? "$" + key : key) + ": ";
      write(value, join(path, key));
    }
    if (!state.empty()) tree += newline_;
    tree += '}';
  }

  void write_double(double value) {
    if (!std::isfinite(value)) {
      flat_.tree += "{\"$double\": \"" + std::string(non_finite_word(value)) + "\"}";
      return;
    }
    char text[kMaxNumberText];
    flat_.tree.append(text, write_number(text, value));
  }

  static std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  /// Adds a tensor. {"a": {"b": t}, "a.b": u} gives the name "a.b" twice; the second gets a number.
  const std::string& add_tensor(const std::string& path, const Tensor& tensor) {
    std::string name = path;
    for (int i = 2; !names_.insert(name).second; ++i) name = path + "#" + std::to_string(i);
    return flat_.tensors.emplace_back(std::move(name), tensor).first;
  }

  const char* const newline_;  // before each item of a dictionary, and after the last
  FlatState flat_;
  std::size_t values_ = 0;  // number of values in the tree
  std::unordered_set<std::string> names_;
};

}  // namespace

FlatState flatten(const State& state, TreeLayout layout) { return Flattener(layout).run(state); }

State unflatten(const FlatState& flat) {
  if (!flat.tree.empty()) {
    try {
      return read_tree(flat);
    } catch (const Error& error) {
      raise<Error>("metadata '", kTreeKey, "': ", error.what());
    }
  }
  State state;
  for (const auto& [name, tensor] : flat.tensors) state.insert(name, tensor);
  return state;
}

}  // namespace tern::detail
