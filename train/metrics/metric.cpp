#include <tern/train/metrics/metric.h>

#include <tern/core/ops/ops.h>
#include <tern/train/metrics/detail/sums.h>

namespace tern::metrics {

Metric::~Metric() = default;

double Metric::value() const { return compute().item<double>(); }

void Metric::all_reduce(const distributed::ProcessGroup& group) {
  State state = state_dict(), sums;
  for (const auto& [name, value] : state) {
    const Tensor sum = value.to<Tensor>(name).clone();
    group.all_reduce(sum);
    sums.insert(name, sum);
  }
  load_state_dict(sums);
}

namespace detail {

void add_to(Tensor& sums, const Tensor& amounts) {
  sums = sums.defined() ? sums.to(amounts.device()) + amounts : amounts;
}

Tensor on_host(const Tensor& sums, std::int64_t count, ScalarType dtype) {
  return sums.defined() ? sums.cpu() : zeros({count}, dtype);
}

Tensor loaded_sums(const State& state, const char* metric, std::int64_t count, ScalarType dtype) {
  const Tensor sums = state[kSums].to<Tensor>(kSums);
  TERN_CHECK(sums.dtype() == dtype, DTypeError, metric, ": expected '", kSums, "' of dtype ", dtype,
             ", got ", sums.scalar_type());
  TERN_CHECK(sums.dim() == 1 && sums.numel() == count, ShapeError, metric, ": expected '", kSums,
             "' of sizes [", count, "], got ", sums.sizes(),
             "; was the state saved by a metric with other arguments?");
  return sums.detach().clone();
}

Tensor number(double value) { return tern::full({}, value, kDouble); }

}  // namespace detail
}  // namespace tern::metrics
