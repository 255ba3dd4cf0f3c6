#include <unordered_set>
#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module.h>

namespace tern::nn {

void Module::add_state(State& state, const std::string& prefix) const {
  for (const auto& [name, tensor] : parameters_) {
    if (tensor.defined()) state.insert(prefix + name, tensor.detach());
  }
  for (const auto& [name, buffer] : buffers_) {
    if (buffer.persistent && buffer.tensor.defined()) {
      state.insert(prefix + name, buffer.tensor.detach());
    }
  }
  for (const auto& [name, child] : children_) child->add_state(state, prefix + name + '.');
}

State Module::state_dict() const {
  State state;
  add_state(state, std::string());
  return state;
}

bool Module::is_optional_in_state(const std::string& /*name*/) const { return false; }

namespace {

/// PyTorch's spelling of a shape in its texts.
std::string size_text(const Tensor& tensor) {
  return tern::detail::text_of("torch.Size(", tensor.sizes(), ")");
}

/// "a", "b"
std::string quoted(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "\"" : ", \"") + key + '"';
  return text;
}

/// "Net" of "app::NetImpl".
std::string short_name(std::string name) {
  if (const auto colon = name.rfind(':'); colon != std::string::npos) name.erase(0, colon + 1);
  if (name.size() > 4 && name.ends_with("Impl")) name.erase(name.size() - 4);
  return name;
}

}  // namespace

/// Checks a whole state against a module, then copies it.
class ModuleLoader {
 public:
  ModuleLoader(const Module& root, const State& state) : state_(state) {
    const auto own = [&](const std::string&, const Tensor& t) { own_.insert(key_of(t)); };
    ModuleWalk::parameters(root, true, own);
    ModuleWalk::buffers(root, true, own);
    check(root, std::string());
  }

  IncompatibleKeys finish(const Module& root, bool strict) {
    std::vector<std::string> problems;
    if (strict && !result_.missing_keys.empty()) {
      problems.push_back("Missing key(s) in state_dict: " + quoted(result_.missing_keys) + ". ");
    }
    if (strict && !result_.unexpected_keys.empty()) {
      problems.push_back("Unexpected key(s) in state_dict: " + quoted(result_.unexpected_keys) +
                         ". ");
    }
    problems.insert(problems.end(), problems_.begin(), problems_.end());
    if (!problems.empty()) {
      std::string text = "Error(s) in loading state_dict for " + short_name(root.name()) + ":";
      for (const std::string& problem : problems) text += "\n\t" + problem;
      throw Error(text);
    }
    const NoGradGuard no_grad;
    for (auto& [target, source] : copies_) source = staged(source, target);
    for (auto& [target, source] : copies_) target.copy_(source);
    return std::move(result_);
  }

 private:
  static const void* key_of(const Tensor& tensor) { return tensor.self().storage.get(); }

  void check(const Module& module, const std::string& prefix) {
    for (const auto& [name, tensor] : module.parameters_) entry(module, prefix, name, tensor);
    for (const auto& [name, buffer] : module.buffers_) {
      if (buffer.persistent) entry(module, prefix, name, buffer.tensor);
    }
    find_unexpected(module, prefix);
    for (const auto& [name, child] : module.children_) check(*child, prefix + name + '.');
  }

  void entry(const Module& module, const std::string& prefix, const std::string& name,
             const Tensor& target) {
    if (!target.defined()) return;
    const std::string key = prefix + name;
    const State* value = state_.find(key);
    if (value == nullptr) {
      if (!module.is_optional_in_state(name)) result_.missing_keys.push_back(key);
      return;
    }
    if (!value->is_tensor()) {
      problems_.push_back("While copying the parameter named \"" + key +
                          "\", expected torch.Tensor or Tensor-like object from checkpoint but "
                          "received " +
                          kind_name(value->kind()));
      return;
    }
    Tensor source = value->tensor();
    // Old files keep numbers as tensors of one element.
    if (target.dim() == 0 && source.dim() == 1 && source.numel() == 1) source = source.reshape({});
    if (!(source.sizes() == target.sizes())) {
      problems_.push_back("size mismatch for " + key + ": copying a param with shape " +
                          size_text(source) + " from checkpoint, the shape in current model is " +
                          size_text(target) + ".");
      return;
    }
    copies_.emplace_back(target, source);
  }

  /// Keys below `prefix` that lead neither to an own entry nor to a child.
  void find_unexpected(const Module& module, const std::string& prefix) {
    for (const auto& [key, value] : state_) {
      if (!key.starts_with(prefix)) continue;
      const std::string rest = key.substr(prefix.size());
      const auto dot = rest.find('.');
      const bool known = dot == std::string::npos ? is_saved(module, rest)
                                                  : module.children_.contains(rest.substr(0, dot));
      if (!known) result_.unexpected_keys.push_back(key);
    }
  }

  static bool is_saved(const Module& module, const std::string& name) {
    if (const Tensor* parameter = module.parameters_.find(name)) return parameter->defined();
    const auto* buffer = module.buffers_.find(name);
    return buffer != nullptr && buffer->persistent && buffer->tensor.defined();
  }

  /// The source as a tensor like the target that no copy into this module can change.
  Tensor staged(const Tensor& source, const Tensor& target) const {
    const Tensor result = source.detach().to(target.device(), target.dtype());
    return own_.contains(key_of(result)) ? result.clone() : result;
  }

  const State& state_;
  std::unordered_set<const void*> own_;  // storages of the module
  std::vector<std::pair<Tensor, Tensor>> copies_;
  std::vector<std::string> problems_;
  IncompatibleKeys result_;
};

IncompatibleKeys Module::load_state_dict(const State& state, bool strict) {
  TERN_CHECK(state.is_dict(), Error, "Expected state_dict to be dict-like, got ",
             kind_name(state.kind()), ".");
  return ModuleLoader(*this, state).finish(*this, strict);
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
