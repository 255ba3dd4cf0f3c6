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

// Single steps of recurrent networks. Input [B, I] or [I], state [B, H] or [H]; an undefined state
// is zero.
//
// Parameters: weight_ih [G * H, I], weight_hh [G * H, H], bias_ih and bias_hh [G * H] (if bias);
// all start uniform within +-1 / sqrt(H). G is 1, for GRUCell 3 (r, z, n), for LSTMCell 4 (i, f, g,
// o).

namespace tern::nn {

/// Options of LSTMCell and GRUCell.
struct TERN_API RecurrentCellOptions {
  /// Sets both sizes.
  RecurrentCellOptions(StrictInt input_size, StrictInt hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, input_size);
  /// The last size of the state.
  TERN_ARG(std::int64_t, hidden_size);
  /// True: the cell has biases.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};
/// Options of LSTMCell.
using LSTMCellOptions = RecurrentCellOptions;
/// Options of GRUCell.
using GRUCellOptions = RecurrentCellOptions;

/// Options of RNNCell.
struct TERN_API RNNCellOptions {
  /// libtorch's name of the type of `nonlinearity`.
  using nonlinearity_t = init::NonlinearityType;
  /// Sets both sizes.
  RNNCellOptions(StrictInt input_size, StrictInt hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, input_size);
  /// The last size of the state.
  TERN_ARG(std::int64_t, hidden_size);
  /// True: the cell has biases.
  TERN_ARG(bool, bias) = true;
  /// The activation: kTanh or kReLU.
  TERN_ARG(init::NonlinearityType, nonlinearity) = kTanh;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

namespace detail {

struct ForwardDefaults;

/// What the cells have in common.
template <class Derived, class Options>
class TERN_API RNNCellImplBase : public Cloneable<Derived> {
 public:
  /// Makes the parameters.
  explicit RNNCellImplBase(const Options& options_);
  void reset() override;
  /// Draws all parameters anew.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  /// The options given to the constructor.
  Options options;
  /// The parameter [G * H, I].
  Tensor weight_ih;
  /// The parameter [G * H, H].
  Tensor weight_hh;
  /// The parameter [G * H]; undefined without bias.
  Tensor bias_ih;
  /// The parameter [G * H]; undefined without bias.
  Tensor bias_hh;

 protected:
  // TERN_FORWARD_HAS_DEFAULT_ARGS with the values in the source: each program would compile them.
  friend struct ::tern::nn::detail::ForwardDefaults;
  static std::vector<std::pair<unsigned, AnyValue>> forward_defaults();
};

}  // namespace detail

/// One step of an RNN.
class TERN_API RNNCellImpl : public detail::RNNCellImplBase<RNNCellImpl, RNNCellOptions> {
 public:
  /// Makes the parameters.
  RNNCellImpl(StrictInt input_size, StrictInt hidden_size);
  using RNNCellImplBase::RNNCellImplBase;
  /// Returns the new state. Throws ShapeError when the sizes do not fit, Error for another
  /// nonlinearity than kTanh and kReLU.
  Tensor forward(const Tensor& input, const Tensor& hx = {});
};
TERN_MODULE(RNNCell);

/// One step of an LSTM.
///
/// Example:
///   nn::LSTMCell cell(3, 4);
///   auto [h, c] = cell(x);
///   std::tie(h, c) = cell(x, std::tuple(h, c));
class TERN_API LSTMCellImpl : public detail::RNNCellImplBase<LSTMCellImpl, LSTMCellOptions> {
 public:
  /// Makes the parameters.
  LSTMCellImpl(StrictInt input_size, StrictInt hidden_size);
  using RNNCellImplBase::RNNCellImplBase;
  /// Returns the new h and c. Throws ShapeError when the sizes do not fit.
  std::tuple<Tensor, Tensor> forward(const Tensor& input,
                                     const std::optional<std::tuple<Tensor, Tensor>>& hx_opt = {});
};
TERN_MODULE(LSTMCell);

/// One step of a GRU.
class TERN_API GRUCellImpl : public detail::RNNCellImplBase<GRUCellImpl, GRUCellOptions> {
 public:
  /// Makes the parameters.
  GRUCellImpl(StrictInt input_size, StrictInt hidden_size);
  using RNNCellImplBase::RNNCellImplBase;
  /// Returns the new state. Throws ShapeError when the sizes do not fit.
  Tensor forward(const Tensor& input, const Tensor& hx = {});
};
TERN_MODULE(GRUCell);

}  // namespace tern::nn
