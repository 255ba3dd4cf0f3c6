#pragma once

#include <cstdint>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/models/causal_lm.h>
#include <tern/tern.h>

namespace tern::text {

/// Returns given logits, step by step, and remembers what it was given.
class ScriptedModel : public nn::Module, public models::CausalLM {
 public:
  /// Shape: logits [steps, rows, vocabulary]. The first call returns every `stride`-th row.
  explicit ScriptedModel(Tensor logits, std::int64_t stride = 1)
      : logits_(std::move(logits)), stride_(stride) {}

  Tensor next_token_logits(const Tensor& input_ids, nn::KVCache& cache,
                           const Tensor& attention_mask) override {
    is_training_seen = is_training_seen || is_training();
    records_gradients = records_gradients || GradMode::is_enabled();
    inputs.push_back(input_ids.clone());
    masks.push_back(attention_mask.defined() ? attention_mask.clone() : Tensor());
    const Tensor rows = zeros({input_ids.size(0), 1, input_ids.size(1), 1});
    cache.update(0, rows, rows);
    const Tensor step = logits_[std::ssize(inputs) - 1];
    return inputs.size() == 1 ? step.slice(0, 0, step.size(0), stride_) : step;
  }
  nn::KVCache make_cache(std::int64_t max_length) const override {
    return nn::KVCache(1, max_length);
  }
  std::int64_t vocab_size() const override { return logits_.size(2); }
  std::int64_t context_length() const override { return 64; }
  nn::Module& module() override { return *this; }

  std::vector<Tensor> inputs, masks;
  bool is_training_seen = false, records_gradients = false;

 private:
  Tensor logits_;
  std::int64_t stride_;
};

/// One attention layer with random weights, over embeddings of tokens and positions.
class TinyModelImpl : public nn::Module, public models::CausalLM {
 public:
  explicit TinyModelImpl(std::int64_t vocab_size, std::int64_t context = 32)
      : tokens(register_module("tokens", nn::Embedding(vocab_size, kWidth))),
        positions(register_module("positions", nn::Embedding(context, kWidth))),
        qkv(register_module("qkv", nn::Linear(kWidth, 3 * kWidth))),
        dropout(register_module("dropout", nn::Dropout(0.5))),
        head(register_module("head", nn::Linear(kWidth, vocab_size))) {}

  /// Returns the logits after each token. Shape: [B, T] -> [B, T, vocab_size]
  Tensor forward(const Tensor& ids) {
    nn::KVCache cache(1);
    return run(ids, cache, {});
  }

  Tensor next_token_logits(const Tensor& input_ids, nn::KVCache& cache,
                           const Tensor& attention_mask) override {
    return run(input_ids, cache, attention_mask).select(1, -1);
  }
  nn::KVCache make_cache(std::int64_t max_length) const override {
    return nn::KVCache(1, max_length);
  }
  std::int64_t vocab_size() const override { return head->weight.size(0); }
  std::int64_t context_length() const override { return positions->weight.size(0); }
  nn::Module& module() override { return *this; }

  static constexpr std::int64_t kWidth = 8;
  nn::Embedding tokens, positions;
  nn::Linear qkv;
  nn::Dropout dropout;
  nn::Linear head;

 private:
  Tensor run(const Tensor& ids, nn::KVCache& cache, const Tensor& mask) {
    const std::int64_t before = cache.length(0), length = ids.size(1), all = before + length;
    Tensor position = arange(before, all).expand({ids.size(0), length});
    Tensor allowed = arange(all) <= arange(before, all).unsqueeze(1);  // [T, all]
    if (mask.defined()) {
      position = mask.to(kLong).cumsum(1).sub(1).clamp_min(0).narrow(1, before, length);
      allowed = allowed.logical_and(mask.unsqueeze(1));  // [B, T, all]
      allowed = allowed.unsqueeze(1);
    }
    const Tensor x = dropout(tokens(ids) + positions(position));
    const auto parts = qkv(x).unsqueeze(1).chunk(3, -1);  // [B, 1, T, width]
    const auto [keys, values] = cache.update(0, parts[1], parts[2]);
    const Tensor y = scaled_dot_product_attention(parts[0], keys, values, allowed);
    return head(x + y.squeeze(1)) * 8;
  }
};
TERN_MODULE(TinyModel);

}  // namespace tern::text
