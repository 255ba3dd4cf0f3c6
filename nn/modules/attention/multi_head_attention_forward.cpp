#include <cmath>
#include <limits>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/modules/attention/multihead_attention.h>
#include <tern/nn/modules/attention/positional_encoding.h>

namespace tern::nn::functional {
namespace {

using HeadOptions = MultiheadAttentionForwardFuncOptions;

void check_dims(const Tensor& query, const Tensor& key, const Tensor& value,
                const HeadOptions& options) {
  const std::int64_t dims = query.dim();
  TERN_CHECK(dims == 2 || dims == 3, ShapeError,
             "query should be unbatched 2D or batched 3D tensor but received ", dims,
             "-D query tensor");
  const char* const start =
      dims == 3 ? "For batched (3-D) `query`, expected " : "For unbatched (2-D) `query`, expected ";
  TERN_CHECK(key.dim() == dims && value.dim() == dims, ShapeError, start,
             "`key` and `value` to be ", dims, "-D but found ", key.dim(), "-D and ", value.dim(),
             "-D tensors respectively");
  const Tensor& padding = options.key_padding_mask();
  TERN_CHECK(!padding.defined() || padding.dim() == dims - 1, ShapeError, start,
             "`key_padding_mask` to be `None` or ", dims - 1, "-D but found ", padding.dim(),
             "-D tensor instead");
  const Tensor& mask = options.attn_mask();
  TERN_CHECK(!mask.defined() || mask.dim() == 2 || mask.dim() == 3, ShapeError, start,
             "`attn_mask` to be `None`, 2-D or 3-D but found ", mask.dim(), "-D tensor instead");
}

void check_sizes(const Tensor& query, const Tensor& key, const Tensor& value,
                 const HeadOptions& options) {
  const std::int64_t size = query.size(-1);
  TERN_CHECK(size == options.embed_dim_to_check(), ShapeError,
             "was expecting embedding dimension of ", options.embed_dim_to_check(), ", but got ",
             size);
  TERN_CHECK(options.num_heads() > 0 && size % options.num_heads() == 0, ShapeError, "embed_dim ",
             size, " not divisible by num_heads ", options.num_heads());
  if (options.use_separate_proj_weight()) {
    TERN_CHECK(key.sizes().slice(0, 2) == value.sizes().slice(0, 2), ShapeError,
               "key's sequence and batch dims ", key.sizes().slice(0, 2), " do not match value's ",
               value.sizes().slice(0, 2));
  } else {
    TERN_CHECK(key.sizes() == value.sizes(), ShapeError, "key shape ", key.sizes(),
               " does not match value shape ", value.sizes());
  }
  const std::size_t batch = options.batch_first() ? 0 : 1;
  TERN_CHECK(key.sizes()[batch] == query.sizes()[batch], ShapeError,
             "query and key must have the same batch size, but got query.shape = ", query.sizes(),
             " and key.shape = ", key.sizes());
}

void check_biases(const HeadOptions& options) {
  const std::int64_t size = options.embed_dim_to_check();
  const Tensor &bias = options.in_proj_bias(), &k = options.bias_k(), &v = options.bias_v();
  TERN_CHECK(!bias.defined() || bias.sizes() == IntArrayRef({3 * size}), ShapeError,
             "in_proj_bias should have the shape [3 * embed_dim] with embed_dim = ", size,
             ", but got ", bias.sizes());
  TERN_CHECK(k.defined() == v.defined(), Error,
             "bias_k and bias_v belong together: ", k.defined() ? "bias_v" : "bias_k",
             " is undefined");
}

/// Query, key and value.
struct Projections {
  Tensor q, k, v;
};

/// Multiplies tensors that are the same only once, with their weights joined.
Projections project_joined(const Tensor& query, const Tensor& key, const Tensor& value,
                           const HeadOptions& options) {
  const Tensor &weight = options.in_proj_weight(), &bias = options.in_proj_bias();
  TERN_CHECK(weight.defined(), Error,
             "use_separate_proj_weight is False but in_proj_weight is None");
  const std::int64_t size = query.size(-1);
  TERN_CHECK(weight.sizes() == IntArrayRef({3 * size, size}), ShapeError,
             "in_proj_weight should have the shape [3 * embed_dim, embed_dim] with embed_dim = ",
             size, ", but got ", weight.sizes());
  const auto rows = [&](const Tensor& x, std::int64_t first, std::int64_t count) {
    return tern::linear(x, weight.narrow(0, first * size, count * size),
                        bias.defined() ? bias.narrow(0, first * size, count * size) : bias);
  };
  if (!key.is_same(value)) return {rows(query, 0, 1), rows(key, 1, 1), rows(value, 2, 1)};
  if (query.is_same(key)) {
    const std::vector<Tensor> parts = tern::linear(query, weight, bias).split(size, -1);
    return {parts[0], parts[1], parts[2]};
  }
  const std::vector<Tensor> parts = rows(key, 1, 2).split(size, -1);
  return {rows(query, 0, 1), parts[0], parts[1]};
}

Projections project_separately(const Tensor& query, const Tensor& key, const Tensor& value,
                               const HeadOptions& options) {
  const std::int64_t size = query.size(-1);
  const auto check_weight = [&](const Tensor& weight, const char* name, const Tensor& input) {
    TERN_CHECK(weight.defined(), Error, "use_separate_proj_weight is True but ", name,
               "_proj_weight is None");
    const std::int64_t sizes[] = {size, input.size(-1)};
    TERN_CHECK(weight.sizes() == IntArrayRef(sizes, 2), ShapeError, "expecting ", name,
               "_proj_weight of sizes ", IntArrayRef(sizes, 2), ", but got ", weight.sizes());
  };
  check_weight(options.q_proj_weight(), "q", query);
  check_weight(options.k_proj_weight(), "k", key);
  check_weight(options.v_proj_weight(), "v", value);
  const auto bias = [&](std::int64_t part) {
    const Tensor& all = options.in_proj_bias();
    return all.defined() ? all.narrow(0, part * size, size) : all;
  };
  return {tern::linear(query, options.q_proj_weight(), bias(0)),
          tern::linear(key, options.k_proj_weight(), bias(1)),
          tern::linear(value, options.v_proj_weight(), bias(2))};
}

/// Appends the learned row of keys or values for each sample.
Tensor append_row(const Tensor& projected, const Tensor& row, std::int64_t batch_dim) {
  DimVector sizes(projected.sizes());
  sizes[static_cast<std::size_t>(1 - batch_dim)] = 1;
  return cat({projected, row.expand(sizes)}, 1 - batch_dim);
}

/// Returns [B, heads, rows, head size] of projected rows.
Tensor split_heads(const Tensor& projected, std::int64_t heads, bool batch_first) {
  const Tensor parts = projected.unflatten(-1, {heads, projected.size(-1) / heads});
  return batch_first ? parts.permute({0, 2, 1, 3}) : parts.permute({1, 2, 0, 3});
}

/// Returns [rows, B, E] of the results of all heads.
Tensor join_heads(const Tensor& result) { return result.permute({2, 0, 1, 3}).flatten(2); }

Tensor static_heads(const Tensor& rows, const char* name, const Tensor& query) {
  const std::int64_t batch = query.size(0), heads = query.size(1), size = query.size(3);
  TERN_CHECK(rows.dim() == 3 && rows.size(0) == batch * heads, ShapeError, "expecting ", name,
             ".size(0) of ", batch * heads, ", but got ", rows.sizes());
  TERN_CHECK(rows.size(2) == size, ShapeError, "expecting ", name, ".size(2) of ", size,
             ", but got ", rows.size(2));
  return rows.unflatten(0, {batch, heads});
}

/// Returns a mask as numbers to add to the scores, with `columns` more keys, which are allowed.
Tensor additive_mask(const Tensor& mask, const char* name, ScalarType dtype, std::int64_t columns) {
  TERN_CHECK(mask.dtype() == kBool || mask.is_floating_point(), DTypeError,
             "only bool and floating types of ", name, " are supported, got ", mask.scalar_type());
  Tensor result = mask.dtype() == kBool
                      ? zeros(mask.sizes(), TensorOptions().dtype(dtype).device(mask.device()))
                            .masked_fill_(mask, -std::numeric_limits<double>::infinity())
                      : mask.to(dtype);
  return columns == 0 ? result : constant_pad_nd(result, {0, columns});
}

/// Returns attn_mask as [1, 1, L, S] or [B, heads, L, S].
Tensor score_mask(const Tensor& mask, const Tensor& q, std::int64_t keys, std::int64_t columns) {
  const std::int64_t batch = q.size(0), heads = q.size(1), rows = q.size(2);
  const Tensor numbers = additive_mask(mask, "attn_mask", q.dtype(), columns);
  if (mask.dim() == 2) {
    TERN_CHECK(mask.size(0) == rows && mask.size(1) == keys, ShapeError,
               "The shape of the 2D attn_mask is ", mask.sizes(), ", but should be (", rows, ", ",
               keys, ").");
    return numbers.unsqueeze(0).unsqueeze(0);
  }
  TERN_CHECK(mask.size(0) == batch * heads && mask.size(1) == rows && mask.size(2) == keys,
             ShapeError, "The shape of the 3D attn_mask is ", mask.sizes(), ", but should be (",
             batch * heads, ", ", rows, ", ", keys, ").");
  return numbers.unflatten(0, {batch, heads});
}

/// Returns key_padding_mask as [B, 1, 1, S].
Tensor padding_mask(const Tensor& mask, const Tensor& q, std::int64_t keys, std::int64_t columns) {
  TERN_CHECK(mask.size(0) == q.size(0), ShapeError, "Expected key_padded_mask.shape[0] to be ",
             q.size(0), ", but got ", mask.size(0));
  TERN_CHECK(mask.size(1) == keys, ShapeError, "Expected key_padded_mask.shape[1] to be ", keys,
             ", but got ", mask.size(1));
  return additive_mask(mask, "key_padding_mask", q.dtype(), columns).unsqueeze(1).unsqueeze(1);
}

struct AttentionResult {
  Tensor result, weights;
};

AttentionResult attend(const Projections& heads, const Tensor& mask, bool is_causal,
                       const HeadOptions& options) {
  const double dropout_p = options.training() ? options.dropout_p() : 0;
  if (!options.need_weights()) {
    return {
        tern::scaled_dot_product_attention(heads.q, heads.k, heads.v, mask, dropout_p, is_causal),
        {}};
  }
  const double scale = 1 / std::sqrt(static_cast<double>(heads.q.size(-1)));
  const Tensor scores = tern::matmul(heads.q * scale, heads.k.transpose(-2, -1));
  const Tensor weights = tern::dropout(tern::softmax(mask.defined() ? scores + mask : scores, -1),
                                       dropout_p, dropout_p > 0);
  return {tern::matmul(weights, heads.v), weights};
}

/// The computation for batched tensors.
AttentionResult run_heads(const Tensor& query, const Tensor& key, const Tensor& value,
                          const HeadOptions& options) {
  check_sizes(query, key, value, options);
  check_biases(options);
  const bool batch_first = options.batch_first();
  const std::int64_t batch_dim = batch_first ? 0 : 1;
  Projections rows = options.use_separate_proj_weight()
                         ? project_separately(query, key, value, options)
                         : project_joined(query, key, value, options);
  std::int64_t columns = 0;  // keys that the masks do not know
  if (options.bias_k().defined()) {
    TERN_CHECK(!options.static_k().defined() && !options.static_v().defined(), Error,
               "bias cannot be added to static key or value: bias_k and bias_v are defined");
    rows.k = append_row(rows.k, options.bias_k(), batch_dim);
    rows.v = append_row(rows.v, options.bias_v(), batch_dim);
    ++columns;
  }
  Projections heads;
  heads.q = split_heads(rows.q, options.num_heads(), batch_first);
  heads.k = options.static_k().defined() ? static_heads(options.static_k(), "static_k", heads.q)
                                         : split_heads(rows.k, options.num_heads(), batch_first);
  heads.v = options.static_v().defined() ? static_heads(options.static_v(), "static_v", heads.q)
                                         : split_heads(rows.v, options.num_heads(), batch_first);
  const std::int64_t cached =
      options.cache() ? options.cache()->get().length(options.cache_layer()) : 0;
  const std::int64_t keys = heads.k.size(2) - columns + cached;
  if (options.add_zero_attn()) ++columns;
  // is_causal can replace the mask only if nothing but the triangle is masked.
  const Tensor& padding = options.key_padding_mask();
  const bool is_triangle =
      options.is_causal() && !padding.defined() && !options.need_weights() && cached == 0;
  Tensor mask;
  if (options.attn_mask().defined() && !is_triangle) {
    mask = score_mask(options.attn_mask(), heads.q, keys, columns);
  }
  if (padding.defined()) {
    const Tensor numbers = padding_mask(padding, heads.q, keys, columns);
    mask = mask.defined() ? mask + numbers : numbers;
  }
  if (options.cache()) {
    std::tie(heads.k, heads.v) =
        options.cache()->get().update(options.cache_layer(), heads.k, heads.v);
  }
  if (options.add_zero_attn()) {
    const auto append_zeros = [](const Tensor& x) {
      return cat({x, zeros({x.size(0), x.size(1), 1, x.size(3)}, x.options())}, 2);
    };
    heads.k = append_zeros(heads.k);
    heads.v = append_zeros(heads.v);
  }
  AttentionResult result = attend(heads, mask, is_triangle, options);
  // In memory [rows, B, E], also with batch_first: a dropout that follows draws in this order.
  result.result =
      tern::linear(join_heads(result.result), options.out_proj_weight(), options.out_proj_bias());
  if (batch_first) result.result = result.result.transpose(0, 1);
  if (result.weights.defined() && options.average_attn_weights()) {
    result.weights = result.weights.mean({1});
  }
  return result;
}

/// Returns options with the mask that `is_causal` stands for with a cache; a single query needs
/// none.
HeadOptions with_causal_mask(HeadOptions options, const Tensor& query, const Tensor& key) {
  const std::int64_t rows_dim = query.dim() == 3 && options.batch_first() ? 1 : 0;
  const std::int64_t rows = query.size(rows_dim);
  const std::int64_t keys =
      key.size(rows_dim) + options.cache()->get().length(options.cache_layer());
  if (rows > 1) {
    options.attn_mask(causal_lower_right(rows, keys, query.device()).logical_not());
  }
  // As a hint it would mean the first key. A row of zeros is for all queries.
  options.is_causal(rows > 1 && rows == keys && !options.add_zero_attn());
  return options;
}

}  // namespace

std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key,
                                                        const Tensor& value,
                                                        const HeadOptions& options) {
  TERN_OP("multi_head_attention_forward", query, key, value);
  TERN_AUTOCAST_INNER_OPS();
  check_dims(query, key, value, options);
  if (options.cache()) {
    TERN_CHECK(!options.bias_k().defined() && !options.static_k().defined() &&
                   !options.static_v().defined(),
               Error, "a cache takes neither bias_k and bias_v nor static keys and values");
    if (options.is_causal() && !options.attn_mask().defined()) {
      return multi_head_attention_forward(query, key, value, with_causal_mask(options, query, key));
    }
  }
  TERN_CHECK(!options.is_causal() || options.attn_mask().defined(), Error,
             "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
             "method `generate_square_subsequent_mask` to create this mask.");
  if (query.dim() == 3) {
    AttentionResult result = run_heads(query, key, value, options);
    return {result.result, result.weights};
  }
  HeadOptions batched = options;
  batched.batch_first(false);
  if (options.key_padding_mask().defined()) {
    batched.key_padding_mask(options.key_padding_mask().unsqueeze(0));
  }
  const Tensor q = query.unsqueeze(1), k = key.is_same(query) ? q : key.unsqueeze(1);
  const Tensor v = value.is_same(key) ? k : value.unsqueeze(1);
  const AttentionResult result = run_heads(q, k, v, batched);
  return {result.result.squeeze(1),
          result.weights.defined() ? result.weights.squeeze(0) : result.weights};
}

}  // namespace tern::nn::functional
