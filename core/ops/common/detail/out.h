#pragma once

#include <tuple>

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Gives `out` the sizes and the elements of `result`, what the op `name` returned, and returns it.
/// Throws Error when `out` or the result requires grad, DTypeError when the dtype of `out` cannot
/// hold the result, and DeviceError for another device.
Tensor& write_out(const char* name, Tensor& out, const Tensor& result);

/// Does the same for each of several tensors and results.
template <class... Outs, class... Results>
std::tuple<Outs&...> write_out(const char* name, std::tuple<Outs&...> outs,
                               const std::tuple<Results...>& results) {
  std::apply(
      [&](const auto&... result) {
        std::apply([&](auto&... out) { (write_out(name, out, result), ...); }, outs);
      },
      results);
  return outs;
}

}  // namespace tern::detail
