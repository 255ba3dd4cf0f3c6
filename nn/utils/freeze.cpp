#include <vector>

#include <tern/nn/utils/freeze.h>

namespace tern::nn::utils {
namespace {

/// Compares from left to right. After a mismatch, the last `*` takes one more character.
bool matches(std::string_view pattern, std::string_view name) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, n = 0, star = kNone, star_end = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

std::vector<Tensor> matching(const char* function, const Module& module, std::string_view pattern) {
  std::vector<Tensor> found;
  for (const auto& [name, parameter] : module.named_parameters()) {
    if (matches(pattern, name)) found.push_back(parameter);
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
