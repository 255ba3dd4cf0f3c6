#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/text/generation/generation.h>

namespace tern::text {

/// The tokens of a sample.
using Row = std::vector<std::int64_t>;

/// Prompts that a model can read.
struct Prompt {
  std::vector<Row> rows;                // all of one length
  std::vector<std::vector<bool>> mask;  // false for padding; empty without padding
  Device device;                        // of input_ids

  std::int64_t length() const { return std::ssize(rows.front()); }
  std::int64_t batch() const { return std::ssize(rows); }
};

/// Checks options and prompts, before anything changes.
Prompt read_prompt(const models::CausalLM& model, const Tensor& input_ids,
                   const GenerationOptions& options);

/// Returns true if a token ends a sample for a reason that only the caller knows, and sets it.
using EndHook = std::function<bool(std::size_t sample, std::int64_t token, EndReason& reason)>;

/// Returns the token that fills samples that ended.
std::int64_t padding_of(const GenerationOptions& options);
/// Returns true for an ending token.
bool ends(const GenerationOptions& options, std::int64_t token);

/// Returns the sequences as a tensor, with padding at the right.
Tensor sequences_of(const std::vector<Row>& rows, std::int64_t padding, Device device);

/// Writes with greedy search or sampling.
Generation write_tokens(models::CausalLM& model, const Prompt& prompt,
                        const GenerationOptions& options, const EndHook& hook);
/// Writes with beam search.
Generation search_beams(models::CausalLM& model, const Prompt& prompt,
                        const GenerationOptions& options);

}  // namespace tern::text
