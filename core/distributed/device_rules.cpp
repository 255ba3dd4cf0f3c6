#include <tern/core/distributed/detail/device_rules.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include <tern/core/base/text.h>
#include <tern/core/kernels/plugin.h>

namespace tern::distributed::detail {

using tern::detail::text_of;

DeviceRules::DeviceRules() : counts_(std::make_shared<Counts>()), key_("0") {}

bool DeviceRules::hold(bool is_linked) {
  if (is_linked) return true;
  const char* const nccl = std::getenv("TERN_NCCL");
  if (nccl != nullptr && std::string_view(nccl) == "0") return false;
  const char* const simulated = std::getenv("TERN_SIMULATE_CUDA");
  return simulated != nullptr && *simulated != '\0';
}

Order DeviceRules::next(std::string call) {
  const std::lock_guard lock(counts_->mutex);
  Order order;
  order.is_counted = true;
  std::uint64_t hash = 0;
  for (const auto& [key, calls] : counts_->groups) {
    if (key == key_ || calls == 0) continue;  // the own are numbered
    hash = kernels::detail::hash_bytes(hash, key.c_str());
    hash = kernels::detail::hash_number(hash, static_cast<std::uint64_t>(calls));
  }
  order.hash = static_cast<std::int64_t>(hash);
  order.before = std::exchange(counts_->last, std::move(call));
  ++counts_->groups[key_];
  return order;
}

void DeviceRules::forget() {
  const std::lock_guard lock(counts_->mutex);
  --counts_->groups[key_];
}

DeviceRules DeviceRules::of_part(int color, bool has_all) {
  DeviceRules part;
  part.key_ = text_of(key_, ".", parts_++, ".", has_all ? 0 : color);
  if (has_all) part.counts_ = counts_;
  return part;
}

}  // namespace tern::distributed::detail
