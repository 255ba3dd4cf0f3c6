#pragma once

#include <cstdint>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module.h>
#include <tern/nn/modules/attention/kv_cache.h>

namespace tern::models {

/// A module that continues sequences of token ids: what generation needs of GPT2 and Llama, and of
/// a model of your own.
class TERN_API CausalLM {
 public:
  CausalLM() = default;
  virtual ~CausalLM() = default;

  /// Returns the scores (logits) of the next token for rows that follow those in the cache, after
  /// the last row of each sample alone, and appends the rows to the cache.
  ///
  /// `attention_mask` is false for padding at the left, and has the columns of the earlier calls
  /// too; undefined without padding. A sample's first token that is not padding has position 0.
  ///
  /// Shape: input_ids [B, T] int64, attention_mask [B, cached + T] bool -> [B, vocab_size]
  /// Throws: IndexError for a token out of range, ShapeError when the rows exceed
  /// context_length().
  virtual Tensor next_token_logits(const Tensor& input_ids, nn::KVCache& cache,
                                   const Tensor& attention_mask = {}) = 0;
  /// Returns an empty cache for this model: for at most `max_length` rows.
  virtual nn::KVCache make_cache(std::int64_t max_length) const = 0;
  /// Returns the number of tokens.
  virtual std::int64_t vocab_size() const = 0;
  /// Returns the largest number of rows, prompt and output together.
  virtual std::int64_t context_length() const = 0;
  /// Returns the module itself, for its device, mode and parameters.
  virtual nn::Module& module() = 0;

 protected:
  /// For models that are copied.
  CausalLM(const CausalLM&) = default;
  /// For models that are copied.
  CausalLM& operator=(const CausalLM&) = default;
};

}  // namespace tern::models
