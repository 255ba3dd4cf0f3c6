// Compiled for size.

#include <algorithm>

#include <tern/core/ops/nn/detail/recurrent.h>
#include <tern/core/ops/ops.h>

namespace tern::detail {
namespace {

/// The state of the running sequences. Their number changes between the steps of a packed batch.
class RunningState {
 public:
  RunningState(const Tensor& first, std::int64_t rows)
      : first_(first), now_(rows_of(first, rows)) {}

  const Tensor& now() const { return now_; }
  void set(const Tensor& state) { now_ = state; }

  /// Keeps the states of sequences that have ended; adds the first states of those that begin.
  void resize(std::int64_t rows) {
    const std::int64_t have = now_.size(0);
    if (rows < have) {
      ended_.push_back(now_.narrow(0, rows, have - rows));
      now_ = now_.narrow(0, 0, rows);
    } else if (rows > have) {
      now_ = cat({now_, first_.narrow(0, have, rows - have)});
    }
  }
  /// Returns the last states of all sequences, in their order.
  Tensor last() const {
    if (ended_.empty()) return now_;
    std::vector<Tensor> parts = {now_};
    parts.insert(parts.end(), ended_.rbegin(), ended_.rend());
    return cat(parts);
  }

 private:
  static Tensor rows_of(const Tensor& first, std::int64_t rows) {
    return rows == first.size(0) ? first : first.narrow(0, 0, rows);
  }

  Tensor first_, now_;
  std::vector<Tensor> ended_;
};

/// One step. `from_input` and `from_state` are the products with their biases.
void take_composed_step(RecurrentCell cell, const Tensor& from_input, const Tensor& from_state,
                        const Tensor& w_hr, RunningState& h, RunningState* c) {
  if (cell == RecurrentCell::kTanh || cell == RecurrentCell::kRelu) {
    const Tensor sum = from_input + from_state;
    return h.set(cell == RecurrentCell::kTanh ? tanh(sum) : relu(sum));
  }
  if (cell == RecurrentCell::kGru) {
    const std::vector<Tensor> x = chunk(from_input, 3, 1), s = chunk(from_state, 3, 1);
    const Tensor r = sigmoid(x[0] + s[0]), z = sigmoid(x[1] + s[1]), n = tanh(x[2] + r * s[2]);
    return h.set((1 - z) * n + z * h.now());
  }
  const std::vector<Tensor> gates = chunk(from_input + from_state, 4, 1);
  c->set(sigmoid(gates[1]) * c->now() + sigmoid(gates[0]) * tanh(gates[2]));
  const Tensor state = sigmoid(gates[3]) * tanh(c->now());
  h.set(w_hr.defined() ? linear(state, w_hr) : state);
}

}  // namespace

RecurrentResult compose_recurrent_layer(const RecurrentLayer& layer, const Tensor& input,
                                        const Tensor& first_h, const Tensor& first_c,
                                        const RecurrentWeights& weights) {
  const RecurrentSteps& steps = layer.steps;
  const std::int64_t count = steps.count();
  const std::int64_t first_rows = steps.size(layer.reverse ? count - 1 : 0);
  const bool is_lstm = layer.cell == RecurrentCell::kLstm;
  RunningState h(first_h, first_rows), c(is_lstm ? first_c : first_h, first_rows);
  const Tensor products = linear(input, weights.w_ih, weights.b_ih);
  std::vector<Tensor> out;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t t = layer.reverse ? count - 1 - k : k;
    h.resize(steps.size(t));
    if (is_lstm) c.resize(steps.size(t));
    take_composed_step(layer.cell, products.narrow(0, steps.start(t), steps.size(t)),
                       linear(h.now(), weights.w_hh, weights.b_hh), weights.w_hr, h, &c);
    out.push_back(h.now());
  }
  if (layer.reverse) std::reverse(out.begin(), out.end());
  return {cat(out), h.last(), is_lstm ? c.last() : Tensor()};
}

}  // namespace tern::detail
