#include <tern/train/metrics/perplexity.h>

#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/train/metrics/detail/class_batch.h>
#include <tern/train/metrics/detail/sums.h>

namespace tern::metrics {
namespace {

constexpr const char* kPerplexity = "Perplexity";
constexpr std::int64_t kPerplexitySums = 3;

}  // namespace

Perplexity::Perplexity(const PerplexityOptions& options) : options_(options) {}

void Perplexity::update(const Tensor& input, const Tensor& target) {
  TERN_CHECK(input.defined() && target.defined(), Error,
             "Perplexity: expected two tensors, got an undefined ",
             input.defined() ? "target" : "input");
  const NoGradGuard no_grad;
  const bool fits = input.dim() == target.dim() + 1 &&
                    input.sizes().slice(0, target.sizes().size()) == target.sizes();
  TERN_CHECK(fits, ShapeError,
             "Perplexity: expected logits [N, L, V] with targets [N, L], or [N, V] with [N], got ",
             input.sizes(), " and ", target.sizes());
  const std::int64_t tokens = input.size(-1);
  TERN_CHECK(tokens > 0, ShapeError, "Perplexity: expected logits of at least 1 token, got sizes ",
             input.sizes());
  const Tensor logits = input.detach().reshape({target.numel(), tokens});
  const detail::ClassBatch batch = detail::read_batch(
      logits, target.reshape({-1}), {kPerplexity, std::nullopt, options_.ignore_index()});
  const bool narrow = input.dtype() == kHalf || input.dtype() == kBFloat16;
  const Tensor losses =
      cross_entropy_loss(narrow ? logits.to(kFloat) : logits, batch.target, {}, Reduction::None);
  const Tensor sum = where(batch.counted, losses.to(kDouble), 0.0).sum();
  detail::add_to(sums_, stack({sum, batch.counted.sum().to(kDouble), batch.invalid.to(kDouble)}));
}

Tensor Perplexity::compute() const {
  const auto sums = detail::on_host(sums_, kPerplexitySums, kDouble).to_vector<double>();
  detail::check_none_invalid(static_cast<std::int64_t>(sums[2]), kPerplexity);
  return detail::number(std::exp(sums[0] / sums[1]));
}

void Perplexity::reset() { sums_ = {}; }

State Perplexity::state_dict() const {
  State state;
  state.insert(detail::kSums, detail::on_host(sums_, kPerplexitySums, kDouble));
  return state;
}

void Perplexity::load_state_dict(const State& state) {
  sums_ = detail::loaded_sums(state, kPerplexity, kPerplexitySums, kDouble);
}

}  // namespace tern::metrics
