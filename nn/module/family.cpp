#include <tern/nn/detail/family.h>

#include <mutex>
#include <utility>

namespace tern::nn::detail {
namespace {

using FamilyPtr = std::shared_ptr<Family>;

/// Guards all families, because threads may register one shared module in their own modules.
std::mutex& family_mutex() {
  static std::mutex* const mutex = new std::mutex();  // outlives modules that are static objects
  return *mutex;
}

FamilyPtr root_of(FamilyPtr family) {
  while (family->parent) {
    if (family->parent->parent) family->parent = family->parent->parent;
    family = family->parent;
  }
  return family;
}

void unite_roots(const FamilyPtr& a, const FamilyPtr& b) {
  FamilyPtr large = root_of(a), small = root_of(b);
  if (large == small) return;
  if (large->size < small->size) std::swap(large, small);
  large->size += small->size;
  small->parent = std::move(large);
}

}  // namespace

bool may_be_below(const FamilyPtr& a, const FamilyPtr& b) {
  const std::lock_guard<std::mutex> lock(family_mutex());
  return a && b && root_of(a) == root_of(b);
}

void unite(FamilyPtr& a, const FamilyPtr& b) {
  const std::lock_guard<std::mutex> lock(family_mutex());
  if (!b) return;
  if (!a) a = std::make_shared<Family>();
  unite_roots(a, b);
}

void unite(FamilyPtr& a, FamilyPtr& b) {
  const std::lock_guard<std::mutex> lock(family_mutex());
  if (!a) a = std::make_shared<Family>();
  if (!b) b = std::make_shared<Family>();
  unite_roots(a, b);
}

}  // namespace tern::nn::detail
