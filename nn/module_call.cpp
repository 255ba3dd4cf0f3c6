#include <optional>

#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module_call.h>
#include <tern/nn/module_holder.h>

namespace tern::nn::detail {

void empty_holder_error() { throw Error("Accessing empty ModuleHolder"); }

std::string describe_running(const tern::detail::RunningModule& innermost) {
  const tern::detail::RunningModule* root = &innermost;
  while (root->outer != nullptr) root = root->outer;
  std::optional<std::string> path;
  ModuleWalk::modules(*static_cast<const Module*>(root->module),
                      [&](const std::string& at, const Module& module) {
                        if (&module == innermost.module) path = at;
                      });
  const std::string type = static_cast<const Module*>(innermost.module)->name();
  return path.value_or("").empty() ? type : *path + " (" + type + ")";
}

}  // namespace tern::nn::detail
