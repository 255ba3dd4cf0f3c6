// Compiled for size.

#include <algorithm>
#include <cmath>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/attention.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using detail::AttentionTerms;

void check_dtypes(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  TERN_CHECK(query.dtype() == key.dtype() && query.dtype() == value.dtype(), DTypeError,
             "Expected query, key, and value to have the same dtype, but got query.dtype: ",
             query.scalar_type(), " key.dtype: ", key.scalar_type(),
             " and value.dtype: ", value.scalar_type(), " instead.");
  TERN_CHECK(query.is_floating_point(), DTypeError, "expected scalar type Float but found ",
             query.scalar_type());
  if (!mask.defined()) return;
  TERN_CHECK(mask.dtype() == kBool || mask.dtype() == query.dtype() || mask.dtype() == kFloat,
             DTypeError,
             "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
             "attn_mask.dtype: ",
             mask.scalar_type(), " and  query.dtype: ", query.scalar_type(), " instead.");
}

void check_sizes(const Tensor& query, const Tensor& key, const Tensor& value) {
  TERN_CHECK(
      query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2, ShapeError,
      "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: ",
      query.dim(), " key.dim: ", key.dim(), " and value.dim: ", value.dim(), " instead.");
  TERN_CHECK(query.size(-1) == key.size(-1), ShapeError,
             "Expected the rows of query and key to have the same size, but got query.size(-1): ",
             query.size(-1), " and key.size(-1): ", key.size(-1));
  TERN_CHECK(key.size(-2) == value.size(-2), ShapeError,
             "Expected key and value to have the same number of rows, but got key.size(-2): ",
             key.size(-2), " and value.size(-2): ", value.size(-2));
}

/// Gives key or value as many heads as the query has, in the order in which they are shared.
Tensor repeat_heads_for(const Tensor& query, const Tensor& tensor) {
  const std::int64_t group = query.size(-3) / tensor.size(-3);
  return group == 1 ? tensor : tensor.repeat_interleave(group, -3);
}

/// The arguments as [B, H, rows, size]. Key and value have as many heads as each other, which
/// divide those of the query.
struct Heads {
  Tensor query, key, value;
  DimVector batch;          // the dimensions before [L, Ev] of the result
  DimVector weights_batch;  // those before [L, S] of the weights, which broadcast to `batch`
};

DimVector with_rows(const DimVector& batch, const Tensor& tensor) {
  DimVector sizes = batch;
  sizes.push_back(tensor.size(-2));
  sizes.push_back(tensor.size(-1));
  return sizes;
}

/// Broadcasts the batch, and changes the number of dimensions to four.
Tensor as_heads(const Tensor& tensor, const DimVector& batch) {
  const DimVector sizes = with_rows(batch, tensor);
  Tensor result = tensor.sizes() == IntArrayRef(sizes) ? tensor : tensor.expand(sizes);
  while (result.dim() < 4) result = result.unsqueeze(0);
  return result.dim() == 4 ? result : result.flatten(0, -4);
}

Heads make_heads(const Tensor& query, Tensor key, Tensor value, bool is_grouped) {
  const std::int64_t least = std::min({query.dim(), key.dim(), value.dim()});
  TERN_CHECK(!is_grouped || least >= 3, ShapeError,
             "enable_gqa needs heads, dimension -3: expected query, key and value to be at least "
             "3 dimensional, but got query.dim: ",
             query.dim(), " key.dim: ", key.dim(), " and value.dim: ", value.dim());
  if (is_grouped) {
    const std::int64_t heads = query.size(-3), k = key.size(-3), v = value.size(-3);
    TERN_CHECK(
        (k == heads || (k > 0 && heads % k == 0)) && (v == heads || (v > 0 && heads % v == 0)),
        ShapeError,
        "Number of heads in key and value must divide the number of heads in query, got ", k,
        " and ", v, " heads for ", heads);
    if (k != v) key = repeat_heads_for(query, key), value = repeat_heads_for(query, value);
  } else {
    // One head that broadcasts is a group, too.
    is_grouped = least >= 3 && key.size(-3) == 1 && value.size(-3) == 1 && query.size(-3) > 0;
  }
  const auto batch_of = [&](const Tensor& tensor) {
    return tensor.sizes().slice(0, tensor.sizes().size() - (is_grouped ? 3 : 2));
  };
  DimVector weights_batch = broadcast_sizes(batch_of(query), batch_of(key));
  DimVector batch = broadcast_sizes(weights_batch, batch_of(value)), shared = batch;
  if (is_grouped) {
    weights_batch.push_back(query.size(-3));
    batch.push_back(query.size(-3));
    shared.push_back(key.size(-3));
  }
  return {as_heads(query, batch), as_heads(key, shared), as_heads(value, shared), batch,
          weights_batch};
}

/// Returns the mask as [B, H, L, S].
Tensor expand_mask(Tensor mask, const Heads& heads) {
  DimVector sizes = heads.batch;
  sizes.push_back(heads.query.size(2));
  sizes.push_back(heads.key.size(2));
  if (!is_expandable_to(mask.sizes(), sizes)) {
    const DimVector broadcast = broadcast_sizes(sizes, mask.sizes());
    detail::raise<ShapeError>("attn_mask of sizes ", mask.sizes(), " with scores of sizes ",
                              IntArrayRef(sizes), ": output with shape ", IntArrayRef(sizes),
                              " doesn't match the broadcast shape ", IntArrayRef(broadcast));
  }
  while (mask.dim() < 2) mask = mask.unsqueeze(0);
  return as_heads(mask, heads.batch)
      .expand({heads.query.size(0), heads.query.size(1), heads.query.size(2), heads.key.size(2)});
}

/// Draws what dropout() would draw for the weights.
void draw_dropout(AttentionTerms& terms, const Heads& heads, double p) {
  if (p == 0) return;
  const Tensor& query = heads.query;
  // On a GPU float64 takes more numbers than others.
  const ScalarType drawn = query.is_cpu() || query.dtype() != kDouble ? kBool : kDouble;
  DimVector sizes = heads.weights_batch;
  sizes.push_back(query.size(2));
  sizes.push_back(heads.key.size(2));
  terms.keep = detail::make_tensor(sizes, drawn, query.device());
  if (p == 1) {
    terms.keep.zero_();
  } else {
    terms.keep.bernoulli_(1 - p);
    terms.keep_scale = 1 / (1 - p);
  }
  terms.keep = as_heads(terms.keep.to(kBool), heads.batch).contiguous();
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& attn_mask, double dropout_p,
                                    StrictBool is_causal, std::optional<double> scale,
                                    StrictBool enable_gqa) {
  TERN_OP("scaled_dot_product_attention", query, key, value);
  const Tensor mask = attn_mask.value_or(Tensor());
  TERN_AUTOCAST(kLower, kLower, scaled_dot_product_attention, query, key, value, mask, dropout_p,
                is_causal, scale, enable_gqa);
  detail::check_same_device("scaled_dot_product_attention", {&query, &key, &value, &mask},
                            {"query", "key", "value", "attn_mask"});
  check_dtypes(query, key, value, mask);
  check_sizes(query, key, value);
  TERN_CHECK(!mask.defined() || !is_causal, Error,
             "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
             "is_causal=True");
  TERN_CHECK(dropout_p >= 0 && dropout_p <= 1, Error,
             "dropout probability has to be between 0 and 1, but got ", dropout_p);
  const Heads heads = make_heads(query, key, value, enable_gqa);
  AttentionTerms terms;
  if (mask.defined()) terms.mask = expand_mask(mask, heads);
  terms.scale = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  terms.is_causal = is_causal;
  draw_dropout(terms, heads, dropout_p);
  const bool is_empty =
      heads.query.numel() == 0 || heads.key.numel() == 0 || heads.value.numel() == 0;
  const bool composed = is_empty || (mask.defined() && autograd::needs_grad(mask));
  Tensor out = composed ? detail::compose_attention(heads.query, heads.key, heads.value, terms)
                        : detail::run_attention(heads.query, heads.key, heads.value, terms);
  const DimVector sizes = with_rows(heads.batch, out);
  if (sizes.size() > 4) return out.reshape(sizes);
  for (std::size_t d = sizes.size(); d < 4; ++d) out = out.squeeze(0);
  return out;
}

}  // namespace tern
