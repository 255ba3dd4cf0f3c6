#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/nn/models/causal_lm.h>

namespace tern::text {

/// What a model has computed of the tokens of a call of generate(): their keys and values. The next
/// call with this cache reads only the tokens behind those that its prompt begins with, too: in a
/// conversation the last turn alone.
///
/// The results are those of a call without a cache, as far as a model's results do not depend on
/// how many rows it reads at once: with quantised weights they do. One call at a time may use a
/// cache. A call with another model empties it; so does an exception. After the weights of a model
/// changed, call reset().
///
/// Example:
///   options.prompt_cache = std::make_shared<text::PromptCache>();
///   text::generate_text(*llama, tokenizer, conversation, options);  // reads all of it
///   conversation += "...";
///   text::generate_text(*llama, tokenizer, conversation, options);  // reads what is new
class TERN_API PromptCache {
 public:
  /// Makes an empty cache.
  PromptCache() = default;

  /// Returns the tokens whose keys and values are there.
  const std::vector<std::int64_t>& tokens() const { return tokens_; }
  /// Empties the cache and frees its memory.
  void reset();

 private:
  friend class ModelInput;

  std::vector<std::int64_t> tokens_;
  std::unique_ptr<nn::KVCache> cache_;
  std::weak_ptr<const nn::Module> model_;
};

}  // namespace tern::text
