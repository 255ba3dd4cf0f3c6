#include <string>
#include <typeinfo>

#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module/call.h>
#include <tern/nn/module_holder.h>

namespace tern::nn::detail {

void empty_holder_error() {
  tern::detail::raise<Error>(
      "Accessing empty ModuleHolder: a member made with {nullptr} is set in the constructor, such "
      "as fc = register_module(\"fc\", nn::Linear(3, 1))");
}

std::string type_of_holder(const Module& module) {
  std::string name = module.name();
  const std::size_t colons = name.rfind("::", name.find('<'));
  if (colons != std::string::npos) name.erase(0, colons + 2);
  if (name.size() > 4 && name.ends_with("Impl")) name.erase(name.size() - 4);
  return name;
}

namespace {

const Module& module_of(const tern::detail::RunningModule& running) {
  return *static_cast<const Module*>(running.module);
}

std::string describe_running(const tern::detail::RunningModule& innermost) {
  const tern::detail::RunningModule* root = &innermost;
  while (root->outer != nullptr) root = root->outer;
  std::string path;
  ModuleWalk::modules(module_of(*root), [&](const std::string& at, const Module& module) {
    if (&module == innermost.module) path = at;
  });
  const std::string type = type_of_holder(module_of(innermost));
  return path.empty() ? type : "'" + path + "' (" + type + ")";
}

bool may_hold_plain_tensors(const tern::detail::RunningModule& running) {
  return !module_of(running).name().starts_with("tern::nn::");
}

const void* type_of(const tern::detail::RunningModule& module) {
  return typeid(module_of(module)).name();
}

}  // namespace

const tern::detail::ModuleDescriber module_describer{describe_running, may_hold_plain_tensors,
                                                     type_of};

}  // namespace tern::nn::detail
