// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/batch_norm.h>
#include <tern/core/ops/nn/detail/normalize_backward.h>
#include <tern/core/ops/ops.h>

// The kernel of batch_norm sees each group of each sample as a channel of one sample. Weight and
// bias differ within a group: the kernel applies them in a second pass, as an evaluation in which
// each channel of each sample is a channel that has the statistics of its group.

namespace tern {
namespace {

using detail::data_or_null;
using kernels::BatchNormArgs;
using kernels::BatchNormOp;

struct ChannelGroups {
  std::int64_t batch, groups, channels, inner;  // the input is [batch, channels, inner]

  ChannelGroups(const Tensor& input, std::int64_t groups_)
      : batch(input.size(0)), groups(groups_), channels(input.size(1)), inner(1) {
    for (std::size_t d = 2; d < input.sizes().size(); ++d) inner *= input.sizes()[d];
  }

  BatchNormArgs args_of_groups(BatchNormOp op, double eps) const {
    return args(op, eps, true, batch * groups, channels / groups * inner);
  }
  BatchNormArgs args_of_channels(BatchNormOp op, double eps) const {
    return args(op, eps, false, batch * channels, inner);
  }
  /// Returns the statistics of each channel of each sample, given those of the groups.
  Tensor of_channels(const Tensor& statistics) const {
    return statistics.view({2, batch * groups, 1})
        .expand({-1, -1, channels / groups})
        .reshape({2, batch * channels})
        .contiguous();  // a group may be all channels of a single sample
  }
  /// Returns a parameter once for each sample.
  Tensor of_samples(const Tensor& parameter) const {
    return parameter.defined() ? parameter.repeat({batch}) : parameter;
  }

 private:
  static BatchNormArgs args(BatchNormOp op, double eps, bool training, std::int64_t count,
                            std::int64_t inner) {
    BatchNormArgs args{};
    args.op = op;
    args.training = training ? 1 : 0;
    args.outer = 1;
    args.channels = count;
    args.inner = inner;
    args.eps = eps;
    return args;
  }
};

class GroupNormBackward final : public detail::NormalizeBackward {
 public:
  GroupNormBackward(const Tensor& input, const ChannelGroups& groups, const Tensor& weight,
                    const Tensor& bias, const Tensor& statistics, double eps)
      : NormalizeBackward("NativeGroupNormBackward0", input, weight, bias, input.size(1),
                          statistics),
        groups_(groups),
        image_format_(input.suggest_memory_format()),
        eps_(eps) {}

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet wanted) override {
    NormalizeBackward::run(gradients, results, wanted);
    if (results[0].defined()) results[0] = detail::in_format(results[0], image_format_);
  }

 private:
  void compute(const Tensor& g, const Tensor& input, const Tensor& weight, const Tensor& statistics,
               const Tensor* results) const override {
    if (results[0].defined()) {
      const Tensor h = weight.defined() ? g * weight.view(broadcast(input)) : g;
      BatchNormArgs args = groups_.args_of_groups(BatchNormOp::kBackward, eps_);
      args.grad = h.data_ptr();
      args.grad_in = results[0].data_ptr();
      detail::run_batch_norm(args, input, {}, statistics);
    }
    if (!results[1].defined() && !results[2].defined()) return;
    const Tensor sums =
        detail::make_tensor({2, groups_.batch, groups_.channels}, input.dtype(), input.device());
    const Tensor of_weight = sums[0], of_bias = sums[1];
    BatchNormArgs args = groups_.args_of_channels(BatchNormOp::kBackward, eps_);
    args.grad = g.data_ptr();
    args.grad_weight = of_weight.data_ptr();
    args.grad_bias = of_bias.data_ptr();
    detail::run_batch_norm(args, input, {}, groups_.of_channels(statistics));
    if (results[1].defined()) Tensor(results[1]).copy_(of_weight.sum(0));
    if (results[2].defined()) Tensor(results[2]).copy_(of_bias.sum(0));
  }

  void compose(const Tensor& g, const Tensor& input, const Tensor& weight,
               const Tensor& /*statistics*/, Tensor* results,
               autograd::EdgeSet wanted) const override {
    const auto by_group = [&](const Tensor& t) {
      return t.reshape({groups_.batch, groups_.groups, -1});
    };
    const auto mean_of = [](const Tensor& t) { return t.mean(2, true); };
    const Tensor groups = by_group(input), centered = groups - mean_of(groups);
    const Tensor rstd = rsqrt(mean_of(square(centered)) + eps_);
    const Tensor x = centered * rstd;
    if (wanted.has(0)) {
      const Tensor h = by_group(weight.defined() ? g * weight.view(broadcast(input)) : g);
      results[0] = (rstd * (h - mean_of(h) - x * mean_of(h * x))).reshape(input.sizes());
    }
    const auto sum_of = [&](const Tensor& t) {
      return t.reshape({groups_.batch, groups_.channels, -1}).sum({0, 2});
    };
    if (wanted.has(1)) results[1] = sum_of(by_group(g) * x);
    if (wanted.has(2)) results[2] = sum_of(g);
  }

  /// Returns the sizes with which a parameter broadcasts to the input, [C, 1, ..].
  static DimVector broadcast(const Tensor& input) {
    DimVector sizes(input.sizes().size() - 1, 1);
    sizes[0] = input.size(1);
    return sizes;
  }

  ChannelGroups groups_;
  MemoryFormat image_format_;
  double eps_;
};

void check(const Tensor& input, std::int64_t num_groups, const Tensor& weight, const Tensor& bias) {
  detail::check_same_device("native_group_norm", {&input, &weight, &bias},
                            {"input", "weight", "bias"});
  TERN_CHECK(num_groups > 0, Error, "Expected num groups to be greater than 0, got ", num_groups);
  const std::int64_t channels = input.size(1);
  TERN_CHECK(channels % num_groups == 0, Error,
             "Expected number of channels in input to be divisible by num_groups, but got input of "
             "shape ",
             input.sizes(), " and num_groups=", num_groups);
  const auto check_parameter = [&](const char* name, const Tensor& parameter) {
    if (!parameter.defined()) return;
    TERN_CHECK(parameter.dim() == 1 && parameter.numel() == channels, ShapeError, "Expected ", name,
               " to be a vector of size equal to the number of channels in input, but got ", name,
               " of shape ", parameter.sizes(), " and input of shape ", input.sizes());
    TERN_CHECK(parameter.dtype() == input.dtype(), DTypeError,
               "expect parameter to have scalar type of ", input.scalar_type(), ", but got ", name,
               " of ", parameter.scalar_type());
  };
  check_parameter("weight", weight);
  check_parameter("bias", bias);
  TERN_CHECK(channels > 0, ShapeError, "Expected number of channels to be greater than 0, got 0");
  TERN_CHECK(input.is_floating_point(), DTypeError, "\"GroupNormKernelImpl\" not implemented for '",
             input.scalar_type(), "'");
}

}  // namespace

Tensor group_norm(const Tensor& input, StrictInt num_groups, const Tensor& weight,
                  const Tensor& bias, double eps) {
  TERN_OP("group_norm", input);
  TERN_AUTOCAST(kUnchanged, kFloat32, group_norm, input, num_groups, weight, bias, eps);
  if (detail::is_mixed_norm(input, {&weight, &bias})) {
    return group_norm(input.to(kFloat), num_groups, weight, bias, eps).to(input.dtype());
  }
  check(input, num_groups, weight, bias);
  const ChannelGroups groups(input, num_groups);
  TERN_CHECK(groups.inner > 0, ShapeError, "Expected HxW to be greater than 0, got 0");
  Tensor out = detail::make_tensor(input.sizes(), input.dtype(), input.device());
  const Tensor statistics =
      detail::make_tensor({2, groups.batch * groups.groups}, kDouble, input.device());
  if (out.numel() != 0) {
    const NoGradGuard no_grad;
    const Tensor dense = input.contiguous();
    const bool is_affine = weight.defined() || bias.defined();
    BatchNormArgs args = groups.args_of_groups(BatchNormOp::kForward, eps);
    if (!is_affine) args.out = out.data_ptr();
    detail::run_batch_norm(args, dense, {}, statistics);
    if (is_affine) {
      const Tensor summand = groups.of_samples(bias);
      args = groups.args_of_channels(BatchNormOp::kForward, eps);
      args.bias = data_or_null(summand);
      args.out = out.data_ptr();
      detail::run_batch_norm(args, dense, groups.of_samples(weight),
                             groups.of_channels(statistics));
    }
    out = detail::in_format(out, input.suggest_memory_format());
  }
  if (autograd::needs_grad(input, weight, bias)) {
    autograd::set_history(out, IntrusivePtr<autograd::Node>(new GroupNormBackward(
                                   input, groups, weight, bias, statistics, eps)));
  }
  return out;
}

}  // namespace tern
