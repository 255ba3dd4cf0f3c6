#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// Sets whether the first product with a quantised weight makes a packed copy of it, in the order
/// in which the processor multiplies, for the products after it; for the whole program. Off by
/// default: then the blocks are read as they lie in memory, such as in a mapped file, which
/// processes share.
///
/// A copy takes the memory of the blocks once more. It is freed with the blocks, and made again
/// after in-place ops changed them; what is written through a pointer or through `data()` is not
/// noticed. Activations are then rounded to 8 bits in products of any number of rows. The setting
/// matters for Q8_0, Q4_0 and Q4_1 on processors with AVX-512 and VNNI, and for tensors that use
/// all of their storage; other products stay as they are.
///
/// Example:
///   use_packed_quantized_weights(true);  // before a model generates
TERN_API void use_packed_quantized_weights(StrictBool on);

/// Returns true after use_packed_quantized_weights(true).
TERN_API bool are_quantized_weights_packed();

}  // namespace tern
