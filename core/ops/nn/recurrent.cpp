// Compiled for size.

#include <string>
#include <utility>
#include <vector>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/linalg/detail/product.h>
#include <tern/core/ops/nn/detail/recurrent.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using detail::RecurrentCell;
using detail::RecurrentLayer;
using detail::RecurrentResult;
using detail::RecurrentSteps;
using detail::RecurrentWeights;

/// The options of a network of recurrent layers.
struct Recurrence {
  RecurrentCell cell;
  bool has_biases;
  std::int64_t num_layers;
  double dropout;
  bool train, bidirectional;

  bool is_lstm() const { return cell == RecurrentCell::kLstm; }
  std::int64_t directions() const { return bidirectional ? 2 : 1; }
  /// The number of parameters of a layer in one direction.
  std::size_t params_of_one(bool projects) const {
    return 2U + (has_biases ? 2U : 0U) + (projects ? 1U : 0U);
  }
};

std::int64_t weight_columns(RecurrentCell cell) {
  return kernels::gate_columns(cell) - kernels::input_only_columns(cell);
}

void check_like_input(const Tensor& input, const char* name, const Tensor& tensor) {
  if (!tensor.defined()) return;
  TERN_CHECK(tensor.device() == input.device(), DeviceError, "Input and ", name,
             " tensors are not at the same device, found input tensor at ", input.device(), " and ",
             name, " tensor at ", tensor.device(),
             ". Expected all tensors to be on the same device, but found at least two devices, ",
             input.device(), " and ", tensor.device(), '!');
  TERN_CHECK(tensor.dtype() == input.dtype(), DTypeError, "Input and ", name,
             " tensors are not the same dtype, found input tensor with ", input.scalar_type(),
             " and ", name, " tensor with ", tensor.scalar_type());
}

void check_floating_input(const Tensor& input) {
  TERN_CHECK(input.is_floating_point(), DTypeError,
             "expected an input of a floating point dtype, got ", input.scalar_type());
}

void check_sizes_of(const std::string& name, const Tensor& tensor, IntArrayRef sizes) {
  TERN_CHECK(tensor.sizes() == sizes, ShapeError, name, " must have sizes ", sizes, ", got ",
             tensor.sizes());
}

/// Checks the parameters of one layer and direction, whose names end with `suffix`.
void check_weights(RecurrentCell cell, const Tensor& input, const Tensor& h, const Tensor& c,
                   const RecurrentWeights& w, const std::string& suffix) {
  for (const Tensor* tensor : {&w.w_ih, &w.w_hh, &w.b_ih, &w.b_hh, &w.w_hr}) {
    check_like_input(input, "parameter", *tensor);
  }
  const std::int64_t hidden = c.defined() ? c.size(1) : h.size(1);
  const std::int64_t rows = weight_columns(cell) * hidden;
  check_sizes_of("weight_ih" + suffix, w.w_ih, {rows, input.size(1)});
  check_sizes_of("weight_hh" + suffix, w.w_hh, {rows, h.size(1)});
  if (w.b_ih.defined()) {
    check_sizes_of("bias_ih" + suffix, w.b_ih, {rows});
    check_sizes_of("bias_hh" + suffix, w.b_hh, {rows});
  }
  if (w.w_hr.defined()) check_sizes_of("weight_hr" + suffix, w.w_hr, {h.size(1), hidden});
}

/// Returns the weights of `index` = layer * directions + direction in the flat list.
RecurrentWeights weights_at(const Recurrence& net, TensorList params, bool projects,
                            std::int64_t index) {
  const std::size_t each = net.params_of_one(projects);
  const Tensor* const first = params.data() + static_cast<std::size_t>(index) * each;
  RecurrentWeights weights{first[0], first[1], {}, {}, {}};
  if (net.has_biases) weights.b_ih = first[2], weights.b_hh = first[3];
  if (projects) weights.w_hr = first[each - 1];
  return weights;
}

void check_states(const Recurrence& net, const Tensor& input, const RecurrentSteps& steps,
                  const Tensor& h, const Tensor& c) {
  for (const Tensor* state : {&h, &c}) {
    if (!state->defined()) continue;
    check_like_input(input, "hidden", *state);
    TERN_CHECK(state->dim() == 3, ShapeError, "hidden states must have 3 dimensions, got ",
               state->dim());
    TERN_CHECK(state->size(0) >= net.num_layers * net.directions(), Error,
               "Expected more hidden states in stacked_rnn: ", net.num_layers, " layers with ",
               net.directions(), " directions need ", net.num_layers * net.directions(), ", got ",
               state->size(0));
    TERN_CHECK(state->size(1) == steps.batch(), ShapeError, "Expected hidden states of ",
               steps.batch(), " sequences, got ", state->size(1));
  }
}

/// Runs all layers on the rows of all steps.
RecurrentResult run_network(const Recurrence& net, const Tensor& input, const RecurrentSteps& steps,
                            const Tensor& h, const Tensor& c, TensorList params) {
  detail::check_all_defined(params);
  check_states(net, input, steps, h, c);
  const std::int64_t directions = net.directions();
  const bool projects = net.is_lstm() && h.size(2) != c.size(2);
  const std::size_t each = net.params_of_one(projects);
  const std::size_t expected = each * static_cast<std::size_t>(net.num_layers * directions);
  TERN_CHECK(net.num_layers > 0, Error, "num_layers must be greater than zero, got ",
             net.num_layers);
  TERN_CHECK(params.size() == expected, Error, "expected ", expected, " parameters (", each,
             " for each of ", net.num_layers, " layers in ", directions, " directions), got ",
             params.size());
  Tensor x = input;
  std::vector<Tensor> last_h, last_c;
  for (std::int64_t layer = 0; layer < net.num_layers; ++layer) {
    std::vector<Tensor> outputs;
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const std::int64_t index = layer * directions + direction;
      const RecurrentWeights weights = weights_at(net, params, projects, index);
      const Tensor first_h = h.select(0, index);
      const Tensor first_c = c.defined() ? c.select(0, index) : Tensor();
      check_weights(net.cell, x, first_h, first_c, weights,
                    "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : ""));
      const RecurrentResult result = run_recurrent_layer(
          RecurrentLayer{net.cell, direction == 1, steps}, x, first_h, first_c, weights);
      outputs.push_back(result.out);
      last_h.push_back(result.h);
      last_c.push_back(result.c);
    }
    x = directions == 1 ? outputs[0] : cat(outputs, 1);
    if (net.dropout != 0 && layer + 1 < net.num_layers) x = dropout(x, net.dropout, net.train);
  }
  return {x, stack(last_h), net.is_lstm() ? stack(last_c) : Tensor()};
}

RecurrentResult run_padded(const Recurrence& net, const Tensor& input, const Tensor& h,
                           const Tensor& c, TensorList params, bool batch_first) {
  TERN_CHECK(input.dim() == 3, ShapeError, "input must have 3 dimensions, got ", input.dim());
  check_floating_input(input);
  const Tensor by_time = batch_first ? input.transpose(0, 1) : input;
  const std::int64_t count = by_time.size(0), batch = by_time.size(1);
  TERN_CHECK(count > 0, ShapeError, "Expected sequence length to be larger than 0 in RNN");
  RecurrentResult result = run_network(net, by_time.reshape({count * batch, by_time.size(2)}),
                                       RecurrentSteps(count, batch), h, c, params);
  // As PyTorch's output, which is stacked, it is a tensor of its own.
  result.out =
      detail::unsafe_view("UnsafeViewBackward0", result.out, {count, batch, result.out.size(1)});
  if (batch_first) result.out = result.out.transpose(0, 1);
  return result;
}

RecurrentResult run_packed(const Recurrence& net, const Tensor& data, const Tensor& batch_sizes,
                           const Tensor& h, const Tensor& c, TensorList params) {
  TERN_CHECK(data.dim() == 2, ShapeError, "packed data must have 2 dimensions, got ", data.dim());
  check_floating_input(data);
  TERN_CHECK(batch_sizes.device().is_cpu(), DeviceError,
             "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
             "created manually. They should be instantiated by functions like pack_sequence and "
             "pack_padded_sequence in nn.utils.rnn, got batch_sizes on ",
             batch_sizes.device());
  const std::vector<std::int64_t> sizes = detail::checked_batch_sizes(data, batch_sizes);
  return run_network(net, data, RecurrentSteps(sizes), h, c, params);
}

void check_lstm_states(TensorList hx) {
  TERN_CHECK(hx.size() == 2, Error, "lstm expects two hidden states, got ", hx.size());
  detail::check_all_defined(hx);
}

/// Runs one step. Checks the arguments.
RecurrentResult run_cell(RecurrentCell cell, const Tensor& input, const Tensor& h, const Tensor& c,
                         const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                         const Tensor& b_hh) {
  TERN_CHECK(input.dim() == 2, ShapeError, "input must have 2 dimensions, got ", input.dim());
  check_floating_input(input);
  for (const Tensor* state : {&h, &c}) {
    if (!state->defined()) continue;
    check_like_input(input, "hidden", *state);
    TERN_CHECK(state->dim() == 2 && state->size(0) == input.size(0), ShapeError,
               "expected a hidden state of sizes [", input.size(0), ", *], got ", state->sizes());
  }
  RecurrentWeights weights{w_ih, w_hh, b_ih, b_hh, {}};
  if (b_ih.defined() && !b_hh.defined()) weights.b_hh = zeros_like(b_ih);
  if (b_hh.defined() && !b_ih.defined()) weights.b_ih = zeros_like(b_hh);
  check_weights(cell, input, h, c, weights, "");
  return run_recurrent_layer(RecurrentLayer{cell, false, RecurrentSteps(1, input.size(0))}, input,
                             h, c, weights);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx, TensorList params,
                                        StrictBool has_biases, StrictInt num_layers, double dropout,
                                        StrictBool train, StrictBool bidirectional,
                                        StrictBool batch_first) {
  TERN_OP("lstm", input, hx, params);
  TERN_AUTOCAST(kLower, kLower, lstm, input, hx, params, has_biases, num_layers, dropout, train,
                bidirectional, batch_first);
  check_lstm_states(hx);
  const Recurrence net{RecurrentCell::kLstm, has_biases, num_layers, dropout, train, bidirectional};
  RecurrentResult result = run_padded(net, input, hx[0], hx[1], params, batch_first);
  return {std::move(result.out), std::move(result.h), std::move(result.c)};
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        TensorList hx, TensorList params, StrictBool has_biases,
                                        StrictInt num_layers, double dropout, StrictBool train,
                                        StrictBool bidirectional) {
  TERN_OP("lstm", data, batch_sizes, hx, params);
  TERN_AUTOCAST(kLower, kLower, lstm, data, batch_sizes, hx, params, has_biases, num_layers,
                dropout, train, bidirectional);
  check_lstm_states(hx);
  const Recurrence net{RecurrentCell::kLstm, has_biases, num_layers, dropout, train, bidirectional};
  RecurrentResult result = run_packed(net, data, batch_sizes, hx[0], hx[1], params);
  return {std::move(result.out), std::move(result.h), std::move(result.c)};
}

// The other networks differ in their cell alone.
#define TERN_RECURRENT_OP(name, cell)                                                              \
  std::tuple<Tensor, Tensor> name(const Tensor& input, const Tensor& hx, TensorList params,        \
                                  StrictBool has_biases, StrictInt num_layers, double dropout,     \
                                  StrictBool train, StrictBool bidirectional,                      \
                                  StrictBool batch_first) {                                        \
    TERN_OP(#name, input, hx, params);                                                             \
    TERN_AUTOCAST(kFloat32, kLower, name, input, hx, params, has_biases, num_layers, dropout,      \
                  train, bidirectional, batch_first);                                              \
    const Recurrence net{cell, has_biases, num_layers, dropout, train, bidirectional};             \
    RecurrentResult result = run_padded(net, input, hx, {}, params, batch_first);                  \
    return {std::move(result.out), std::move(result.h)};                                           \
  }                                                                                                \
  std::tuple<Tensor, Tensor> name(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, \
                                  TensorList params, StrictBool has_biases, StrictInt num_layers,  \
                                  double dropout, StrictBool train, StrictBool bidirectional) {    \
    TERN_OP(#name, data, batch_sizes, hx, params);                                                 \
    TERN_AUTOCAST(kFloat32, kLower, name, data, batch_sizes, hx, params, has_biases, num_layers,   \
                  dropout, train, bidirectional);                                                  \
    const Recurrence net{cell, has_biases, num_layers, dropout, train, bidirectional};             \
    RecurrentResult result = run_packed(net, data, batch_sizes, hx, {}, params);                   \
    return {std::move(result.out), std::move(result.h)};                                           \
  }                                                                                                \
  Tensor name##_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,                    \
                     const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {                 \
    TERN_OP(#name "_cell", input, hx, w_ih, w_hh);                                                 \
    TERN_AUTOCAST(kFloat32, kLower, name##_cell, input, hx, w_ih, w_hh, b_ih, b_hh);               \
    return run_cell(cell, input, hx, {}, w_ih, w_hh, b_ih, b_hh).h;                                \
  }

TERN_RECURRENT_OP(gru, RecurrentCell::kGru)
TERN_RECURRENT_OP(rnn_tanh, RecurrentCell::kTanh)
TERN_RECURRENT_OP(rnn_relu, RecurrentCell::kRelu)

#undef TERN_RECURRENT_OP

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {
  TERN_OP("lstm_cell", input, hx, w_ih, w_hh);
  TERN_AUTOCAST(kFloat32, kLower, lstm_cell, input, hx, w_ih, w_hh, b_ih, b_hh);
  TERN_CHECK(hx.size() == 2, Error, "lstm_cell expects two hidden states, got ", hx.size());
  detail::check_all_defined(hx);
  RecurrentResult result =
      run_cell(RecurrentCell::kLstm, input, hx[0], hx[1], w_ih, w_hh, b_ih, b_hh);
  return {std::move(result.h), std::move(result.c)};
}

}  // namespace tern
