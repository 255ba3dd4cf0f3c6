#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// Sets whether products with quantised weights take the activations as they are, for the whole
/// program. Off by default: quantized_linear() then rounds up to 15 rows of activations to 8 bits,
/// which is several times as fast. If on, a product differs from that of the dequantised weights
/// only by the order of its float32 sums.
///
/// Example:
///   use_exact_quantized_products(true);  // to compare with the dequantised model
TERN_API void use_exact_quantized_products(StrictBool on);

/// Returns true after use_exact_quantized_products(true).
TERN_API bool are_quantized_products_exact();

}  // namespace tern
