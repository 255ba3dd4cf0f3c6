#include <tern/nn/data/worker_info.h>

namespace tern::data {
namespace {

thread_local detail::BatchScope* batch_scope = nullptr;

/// A mixing function of 64 bits: SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t detail::batch_seed(std::uint64_t seed, std::size_t epoch, std::size_t batch) {
  return mixed(mixed(seed ^ mixed(epoch)) + batch);
}

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
