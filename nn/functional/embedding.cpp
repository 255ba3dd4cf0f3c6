#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/core/ops/reduce/norm.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/functional/embedding.h>

namespace tern::nn {

EmbeddingBagMode::EmbeddingBagMode(Reduction reduction) : kind_(reduction == kSum ? Sum : Mean) {
  TERN_CHECK(reduction != kNone, Error, "mode has to be one of sum, mean or max, got kNone");
}

namespace functional {
namespace {

/// Shortens the rows of `table` that `input` names to the norm max_norm. Throws before a row
/// changes if an index is out of range.
template <class Options>
void shorten_rows(Tensor table, const Tensor& input, const Options& options) {
  const NoGradGuard no_grad;
  embedding_renorm_(table, input, *options.max_norm(), options.norm_type());
}

void check_dense(bool sparse) {
  TERN_CHECK(!sparse, NotImplementedError,
             "sparse gradients are not supported: tern has no sparse tensors, got sparse = true");
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options) {
  TERN_OP("embedding", input, weight);
  std::int64_t padding_idx = -1;
  if (options.padding_idx()) {
    padding_idx = *options.padding_idx();
    const std::int64_t rows = weight.dim() == 0 ? 0 : weight.size(0);
    TERN_CHECK(padding_idx >= -rows && padding_idx < rows, IndexError,
               "Padding_idx must be within num_embeddings, got ", padding_idx, " for ", rows);
    if (padding_idx < 0) padding_idx += rows;
  }
  check_dense(options.sparse());
  if (options.max_norm()) shorten_rows(weight, input, options);
  return tern::embedding(weight, input, padding_idx, options.scale_grad_by_freq());
}

Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                     const EmbeddingBagFuncOptions& options) {
  TERN_OP("embedding_bag", input, weight);
  Tensor indices = input, offsets = options.offsets(), factors = options.per_sample_weights();
  TERN_CHECK(!factors.defined() || factors.sizes() == input.sizes(), ShapeError,
             "If per_sample_weights (", factors.sizes(),
             ") is not null, then it must have the same shape as the input (", input.sizes(), ")");
  TERN_CHECK(!factors.defined() || options.mode() == EmbeddingBagMode::Sum, NotImplementedError,
             "per_sample_weights was not null. per_sample_weights is only supported for "
             "mode='kSum' (got mode='",
             options.mode() == EmbeddingBagMode::Mean ? "kMean" : "kMax", "')");
  TERN_CHECK(input.dim() == 1 || input.dim() == 2, ShapeError,
             "input has to be 1D or 2D Tensor, but got Tensor of dimension ", input.dim());
  if (input.dim() == 2) {
    TERN_CHECK(!offsets.defined(), Error,
               "If input is 2D, then offsets has to be null, as input is treated is a mini-batch "
               "of fixed length sequences. However, found offsets of type Tensor");
    const std::int64_t bags = input.size(0), length = input.size(1);
    offsets = arange(bags + (options.include_last_offset() ? 1 : 0),
                     TensorOptions(kLong).device(input.device())) *
              length;
    indices = input.reshape({bags * length});
    if (factors.defined()) factors = factors.reshape({bags * length});
  } else {
    TERN_CHECK(offsets.defined(), Error, "offsets has to be a 1D Tensor but got null");
  }
  check_dense(options.sparse());
  const auto combine = [&] {
    return std::get<0>(tern::embedding_bag(weight, indices, offsets, options.scale_grad_by_freq(),
                                           int{options.mode()}, false, factors,
                                           options.include_last_offset(), options.padding_idx()));
  };
  if (options.max_norm()) {
    const NoGradGuard no_grad;
    combine();  // throws before a row changes
    shorten_rows(weight, indices, options);
  }
  return combine();
}

}  // namespace functional
}  // namespace tern::nn
