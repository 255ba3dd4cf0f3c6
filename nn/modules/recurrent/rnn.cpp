#include <tern/nn/modules/recurrent/rnn.h>

#include <cmath>
#include <string>

#include <tern/core/autograd/detail/autocast_mode.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/nn/detail/recurrent.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/any_module.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn {

namespace {

using detail::RNNMode;
using detail::RNNOptionsBase;
using utils::rnn::PackedSequence;

const char* name_of(RNNMode mode) {
  return mode == RNNMode::LSTM ? "LSTM" : mode == RNNMode::GRU ? "GRU" : "RNN";
}
std::int64_t gates_of(RNNMode mode) {
  return mode == RNNMode::LSTM ? 4 : mode == RNNMode::GRU ? 3 : 1;
}
std::int64_t state_size(const RNNOptionsBase& options) {
  return options.proj_size() > 0 ? options.proj_size() : options.hidden_size();
}
std::int64_t directions_of(const RNNOptionsBase& options) {
  return options.bidirectional() ? 2 : 1;
}

void check_options(const RNNOptionsBase& options) {
  const std::int64_t hidden = options.hidden_size(), projected = options.proj_size();
  TERN_CHECK(options.dropout() >= 0 && options.dropout() <= 1, Error,
             "dropout should be a number in range [0, 1] representing the probability of an "
             "element being zeroed, got ",
             options.dropout());
  TERN_CHECK(options.input_size() > 0, Error, "input_size must be greater than zero, got ",
             options.input_size());
  TERN_CHECK(hidden > 0, Error, "hidden_size must be greater than zero, got ", hidden);
  detail::check_size(name_of(options.mode()), "hidden_size", hidden);
  TERN_CHECK(options.num_layers() > 0, Error, "num_layers must be greater than zero, got ",
             options.num_layers());
  TERN_CHECK(options.num_layers() <= detail::kMostLayers, Error, "num_layers must be at most ",
             detail::kMostLayers, ", got ", options.num_layers());
  TERN_CHECK(projected >= 0, Error,
             "proj_size should be a positive integer or zero to disable projections, got ",
             projected);
  TERN_CHECK(projected < hidden, Error,
             "proj_size has to be smaller than hidden_size, got proj_size ", projected,
             " and hidden_size ", hidden);
}

/// Returns sizes as a tuple of Python, as they stand in PyTorch's texts.
std::string tuple_of(IntArrayRef sizes) {
  std::string text = "(";
  for (const std::int64_t size : sizes) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + ")";
}

void check_state(const Tensor& state, IntArrayRef expected, const char* name) {
  TERN_CHECK(state.sizes() == expected, ShapeError, "Expected ", name, " size ", tuple_of(expected),
             ", got ", state.sizes());
}

/// The initial states of a network; `c` is undefined unless an LSTM.
struct FirstStates {
  Tensor h, c;
};

FirstStates zero_states(const RNNOptionsBase& options, const Tensor& input, std::int64_t batch) {
  const std::int64_t rows = options.num_layers() * directions_of(options);
  const TensorOptions like = input.options().requires_grad(false);
  FirstStates states{zeros({rows, batch, state_size(options)}, like), {}};
  if (options.mode() == RNNMode::LSTM) {
    states.c = zeros({rows, batch, options.hidden_size()}, like);
  }
  return states;
}

void check_states(const RNNOptionsBase& options, const FirstStates& states, std::int64_t batch) {
  const std::int64_t rows = options.num_layers() * directions_of(options);
  const bool is_lstm = options.mode() == RNNMode::LSTM;
  check_state(states.h, {rows, batch, state_size(options)}, is_lstm ? "hidden[0]" : "hidden");
  if (is_lstm) check_state(states.c, {rows, batch, options.hidden_size()}, "hidden[1]");
}

void check_input(const RNNOptionsBase& options, const Tensor& input, const Tensor& weight) {
  if (tern::detail::autocast_mode.devices == 0 && weight.defined()) {
    TERN_CHECK(input.dtype() == weight.dtype(), DTypeError, "RNN input dtype (",
               input.scalar_type(), ") does not match weight dtype (", weight.scalar_type(),
               "). Convert input: input.to(k", weight.scalar_type(),
               "), or convert model: model->to(k", input.scalar_type(), ")");
  }
  TERN_CHECK(input.size(-1) == options.input_size(), ShapeError,
             "input.size(-1) must be equal to input_size. Expected ", options.input_size(),
             ", got ", input.size(-1));
}

/// Checks the dimensions of the states and gives those of a single sequence a batch of one.
void add_batch(FirstStates& states, bool is_batched) {
  const std::int64_t wanted = is_batched ? 3 : 2;
  const bool fits = states.h.dim() == wanted && (!states.c.defined() || states.c.dim() == wanted);
  const char* const input =
      is_batched ? "For batched 3-D input, hx " : "For unbatched 2-D input, hx ";
  if (!fits && states.c.defined()) {
    tern::detail::raise<ShapeError>(input, "and cx should also be ", wanted, "-D but got (",
                                    states.h.dim(), "-D, ", states.c.dim(), "-D) tensors");
  }
  TERN_CHECK(fits, ShapeError, input, "should also be ", wanted, "-D but got ", states.h.dim(),
             "-D tensor");
  if (is_batched) return;
  states.h = states.h.unsqueeze(1);
  if (states.c.defined()) states.c = states.c.unsqueeze(1);
}

/// Output and last states.
struct NetworkResult {
  Tensor out, h, c;
};

/// Calls the function of the mode with all arguments after the states.
template <class... Leading, class... Trailing>
NetworkResult call_network(RNNMode mode, const FirstStates& states,
                           const std::tuple<Leading...>& leading, const Trailing&... trailing) {
  return std::apply(
      [&](const auto&... inputs) -> NetworkResult {
        if (mode == RNNMode::LSTM) {
          const Tensor hx[] = {states.h, states.c};
          auto [out, h, c] = tern::lstm(inputs..., TensorList(hx, 2), trailing...);
          return {out, h, c};
        }
        auto [out, h] = mode == RNNMode::GRU ? tern::gru(inputs..., states.h, trailing...)
                        : mode == RNNMode::RNN_TANH
                            ? tern::rnn_tanh(inputs..., states.h, trailing...)
                            : tern::rnn_relu(inputs..., states.h, trailing...);
        return {out, h, Tensor()};
      },
      leading);
}

NetworkResult run_network(const RNNOptionsBase& options, const std::vector<Tensor>& weights,
                          bool is_training, const Tensor& input,
                          const std::optional<FirstStates>& given) {
  tern::detail::check_arguments("input", input);
  const bool is_rnn = options.mode() == RNNMode::RNN_TANH || options.mode() == RNNMode::RNN_RELU;
  TERN_CHECK(input.dim() == 2 || input.dim() == 3, ShapeError, name_of(options.mode()),
             ": Expected input to be 2D or 3D, got ", input.dim(), is_rnn ? "D tensor" : "D",
             " instead");
  const bool is_batched = input.dim() == 3;
  const std::int64_t batch_dim = options.batch_first() ? 0 : 1;
  const Tensor batched = is_batched ? input : input.unsqueeze(batch_dim);
  const std::int64_t batch = batched.size(batch_dim);
  FirstStates states = given ? *given : zero_states(options, input, batch);
  if (given) add_batch(states, is_batched);
  check_input(options, input, weights[0]);
  check_states(options, states, batch);
  NetworkResult result =
      call_network(options.mode(), states, std::tuple<const Tensor&>(batched), TensorList(weights),
                   options.bias(), options.num_layers(), options.dropout(), is_training,
                   options.bidirectional(), options.batch_first());
  if (!is_batched) {
    result.out = result.out.squeeze(batch_dim);
    result.h = result.h.squeeze(1);
    if (result.c.defined()) result.c = result.c.squeeze(1);
  }
  return result;
}

Tensor permuted(const Tensor& state, const Tensor& order) {
  return state.defined() && order.defined() ? index_select(state, 1, order) : state;
}

std::tuple<PackedSequence, NetworkResult> run_packed_network(
    const RNNOptionsBase& options, const std::vector<Tensor>& weights, bool is_training,
    const PackedSequence& input, const std::optional<FirstStates>& given) {
  TERN_CHECK(input.data().dim() == 2, ShapeError, name_of(options.mode()),
             ": input must have 2 dimensions, got packed data of ", input.data().dim());
  const std::int64_t batch =
      tern::detail::checked_batch_sizes(input.data(), input.batch_sizes())[0];
  check_input(options, input.data(), weights[0]);
  FirstStates states = given ? *given : zero_states(options, input.data(), batch);
  check_states(options, states, batch);
  if (given) {
    states.h = permuted(states.h, input.sorted_indices());
    states.c = permuted(states.c, input.sorted_indices());
  }
  NetworkResult result =
      call_network(options.mode(), states,
                   std::tuple<const Tensor&, const Tensor&>(input.data(), input.batch_sizes()),
                   TensorList(weights), options.bias(), options.num_layers(), options.dropout(),
                   is_training, options.bidirectional());
  result.h = permuted(result.h, input.unsorted_indices());
  result.c = permuted(result.c, input.unsorted_indices());
  return {PackedSequence(result.out, input.batch_sizes(), input.sorted_indices(),
                         input.unsorted_indices()),
          result};
}

std::optional<FirstStates> states_of(const Tensor& hx) {
  if (!hx.defined()) return std::nullopt;
  return FirstStates{hx, {}};
}
std::optional<FirstStates> states_of(const std::optional<std::tuple<Tensor, Tensor>>& hx) {
  if (!hx) return std::nullopt;
  const auto& [h, c] = *hx;
  TERN_CHECK(h.defined() && c.defined(), Error,
             "LSTM takes both states, h and c, or none: ", h.defined() ? "c" : "h",
             " is undefined");
  return FirstStates{h, c};
}

/// Copies the options that all networks have.
template <class Options>
RNNOptionsBase base_of(RNNMode mode, const Options& options) {
  return RNNOptionsBase(mode, options.input_size(), options.hidden_size())
      .num_layers(options.num_layers())
      .bias(options.bias())
      .batch_first(options.batch_first())
      .dropout(options.dropout())
      .bidirectional(options.bidirectional())
      .device(options.device())
      .dtype(options.dtype());
}

RNNMode mode_of(init::NonlinearityType nonlinearity) {
  TERN_CHECK(nonlinearity == kTanh || nonlinearity == kReLU, Error, "Unknown nonlinearity '",
             static_cast<int>(nonlinearity), "'. Select from 'tanh' or 'relu'.");
  return nonlinearity == kTanh ? RNNMode::RNN_TANH : RNNMode::RNN_RELU;
}

}  // namespace

namespace detail {

template <class Derived>
RNNImplBase<Derived>::RNNImplBase(const RNNOptionsBase& options_base_)
    : options_base(options_base_) {
  RNNImplBase::reset();
}

template <class Derived>
void RNNImplBase<Derived>::reset() {
  const RNNOptionsBase& options = options_base;
  check_options(options);
  const TensorOptions like = factory_options(options);
  const std::int64_t directions = directions_of(options), hidden = options.hidden_size();
  const std::int64_t state = state_size(options), rows = gates_of(options.mode()) * hidden;
  const std::int64_t each = 2 + (options.bias() ? 2 : 0) + (options.proj_size() > 0 ? 1 : 0);
  weights_.tensors.assign(static_cast<std::size_t>(options.num_layers() * directions * each),
                          Tensor());
  std::size_t next = 0;
  for (std::int64_t layer = 0; layer < options.num_layers(); ++layer) {
    const std::int64_t input = layer == 0 ? options.input_size() : directions * state;
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const std::string suffix = "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : "");
      const auto add = [&](const char* name, IntArrayRef sizes) {
        this->bind_parameter(name + suffix, weights_.tensors[next++], empty(sizes, like));
      };
      add("weight_ih", {rows, input});
      add("weight_hh", {rows, state});
      if (options.bias()) add("bias_ih", {rows});
      if (options.bias()) add("bias_hh", {rows});
      if (options.proj_size() > 0) add("weight_hr", {options.proj_size(), hidden});
    }
  }
  reset_parameters();
}

template <class Derived>
void RNNImplBase<Derived>::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(options_base.hidden_size()));
  for (const Tensor& weight : weights_.tensors) init::uniform_(weight, -bound, bound);
}

template <class Derived>
void RNNImplBase<Derived>::pretty_print(std::ostream& stream) const {
  const RNNOptionsBase& options = options_base;
  print_to(stream, {"tern::nn::", name_of(options.mode()), "(input_size=", options.input_size(),
                    ", hidden_size=", options.hidden_size(), ", num_layers=", options.num_layers(),
                    ", bias=", text_of_bool(options.bias()), ", batch_first=",
                    text_of_bool(options.batch_first()), ", dropout=", options.dropout(),
                    ", bidirectional=", text_of_bool(options.bidirectional())});
  if (options.proj_size() > 0) print_to(stream, {", proj_size=", options.proj_size()});
  print_to(stream, {")"});
}

template <class Derived>
std::vector<std::pair<unsigned, AnyValue>> RNNImplBase<Derived>::forward_defaults() {
  if constexpr (std::is_same_v<Derived, LSTMImpl>) {
    return {{1, AnyValue(std::optional<std::tuple<Tensor, Tensor>>())}};
  } else {
    return {{1, AnyValue(Tensor())}};
  }
}

template class RNNImplBase<RNNImpl>;
template class RNNImplBase<LSTMImpl>;
template class RNNImplBase<GRUImpl>;

}  // namespace detail

RNNImpl::RNNImpl(StrictInt input_size, StrictInt hidden_size)
    : RNNImpl(RNNOptions(input_size, hidden_size)) {}
RNNImpl::RNNImpl(const RNNOptions& options_)
    : RNNImplBase(base_of(mode_of(options_.nonlinearity()), options_)), options(options_) {}

std::tuple<Tensor, Tensor> RNNImpl::forward(const Tensor& input, const Tensor& hx) {
  const NetworkResult result =
      run_network(options_base, weights_.tensors, is_training(), input, states_of(hx));
  return {result.out, result.h};
}

std::tuple<PackedSequence, Tensor> RNNImpl::forward_with_packed_input(
    const PackedSequence& packed_input, const Tensor& hx) {
  auto [out, result] = run_packed_network(options_base, weights_.tensors, is_training(),
                                          packed_input, states_of(hx));
  return {out, result.h};
}

LSTMImpl::LSTMImpl(StrictInt input_size, StrictInt hidden_size)
    : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
LSTMImpl::LSTMImpl(const LSTMOptions& options_)
    : RNNImplBase(base_of(RNNMode::LSTM, options_).proj_size(options_.proj_size())),
      options(options_) {}

std::tuple<Tensor, std::tuple<Tensor, Tensor>> LSTMImpl::forward(
    const Tensor& input, const std::optional<std::tuple<Tensor, Tensor>>& hx_opt) {
  const NetworkResult result =
      run_network(options_base, weights_.tensors, is_training(), input, states_of(hx_opt));
  return {result.out, {result.h, result.c}};
}

std::tuple<PackedSequence, std::tuple<Tensor, Tensor>> LSTMImpl::forward_with_packed_input(
    const PackedSequence& packed_input, const std::optional<std::tuple<Tensor, Tensor>>& hx_opt) {
  auto [out, result] = run_packed_network(options_base, weights_.tensors, is_training(),
                                          packed_input, states_of(hx_opt));
  return {out, {result.h, result.c}};
}

GRUImpl::GRUImpl(StrictInt input_size, StrictInt hidden_size)
    : GRUImpl(GRUOptions(input_size, hidden_size)) {}
GRUImpl::GRUImpl(const GRUOptions& options_)
    : RNNImplBase(base_of(RNNMode::GRU, options_)), options(options_) {}

std::tuple<Tensor, Tensor> GRUImpl::forward(const Tensor& input, const Tensor& hx) {
  const NetworkResult result =
      run_network(options_base, weights_.tensors, is_training(), input, states_of(hx));
  return {result.out, result.h};
}

std::tuple<PackedSequence, Tensor> GRUImpl::forward_with_packed_input(
    const PackedSequence& packed_input, const Tensor& hx) {
  auto [out, result] = run_packed_network(options_base, weights_.tensors, is_training(),
                                          packed_input, states_of(hx));
  return {out, result.h};
}

}  // namespace tern::nn
