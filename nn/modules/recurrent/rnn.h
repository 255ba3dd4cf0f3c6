#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/init.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/utils/rnn.h>

// Recurrent networks of several layers. T steps, B sequences, I = input_size, H = hidden_size, or
// proj_size in its place where a comment says so, D directions, L layers.
//
// Input: [T, B, I], or [B, T, I] with batch_first, or [T, I] for one sequence
// State: [L * D, B, H], row l * D + d; never turned by batch_first; [L * D, H] for one sequence.
// Zeros if undefined.
// Output: as the input, with D * H in place of I
//
// Parameters of layer l: weight_ih_l0 [G * H, I or D * H], weight_hh_l0 [G * H, H], bias_ih_l0 and
// bias_hh_l0 [G * H] (if bias), then those of the other direction with the suffix _reverse. They
// start uniform within +-1 / sqrt(H). G is 1, for GRU 3 (r, z, n), for LSTM 4 (i, f, g, o).

namespace tern::nn {

namespace detail {

struct ForwardDefaults;

/// The networks of the family.
enum class RNNMode : std::uint8_t { RNN_TANH, RNN_RELU, LSTM, GRU };

/// The options that the networks have in common.
struct RNNOptionsBase {
  /// Sets the mode and both sizes.
  RNNOptionsBase(RNNMode mode, std::int64_t input_size, std::int64_t hidden_size)
      : mode_(mode), input_size_(input_size), hidden_size_(hidden_size) {}
  /// The network.
  TERN_ARG(RNNMode, mode);
  /// The last size of the input.
  TERN_ARG(std::int64_t, input_size);
  /// The last size of the state.
  TERN_ARG(std::int64_t, hidden_size);
  /// The number of layers; each reads the output of the layer below.
  TERN_ARG(std::int64_t, num_layers) = 1;
  /// True: the layers have biases.
  TERN_ARG(bool, bias) = true;
  /// True: the first dimension of input and output is the batch, the second one time.
  TERN_ARG(bool, batch_first) = false;
  /// The probability to drop elements of the output of each layer but the last, in training.
  TERN_ARG(double, dropout) = 0.0;
  /// True: each layer also walks from the last step to the first, with its own parameters.
  TERN_ARG(bool, bidirectional) = false;
  /// The size of the projected state of an LSTM; 0: none.
  TERN_ARG(std::int64_t, proj_size) = 0;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Parameters that a module has bound. A copied module binds its own.
struct BoundTensors {
  /// The parameters; their number is fixed once they are bound.
  std::vector<Tensor> tensors;

  BoundTensors() = default;
  ~BoundTensors() = default;
  BoundTensors(const BoundTensors&) {}
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): keeps what is bound.
  BoundTensors& operator=(const BoundTensors&) { return *this; }
};

/// What RNN, LSTM and GRU have in common.
template <class Derived>
class TERN_API RNNImplBase : public Cloneable<Derived> {
 public:
  /// Makes the parameters.
  explicit RNNImplBase(const RNNOptionsBase& options_base_);
  void reset() override;
  /// Draws all parameters anew.
  void reset_parameters();
  /// Does nothing; cuDNN needs it in PyTorch.
  void flatten_parameters() {}
  /// Returns all parameters in the order of registration, as tern::lstm() takes them.
  std::vector<Tensor> all_weights() const { return weights_.tensors; }
  void pretty_print(std::ostream& stream) const override;

  /// The options of the family.
  RNNOptionsBase options_base;

 protected:
  BoundTensors weights_;

  // TERN_FORWARD_HAS_DEFAULT_ARGS with the values in the source: each program would compile them.
  friend struct ::tern::nn::detail::ForwardDefaults;
  static std::vector<std::pair<unsigned, AnyValue>> forward_defaults();
};

}  // namespace detail

/// Options of RNN.
struct RNNOptions {
  /// libtorch's name of the type of `nonlinearity`.
  using nonlinearity_t = init::NonlinearityType;
  /// Sets both sizes.
  RNNOptions(StrictInt input_size, StrictInt hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, input_size);
  /// The last size of the state.
  TERN_ARG(std::int64_t, hidden_size);
  /// The number of layers; each reads the output of the layer below.
  TERN_ARG(std::int64_t, num_layers) = 1;
  /// The activation: kTanh or kReLU.
  TERN_ARG(init::NonlinearityType, nonlinearity) = kTanh;
  /// True: the layers have biases.
  TERN_ARG(bool, bias) = true;
  /// True: the first dimension of input and output is the batch, the second one time.
  TERN_ARG(bool, batch_first) = false;
  /// The probability to drop elements of the output of each layer but the last, in training.
  TERN_ARG(double, dropout) = 0.0;
  /// True: each layer also walks from the last step to the first, with its own parameters.
  TERN_ARG(bool, bidirectional) = false;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of LSTM.
struct LSTMOptions {
  /// Sets both sizes.
  LSTMOptions(StrictInt input_size, StrictInt hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, input_size);
  /// The last size of the state.
  TERN_ARG(std::int64_t, hidden_size);
  /// The number of layers; each reads the output of the layer below.
  TERN_ARG(std::int64_t, num_layers) = 1;
  /// True: the layers have biases.
  TERN_ARG(bool, bias) = true;
  /// True: the first dimension of input and output is the batch, the second one time.
  TERN_ARG(bool, batch_first) = false;
  /// The probability to drop elements of the output of each layer but the last, in training.
  TERN_ARG(double, dropout) = 0.0;
  /// True: each layer also walks from the last step to the first, with its own parameters.
  TERN_ARG(bool, bidirectional) = false;
  /// Not 0: the state h is projected to this size, smaller than hidden_size, by the parameters
  /// weight_hr_l0 [proj_size, hidden_size].
  TERN_ARG(std::int64_t, proj_size) = 0;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of GRU.
struct GRUOptions {
  /// Sets both sizes.
  GRUOptions(StrictInt input_size, StrictInt hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, input_size);
  /// The last size of the state.
  TERN_ARG(std::int64_t, hidden_size);
  /// The number of layers; each reads the output of the layer below.
  TERN_ARG(std::int64_t, num_layers) = 1;
  /// True: the layers have biases.
  TERN_ARG(bool, bias) = true;
  /// True: the first dimension of input and output is the batch, the second one time.
  TERN_ARG(bool, batch_first) = false;
  /// The probability to drop elements of the output of each layer but the last, in training.
  TERN_ARG(double, dropout) = 0.0;
  /// True: each layer also walks from the last step to the first, with its own parameters.
  TERN_ARG(bool, bidirectional) = false;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Recurrent network (Elman, 1990): h' = tanh(x W_ih^T + b_ih + h W_hh^T + b_hh), or with relu.
///
/// Example:
///   nn::RNN rnn(nn::RNNOptions(3, 4).num_layers(2).nonlinearity(kReLU));
class TERN_API RNNImpl : public detail::RNNImplBase<RNNImpl> {
 public:
  /// Makes the parameters.
  RNNImpl(StrictInt input_size, StrictInt hidden_size);
  /// Makes the parameters. Throws Error for options out of range.
  explicit RNNImpl(const RNNOptions& options_);
  /// Returns the output of the last layer and the last states of all layers.
  ///
  /// Throws: ShapeError, DTypeError when the arguments do not fit the options
  std::tuple<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {});
  /// Does the same with packed sequences. Ignores batch_first. The states are in the caller's order
  /// of the sequences.
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, const Tensor& hx = {});

  /// The options given to the constructor.
  RNNOptions options;
};
TERN_MODULE(RNN);

/// Long short-term memory (Hochreiter and Schmidhuber, 1997): c' = sigmoid(f) c + sigmoid(i)
/// tanh(g), h' = sigmoid(o) tanh(c'), with the chunks i, f, g, o of x W_ih^T + b_ih + h W_hh^T +
/// b_hh. With proj_size, h' is multiplied by W_hr^T; then h and the output have proj_size columns.
///
/// Example:
///   nn::LSTM lstm(nn::LSTMOptions(3, 4).bidirectional(true));
///   const auto [output, state] = lstm(x);
///   const auto [h, c] = state;
class TERN_API LSTMImpl : public detail::RNNImplBase<LSTMImpl> {
 public:
  /// Makes the parameters.
  LSTMImpl(StrictInt input_size, StrictInt hidden_size);
  /// Makes the parameters. Throws Error for options out of range.
  explicit LSTMImpl(const LSTMOptions& options_);
  /// Returns the output of the last layer and the last states h and c of all layers. `hx_opt` holds
  /// the first h and c.
  ///
  /// Throws: ShapeError, DTypeError when the arguments do not fit the options
  std::tuple<Tensor, std::tuple<Tensor, Tensor>> forward(
      const Tensor& input, const std::optional<std::tuple<Tensor, Tensor>>& hx_opt = {});
  /// Does the same with packed sequences. Ignores batch_first. The states are in the caller's order
  /// of the sequences.
  std::tuple<utils::rnn::PackedSequence, std::tuple<Tensor, Tensor>> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input,
      const std::optional<std::tuple<Tensor, Tensor>>& hx_opt = {});

  /// The options given to the constructor.
  LSTMOptions options;
};
TERN_MODULE(LSTM);

/// Gated recurrent unit (Cho et al., 2014): h' = (1 - z) n + z h with r = sigmoid(gi_r + gh_r), z =
/// sigmoid(gi_z + gh_z), n = tanh(gi_n + r gh_n), gi = x W_ih^T + b_ih, gh = h W_hh^T + b_hh.
///
/// Example:
///   nn::GRU gru(nn::GRUOptions(3, 4).num_layers(2).dropout(0.1));
class TERN_API GRUImpl : public detail::RNNImplBase<GRUImpl> {
 public:
  /// Makes the parameters.
  GRUImpl(StrictInt input_size, StrictInt hidden_size);
  /// Makes the parameters. Throws Error for options out of range.
  explicit GRUImpl(const GRUOptions& options_);
  /// Returns the output of the last layer and the last states of all layers.
  ///
  /// Throws: ShapeError, DTypeError when the arguments do not fit the options
  std::tuple<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {});
  /// Does the same with packed sequences. Ignores batch_first. The states are in the caller's order
  /// of the sequences.
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, const Tensor& hx = {});

  /// The options given to the constructor.
  GRUOptions options;
};
TERN_MODULE(GRU);

}  // namespace tern::nn
