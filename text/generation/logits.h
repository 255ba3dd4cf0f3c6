#pragma once

#include <cstdint>
#include <span>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/visibility.h>

/// Changes of the scores (logits) of the next token, for one sample. A removed token gets -inf.
/// generate() applies them in the order of this file.
namespace tern::text::logits {

/// Divides the scores of these tokens by `penalty` if they are positive, and multiplies them with
/// it otherwise. A token that occurs twice is changed once. `tokens` are indices of `logits`.
TERN_API void apply_repetition_penalty(std::span<float> logits, ArrayRef<std::int64_t> tokens,
                                       double penalty);
/// Divides all scores by `temperature`, which is positive.
TERN_API void apply_temperature(std::span<float> logits, double temperature);
/// Removes all tokens but the `k` best. Tokens with the score of the k-th best one stay, so that
/// more than `k` may be left.
TERN_API void keep_top_k(std::span<float> logits, std::int64_t k);
/// Keeps the best tokens until their probabilities add up to `p`: the one that crosses `p` stays,
/// and the best one always does. Of equal scores the higher index stays.
TERN_API void keep_top_p(std::span<float> logits, double p);
/// Removes tokens whose probability is less than `p` times that of the best token.
TERN_API void keep_min_p(std::span<float> logits, double p);

}  // namespace tern::text::logits
