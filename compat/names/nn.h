#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tern/compat/names/torch.h>
#include <tern/core/base/visibility.h>

// Names in torch::nn that tern::nn does not have.

namespace tern::compat {

/// Returns the numbers from the last to the first, each n times: the padding of pad() that a
/// convolution has.
TERN_API std::vector<std::int64_t> _reverse_repeat_vector(IntArrayRef numbers, std::int64_t n);

/// Replaces missing sizes by the last of `defaults`. Throws Error unless there are more defaults
/// than sizes.
TERN_API std::vector<std::int64_t> _list_with_default(ArrayRef<std::optional<std::int64_t>> sizes,
                                                      IntArrayRef defaults);

}  // namespace tern::compat

namespace torch::nn {

/// libtorch's name of the type of the option `activation`.
using activation_t = ::tern::nn::TransformerActivation;

namespace detail {
/// libtorch's name of the type of a convolution's option `padding`.
template <std::size_t D>
using conv_padding_t = ::tern::nn::ConvPadding<D>;
/// libtorch's name of the type of a convolution's option `padding_mode`.
using conv_padding_mode_t = ::tern::PaddingMode;
}  // namespace detail

namespace modules::utils {
using ::tern::compat::_list_with_default;
using ::tern::compat::_reverse_repeat_vector;
}  // namespace modules::utils
}  // namespace torch::nn
