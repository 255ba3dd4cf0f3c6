#include <cmath>

#include <tern/compat/names/ops/upsampling.h>
#include <tern/core/base/error.h>

namespace tern::compat {

std::vector<std::int64_t> upsampled_sizes(const Tensor& input, const OptionalIntArrayRef& sizes,
                                          const std::optional<ArrayRef<double>>& factors) {
  TERN_CHECK(sizes.has_value() != factors.has_value(), Error,
             "Must specify exactly one of output_size and scale_factors");
  if (sizes) return sizes->vec();
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < factors->size(); ++i) {
    const auto size = static_cast<double>(input.size(static_cast<std::int64_t>(i) + 2));
    result.push_back(static_cast<std::int64_t>(std::floor(size * (*factors)[i])));
  }
  return result;
}

std::optional<double> scale_at(const std::optional<ArrayRef<double>>& factors, std::size_t i) {
  return factors ? std::optional<double>(factors->at(i)) : std::nullopt;
}

}  // namespace tern::compat
