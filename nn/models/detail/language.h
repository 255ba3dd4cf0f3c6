#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tern/nn/detail/factory.h>
#include <tern/nn/modules/attention/kv_cache.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/layer_norm.h>
#include <tern/nn/modules/linear.h>

// What the language models share.

namespace tern::models::detail {

/// What a decoder checks its input against.
struct DecoderLimits {
  const char* model;  // for errors
  std::int64_t layers, context;
  const char* context_option;  // for errors
  std::optional<StrictInt> window = std::nullopt;
};

/// What the layers of a decoder share in one call.
struct DecoderCall {
  nn::KVCache* cache = nullptr;  // null: the rows are the whole sequence
  Tensor positions;              // int64 [T], or [B, T] with padding
  Tensor mask, window_mask;      // bool, for scaled_dot_product_attention(); undefined: is_causal
  bool is_causal = false;
  Tensor cos, sin;  // of the positions, for rotary embedding
};

/// Checks the arguments of a decoder. Returns positions and masks.
DecoderCall decoder_call(const DecoderLimits& limits, const Tensor& input_ids,
                         const Tensor& attention_mask, nn::KVCache* cache);
/// Returns a mask of keys as bool, true where a key counts. The result is undefined if `mask` is,
/// or if it is on the CPU and true everywhere.
Tensor key_mask(const char* model, const Tensor& mask, std::int64_t batch, std::int64_t keys);
/// Throws ShapeError unless the ids are a matrix of at least one column, DTypeError unless they are
/// integers.
void check_ids(const char* model, const Tensor& input_ids);

/// Attends to the rows of the call and of the cache, to which layer `layer` appends them.
///
/// Shape: q [B, H, T, E], k and v [B, Hkv, T, E] -> [B, T, H * E]
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const DecoderCall& call,
              std::int64_t layer, double dropout, std::optional<double> scale = std::nullopt,
              bool is_windowed = false);

/// Throws Error unless all options are from 1 to 2^31 - 1, so that products of two do not overflow.
void check_positive(const char* model,
                    std::initializer_list<std::pair<const char*, std::int64_t>> options);
/// Throws ShapeError unless `heads` divides `size`.
void check_divides(const char* model, const char* option, std::int64_t size,
                   const char* heads_option, std::int64_t heads);

/// Make parts on meta; see make_tensors().
nn::LayerNorm make_layer_norm(std::int64_t size, double eps, std::optional<ScalarType> dtype);
nn::Embedding make_table(std::int64_t rows, std::int64_t size, std::optional<StrictInt> padding_idx,
                         std::optional<ScalarType> dtype);
nn::Linear make_linear(std::int64_t in, std::int64_t out, bool bias,
                       std::optional<ScalarType> dtype);
/// Gives a network on meta its tensors, on `device`, and draws them: weights of linear layers and
/// tables from a normal distribution of deviation `std`, biases 0, norms 1. On the device meta does
/// nothing.
void make_tensors(nn::Module& net, const std::optional<Device>& device, double std);
/// Returns true if the tensors are on meta.
bool is_on_meta(const std::optional<Device>& device);

/// Makes the linear map from hidden states to logits: with the tensor of `table` if that is
/// defined, else with new weights.
nn::Linear make_head(const Tensor& table, std::int64_t hidden, std::int64_t vocab,
                     const std::optional<Device>& device, std::optional<ScalarType> dtype,
                     double std);
/// Returns the state of a file with the keys of a model that has a head: prefixes the keys of a
/// base model with `base` and a dot, leaves out buffers of old files, for which `is_buffer` is
/// true, and adds a tied head, which files lack. `table` is the key of the embedding in a base
/// model.
State with_head(const State& state, const std::string& base, const std::string& table, bool is_tied,
                bool (*is_buffer)(std::string_view key));

/// Returns a state without the key of a head whose tensor is that of the table.
State without_tied_head(State state, const nn::EmbeddingImpl& table, const nn::LinearImpl& head);

/// Computes an activation function by its name in config.json.
Tensor activate(const std::string& name, const Tensor& input);
/// Throws Error unless activate() knows the name.
void check_activation(const char* model, const std::string& name);

}  // namespace tern::models::detail
