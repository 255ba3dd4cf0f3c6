#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/create/creation.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/quantized_weight.h>
#include <tern/nn/module.h>
#include <tern/nn/module/lazy_tensor.h>

namespace tern::nn {

State Module::state_dict() const {
  State state;
  const auto add = [&state](const std::string& path, const std::string& name,
                            const Tensor& tensor) {
    if (!tensor.defined()) return;
    std::string key = ModuleWalk::join(path, name);
    TERN_CHECK(
        !is_lazy(tensor), Error, "state_dict: '", key,
        "' is uninitialized. Call `forward` with a dummy batch to initialize the parameters");
    state.insert(std::move(key), tensor.detach());
  };
  ModuleWalk::paths(*this, [&](const std::string& path, const Module& module) {
    module.check_members();
    for (const auto& [name, tensor] : module.parameters_) add(path, name, tensor);
    for (const auto& [name, buffer] : module.buffers_) {
      if (buffer.persistent) add(path, name, buffer.tensor);
    }
  });
  return state;
}

bool Module::is_optional_in_state(const std::string& /*name*/) const { return false; }

namespace {

/// Formats a shape as PyTorch does in its error texts.
std::string size_text(const Tensor& tensor) {
  return tern::detail::text_of("torch.Size(", tensor.sizes(), ")");
}

std::string dtype_text(const Tensor& tensor) {
  return std::string("torch.") + dtype_info(tensor.dtype()).python_name;
}

/// Returns true if `dtype` can hold the numbers of a tensor: integers exactly, floating numbers
/// rounded, but not to infinity.
bool holds_numbers(ScalarType dtype, const Tensor& tensor) {
  const Tensor cast = tensor.to(dtype);
  return is_floating_point(dtype) ? cast.isinf().eq(tensor.isinf()).all().item<bool>()
                                  : cast.to(tensor.dtype()).eq(tensor).all().item<bool>();
}

/// Formats the keys a and b as "a", "b".
std::string quoted(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    text += text.empty() ? "\"" : ", \"";
    for (const char c : key)
      c == '\0' ? text.append("\\0") : text.append(1, c);  // a NUL would end what()
    text += '"';
  }
  return text;
}

/// Returns the part of `key` before `.ending`, and an empty text for another key.
std::string_view before_ending(std::string_view key, std::string_view ending) {
  if (!key.ends_with(ending)) return {};
  key.remove_suffix(ending.size());
  if (!key.ends_with('.')) return {};
  key.remove_suffix(1);
  return key;
}

/// Returns what to do if one of the keys is the other one with a prefix; else an empty text.
std::string cure_of_prefix(const std::string& missing, const std::string& unexpected) {
  if (const std::string_view prefix = before_ending(unexpected, missing); !prefix.empty()) {
    return tern::detail::text_of("The state has \"", missing, "\" as \"", unexpected,
                                 "\"; did you mean tern::strip_prefix(state, \"", prefix, ".\")?");
  }
  if (const std::string_view path = before_ending(missing, unexpected); !path.empty()) {
    return tern::detail::text_of("The module has \"", unexpected, "\" as \"", missing,
                                 "\"; did you mean to load its \"", path, "\"?");
  }
  return {};
}

}  // namespace

/// Checks a whole state against a module, then copies or assigns the state.
class ModuleLoader {
 public:
  ModuleLoader(const Module& root, const State& state, const LoadOptions& options)
      : state_(state), options_(options) {
    const auto own = [&](const Tensor& t) { own_.insert(key_of(t)); };
    ModuleWalk::parameters(root, true, own);
    ModuleWalk::buffers(root, true, own);
    ModuleWalk::paths(root, [&](const std::string& path, const Module& module) {
      for (const auto& [name, tensor] : module.parameters_) check_entry(module, path, name, tensor);
      for (const auto& [name, buffer] : module.buffers_) {
        if (buffer.persistent) check_entry(module, path, name, buffer.tensor);
      }
    });
    find_unexpected(root);
  }

  IncompatibleKeys finish(const Module& root) {
    std::vector<std::string> problems;
    if (options_.strict && !result_.missing_keys.empty()) {
      problems.push_back("Missing key(s) in state_dict: " + quoted(result_.missing_keys) + ". ");
    }
    if (options_.strict && !result_.unexpected_keys.empty()) {
      problems.push_back("Unexpected key(s) in state_dict: " + quoted(result_.unexpected_keys) +
                         ". ");
      for (const std::string& key : result_.unexpected_keys) {
        if (!state_[key].is_dict()) continue;
        std::string problem = "\"" + key;
        problem += "\" is a dictionary, as in a checkpoint; does state[\"" + key;
        problem += "\"] hold the module?";
        problems.push_back(std::move(problem));
        break;
      }
    }
    if (options_.strict) {
      add_hint(problems, detail::cure_of_format);
      add_hint(problems, cure_of_prefix);
    }
    problems.insert(problems.end(), problems_.begin(), problems_.end());
    if (!problems.empty()) {
      std::string text = "Error(s) in loading state_dict for " + detail::type_of_holder(root) + ":";
      for (const std::string& problem : problems) text += "\n\t" + problem;
      throw Error(text);
    }
    const NoGradGuard no_grad;
    for (Entry& entry : entries_) {
      entry.source = options_.assign ? taken(entry) : staged(entry);
    }
    if (options_.assign) {
      for (Entry& entry : entries_) entry.target.set_data(entry.source);
    } else {
      copy_on_devices();
      for (Entry& entry : entries_) {  // nothing can fail here
        if (entry.lazy) {
          entry.target.set_data(entry.source);
        } else if (entry.target.is_cpu()) {
          entry.target.copy_(entry.source);
        }
      }
    }
    for (Entry& entry : entries_) {
      if (entry.lazy) detail::forget_lazy(entry.target);
    }
    return std::move(result_);
  }

 private:
  /// Adds what `hint` says of a missing and an unexpected key, if it says something. One of the two
  /// is the first of its kind: a state of a million keys has too many pairs.
  template <class Hint>
  void add_hint(std::vector<std::string>& problems, const Hint& hint) const {
    const auto &missing = result_.missing_keys, &unexpected = result_.unexpected_keys;
    if (missing.empty() || unexpected.empty()) return;
    std::string text;
    const auto says = [&](const std::string& lacks, const std::string& has) {
      text = hint(lacks, has);
      return !text.empty();
    };
    if (std::ranges::any_of(unexpected, [&](const auto& key) { return says(missing[0], key); }) ||
        std::ranges::any_of(missing, [&](const auto& key) { return says(key, unexpected[0]); })) {
      problems.push_back(std::move(text));
    }
  }

  /// A tensor of the module and its new value.
  struct Entry {
    std::string key;
    Tensor target, source;
    const Entry* tied;  // earlier entry for the same elements, or null
    bool lazy;          // an uninitialized target: takes any sizes
  };

  static const void* key_of(const Tensor& tensor) { return tensor.self().storage.get(); }

  /// Identifies the elements of a tensor and their order: equal for tied tensors.
  using View =
      std::tuple<const void*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>;
  static View view_of(const Tensor& tensor) {
    return {key_of(tensor), tensor.storage_offset(), tensor.sizes().vec(), tensor.strides().vec()};
  }

  void check_entry(const Module& module, const std::string& path, const std::string& name,
                   const Tensor& target) {
    if (!target.defined()) return;
    std::string key = ModuleWalk::join(path, name);
    const State* value = state_.find(key);
    State initial;
    if (value == nullptr) {
      if (!module.is_optional_in_state(name)) {
        result_.missing_keys.push_back(std::move(key));
        return;
      }
      if (!target.is_meta() || !options_.assign) return;
      // Nothing may stay on meta: the tensor becomes zeros on the device of the entry before it.
      const Device device = entries_.empty() ? Device(kCPU) : entries_.back().source.device();
      initial = zeros(target.sizes(), TensorOptions(target.dtype()).device(device));
      value = &initial;
    }
    Entry entry{std::move(key), target, {}, nullptr, is_lazy(target)};
    if (value->is_tensor()) entry.source = value->tensor();
    // Old files store scalars as tensors of one element.
    if (value->is_tensor() && target.dim() == 0 && entry.source.dim() == 1 &&
        entry.source.numel() == 1) {
      entry.source = entry.source.reshape({});
    }
    std::string problem = value->is_tensor()
                              ? problem_of(entry, value->is_untyped())
                              : "While copying the parameter named \"" + entry.key +
                                    "\", expected torch.Tensor or Tensor-like object "
                                    "from checkpoint but received " +
                                    kind_name(value->kind());
    if (problem.empty() && !entry.lazy) problem = find_tie(entry);
    if (!problem.empty()) {
      problems_.push_back(std::move(problem));
    } else {
      entries_.push_back(std::move(entry));
    }
  }

  /// Returns why the tensor cannot be loaded, or an empty string.
  std::string problem_of(const Entry& entry, bool is_untyped) const {
    using tern::detail::text_of;
    const auto& [key, target, source, tied, lazy] = entry;
    if (!entry.lazy && !(source.sizes() == target.sizes())) {
      return text_of("size mismatch for ", key, ": copying a param with shape ", size_text(source),
                     " from checkpoint, the shape in current model is ", size_text(target), ".");
    }
    if (source.dtype() != target.dtype() && is_untyped) {
      if (!holds_numbers(target.dtype(), source)) {
        return text_of("dtype mismatch for ", key, ": the file names no dtype, and ",
                       dtype_text(target),
                       ", the dtype in current model, cannot hold its numbers.");
      }
    } else if (source.dtype() != target.dtype() && !options_.cast) {
      return text_of("dtype mismatch for ", key, ": copying a param with dtype ",
                     dtype_text(source), " from checkpoint, the dtype in current model is ",
                     dtype_text(target), " (LoadOptions::cast allows it).");
    }
    const bool writes = !options_.assign;
    const char* reason =
        source.is_meta() && !target.is_meta() ? "Cannot copy out of meta tensor; no data!"
        : target.is_meta() && writes          ? "copying to a meta parameter is a no-op; did you "
                                                "mean LoadOptions::assign?"
        : writes && target.self().has_internal_overlap()
            ? "more than one element of the written-to tensor refers to a single memory location"
        : !writes && !target.is_leaf() ? "the result of an op cannot be given other elements"
                                       : nullptr;
    if (reason == nullptr) return {};
    return text_of("While copying the parameter named \"", key,
                   "\", whose dimensions in the model are ", size_text(target),
                   " and whose dimensions in the checkpoint are ", size_text(source),
                   ", an exception occurred : ('", reason, "',).");
  }

  /// Looks for an earlier entry with the same elements. Returns a problem if the two values differ.
  std::string find_tie(Entry& entry) {
    const auto [first, is_new] = targets_.try_emplace(view_of(entry.target), entries_.size());
    if (is_new) return {};
    const Entry& other = entries_[first->second];
    entry.tied = &other;
    const ScalarType dtype = entry.target.dtype();
    if (entry.source.is_meta() || other.source.is_meta()) return {};
    // One tensor, as of a tied head: its elements, a file's pages perhaps, need not be read.
    if (entry.source.dtype() == other.source.dtype() &&
        view_of(entry.source) == view_of(other.source)) {
      return {};
    }
    if (identical(entry.source.detach().to(dtype), other.source.detach().to(dtype))) return {};
    return "tied parameters \"" + other.key + "\" and \"" + entry.key +
           "\" have different values in state_dict, but are one tensor in current model.";
  }

  /// The path of a key in the tree of modules, as indices of children.
  using Path = std::vector<std::size_t>;

  /// Follows `key` from the root and stores the path. Returns true if the key names an entry.
  static bool follow(const Module& root, const std::string& key, Path* path) {
    const Module* module = &root;
    std::size_t begin = 0;
    for (std::size_t dot; (dot = key.find('.', begin)) != std::string::npos; begin = dot + 1) {
      const std::size_t index = module->children_.index_of(key.substr(begin, dot - begin));
      if (index == module->children_.size()) return false;
      path->push_back(index);
      module = module->children_[index].value().get();
    }
    return is_saved(*module, key.substr(begin));
  }

  /// Collects the keys that lead to no entry, in the order of the modules where their paths end.
  void find_unexpected(const Module& root) {
    std::vector<std::pair<Path, const std::string*>> unexpected;
    Path path;
    for (const auto& [key, value] : state_) {
      path.clear();
      if (!follow(root, key, &path)) unexpected.emplace_back(path, &key);
    }
    std::stable_sort(unexpected.begin(), unexpected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [end, key] : unexpected) result_.unexpected_keys.push_back(*key);
  }

  static bool is_saved(const Module& module, const std::string& name) {
    if (const Tensor* parameter = module.parameters_.find(name)) return parameter->defined();
    const auto* buffer = module.buffers_.find(name);
    return buffer != nullptr && buffer->persistent && buffer->tensor.defined();
  }

  /// Returns the source with the target's device and dtype, in memory that no copy into this module
  /// changes.
  Tensor staged(const Entry& entry) const {
    const Tensor result = entry.source.detach().to(entry.target.device(), entry.target.dtype());
    if (entry.lazy) return result.clone();
    return own_.contains(key_of(result)) ? result.clone() : result;
  }

  /// Returns the source as a new tensor for the target. Only tied targets share its elements.
  Tensor taken(const Entry& entry) {
    if (entry.tied != nullptr) return entry.tied->source;
    const Device device = (entry.target.is_meta() ? entry.source : entry.target).device();
    const Tensor result = entry.source.detach().to(device, entry.target.dtype()).contiguous();
    return taken_.insert(key_of(result)).second ? result : result.clone();
  }

  /// Copies into the targets that are not on the CPU. Such a copy can fail, so each entry keeps the
  /// target's old elements, and an error restores them.
  void copy_on_devices() {
    auto entry = entries_.begin();
    try {
      for (; entry != entries_.end(); ++entry) {
        if (entry->target.is_cpu() || entry->lazy) continue;
        const Tensor fresh = std::exchange(entry->source, entry->target.detach().clone());
        entry->target.copy_(fresh);
      }
    } catch (...) {
      while (entry != entries_.begin()) {
        --entry;
        if (entry->target.is_cpu() || entry->lazy) continue;
        try {
          entry->target.copy_(entry->source);
        } catch (const Error&) {
          // The elements of a lost device cannot be restored; the other targets are.
        }
      }
      throw;
    }
  }

  const State& state_;
  const LoadOptions& options_;
  std::unordered_set<const void*> own_;    // storages of the module
  std::unordered_set<const void*> taken_;  // storages that were assigned
  std::map<View, std::size_t> targets_;    // index of the first entry of each view
  std::deque<Entry> entries_;              // a deque, because entries point to each other
  std::vector<std::string> problems_;
  IncompatibleKeys result_;
};

IncompatibleKeys Module::load_state_dict(const State& state, const LoadOptions& options) {
  TERN_CHECK(state.is_dict(), Error, "Expected state_dict to be dict-like, got ",
             kind_name(state.kind()), ".");
  return ModuleLoader(*this, state, options).finish(*this);
}

std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys) {
  if (keys.missing_keys.empty() && keys.unexpected_keys.empty()) {
    return out << "<All keys matched successfully>";
  }
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + '\'';
    return '[' + text + ']';
  };
  return out << "_IncompatibleKeys(missing_keys=" << list(keys.missing_keys)
             << ", unexpected_keys=" << list(keys.unexpected_keys) << ')';
}

}  // namespace tern::nn
