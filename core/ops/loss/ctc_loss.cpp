// Compiled for size.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <tern/core/base/thread_pool.h>
#include <tern/core/ops/common/detail/no_gradient.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/loss/detail/loss.h>
#include <tern/core/ops/ops.h>

// Connectionist temporal classification, by the forward and backward variables of Graves et al.
// (2006) in log space.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

/// The targets and lengths of a batch.
struct CtcBatch {
  std::vector<std::int64_t> input_lengths, target_lengths;
  std::vector<std::int64_t> starts;  // of each sample's labels
  std::int64_t blank = 0;
  Tensor labels = {};  // int64 on the CPU, contiguous

  /// Returns the batch without its labels, which the rule keeps as a saved tensor.
  CtcBatch without_labels() const { return {input_lengths, target_lengths, starts, blank}; }

  std::int64_t size() const { return static_cast<std::int64_t>(input_lengths.size()); }
  /// The states of the longest target: its labels with blanks between and around them.
  std::int64_t states() const {
    return 2 * *std::max_element(target_lengths.begin(), target_lengths.end()) + 1;
  }
};

void check_lengths(const char* name, const std::vector<std::int64_t>& lengths, std::int64_t batch,
                   std::int64_t most) {
  TERN_CHECK(static_cast<std::int64_t>(lengths.size()) == batch, ShapeError, name,
             " must be of size batch_size, got ", lengths.size(), " for a batch of ", batch);
  for (const std::int64_t length : lengths) {
    TERN_CHECK(length >= 0, Error, "Expected ", name, " to have value at least 0, but got value ",
               length);
    TERN_CHECK(length <= most, Error, "Expected ", name, " to have value at most ", most,
               ", but got value ", length);
  }
}

// Checks the sizes of `targets` and finds the labels of each sample.
void find_labels(CtcBatch& batch, const Tensor& targets) {
  const std::vector<std::int64_t>& lengths = batch.target_lengths;
  TERN_CHECK(targets.dim() == 1 || targets.dim() == 2, ShapeError,
             "Expected 1 to 2 dimensions, but got ", targets.dim(),
             "-dimensional tensor for argument #2 'targets'");
  if (targets.dim() == 1) {
    std::int64_t end = 0;
    for (const std::int64_t length : lengths) {
      batch.starts.push_back(end);
      end += length;
    }
    TERN_CHECK(targets.size(0) == end, ShapeError, "Expected tensor to have size ", end,
               " at dimension 0, but got size ", targets.size(0), " for argument #2 'targets'");
    return;
  }
  TERN_CHECK(targets.size(0) == batch.size(), ShapeError, "Expected tensor to have size ",
             batch.size(), " at dimension 0, but got size ", targets.size(0),
             " for argument #2 'targets'");
  const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  TERN_CHECK(targets.size(1) >= longest, ShapeError, "Expected tensor to have size at least ",
             longest, " at dimension 1, but got size ", targets.size(1),
             " for argument #2 'targets'");
  for (std::int64_t i = 0; i < batch.size(); ++i) batch.starts.push_back(i * targets.size(1));
}

void check_used_labels(const CtcBatch& batch, std::int64_t classes) {
  const std::int64_t* const labels = batch.labels.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < batch.starts.size(); ++i) {
    for (std::int64_t k = 0; k < batch.target_lengths[i]; ++k) {
      const std::int64_t label = labels[batch.starts[i] + k];
      TERN_CHECK(label >= 0 && label < classes, IndexError, "label ", label, " of target ", i,
                 " is out of range: there are ", classes, " classes");
    }
  }
}

template <class T>
constexpr T kImpossible = -std::numeric_limits<T>::infinity();  // log 0

// Returns log(e^a + e^b + e^c).
template <class T>
T log_of_exps(T a, T b, T c = kImpossible<T>) {
  const T most = std::max({a, b, c});
  if (std::isinf(most)) return a + b + c;  // -infinity, or NaN beside it
  return most + std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most));
}

/// One sample: its labels with blanks between and around them are the states of an alignment. An
/// alignment stays in its state, takes the next one, or skips a blank between different labels.
template <class T>
class CtcSample {
 public:
  CtcSample(const CtcBatch& batch, const T* log_probs, std::int64_t classes, std::int64_t sample)
      : steps(batch.input_lengths[static_cast<std::size_t>(sample)]),
        states(2 * batch.target_lengths[static_cast<std::size_t>(sample)] + 1),
        labels_(batch.labels.data_ptr<std::int64_t>() +
                batch.starts[static_cast<std::size_t>(sample)]),
        blank_(batch.blank),
        log_probs_(log_probs + sample * classes),
        row_(batch.size() * classes) {}

  const std::int64_t steps, states;

  std::int64_t label(std::int64_t state) const {
    return state % 2 == 0 ? blank_ : labels_[state / 2];
  }
  T log_prob(std::int64_t step, std::int64_t state) const {
    return log_probs_[step * row_ + label(state)];
  }

  /// Writes log of the probability of each beginning of an alignment, alpha[step][state], and
  /// returns the loss.
  T forward(T* alpha) const {
    if (steps == 0) return states == 1 ? T(0) : -kImpossible<T>;
    std::fill(alpha, alpha + states, kImpossible<T>);
    for (std::int64_t s = 0; s < std::min<std::int64_t>(states, 2); ++s) alpha[s] = log_prob(0, s);
    for (std::int64_t t = 1; t < steps; ++t) {
      const T* const before = alpha + (t - 1) * states;
      for (std::int64_t s = 0; s < states; ++s) {
        alpha[t * states + s] = log_of_exps(before[s], s > 0 ? before[s - 1] : kImpossible<T>,
                                            skips_to(s) ? before[s - 2] : kImpossible<T>) +
                                log_prob(t, s);
      }
    }
    const T* const last = alpha + steps * states - 1;
    return -(states == 1 ? *last : log_of_exps(last[0], last[-1]));
  }

  /// Adds up in gradient[step][class] the probability that a step has the class, of the alignments
  /// to the target. `beta` is memory for `states` numbers.
  void posteriors(const T* alpha, T loss, T* beta, T* gradient) const {
    for (std::int64_t t = steps - 1; t >= 0; --t) {
      const bool is_last = t == steps - 1;
      for (std::int64_t s = 0; s < states; ++s) {
        const T stays = is_last ? (s + 2 >= states ? T(0) : kImpossible<T>) : beta[s];
        const T goes = !is_last && s + 1 < states ? beta[s + 1] : kImpossible<T>;
        const T skips =
            !is_last && s + 2 < states && skips_to(s + 2) ? beta[s + 2] : kImpossible<T>;
        beta[s] = log_of_exps(stays, goes, skips) + log_prob(t, s);
        const T whole = alpha[t * states + s] + beta[s];
        if (whole == kImpossible<T>) continue;
        gradient[t * row_ + label(s)] += std::exp(whole - log_prob(t, s) + loss);
      }
    }
  }

 private:
  bool skips_to(std::int64_t state) const {
    return state % 2 == 1 && state > 1 && label(state) != label(state - 2);
  }

  const std::int64_t* labels_;
  std::int64_t blank_;
  const T* log_probs_;
  std::int64_t row_;  // the distance of two steps
};

/// Calls fn(T()) with the type of the tensor's elements.
template <class Fn>
void visit_float_or_double(const Tensor& tensor, const Fn& fn) {
  if (tensor.dtype() == kDouble) return fn(double());
  fn(float());
}

Tensor dense_on_cpu(const Tensor& tensor) { return tensor.detach().cpu().contiguous(); }

/// What the forward pass computes: the loss of each sample, and alpha [N, T, states].
struct CtcForward {
  Tensor losses, alpha;
};

CtcForward run_ctc(const Tensor& log_probs, const CtcBatch& batch) {
  const Tensor dense = dense_on_cpu(log_probs);
  const std::int64_t steps = dense.size(0), classes = dense.size(2), room = steps * batch.states();
  CtcForward result{empty({batch.size()}, dense.options()),
                    empty({batch.size(), room}, dense.options())};
  visit_float_or_double(dense, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = dense.data_ptr<T>();
    T* const losses = result.losses.data_ptr<T>();
    T* const alpha = result.alpha.data_ptr<T>();
    parallel_for(0, batch.size(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        losses[i] = CtcSample<T>(batch, from, classes, i).forward(alpha + i * room);
      }
    });
  });
  return result;
}

// Returns the gradient of the logits: (softmax - posteriors) times the gradient of the loss.
Tensor ctc_gradient(const Tensor& g, const Tensor& log_probs, const CtcBatch& batch,
                    const Tensor& losses, const Tensor& alpha, bool zero_infinity) {
  const Tensor dense = dense_on_cpu(log_probs), weights = dense_on_cpu(g);
  const std::int64_t classes = dense.size(2), row = batch.size() * classes;
  const Tensor gradient = zeros(dense.sizes(), dense.options());
  const Tensor beta = empty({batch.size(), batch.states()}, dense.options());
  visit_float_or_double(dense, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = dense.data_ptr<T>();
    T* const to = gradient.data_ptr<T>();
    parallel_for(0, batch.size(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const CtcSample<T> sample(batch, from, classes, i);
        const T loss = losses.data_ptr<T>()[i], weight = weights.data_ptr<T>()[i];
        if (zero_infinity && loss == -kImpossible<T>) continue;
        sample.posteriors(alpha.data_ptr<T>() + i * alpha.size(1), loss,
                          beta.data_ptr<T>() + i * beta.size(1), to + i * classes);
        for (std::int64_t t = 0; t < sample.steps; ++t) {
          for (std::int64_t at = t * row + i * classes; at < t * row + (i + 1) * classes; ++at) {
            // Without an alignment there are no posteriors: NaN, as in PyTorch.
            const T posterior = std::isinf(loss) ? std::numeric_limits<T>::quiet_NaN() : to[at];
            to[at] = (std::exp(from[at]) - posterior) * weight;
          }
        }
      }
    });
  });
  return gradient.to(log_probs.device());
}

// Returns the loss of each sample, recorded.
Tensor ctc_losses(const Tensor& log_probs, const CtcBatch& batch, bool zero_infinity) {
  if (log_probs.is_meta()) return log_probs.new_empty({batch.size()});
  const CtcForward forward = run_ctc(log_probs, batch);
  Tensor out = forward.losses.to(log_probs.device());
  if (out.is_same(forward.losses)) out = out.clone();  // the caller may change the result
  if (!needs_grad(log_probs)) return out;
  return record(
      "CtcLossBackward0", out,
      wrt(
          log_probs,
          [rest = batch.without_labels(), zero_infinity](const Tensor& g, const Tensor& x,
                                                         const Tensor& losses, const Tensor& alpha,
                                                         const Tensor& labels) {
            CtcBatch all = rest;
            all.labels = labels;
            return detail::without_gradient(
                "_ctc_loss_backward", ctc_gradient(g, x, all, losses, alpha, zero_infinity), g, x);
          },
          log_probs, forward.losses, forward.alpha, batch.labels));
}

std::vector<std::int64_t> lengths_of(const char* name, const Tensor& lengths) {
  TERN_CHECK(detail::is_integral(lengths.dtype()), DTypeError, name, " must be integral, got ",
             lengths.scalar_type());
  return lengths.to(kLong).cpu().flatten().to_vector<std::int64_t>();
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, StrictInt blank, Reduction reduction,
                StrictBool zero_infinity) {
  TERN_OP("ctc_loss", log_probs, targets);
  TERN_AUTOCAST(kFloat32, kUnchanged, ctc_loss, log_probs, targets, input_lengths, target_lengths,
                blank, reduction, zero_infinity);
  const bool is_batched = log_probs.dim() != 2;
  TERN_CHECK(log_probs.dim() == 2 || log_probs.dim() == 3, ShapeError,
             "Expected 3-dimensional tensor, but got ", log_probs.dim(),
             "-dimensional tensor for argument #1 'log_probs'");
  TERN_CHECK(log_probs.numel() > 0, ShapeError, "log_probs tensor must not be empty, got sizes ",
             log_probs.sizes());
  TERN_CHECK(log_probs.dtype() == kFloat || log_probs.dtype() == kDouble, NotImplementedError,
             "\"ctc_loss_cpu\" not implemented for '", log_probs.scalar_type(), "'");
  TERN_CHECK(detail::is_integral(targets.dtype()), DTypeError,
             "targets must have an integral dtype, got ", targets.scalar_type());
  detail::check_same_device("_ctc_loss", {&log_probs, &targets}, {"log_probs", "targets"});
  const Tensor x = is_batched ? log_probs : log_probs.unsqueeze(1);
  const std::int64_t classes = x.size(2);
  TERN_CHECK(blank >= 0 && blank < classes, Error, "blank must be in label range, got ", blank,
             " with ", classes, " classes");
  CtcBatch batch;
  batch.blank = blank;
  batch.input_lengths = input_lengths.vec();
  batch.target_lengths = target_lengths.vec();
  check_lengths("input_lengths", batch.input_lengths, x.size(1), x.size(0));
  check_lengths("target_lengths", batch.target_lengths, x.size(1), targets.numel());
  find_labels(batch, targets);
  if (!targets.is_meta()) {
    batch.labels = dense_on_cpu(targets.to(kLong));
    check_used_labels(batch, classes);
  }
  Tensor losses = ctc_losses(x, batch, zero_infinity);
  if (zero_infinity) losses = where(losses == std::numeric_limits<double>::infinity(), 0, losses);
  if (reduction == Reduction::None) return is_batched ? losses : losses.squeeze(0);
  if (reduction == Reduction::Sum) return losses.sum();
  std::vector<double> divisors;
  for (const std::int64_t length : batch.target_lengths) {
    divisors.push_back(static_cast<double>(std::max<std::int64_t>(length, 1)));
  }
  return (losses / tensor(divisors, losses.options())).mean();
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, StrictInt blank, Reduction reduction,
                StrictBool zero_infinity) {
  TERN_OP("ctc_loss", log_probs, targets, input_lengths, target_lengths);
  TERN_AUTOCAST(kFloat32, kUnchanged, ctc_loss, log_probs, targets, input_lengths, target_lengths,
                blank, reduction, zero_infinity);
  return ctc_loss(log_probs, targets, lengths_of("input_lengths", input_lengths),
                  lengths_of("target_lengths", target_lengths), blank, reduction, zero_infinity);
}

}  // namespace tern
