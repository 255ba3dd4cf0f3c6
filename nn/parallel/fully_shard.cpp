#include <tern/nn/parallel/fully_shard.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/parallel/detail/sharding.h>

namespace tern::nn::parallel {

using detail::ShardedParameter;
using detail::Sharding;

FSDPModule fully_shard(const std::shared_ptr<Module>& module, const FullyShardOptions& options) {
  TERN_CHECK(module != nullptr, Error, "fully_shard: the module is a null pointer");
  const auto sharding = std::make_shared<Sharding>(module, options);
  sharding->install();
  return FSDPModule(sharding);
}

FSDPModule::FSDPModule(std::shared_ptr<Sharding> sharding) : sharding_(std::move(sharding)) {}

NoSync FSDPModule::no_sync() const { return {sharding_, sharding_->local_scopes}; }

double FSDPModule::clip_grad_norm_(double max_norm, double norm_type,
                                   StrictBool error_if_nonfinite) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TERN_CHECK(max_norm >= 0, Error, "max_norm must not be negative, got ", max_norm);
  const NoGradGuard no_grad;
  const bool is_max = norm_type == kInfinity;
  std::vector<Tensor> gradients;
  double own = 0;
  sharding_->each([&](const ShardedParameter& parameter) {
    const Tensor& gradient = parameter.tensor.grad();
    if (!gradient.defined() || gradient.numel() == 0) return;
    gradients.push_back(gradient);
    if (is_max) {
      const double largest = gradient.abs().max().item<double>();
      own = std::isnan(largest) ? largest : std::max(own, largest);
    } else {
      own += std::pow(norm(gradient, norm_type).item<double>(), norm_type);
    }
  });
  const Tensor total = tensor({own}, kDouble);
  sharding_->group().all_reduce(total,
                                is_max ? distributed::ReduceOp::kMax : distributed::ReduceOp::kSum);
  const double sum = total.item<double>();
  const double norm = is_max ? sum : std::pow(sum, 1 / norm_type);
  TERN_CHECK(!error_if_nonfinite || std::isfinite(norm), Error, "The total norm of order ",
             norm_type, " for gradients is non-finite, so it cannot be clipped");
  const double scale = max_norm / (norm + 1e-6);
  if (!(scale >= 1)) {
    for (Tensor& gradient : gradients) gradient.mul_(scale);
  }
  return norm;
}

}  // namespace tern::nn::parallel
