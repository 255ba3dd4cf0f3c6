#include <tern/nn/data/worker_info.h>

namespace tern::data {
namespace {

thread_local detail::BatchScope* batch_scope = nullptr;

}  // namespace

detail::BatchScope::BatchScope(std::uint64_t seed, std::optional<std::size_t> worker,
                               std::size_t num_workers)
    : info_{worker.value_or(0), num_workers, seed},
      is_worker_(worker.has_value()),
      outer_(batch_scope) {
  batch_scope = this;
}

detail::BatchScope::~BatchScope() { batch_scope = outer_; }

std::optional<WorkerInfo> get_worker_info() {
  if (batch_scope == nullptr || !batch_scope->is_worker_) return std::nullopt;
  return batch_scope->info_;
}

Generator worker_generator() {
  if (batch_scope == nullptr) return default_generator(kCPU);
  std::optional<Generator>& generator = batch_scope->generator_;
  if (!generator) generator.emplace().manual_seed(batch_scope->info_.seed);
  return *generator;
}

}  // namespace tern::data
