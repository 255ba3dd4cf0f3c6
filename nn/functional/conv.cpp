#include <tern/core/ops/nn/convolution.h>
#include <tern/nn/functional/conv.h>

namespace tern::nn::functional {

// NOLINTBEGIN(bugprone-macro-parentheses): names of functions
#define TERN_CONV_FUNCTION(name, Options, transposed_name, TransposedOptions)                   \
  Tensor name(const Tensor& input, const Tensor& weight, const Options& options) {              \
    const auto& padding = options.padding();                                                    \
    if (padding.rule() == kSame) {                                                              \
      return tern::name(input, weight, options.bias(), options.stride(), "same",                \
                        options.dilation(), options.groups());                                  \
    }                                                                                           \
    return tern::name(input, weight, options.bias(), options.stride(), padding.numbers(),       \
                      options.dilation(), options.groups());                                    \
  }                                                                                             \
  Tensor transposed_name(const Tensor& input, const Tensor& weight,                             \
                         const TransposedOptions& options) {                                    \
    return tern::transposed_name(input, weight, options.bias(), options.stride(),               \
                                 options.padding(), options.output_padding(), options.groups(), \
                                 options.dilation());                                           \
  }
TERN_CONV_FUNCTION(conv1d, Conv1dFuncOptions, conv_transpose1d, ConvTranspose1dFuncOptions)
TERN_CONV_FUNCTION(conv2d, Conv2dFuncOptions, conv_transpose2d, ConvTranspose2dFuncOptions)
TERN_CONV_FUNCTION(conv3d, Conv3dFuncOptions, conv_transpose3d, ConvTranspose3dFuncOptions)
#undef TERN_CONV_FUNCTION
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tern::nn::functional
