#include <tern/nn/models/gpt2.h>

#include <cmath>

#include <tern/core/ops/ops.h>
#include <tern/nn/containers/module_dict.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/init.h>
#include <tern/nn/models/detail/config.h>
#include <tern/nn/models/detail/language.h>

namespace tern::models {
namespace {

constexpr const char* kGPT2 = "models::GPT2";

/// The linear map of GPT-2's files, whose weight is transposed: y = x W + b.
class Conv1DImpl : public nn::Cloneable<Conv1DImpl> {
 public:
  Conv1DImpl(std::int64_t in, std::int64_t out, std::optional<ScalarType> dtype)
      : Cloneable("tern::models::Conv1D"), in_(in), out_(out), dtype_(dtype) {
    Conv1DImpl::reset();
  }

  void reset() override {
    TensorOptions like = TensorOptions().device(Device(kMeta));
    if (dtype_) like = like.dtype(*dtype_);
    bind_parameter("weight", weight_, empty({in_, out_}, like));
    bind_parameter("bias", bias_, empty({out_}, like));
  }

  void pretty_print(std::ostream& stream) const override {
    nn::detail::print_to(stream, {"tern::models::Conv1D(", in_, ", ", out_, ')'});
  }

  Tensor forward(const Tensor& x) {
    return addmm(bias_, x.flatten(0, -2), weight_).view({x.size(0), x.size(1), out_});
  }

  void draw(double std) {
    nn::init::normal_(weight_, 0, std);
    nn::init::zeros_(bias_);
  }

 private:
  std::int64_t in_, out_;
  std::optional<ScalarType> dtype_;
  Tensor weight_, bias_;
};
TERN_MODULE(Conv1D);

/// One layer. Its parts lie in dictionaries, because the keys of files have the levels.
class GPT2BlockImpl : public nn::Cloneable<GPT2BlockImpl> {
 public:
  GPT2BlockImpl(std::shared_ptr<const GPT2Options> options, std::int64_t layer)
      : Cloneable("tern::models::GPT2Block"), options_(std::move(options)), layer_(layer) {
    GPT2BlockImpl::reset();
  }

  void reset() override {
    const std::int64_t size = options_->n_embd(), inner = options_->n_inner().value_or(4 * size);
    attend_ = Conv1D(size, 3 * size, options_->dtype());
    attended_ = Conv1D(size, size, options_->dtype());
    widen_ = Conv1D(size, inner, options_->dtype());
    narrow_ = Conv1D(inner, size, options_->dtype());
    dropout_ = nn::Dropout(options_->resid_pdrop());
    using Parts = nn::ModuleDictImpl::Pairs;
    const auto add_norm = [&](const char* name) {
      return register_module(
          name, detail::make_layer_norm(size, options_->layer_norm_epsilon(), options_->dtype()));
    };
    const auto add_parts = [&](const char* name, const Parts& parts) {
      register_module(name, nn::ModuleDict(parts));
    };
    norm_1_ = add_norm("ln_1");
    add_parts("attn", {{"c_attn", attend_.ptr()}, {"c_proj", attended_.ptr()}});
    norm_2_ = add_norm("ln_2");
    add_parts("mlp", {{"c_fc", widen_.ptr()}, {"c_proj", narrow_.ptr()}});
    register_module("dropout", dropout_);
    const std::int64_t head = size / options_->n_head();
    scale_ = options_->scale_attn_weights() ? 1 / std::sqrt(static_cast<double>(head)) : 1;
    if (options_->scale_attn_by_inverse_layer_idx()) scale_ /= static_cast<double>(layer_ + 1);
  }

  Tensor forward(const Tensor& x, const detail::DecoderCall& call) {
    const std::int64_t heads = options_->n_head();
    const Tensor qkv = attend_(norm_1_(x)).unflatten(-1, {3, heads, -1});
    const auto part = [&](std::int64_t i) { return qkv.select(2, i).transpose(1, 2); };
    const Tensor attention = detail::attend(part(0), part(1), part(2), call, layer_,
                                            is_training() ? options_->attn_pdrop() : 0, scale_);
    const Tensor y = x + dropout_(attended_(attention));
    const Tensor wide = detail::activate(options_->activation_function(), widen_(norm_2_(y)));
    return y + dropout_(narrow_(wide));
  }

  void draw(double std) {
    const double depth = std::sqrt(2 * static_cast<double>(options_->n_layer()));
    attend_->draw(std);
    attended_->draw(std / depth);
    widen_->draw(std);
    narrow_->draw(std / depth);
  }

 private:
  std::shared_ptr<const GPT2Options> options_;
  std::int64_t layer_;
  double scale_ = 1;
  Conv1D attend_{nullptr}, attended_{nullptr}, widen_{nullptr}, narrow_{nullptr};
  nn::LayerNorm norm_1_{nullptr}, norm_2_{nullptr};
  nn::Dropout dropout_{nullptr};
};
TERN_MODULE(GPT2Block);

/// Whether a key of an old file is a buffer: h.0.attn.bias and h.0.attn.masked_bias.
bool is_gpt2_buffer(std::string_view key) {
  return key.ends_with(".attn.bias") || key.ends_with(".attn.masked_bias");
}

}  // namespace

GPT2Options GPT2Options::from_config(const State& config) {
  const detail::ConfigReader reader(kGPT2, config, {"gpt2"});
  GPT2Options options;
  reader.need("vocab_size", options.vocab_size());
  reader.need("n_positions", options.n_positions());
  reader.need("n_embd", options.n_embd());
  reader.need("n_layer", options.n_layer());
  reader.need("n_head", options.n_head());
  reader.read("n_inner", options.n_inner());
  reader.read("activation_function", options.activation_function());
  reader.read("layer_norm_epsilon", options.layer_norm_epsilon());
  reader.read("resid_pdrop", options.resid_pdrop());
  reader.read("embd_pdrop", options.embd_pdrop());
  reader.read("attn_pdrop", options.attn_pdrop());
  reader.read("scale_attn_weights", options.scale_attn_weights());
  reader.read("scale_attn_by_inverse_layer_idx", options.scale_attn_by_inverse_layer_idx());
  reader.read("tie_word_embeddings", options.tie_word_embeddings());
  reader.read("initializer_range", options.initializer_range());
  reader.expect("add_cross_attention", false);
  options.dtype(reader.dtype());
  return options;
}

GPT2ModelImpl::GPT2ModelImpl(const GPT2Options& options_) : options(options_) {
  GPT2ModelImpl::reset();
}

void GPT2ModelImpl::reset() {
  detail::check_positive(kGPT2, {{"vocab_size", options.vocab_size()},
                                 {"n_positions", options.n_positions()},
                                 {"n_embd", options.n_embd()},
                                 {"n_layer", options.n_layer()},
                                 {"n_head", options.n_head()},
                                 {"n_inner", options.n_inner().value_or(1)}});
  detail::check_divides(kGPT2, "n_embd", options.n_embd(), "n_head", options.n_head());
  detail::check_activation(kGPT2, options.activation_function());
  const auto table = [&](std::int64_t rows) {
    return nn::Embedding(
        nn::EmbeddingOptions(rows, options.n_embd()).device(Device(kMeta)).dtype(options.dtype()));
  };
  wte = register_module("wte", table(options.vocab_size()));
  wpe = register_module("wpe", table(options.n_positions()));
  drop = register_module("drop", nn::Dropout(options.embd_pdrop()));
  h = register_module("h", nn::ModuleList());
  const auto shared = std::make_shared<const GPT2Options>(options);
  for (std::int64_t i = 0; i < options.n_layer(); ++i) {
    h->push_back(std::shared_ptr<nn::Module>(std::make_shared<GPT2BlockImpl>(shared, i)));
  }
  ln_f = register_module(
      "ln_f",
      detail::make_layer_norm(options.n_embd(), options.layer_norm_epsilon(), options.dtype()));
  detail::make_tensors(*this, options.device(), options.initializer_range());
  if (detail::is_on_meta(options.device())) return;
  for (std::size_t i = 0; i < h->size(); ++i) {
    h->at<GPT2BlockImpl>(i).draw(options.initializer_range());
  }
}

void GPT2ModelImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::models::GPT2Model";
}

Tensor GPT2ModelImpl::forward(const Tensor& input_ids, const Tensor& attention_mask,
                              nn::KVCache* cache) {
  const detail::DecoderCall call =
      detail::decoder_call({kGPT2, options.n_layer(), options.n_positions(), "n_positions"},
                           input_ids, attention_mask, cache);
  Tensor x = drop(wte(input_ids) + wpe(call.positions));
  for (std::size_t i = 0; i < h->size(); ++i) x = GPT2Block(h->ptr<GPT2BlockImpl>(i))(x, call);
  return ln_f(x);
}

GPT2Impl::GPT2Impl(const GPT2Options& options_) : options(options_) { GPT2Impl::reset(); }

void GPT2Impl::reset() {
  transformer = register_module("transformer", GPT2Model(options));
  const Tensor tied = options.tie_word_embeddings() ? transformer->wte->weight : Tensor();
  lm_head = register_module(
      "lm_head", detail::make_head(tied, options.n_embd(), options.vocab_size(), options.device(),
                                   options.dtype(), options.initializer_range()));
}

void GPT2Impl::pretty_print(std::ostream& stream) const {
  nn::detail::print_to(stream,
                       {"tern::models::GPT2(vocab_size=", options.vocab_size(),
                        ", n_positions=", options.n_positions(), ", n_embd=", options.n_embd(),
                        ", n_layer=", options.n_layer(), ", n_head=", options.n_head(), ')'});
}

Tensor GPT2Impl::forward(const Tensor& input_ids, const Tensor& attention_mask) {
  return lm_head(transformer(input_ids, attention_mask));
}

Tensor GPT2Impl::next_token_logits(const Tensor& input_ids, nn::KVCache& cache,
                                   const Tensor& attention_mask) {
  return lm_head(transformer(input_ids, attention_mask, &cache).select(1, -1));
}

nn::KVCache GPT2Impl::make_cache(std::int64_t max_length) const {
  return nn::KVCache(options.n_layer(), max_length);
}

State GPT2Impl::state_dict() const {
  return detail::without_tied_head(Module::state_dict(), *transformer->wte, *lm_head);
}

nn::IncompatibleKeys GPT2Impl::load_state_dict(const State& state,
                                               const nn::LoadOptions& options_) {
  return Module::load_state_dict(detail::with_head(state, "transformer", "wte.weight",
                                                   options.tie_word_embeddings(), is_gpt2_buffer),
                                 options_);
}

}  // namespace tern::models
