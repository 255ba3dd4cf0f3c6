#include <tern/text/generation/detail/model_input.h>

#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>

namespace tern::text {
namespace {

/// Returns the device of a model: that of its first parameter or buffer.
Device device_of(const nn::Module& module, const Device& otherwise) {
  const std::vector<Tensor> parameters = module.parameters();
  if (!parameters.empty()) return parameters.front().device();
  const std::vector<Tensor> buffers = module.buffers();
  return buffers.empty() ? otherwise : buffers.front().device();
}

std::int64_t cache_size(const models::CausalLM& model, const Prompt& prompt,
                        const GenerationOptions& options) {
  if (options.sliding_window) return *options.sliding_window;
  return std::min(prompt.length() + options.max_new_tokens, model.context_length());
}

}  // namespace

EvaluationGuard::EvaluationGuard(nn::Module& module) {
  bool is_training = module.is_training();
  modes_.emplace_back(&module, is_training);
  for (const auto& child : module.modules(/*include_self=*/false)) {
    modes_.emplace_back(child.get(), child->is_training());
    is_training = is_training || child->is_training();
  }
  if (is_training) {
    module.eval();
  } else {
    modes_.clear();
  }
}

EvaluationGuard::~EvaluationGuard() {
  for (const auto& [module, is_training] : modes_) {
    if (module->is_training() != is_training) module->train(is_training);
  }
}

ModelInput::ModelInput(models::CausalLM& model, const Prompt& prompt,
                       const GenerationOptions& options)
    : model_(model),
      prompt_(prompt.rows),
      mask_(prompt.mask),
      device_(device_of(model.module(), prompt.device)),
      window_(options.sliding_window),
      kept_(options.prompt_cache),
      cache_(take_cache(prompt, options)) {}

/// Makes a cache, or takes the one that was kept, with the tokens that the prompt begins with. It
/// is given back by keep(): an exception leaves nothing behind that is half done.
nn::KVCache ModelInput::take_cache(const Prompt& prompt, const GenerationOptions& options) {
  const std::int64_t size = cache_size(model_, prompt, options);
  if (!kept_) return model_.make_cache(size);
  const std::unique_ptr<nn::KVCache> old = std::move(kept_->cache_);
  const Row tokens = std::move(kept_->tokens_);
  const bool is_same_model = kept_->model_.lock().get() == &model_.module();
  kept_->reset();
  if (!old || !is_same_model) return model_.make_cache(size);
  const Row& row = prompt.rows.front();
  const auto [end, ignored] = std::ranges::mismatch(row, tokens);
  // The last token is read again for its logits.
  known_ = std::min(static_cast<std::size_t>(end - row.begin()), row.size() - 1);
  old->crop(static_cast<std::int64_t>(known_));
  if (const std::int64_t now = old->max_length().value_or(size); now < size) {
    old->set_max_length(std::min(std::max(size, 2 * now), model_.context_length()));
  }
  return std::move(*old);
}

void ModelInput::keep(const Row& row) {
  if (!kept_) return;
  kept_->tokens_.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(end_));
  kept_->cache_ = std::make_unique<nn::KVCache>(std::move(cache_));
  kept_->model_ = model_.module().weak_from_this();
}

void PromptCache::reset() {
  tokens_.clear();
  cache_.reset();
  model_.reset();
}

Tensor ModelInput::read_prompt() {
  const std::size_t length = prompt_.front().size();
  begin_ = window_ && length > *window_ ? length - *window_ : 0;
  const std::size_t first = begin_ + known_;
  prompt_tokens_read_ = static_cast<std::int64_t>(length - first);
  return read(prompt_, first);
}

Tensor ModelInput::read_next(const std::vector<Row>& rows) {
  const std::size_t length = rows.front().size();
  if (window_ && length - begin_ > *window_) {
    cache_.reset();
    mask_values_ = {};
    begin_ = length - *window_ / 2;
    return read(rows, begin_);
  }
  return read(rows, end_);
}

/// Reads the tokens from `first` on. The cache holds those from begin_ to before `first`.
Tensor ModelInput::read(const std::vector<Row>& rows, std::size_t first) {
  const std::size_t length = rows.front().size();
  const auto batch = std::ssize(rows);
  const auto count = static_cast<std::int64_t>(length - first);
  if (!tokens_.defined() || tokens_.size(0) != batch || tokens_.size(1) != count) {
    tokens_ = empty({batch, count}, TensorOptions(kLong));
  }
  auto* token = tokens_.data_ptr<std::int64_t>();
  for (const Row& row : rows) {
    token = std::copy(row.begin() + static_cast<std::ptrdiff_t>(first), row.end(), token);
  }
  end_ = length;
  const Tensor ids = device_.is_cpu() ? tokens_ : tokens_.to(device_);
  return model_.next_token_logits(ids, cache_, mask_of(begin_, length - begin_));
}

/// The mask of `count` tokens, or no mask if none of them is padding.
Tensor ModelInput::mask_of(std::size_t first, std::size_t count) {
  const std::size_t length = prompt_.front().size();
  const bool has_padding =
      first < length && std::ranges::any_of(mask_, [&](const auto& row) { return !row[first]; });
  if (!has_padding) return {};
  const auto columns = static_cast<std::int64_t>(count);
  if (mask_values_.defined() && mask_values_.size(0) == std::ssize(mask_) &&
      mask_values_.size(1) >= columns) {
    return mask_values_.narrow(1, 0, columns);
  }
  // Twice as many columns as needed, so that few steps make a mask.
  Tensor values = full({std::ssize(mask_), 2 * columns}, true, TensorOptions(kBool));
  bool* row_values = values.data_ptr<bool>();
  for (const auto& row : mask_) {
    std::copy(row.begin() + static_cast<std::ptrdiff_t>(first), row.end(), row_values);
    row_values += 2 * columns;
  }
  mask_values_ = values.to(device_);
  return mask_values_.narrow(1, 0, columns);
}

void ModelInput::reorder(const std::vector<std::int64_t>& indices) {
  cache_.reorder(tensor(indices).to(device_));
  if (mask_.empty()) return;
  std::vector<std::vector<bool>> mask;
  mask.reserve(indices.size());
  for (const std::int64_t index : indices) mask.push_back(mask_[static_cast<std::size_t>(index)]);
  mask_ = std::move(mask);
  mask_values_ = {};
}

Tensor to_rows(const Tensor& logits, std::int64_t rows, std::int64_t vocab_size) {
  TERN_CHECK(logits.defined() && logits.sizes() == IntArrayRef({rows, vocab_size}), ShapeError,
             "text::generate: next_token_logits must return sizes ",
             IntArrayRef({rows, vocab_size}), ", got ",
             logits.defined() ? logits.sizes() : IntArrayRef());
  return logits.to(TensorOptions(kCPU).dtype(kFloat)).contiguous();
}

}  // namespace tern::text
