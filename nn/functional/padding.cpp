#include <optional>

#include <tern/core/ops/nn/padding.h>
#include <tern/nn/functional/padding.h>

namespace tern::nn::functional {

Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  constexpr const char* kNames[] = {"constant", "reflect", "replicate", "circular"};
  return tern::pad(input, options.pad(), kNames[static_cast<int>(options.mode())], options.value());
}

}  // namespace tern::nn::functional
