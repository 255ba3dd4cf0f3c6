#include <vector>

#include <tern/nn/detail/name_pattern.h>
#include <tern/nn/utils/freeze.h>

namespace tern::nn::utils {
namespace {

std::vector<Tensor> matching(const char* function, const Module& module, std::string_view pattern) {
  std::vector<Tensor> found;
  for (const auto& [name, parameter] : module.named_parameters()) {
    if (nn::detail::matches(pattern, name)) found.push_back(parameter);
  }
  TERN_CHECK(!found.empty(), Error, function, ": no parameter of ", module.name(),
             " has a name that matches '", pattern, "'");
  return found;
}

}  // namespace

std::size_t freeze(const Module& module, std::string_view pattern) {
  const std::vector<Tensor> found = matching("freeze", module, pattern);
  for (const Tensor& parameter : found) {
    parameter.set_requires_grad(false);
    parameter.mutable_grad() = Tensor();
  }
  return found.size();
}

std::size_t unfreeze(const Module& module, std::string_view pattern) {
  const std::vector<Tensor> found = matching("unfreeze", module, pattern);
  for (const Tensor& parameter : found) parameter.set_requires_grad(true);
  return found.size();
}

std::int64_t count_parameters(const Module& module, StrictBool trainable_only) {
  std::int64_t count = 0;
  for (const Tensor& parameter : module.parameters()) {
    if (!trainable_only || parameter.requires_grad()) count += parameter.numel();
  }
  return count;
}

}  // namespace tern::nn::utils
