#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::nn {

/// The keys and values that the attention layers of a model have computed for earlier tokens, so
/// that a step of generation computes those of new tokens alone.
///
/// Rows are appended to buffers. With `max_length` a buffer is made once, at the first update of
/// its layer; otherwise its size doubles when it is full. A cache records no gradients. It can be
/// moved; clone() copies it.
///
/// Example:
///   NoGradGuard no_grad;
///   nn::KVCache cache(/*num_layers=*/30);
///   // in layer i, for new tokens of positions cache.length(i), ...
///   auto [keys, values] = cache.update(i, k, v);
///   auto y = scaled_dot_product_attention(
///       q, keys, values, nn::functional::causal_lower_right(q.size(-2), keys.size(-2)));
class TERN_API KVCache {
 public:
  /// Makes an empty cache that grows, or one for at most `max_length` rows in each layer. Throws
  /// Error unless both numbers are positive.
  explicit KVCache(StrictInt num_layers, std::optional<StrictInt> max_length = std::nullopt);
  KVCache(const KVCache&) = delete;
  KVCache& operator=(const KVCache&) = delete;
  /// Takes the buffers; the other cache is empty and has no layers.
  KVCache(KVCache&&) = default;
  /// Takes the buffers of the other cache instead of its own.
  KVCache& operator=(KVCache&&) = default;
  ~KVCache() = default;

  /// Appends rows to a layer and returns all its keys and values, as views of the buffers.
  ///
  /// Shape: keys [B, H, T, E] and values [B, H, T, Ev] -> [B, H, length, E] and [B, H, length, Ev]
  /// Throws: IndexError for a layer out of range; ShapeError, DTypeError and DeviceError when the
  /// rows do not fit those in the cache, or exceed max_length; Error for rows that require grad
  /// while gradients are recorded.
  std::tuple<Tensor, Tensor> update(StrictInt layer, const Tensor& keys, const Tensor& values);
  /// Returns the number of rows in a layer: the position of the next token.
  std::int64_t length(StrictInt layer = 0) const;
  /// Returns the number of layers.
  std::int64_t num_layers() const { return static_cast<std::int64_t>(layers_.size()); }
  /// Returns the largest number of rows, nullopt if the cache grows.
  std::optional<std::int64_t> max_length() const { return max_length_; }

  /// Sets the largest number of rows. Buffers that are too small are copied by the next update.
  /// Throws Error for less than one row, and for less than the rows that are there.
  void set_max_length(StrictInt max_length);

  /// Removes all rows. The buffers are used again if the next rows fit them.
  void reset();
  /// Removes all rows but the first `length` of each layer, for example those of rejected tokens.
  /// Throws Error for a negative length.
  void crop(StrictInt length);
  /// Moves the buffers.
  KVCache& to(Device device);
  /// Sample i becomes what sample indices[i] was, for beam search and for samples that ended. The
  /// batch gets the size of `indices`, an int64 vector. Throws IndexError for an index out of
  /// range.
  void reorder(const Tensor& indices);
  /// Returns a cache with copies of the buffers.
  KVCache clone() const;

 private:
  struct Layer {
    Tensor keys, values;  // [B, H, capacity, ..]; undefined before the first update
    std::int64_t length = 0;

    void check(std::int64_t number, const Tensor& new_keys, const Tensor& new_values) const;
  };

  const Layer& layer_at(std::int64_t layer) const;
  std::vector<Layer> copy_layers(const std::function<Tensor(const Tensor&)>& rows_of) const;

  std::vector<Layer> layers_;
  std::optional<std::int64_t> max_length_;
};

}  // namespace tern::nn
