#include <tern/nn/parallel/sync_batch_norm.h>

#include <utility>

#include <tern/core/autograd/record.h>
#include <tern/core/base/error.h>
#include <tern/core/distributed/distributed.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/nn/detail/batch_norm.h>
#include <tern/core/ops/nn/detail/normalize_backward.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/parallel/detail/sync_batch_norm.h>

namespace tern::nn {
namespace {

using distributed::ProcessGroup;
using kernels::BatchNormArgs;
using kernels::BatchNormOp;
using tern::detail::batch_norm_args;
using tern::detail::contiguous_or_undefined;
using tern::detail::data_or_null;
using tern::detail::make_tensor;
using tern::detail::run_batch_norm;

// The sum over the ranks. Each rank's loss depends on the elements of all, so the gradient is the
// sum over the ranks, too.
Tensor sum_of_ranks(const Tensor& input, const ProcessGroup& group) {
  Tensor out = input.detach().clone(MemoryFormat::Contiguous);
  group.all_reduce(out);
  if (!autograd::needs_grad(input)) return out;
  return autograd::record("AllReduceBackward0", out, autograd::wrt(input, [group](const Tensor& g) {
                            return sum_of_ranks(g, group);
                          }));
}

class SyncBatchNormBackward final : public tern::detail::NormalizeBackward {
 public:
  SyncBatchNormBackward(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        const Tensor& statistics, MemoryFormat format, double eps, double count,
                        const ProcessGroup& group)
      : NormalizeBackward("SyncBatchNormBackward", input, weight, bias, input.size(1), statistics,
                          format),
        eps_(eps),
        count_(count),
        group_(group) {
    take_empty();  // a rank without elements takes part in the sums
  }

 private:
  // With constant statistics the kernel's gradient of the input is scale * g, and those of weight
  // and bias are this rank's part of the sums that the whole gradient needs:
  // scale * (g - mean(g) - x * mean(g * x)).
  void compute(const Tensor& g, const Tensor& input, const Tensor& weight, const Tensor& statistics,
               const Tensor* results) const override {
    const bool is_empty = input.numel() == 0;
    const Tensor parts = zeros({2, input.size(1)}, input.options());
    const Tensor all[] = {results[0], parts[0], parts[1]};
    if (!is_empty) {
      BatchNormArgs args = batch_norm_args(BatchNormOp::kBackward, input, format(), false, eps_);
      tern::detail::set_gradients(args, g, all);
      run_batch_norm(args, input, weight, statistics);
    }
    for (std::size_t i = 1; i < 3; ++i) {
      if (results[i].defined()) results[i].copy_(all[i]);
    }
    if (!results[0].defined()) return;
    Tensor means = parts.to(kDouble);
    group_.all_reduce(means);
    if (is_empty) return;
    means.div_(count_);
    Tensor scale = rsqrt(statistics[1] + eps_);
    if (weight.defined()) scale = scale * weight;
    const Tensor slope = (scale * means[0]).to(input.dtype());
    const Tensor shift = (scale * means[1]).to(input.dtype());
    const Tensor rest = empty_like(results[0]);
    BatchNormArgs args = batch_norm_args(BatchNormOp::kForward, input, format(), false, eps_);
    args.bias = shift.data_ptr();
    args.out = rest.data_ptr();
    run_batch_norm(args, input, slope, statistics);
    results[0].sub_(rest);
  }

  void compose(const Tensor& g, const Tensor& input, const Tensor& weight, const Tensor& statistics,
               Tensor* results, autograd::EdgeSet wanted) const override {
    const auto mean_of = [&](const Tensor& t) {
      return sum_of_ranks(t.sum(tern::detail::dims_of_channel(input), true), group_) / count_;
    };
    tern::detail::compose_batch_norm(g, input, weight, statistics, eps_, mean_of, results, wanted);
  }

  double eps_, count_;
  ProcessGroup group_;
};

// Joins [2, C] means and variances of each rank, and returns the number of values in a channel.
double join_statistics(const ProcessGroup& group, const Tensor& statistics, double count) {
  const Tensor mine = cat({statistics.cpu().view({-1}), full({1}, count, kDouble)});
  const Tensor all = stack(group.all_gather(mine));
  const std::int64_t channels = statistics.size(1);
  const Tensor counts = all.narrow(1, 2 * channels, 1), means = all.narrow(1, 0, channels);
  const Tensor variances = all.narrow(1, channels, channels);
  const double total = counts.sum().item<double>();
  const Tensor mean = (means * counts).sum(0) / total;
  statistics[0].copy_(mean);
  statistics[1].copy_(((variances + (means - mean).square()) * counts).sum(0) / total);
  return total;
}

}  // namespace

Tensor detail::sync_batch_norm(const ProcessGroup& group, const Tensor& input, const Tensor& weight,
                               const Tensor& bias, const Tensor& running_mean,
                               const Tensor& running_var, double momentum, double eps) {
  if (tern::detail::is_mixed_norm(input, {&weight, &bias, &running_mean, &running_var})) {
    return sync_batch_norm(group, input.to(kFloat), weight, bias, running_mean, running_var,
                           momentum, eps)
        .to(input.dtype());
  }
  tern::detail::check_batch_norm(input, weight, bias, running_mean, running_var, eps);
  TERN_CHECK(eps > 0, Error, "SyncBatchNorm: eps must be positive during training, but got ", eps);
  const std::int64_t channels = input.size(1);
  TERN_CHECK(channels > 0, ShapeError,
             "SyncBatchNorm number of input channels should be non-zero, got input size ",
             input.sizes());
  const bool recorded = autograd::needs_grad(input, weight, bias);
  const MemoryFormat format =
      input.is_contiguous() ? MemoryFormat::Contiguous : input.suggest_memory_format();
  Tensor out = make_tensor(input.sizes(), format, input.dtype(), input.device());
  const Tensor statistics = zeros({2, channels}, TensorOptions(kDouble).device(input.device()));
  double count = 0;
  {
    const NoGradGuard no_grad;
    const bool is_empty = input.numel() == 0;
    const Tensor dense = input.detach().contiguous(format);
    if (!is_empty) {
      run_batch_norm(batch_norm_args(BatchNormOp::kForward, input, format, true, eps), dense, {},
                     statistics);
    }
    const std::int64_t own_count = input.numel() / channels;
    count = join_statistics(group, statistics, static_cast<double>(own_count));
    TERN_CHECK(count > 1, ShapeError,
               "Expected more than 1 value per channel when training, got input size ",
               input.sizes(), " and ", count, " values on all ranks");
    tern::detail::update_running_statistics(running_mean, running_var, statistics, count, momentum);
    if (!is_empty) {
      BatchNormArgs args = batch_norm_args(BatchNormOp::kForward, input, format, false, eps);
      const Tensor dense_bias = contiguous_or_undefined(bias);
      args.bias = data_or_null(dense_bias);
      args.out = out.data_ptr();
      run_batch_norm(args, dense, contiguous_or_undefined(weight), statistics);
    }
  }
  if (recorded) {
    autograd::set_history(out, IntrusivePtr<autograd::Node>(new SyncBatchNormBackward(
                                   input, weight, bias, statistics, format, eps, count, group)));
  }
  return out;
}

std::size_t convert_sync_batchnorm(Module& module, std::optional<ProcessGroup> group) {
  if (!group) group = distributed::init_process_group();
  const ProcessGroup own = group->split(0);  // its collectives do not mix with others
  std::size_t count = 0;
  const auto convert = [&](auto* norm) {
    if (norm == nullptr) return;
    norm->synchronize(own);
    ++count;
  };
  module.apply([&](Module& part) {
    convert(dynamic_cast<BatchNorm1dImpl*>(&part));
    convert(dynamic_cast<BatchNorm2dImpl*>(&part));
    convert(dynamic_cast<BatchNorm3dImpl*>(&part));
  });
  return count;
}

}  // namespace tern::nn
