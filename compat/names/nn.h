#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tern/compat/names/torch.h>

// Names in torch::nn that tern::nn does not have.

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

/// Returns the numbers from the last to the first, each n times: the padding of pad() that a
/// convolution has.
inline std::vector<std::int64_t> _reverse_repeat_vector(IntArrayRef numbers, std::int64_t n) {
  std::vector<std::int64_t> result;
  for (std::size_t i = numbers.size(); i-- > 0;) {
    result.insert(result.end(), static_cast<std::size_t>(n), numbers[i]);
  }
  return result;
}

/// Replaces missing sizes by the last of `defaults`. Throws Error unless there are more defaults
/// than sizes.
inline std::vector<std::int64_t> _list_with_default(ArrayRef<std::optional<std::int64_t>> sizes,
                                                    IntArrayRef defaults) {
  TERN_CHECK(defaults.size() > sizes.size(), Error, "Input dimension should be at least ",
             sizes.size() + 1);
  std::vector<std::int64_t> result;
  const std::size_t first = defaults.size() - sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    result.push_back(sizes[i].value_or(defaults[first + i]));
  }
  return result;
}

}  // namespace modules::utils
}  // namespace torch::nn
