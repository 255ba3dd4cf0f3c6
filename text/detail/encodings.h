#pragma once

#include <optional>
#include <span>
#include <vector>

#include <tern/text/detail/pipeline.h>
#include <tern/text/encoding.h>

namespace tern::text {

/// Shortens the texts and makes the encoding of one or two of them.
/// `inputs` are the texts themselves.
Encoding finish(const Pipeline& pipeline, std::span<const std::string_view> inputs,
                std::vector<Sequence> texts, const EncodeOptions& options,
                const std::optional<Truncation>& truncation);

/// Returns the ids of finish() and pad() for one text. The text may be without spans.
std::vector<std::int64_t> finish_ids(const Pipeline& pipeline, Sequence text,
                                     const EncodeOptions& options,
                                     const std::optional<Truncation>& truncation,
                                     const std::optional<Padding>& padding);

/// Lengthens the encodings.
void pad(const Padding& padding, std::span<Encoding> encodings);

}  // namespace tern::text
