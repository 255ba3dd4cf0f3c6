#include <tern/core/ops/common/detail/op.h>
#include <tern/nn/functional/layer_norm.h>

namespace tern::nn::functional {

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options) {
  TERN_OP("group_norm", input);
  TERN_AUTOCAST_INNER_OPS();
  const std::int64_t groups = options.num_groups();
  // With one group for each value of a batch of one sample, the result would always be 0.
  TERN_CHECK(groups <= 0 || input.dim() < 2 || input.numel() != groups, ShapeError,
             "Expected more than 1 value per channel when training, got input size ",
             input.sizes());
  return tern::group_norm(input, groups, options.weight(), options.bias(), options.eps());
}

}  // namespace tern::nn::functional
