#include <tern/nn/module.h>

#include <string>
#include <utility>

#include <tern/serialization/archive.h>

namespace tern::nn {
namespace {

/// What the outermost load() of this thread has read so far, for its load_state_dict() at the end.
struct Loading {
  State state;
  const Module* reader;  // the module that reads
  std::string prefix;    // of its names: "encoder.fc."
};
thread_local Loading* loading = nullptr;

/// Sets `loading` until the end of its scope.
class LoadingScope {
 public:
  explicit LoadingScope(Loading* now) : before_(std::exchange(loading, now)) {}
  LoadingScope(const LoadingScope&) = delete;
  LoadingScope& operator=(const LoadingScope&) = delete;
  ~LoadingScope() { loading = before_; }

 private:
  Loading* before_;
};

}  // namespace

void Module::save(serialize::OutputArchive& archive) const {
  for (const auto& [name, tensor] : parameters_) {
    if (tensor.defined()) archive.write(name, tensor);
  }
  for (const auto& [name, buffer] : buffers_) {
    if (buffer.persistent && buffer.tensor.defined()) archive.write(name, buffer.tensor, true);
  }
  for (const auto& [name, child] : children_) {
    if (!child->is_serializable()) continue;
    serialize::OutputArchive child_archive(archive.compilation_unit());
    child->save(child_archive);
    archive.write(name, child_archive);
  }
}

void Module::load(serialize::InputArchive& archive) {
  if (loading == nullptr || loading->reader != this) {
    Loading all{.state = {}, .reader = this, .prefix = {}};
    {
      const LoadingScope scope(&all);
      load(archive);
    }
    load_state_dict(all.state, /*strict=*/false);
    return;
  }
  const auto read = [&](const std::string& name, const Tensor& own) {
    Tensor tensor;
    if (!own.defined()) return;
    if (is_optional_in_state(name)) {
      if (!archive.try_read(name, tensor)) return;
    } else {
      archive.read(name, tensor);
    }
    loading->state.insert(loading->prefix + name, tensor.detach());
  };
  for (const auto& [name, tensor] : parameters_) read(name, tensor);
  for (const auto& [name, buffer] : buffers_) {
    if (buffer.persistent) read(name, buffer.tensor);
  }
  for (const auto& [name, child] : children_) {
    if (!child->is_serializable()) continue;
    serialize::InputArchive child_archive;
    if (!archive.try_read(name, child_archive)) {
      // An archive of a flat state has nothing for a child without tensors.
      if (child->parameters().empty() && child->buffers().empty()) continue;
      archive.read(name, child_archive);
    }
    const std::size_t size = loading->prefix.size();
    loading->prefix += name + ".";
    loading->reader = child.get();
    child->load(child_archive);
    loading->reader = this;
    loading->prefix.resize(size);
  }
}

}  // namespace tern::nn
