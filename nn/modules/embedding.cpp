#include <tern/nn/modules/embedding.h>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/core/ops/nn/quantized.h>
#include <tern/core/ops/reduce/norm.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/detail/quantized_weight.h>
#include <tern/nn/init.h>

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

namespace tern::nn {
namespace {

/// Checks the options that Embedding and EmbeddingBag share, and returns the table: the given one
/// or one without values.
template <class Options>
Tensor make_table(const char* module, Options& options) {
  const std::int64_t rows = options.num_embeddings(), dim = options.embedding_dim();
  detail::check_size(module, "num_embeddings", rows);
  detail::check_size(module, "embedding_dim", dim);
  TERN_CHECK(!options.sparse(), NotImplementedError, module,
             ": sparse gradients are not supported: tern has no sparse tensors, got sparse = true");
  if (options.padding_idx()) {
    const std::int64_t padding_idx = *options.padding_idx();
    TERN_CHECK(padding_idx >= -rows && padding_idx < rows, IndexError, module,
               ": Padding_idx must be within num_embeddings, got ", padding_idx, " for ", rows);
    if (padding_idx < 0) options.padding_idx(padding_idx + rows);
  }
  Tensor given = std::exchange(options._weight(), Tensor());  // a clone makes its own
  if (!given.defined()) return empty({rows, dim}, detail::factory_options(options));
  TERN_CHECK(given.dim() == 2 && given.size(0) == rows && given.size(1) == dim, ShapeError, module,
             ": Shape of _weight does not match num_embeddings and embedding_dim, got ",
             given.sizes(), " for ", rows, " and ", dim);
  return given;
}

template <class Options>
void draw_table(const Tensor& weight, const Options& options) {
  init::normal_(weight);
  if (options.padding_idx()) init::zeros_(weight.select(0, *options.padding_idx()));
}

void check_pretrained(const char* module, const Tensor& embeddings) {
  TERN_CHECK(embeddings.dim() == 2, ShapeError, module,
             ": Embeddings parameter is expected to be 2-dimensional, got sizes ",
             embeddings.sizes());
}

/// Prints the options that Embedding and EmbeddingBag print in the same order.
template <class Options>
void print_norm_and_gradient(std::ostream& stream, const Options& options) {
  if (options.max_norm()) detail::print_to(stream, {", max_norm=", double{*options.max_norm()}});
  if (options.norm_type() != 2) detail::print_to(stream, {", norm_type=", options.norm_type()});
  if (options.scale_grad_by_freq()) stream << ", scale_grad_by_freq=true";
}

template <class Options>
void print_sizes(std::ostream& stream, const Options& options) {
  detail::print_to(stream, {"(num_embeddings=", options.num_embeddings(),
                            ", embedding_dim=", options.embedding_dim()});
}

template <class Options>
void print_padding(std::ostream& stream, const Options& options) {
  if (options.padding_idx())
    detail::print_to(stream, {", padding_idx=", std::int64_t{*options.padding_idx()}});
}

}  // namespace

EmbeddingImpl::EmbeddingImpl(StrictInt num_embeddings, StrictInt embedding_dim)
    : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
EmbeddingImpl::EmbeddingImpl(const EmbeddingOptions& options_) : options(options_) {
  EmbeddingImpl::reset();
}

void EmbeddingImpl::reset() {
  if (format_) {
    bind_parameter("weight", weight, Tensor());
    bind_buffer(detail::blocks_name(*format_), weight_blocks,
                detail::empty_blocks(*format_, options.num_embeddings(), options.embedding_dim(),
                                     options.device()));
    bind_dtype(detail::factory_options(options));
    return;
  }
  const bool is_given = options._weight().defined();
  bind_parameter("weight", weight, make_table("nn::Embedding", options));
  if (!is_given) reset_parameters();
}

void EmbeddingImpl::bind_dtype(const TensorOptions& options_) {
  bind_buffer("weight_dtype", dtype_, empty({0}, options_), /*persistent=*/false);
}

void EmbeddingImpl::reset_parameters() {
  detail::check_not_quantized("nn::Embedding", format_);
  draw_table(weight, options);
}

void EmbeddingImpl::set_quantized_weight(const Tensor& blocks, BlockFormat format) {
  TERN_CHECK(
      !options.max_norm(), Error,
      "nn::Embedding: a table with max_norm changes and cannot be quantised, got max_norm = ",
      options.max_norm().value_or(0));
  const bool is_first = !format_;
  const TensorOptions like = weight.defined() ? weight.options() : TensorOptions();
  detail::set_blocks({*this, "nn::Embedding", weight, weight_blocks, format_}, blocks, format,
                     options.num_embeddings(), options.embedding_dim());
  if (is_first) bind_dtype(like);
}

void EmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::Embedding";
  print_sizes(stream, options);
  print_padding(stream, options);
  print_norm_and_gradient(stream, options);
  detail::print_format(stream, format_);
  stream << ')';
}

Tensor EmbeddingImpl::forward(const Tensor& indices) {
  if (format_) {
    return quantized_embedding(indices, weight_blocks, *format_, dtype_.scalar_type());
  }
  return functional::embedding(indices, weight,
                               functional::EmbeddingFuncOptions()
                                   .padding_idx(options.padding_idx())
                                   .max_norm(options.max_norm())
                                   .norm_type(options.norm_type())
                                   .scale_grad_by_freq(options.scale_grad_by_freq()));
}

Embedding Embedding::from_pretrained(const Tensor& embeddings,
                                     const EmbeddingFromPretrainedOptions& options) {
  check_pretrained("nn::Embedding", embeddings);
  Embedding embedding(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                          ._weight(embeddings.detach())
                          .padding_idx(options.padding_idx())
                          .max_norm(options.max_norm())
                          .norm_type(options.norm_type())
                          .scale_grad_by_freq(options.scale_grad_by_freq())
                          .sparse(options.sparse()));
  embedding->weight.set_requires_grad(!options.freeze());
  return embedding;
}

EmbeddingBagImpl::EmbeddingBagImpl(StrictInt num_embeddings, StrictInt embedding_dim)
    : EmbeddingBagImpl(EmbeddingBagOptions(num_embeddings, embedding_dim)) {}
EmbeddingBagImpl::EmbeddingBagImpl(const EmbeddingBagOptions& options_) : options(options_) {
  EmbeddingBagImpl::reset();
}

void EmbeddingBagImpl::reset() {
  const bool is_given = options._weight().defined();
  bind_parameter("weight", weight, make_table("nn::EmbeddingBag", options));
  if (!is_given) reset_parameters();
}

void EmbeddingBagImpl::reset_parameters() { draw_table(weight, options); }

void EmbeddingBagImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::EmbeddingBag";
  print_sizes(stream, options);
  print_norm_and_gradient(stream, options);
  if (options.mode() != EmbeddingBagMode::Mean) {
    stream << ", mode=" << (options.mode() == EmbeddingBagMode::Sum ? "kSum" : "kMax");
  }
  if (options.include_last_offset()) stream << ", include_last_offset=true";
  print_padding(stream, options);
  stream << ')';
}

std::vector<std::pair<unsigned, AnyValue>> EmbeddingBagImpl::forward_defaults() {
  return {{1, AnyValue(Tensor())}, {2, AnyValue(Tensor())}};
}

Tensor EmbeddingBagImpl::forward(const Tensor& input, const Tensor& offsets,
                                 const Tensor& per_sample_weights) {
  return functional::embedding_bag(input, weight,
                                   functional::EmbeddingBagFuncOptions()
                                       .offsets(offsets)
                                       .max_norm(options.max_norm())
                                       .norm_type(options.norm_type())
                                       .scale_grad_by_freq(options.scale_grad_by_freq())
                                       .mode(options.mode())
                                       .per_sample_weights(per_sample_weights)
                                       .include_last_offset(options.include_last_offset())
                                       .padding_idx(options.padding_idx()));
}

EmbeddingBag EmbeddingBag::from_pretrained(const Tensor& embeddings,
                                           const EmbeddingBagFromPretrainedOptions& options) {
  check_pretrained("nn::EmbeddingBag", embeddings);
  EmbeddingBag bag(EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                       ._weight(embeddings.detach())
                       .max_norm(options.max_norm())
                       .norm_type(options.norm_type())
                       .scale_grad_by_freq(options.scale_grad_by_freq())
                       .mode(options.mode())
                       .sparse(options.sparse())
                       .include_last_offset(options.include_last_offset())
                       .padding_idx(options.padding_idx()));
  bag->weight.set_requires_grad(!options.freeze());
  return bag;
}

}  // namespace tern::nn
