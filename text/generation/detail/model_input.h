#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/text/generation/detail/prompt.h>

namespace tern::text {

/// Sets evaluation mode, and the mode of each module again at the end of the scope. Records no
/// gradients for its time.
class EvaluationGuard {
 public:
  explicit EvaluationGuard(nn::Module& module);
  ~EvaluationGuard();
  EvaluationGuard(const EvaluationGuard&) = delete;
  EvaluationGuard& operator=(const EvaluationGuard&) = delete;

 private:
  NoGradGuard no_grad_;
  // Parents first, since a module's mode sets that of the modules below it.
  std::vector<std::pair<nn::Module*, bool>> modes_;
};

/// Gives tokens to a model, with its cache and mask.
class ModelInput {
 public:
  ModelInput(models::CausalLM& model, const Prompt& prompt, const GenerationOptions& options);

  /// Returns the logits after the prompts. Shape: [B, vocab_size]
  Tensor read_prompt();
  /// Returns the logits after the last token of each row. The tokens before it were read, unless
  /// the sliding window begins anew.
  Tensor read_next(const std::vector<Row>& rows);
  /// Sample i becomes what sample indices[i] was.
  void reorder(const std::vector<std::int64_t>& indices);
  /// Gives the cache back to the options, with the tokens that it holds.
  void keep(const Row& row);
  /// Returns how many tokens of each prompt read_prompt() read.
  std::int64_t prompt_tokens_read() const { return prompt_tokens_read_; }

 private:
  nn::KVCache take_cache(const Prompt& prompt, const GenerationOptions& options);
  Tensor read(const std::vector<Row>& rows, std::size_t first);
  Tensor mask_of(std::size_t first, std::size_t count);

  models::CausalLM& model_;
  std::vector<Row> prompt_;
  std::vector<std::vector<bool>> mask_;  // of the prompts
  Device device_;
  std::optional<std::size_t> window_;
  std::shared_ptr<PromptCache> kept_;  // null: the cache ends with the call
  std::size_t known_ = 0;              // so many tokens of the prompt are in the cache
  nn::KVCache cache_;
  std::int64_t prompt_tokens_read_ = 0;
  std::size_t begin_ = 0;  // the first token in the cache
  std::size_t end_ = 0;    // behind the last token in the cache
  Tensor tokens_;          // of a step, on the CPU
  Tensor mask_values_;     // on the device, false for padding
};

/// Returns logits as float32 on the CPU, in order. Throws ShapeError unless they are
/// [rows, vocab_size].
Tensor to_rows(const Tensor& logits, std::int64_t rows, std::int64_t vocab_size);

}  // namespace tern::text
