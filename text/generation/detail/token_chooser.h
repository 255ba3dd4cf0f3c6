#pragma once

#include <span>
#include <vector>

#include <tern/text/generation/detail/prompt.h>

namespace tern::text {

/// Takes the next token of each sample: the best one, or a drawn one.
class TokenChooser {
 public:
  TokenChooser(const GenerationOptions& options, std::int64_t vocab_size);

  /// Writes the tokens that follow the rows to `tokens`. Throws Error for logits that are not
  /// numbers.
  void choose(const Tensor& logits, const std::vector<Row>& rows, Row& tokens);

 private:
  void change(std::span<float> scores, const Row& row) const;
  std::int64_t draw(std::span<const float> scores, std::size_t sample);

  const GenerationOptions& options_;
  std::int64_t vocab_size_;
  Generator generator_;
  std::vector<float> scores_;  // of one sample
};

}  // namespace tern::text
