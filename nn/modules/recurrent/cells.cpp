#include <tern/nn/modules/recurrent/cells.h>

#include <array>
#include <cmath>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/any_module.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn {

namespace {

/// The name of a cell, and the number of its gates.
template <class Cell>
struct CellTraits;
template <>
struct CellTraits<RNNCellImpl> {
  static constexpr const char* kName = "RNNCell";
  static constexpr std::int64_t kGates = 1;
};
template <>
struct CellTraits<LSTMCellImpl> {
  static constexpr const char* kName = "LSTMCell";
  static constexpr std::int64_t kGates = 4;
};
template <>
struct CellTraits<GRUCellImpl> {
  static constexpr const char* kName = "GRUCell";
  static constexpr std::int64_t kGates = 3;
};

/// Checks state number `index` and returns it with a batch.
Tensor batched_state(const Tensor& input, const Tensor& state, std::int64_t hidden, int index) {
  const bool is_batched = input.dim() == 2;
  if (!is_batched) {
    TERN_CHECK(state.dim() == 1, ShapeError, "Expected 1D hidden", index,
               " (hidden_size) for an input without batch, but got ", state.dim(), "D tensor");
  } else {
    TERN_CHECK(state.dim() == 2, ShapeError, "Expected 2D hidden", index,
               " (batch x hidden_size), but got ", state.dim(), "D tensor");
    TERN_CHECK(state.size(0) == input.size(0), ShapeError, "Input batch size ", input.size(0),
               " doesn't match hidden", index, " batch size ", state.size(0));
  }
  TERN_CHECK(state.size(-1) == hidden, ShapeError, "hidden", index,
             " has inconsistent hidden_size: got ", state.size(-1), ", expected ", hidden);
  return is_batched ? state : state.unsqueeze(0);
}

/// The arguments of a step, with a batch.
struct CellCall {
  Tensor input;
  std::array<Tensor, 2> states;
  bool is_batched;

  /// Returns a result as the caller's input has it.
  Tensor result(const Tensor& state) const { return is_batched ? state : state.squeeze(0); }
};

/// Checks the arguments; undefined states become zeros.
template <class Cell, class Options>
CellCall call_of(const Options& options, const Tensor& input, const Tensor& h, const Tensor& c) {
  tern::detail::check_arguments("input", input);
  TERN_CHECK(input.dim() == 1 || input.dim() == 2, ShapeError, CellTraits<Cell>::kName,
             ": Expected input to be 1D or 2D, got ", input.dim(), "D instead");
  TERN_CHECK(input.size(-1) == options.input_size(), ShapeError,
             "input has inconsistent input_size: got ", input.size(-1), " expected ",
             options.input_size());
  CellCall call{input.dim() == 2 ? input : input.unsqueeze(0), {h, c}, input.dim() == 2};
  int index = 0;
  for (Tensor& state : call.states) {
    if (state.defined()) {
      state = batched_state(input, state, options.hidden_size(), index);
    } else {
      state =
          zeros({call.input.size(0), options.hidden_size()}, input.options().requires_grad(false));
    }
    ++index;
  }
  return call;
}

}  // namespace

namespace detail {

template <class Derived, class Options>
RNNCellImplBase<Derived, Options>::RNNCellImplBase(const Options& options_) : options(options_) {
  RNNCellImplBase::reset();
}

template <class Derived, class Options>
void RNNCellImplBase<Derived, Options>::reset() {
  check_size(CellTraits<Derived>::kName, "input_size", options.input_size());
  check_size(CellTraits<Derived>::kName, "hidden_size", options.hidden_size());
  const TensorOptions like = factory_options(options);
  const std::int64_t hidden = options.hidden_size(), rows = CellTraits<Derived>::kGates * hidden;
  const auto bias = [&] { return options.bias() ? empty({rows}, like) : Tensor(); };
  this->bind_parameter("weight_ih", weight_ih, empty({rows, options.input_size()}, like));
  this->bind_parameter("weight_hh", weight_hh, empty({rows, hidden}, like));
  this->bind_parameter("bias_ih", bias_ih, bias());
  this->bind_parameter("bias_hh", bias_hh, bias());
  reset_parameters();
}

template <class Derived, class Options>
void RNNCellImplBase<Derived, Options>::reset_parameters() {
  const auto hidden = static_cast<double>(options.hidden_size());
  const double bound = hidden > 0 ? 1 / std::sqrt(hidden) : 0;
  for (const Tensor* weight : {&weight_ih, &weight_hh, &bias_ih, &bias_hh}) {
    if (weight->defined()) init::uniform_(*weight, -bound, bound);
  }
}

template <class Derived, class Options>
void RNNCellImplBase<Derived, Options>::pretty_print(std::ostream& stream) const {
  print_to(stream, {"tern::nn::", CellTraits<Derived>::kName, '(', options.input_size(), ", ",
                    options.hidden_size(), options.bias() ? "" : ", bias=false"});
  if constexpr (std::is_same_v<Options, RNNCellOptions>) {
    if (options.nonlinearity() == kReLU) print_to(stream, {", nonlinearity=kReLU"});
  }
  print_to(stream, {")"});
}

template <class Derived, class Options>
std::vector<std::pair<unsigned, AnyValue>> RNNCellImplBase<Derived, Options>::forward_defaults() {
  if constexpr (std::is_same_v<Derived, LSTMCellImpl>) {
    return {{1, AnyValue(std::optional<std::tuple<Tensor, Tensor>>())}};
  } else {
    return {{1, AnyValue(Tensor())}};
  }
}

template class RNNCellImplBase<RNNCellImpl, RNNCellOptions>;
template class RNNCellImplBase<LSTMCellImpl, LSTMCellOptions>;
template class RNNCellImplBase<GRUCellImpl, GRUCellOptions>;

}  // namespace detail

RNNCellImpl::RNNCellImpl(StrictInt input_size, StrictInt hidden_size)
    : RNNCellImpl(RNNCellOptions(input_size, hidden_size)) {}
LSTMCellImpl::LSTMCellImpl(StrictInt input_size, StrictInt hidden_size)
    : LSTMCellImpl(LSTMCellOptions(input_size, hidden_size)) {}
GRUCellImpl::GRUCellImpl(StrictInt input_size, StrictInt hidden_size)
    : GRUCellImpl(GRUCellOptions(input_size, hidden_size)) {}

Tensor RNNCellImpl::forward(const Tensor& input, const Tensor& hx) {
  const CellCall call = call_of<RNNCellImpl>(options, input, hx, {});
  TERN_CHECK(options.nonlinearity() == kTanh || options.nonlinearity() == kReLU, Error,
             "Unknown nonlinearity: ", static_cast<int>(options.nonlinearity()));
  const auto step = options.nonlinearity() == kTanh ? rnn_tanh_cell : rnn_relu_cell;
  return call.result(step(call.input, call.states[0], weight_ih, weight_hh, bias_ih, bias_hh));
}

std::tuple<Tensor, Tensor> LSTMCellImpl::forward(
    const Tensor& input, const std::optional<std::tuple<Tensor, Tensor>>& hx_opt) {
  const auto [first_h, first_c] = hx_opt.value_or(std::tuple<Tensor, Tensor>());
  TERN_CHECK(first_h.defined() == first_c.defined(), Error,
             "LSTMCell takes both states, h and c, or none: ", first_h.defined() ? "c" : "h",
             " is undefined");
  const CellCall call = call_of<LSTMCellImpl>(options, input, first_h, first_c);
  const auto [h, c] = lstm_cell(call.input, call.states, weight_ih, weight_hh, bias_ih, bias_hh);
  return {call.result(h), call.result(c)};
}

Tensor GRUCellImpl::forward(const Tensor& input, const Tensor& hx) {
  const CellCall call = call_of<GRUCellImpl>(options, input, hx, {});
  return call.result(gru_cell(call.input, call.states[0], weight_ih, weight_hh, bias_ih, bias_hh));
}

}  // namespace tern::nn
