#pragma once

#include <cstdint>
#include <tuple>

#include <tern/core/tensor/tensor.h>

// Recurrent layers and their single steps.
//
// T steps, B sequences, I features of the input, H of the state, L layers, D directions. `params`
// is a flat list: for each layer and direction weight_ih [G H, I or D H], weight_hh [G H, H], then,
// if `has_biases`, bias_ih [G H] and bias_hh [G H]. G is 1, for a GRU 3 (gates r, z, n), for an
// LSTM 4 (gates i, f, g, o). An LSTM with projections adds weight_hr [P, H] to each; its output,
// the state h and weight_hh then have P columns in place of H.
//
// In training, `dropout` is the probability to drop elements of the output of each layer but the
// last. With `batch_first` input and output are [B, T, ..]; the states are never turned.
//
// The packed forms take the rows of all steps, one step after the other: `batch_sizes`, int64 on
// the CPU, has the number of rows of each step, which never grows.

namespace tern {

/// Runs an LSTM of several layers over sequences. `hx` holds h [L D, B, H] and c [L D, B, H].
/// Returns the output [T, B, D H] and the last states h and c.
///
/// Throws: ShapeError, DTypeError, DeviceError when the arguments do not fit; Error for states or
/// parameters that are missing
TERN_API std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, TensorList hx,
                                                 TensorList params, StrictBool has_biases,
                                                 StrictInt num_layers, double dropout,
                                                 StrictBool train, StrictBool bidirectional,
                                                 StrictBool batch_first);
TERN_API std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                                 TensorList hx, TensorList params,
                                                 StrictBool has_biases, StrictInt num_layers,
                                                 double dropout, StrictBool train,
                                                 StrictBool bidirectional);
/// Runs a GRU of several layers over sequences. The reset gate multiplies the product of the state,
/// its bias included. Returns the output [T, B, D H] and the last state [L D, B, H].
///
/// Throws: ShapeError, DTypeError, DeviceError when the arguments do not fit; Error for parameters
/// that are missing
TERN_API std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, TensorList params,
                                        StrictBool has_biases, StrictInt num_layers, double dropout,
                                        StrictBool train, StrictBool bidirectional,
                                        StrictBool batch_first);
TERN_API std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes,
                                        const Tensor& hx, TensorList params, StrictBool has_biases,
                                        StrictInt num_layers, double dropout, StrictBool train,
                                        StrictBool bidirectional);
/// Runs a recurrent network of several layers with the activation tanh; see gru().
TERN_API std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx,
                                             TensorList params, StrictBool has_biases,
                                             StrictInt num_layers, double dropout, StrictBool train,
                                             StrictBool bidirectional, StrictBool batch_first);
TERN_API std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes,
                                             const Tensor& hx, TensorList params,
                                             StrictBool has_biases, StrictInt num_layers,
                                             double dropout, StrictBool train,
                                             StrictBool bidirectional);
/// Runs a recurrent network of several layers with the activation relu; see gru().
TERN_API std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx,
                                             TensorList params, StrictBool has_biases,
                                             StrictInt num_layers, double dropout, StrictBool train,
                                             StrictBool bidirectional, StrictBool batch_first);
TERN_API std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes,
                                             const Tensor& hx, TensorList params,
                                             StrictBool has_biases, StrictInt num_layers,
                                             double dropout, StrictBool train,
                                             StrictBool bidirectional);

/// Runs one step of an LSTM; `hx` holds h and c. Returns the new h and c. The biases may be
/// undefined.
///
/// Shape: input [B, I], h and c [B, H], w_ih [4 H, I], w_hh [4 H, H], biases [4 H] -> [B, H] twice
/// Throws: ShapeError, DTypeError, DeviceError when the arguments do not fit
TERN_API std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx,
                                              const Tensor& w_ih, const Tensor& w_hh,
                                              const Tensor& b_ih = {}, const Tensor& b_hh = {});
/// Runs one step of a GRU and returns the new state. The biases may be undefined.
///
/// Shape: input [B, I], hx [B, H], w_ih [3 H, I], w_hh [3 H, H], biases [3 H] -> [B, H]
/// Throws: ShapeError, DTypeError, DeviceError when the arguments do not fit
TERN_API Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                         const Tensor& w_hh, const Tensor& b_ih = {}, const Tensor& b_hh = {});
/// Returns tanh(input w_ih^T + b_ih + hx w_hh^T + b_hh). The biases may be undefined.
///
/// Shape: input [B, I], hx [B, H], w_ih [H, I], w_hh [H, H], biases [H] -> [B, H]
/// Throws: ShapeError, DTypeError, DeviceError when the arguments do not fit
TERN_API Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                              const Tensor& w_hh, const Tensor& b_ih = {}, const Tensor& b_hh = {});
/// Returns relu(input w_ih^T + b_ih + hx w_hh^T + b_hh); see rnn_tanh_cell().
TERN_API Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                              const Tensor& w_hh, const Tensor& b_ih = {}, const Tensor& b_hh = {});

}  // namespace tern
