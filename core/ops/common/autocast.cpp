#include <tern/core/ops/common/detail/autocast.h>

namespace tern::detail {

bool CastCall::is_eligible(const Tensor& tensor) const {
  return tensor.defined() && tensor.device().type() == type_ && tensor.is_floating_point() &&
         tensor.dtype() != kDouble;
}

// As PyTorch: an order of the arguments with float32 before an unknown dtype is accepted.
ScalarType CastCall::widest(const CastArgument* arguments, std::size_t count) const {
  const ScalarType low = autocast_mode.dtypes[static_cast<int>(type_)];
  ScalarType found = low;
  for (const CastArgument* argument = arguments; argument != arguments + count; ++argument) {
    for (const Tensor& tensor : TensorList(argument->first, argument->count)) {
      if (!is_eligible(tensor) || found == kFloat) continue;
      if (tensor.dtype() == kFloat) {
        found = kFloat;
        continue;
      }
      TERN_CHECK(tensor.dtype() == low, DTypeError,
                 "Unexpected floating ScalarType in at::autocast::prioritize: got ",
                 tensor.scalar_type(), " in a region of ", low);
    }
  }
  return found;
}

void CastCall::choose(CastRule cpu, CastRule cuda, const CastArgument* arguments,
                      std::size_t count) {
  const auto any_tensor_of = [&](DeviceType type) {
    for (const CastArgument* argument = arguments; argument != arguments + count; ++argument) {
      for (const Tensor& tensor : TensorList(argument->first, argument->count)) {
        if (tensor.defined() && tensor.device().type() == type) return true;
      }
    }
    return false;
  };
  for (const DeviceType type : {kCUDA, kCPU}) {
    const CastRule rule = type == kCUDA ? cuda : cpu;
    if (rule == CastRule::kUnchanged || !autocast_mode.is_enabled(type)) continue;
    if (!any_tensor_of(type)) continue;
    TERN_CHECK(rule != CastRule::kBanned, Error,
               "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
               "autocast.\nMany models use a sigmoid layer right before the binary cross entropy "
               "layer.\nIn this case, combine the two layers using "
               "torch.nn.functional.binary_cross_entropy_with_logits\nor "
               "torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits "
               "are\nsafe to autocast.");
    type_ = type;
    switch (rule) {
      case CastRule::kLower:
        dtype_ = autocast_mode.dtypes[static_cast<int>(type)];
        break;
      case CastRule::kWidest:
        dtype_ = widest(arguments, count);
        break;
      default:
        dtype_ = kFloat;
    }
    applies_ = true;
    return;
  }
}

Tensor CastCall::cast(const Tensor& tensor) const {
  return is_eligible(tensor) ? autocast_to(tensor, dtype_) : tensor;
}

std::vector<Tensor> CastCall::cast(TensorList tensors) const {
  std::vector<Tensor> casts;
  casts.reserve(tensors.size());
  for (const Tensor& tensor : tensors) casts.push_back(cast(tensor));
  return casts;
}

}  // namespace tern::detail
