#include <tern/nn/modules/attention/kv_cache.h>

#include <algorithm>
#include <bit>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/factory.h>

namespace tern::nn {
namespace {

/// Returns the sizes of a tensor with another number of rows.
DimVector with_rows(const Tensor& tensor, std::int64_t rows) {
  DimVector sizes(tensor.sizes());
  sizes[2] = rows;
  return sizes;
}

/// Returns a buffer for rows like those of `rows`, which begins with them.
Tensor buffer_of(const Tensor& rows, std::int64_t capacity) {
  Tensor buffer = empty(with_rows(rows, capacity), rows.options().requires_grad(false));
  buffer.narrow(2, 0, rows.size(2)).copy_(rows);
  return buffer;
}

/// Whether rows can stand in a buffer.
bool fits(const Tensor& buffer, const Tensor& rows) {
  return buffer.device() == rows.device() && buffer.dtype() == rows.dtype() &&
         with_rows(buffer, 0) == with_rows(rows, 0);
}

}  // namespace

KVCache::KVCache(StrictInt num_layers, std::optional<StrictInt> max_length) {
  TERN_CHECK(num_layers > 0, Error, "nn::KVCache: num_layers must be greater than 0, got ",
             std::int64_t{num_layers});
  TERN_CHECK(num_layers <= detail::kMostLayers, Error, "nn::KVCache: num_layers must be at most ",
             detail::kMostLayers, ", got ", std::int64_t{num_layers});
  TERN_CHECK(!max_length || *max_length > 0, Error,
             "nn::KVCache: max_length must be greater than 0, got ", std::int64_t{*max_length});
  layers_.resize(static_cast<std::size_t>(std::int64_t{num_layers}));
  if (max_length) max_length_ = *max_length;
}

const KVCache::Layer& KVCache::layer_at(std::int64_t layer) const {
  TERN_CHECK(layer >= 0 && layer < num_layers(), IndexError, "nn::KVCache: layer ", layer,
             " is out of range for ", num_layers(), " layers");
  return layers_[static_cast<std::size_t>(layer)];
}

std::int64_t KVCache::length(StrictInt layer) const { return layer_at(layer).length; }

/// Checks rows that are to be appended.
void KVCache::Layer::check(std::int64_t number, const Tensor& new_keys,
                           const Tensor& new_values) const {
  TERN_CHECK(new_keys.dim() == 4 && new_values.dim() == 4 &&
                 new_keys.sizes().slice(0, 3) == new_values.sizes().slice(0, 3),
             ShapeError, "expected keys [B, H, T, E] and values [B, H, T, Ev], got ",
             new_keys.sizes(), " and ", new_values.sizes());
  TERN_CHECK(!autograd::needs_grad(new_keys, new_values), Error,
             "a cache records no gradients, but the rows require grad: call the model under "
             "NoGradGuard, or detach() the rows");
  if (length == 0) return;
  const auto check_fit = [&](const char* name, const Tensor& buffer, const Tensor& rows) {
    TERN_CHECK(buffer.device() == rows.device(), DeviceError, name, " of layer ", number,
               " are on ", buffer.device(), ", got rows on ", rows.device());
    TERN_CHECK(buffer.dtype() == rows.dtype(), DTypeError, name, " of layer ", number, " are ",
               buffer.scalar_type(), ", got ", rows.scalar_type());
    TERN_CHECK(fits(buffer, rows), ShapeError, name, " of layer ", number, " have the sizes ",
               IntArrayRef(with_rows(buffer, length)), ", which rows of sizes ", rows.sizes(),
               " do not fit");
  };
  check_fit("keys", keys, new_keys);
  check_fit("values", values, new_values);
}

std::tuple<Tensor, Tensor> KVCache::update(StrictInt layer, const Tensor& keys,
                                           const Tensor& values) {
  TERN_OP("nn::KVCache", keys, values);
  const Layer& old = layer_at(layer);
  old.check(layer, keys, values);
  const std::int64_t rows = keys.size(2), length = old.length + rows;
  TERN_CHECK(!max_length_ || length <= *max_length_, ShapeError, "layer ", std::int64_t{layer},
             " has ", old.length, " of at most ", *max_length_, " rows, so ", rows,
             " more do not fit");
  const NoGradGuard no_grad;
  const auto append = [&](const Tensor& buffer, const Tensor& added) {
    if (buffer.defined() && fits(buffer, added) && buffer.size(2) >= length) {
      buffer.narrow(2, old.length, rows).copy_(added);
      return buffer;
    }
    // At least one row more, and so twice the size for the first row that does not fit.
    const auto capacity = max_length_.value_or(
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length) + 1)));
    if (old.length == 0) return buffer_of(added, capacity);
    Tensor larger = buffer_of(buffer.narrow(2, 0, old.length), capacity);
    larger.narrow(2, old.length, rows).copy_(added);
    return larger;
  };
  Layer updated{append(old.keys, keys), append(old.values, values), length};
  layers_[static_cast<std::size_t>(std::int64_t{layer})] = updated;
  return {updated.keys.narrow(2, 0, length), updated.values.narrow(2, 0, length)};
}

void KVCache::set_max_length(StrictInt max_length) {
  TERN_CHECK(max_length > 0, Error, "nn::KVCache: max_length must be greater than 0, got ",
             std::int64_t{max_length});
  for (const Layer& layer : layers_) {
    TERN_CHECK(layer.length <= max_length, Error, "nn::KVCache: max_length must be at least the ",
               layer.length, " rows in the cache, got ", std::int64_t{max_length});
  }
  max_length_ = max_length;
}

void KVCache::reset() { crop(0); }

void KVCache::crop(StrictInt length) {
  TERN_CHECK(length >= 0, Error, "nn::KVCache: the length must not be negative, got ",
             std::int64_t{length});
  for (Layer& layer : layers_) layer.length = std::min(layer.length, std::int64_t{length});
}

/// Returns layers with buffers of the same capacity, which begin with rows_of(the rows).
std::vector<KVCache::Layer> KVCache::copy_layers(
    const std::function<Tensor(const Tensor&)>& rows_of) const {
  const NoGradGuard no_grad;
  std::vector<Layer> copies;
  for (const Layer& layer : layers_) {
    const auto copy = [&](const Tensor& buffer) {
      if (!buffer.defined()) return buffer;
      return buffer_of(rows_of(buffer.narrow(2, 0, layer.length)), buffer.size(2));
    };
    copies.push_back({copy(layer.keys), copy(layer.values), layer.length});
  }
  return copies;
}

KVCache& KVCache::to(Device device) {
  layers_ = copy_layers([&](const Tensor& rows) { return rows.to(device); });
  return *this;
}

void KVCache::reorder(const Tensor& indices) {
  TERN_OP("nn::KVCache", indices);
  layers_ = copy_layers([&](const Tensor& rows) { return rows.index_select(0, indices); });
}

KVCache KVCache::clone() const {
  KVCache copy(num_layers());
  copy.max_length_ = max_length_;
  copy.layers_ = copy_layers([](const Tensor& rows) { return rows; });
  return copy;
}

}  // namespace tern::nn
