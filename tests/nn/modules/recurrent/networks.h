#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "nn/nn_test.h"

// The layers of golden/modules/recurrent.py, called in one way.

namespace tern::testing {

using Tensors = std::vector<Tensor>;
using nn::utils::rnn::PackedSequence;

/// A recurrent layer. The calls take the states h, or h and c, or none, and return the output, or
/// the data of a packed one, and the last states.
struct Network {
  std::shared_ptr<nn::Module> module;
  std::function<Tensors(const Tensor& x, const Tensors& states)> run;
  std::function<Tensors(const PackedSequence& x, const Tensors& states)> run_packed;
};

template <class Holder>
Network network_of(const Holder& net) {
  if constexpr (std::is_same_v<Holder, nn::LSTM>) {
    using Pair = std::optional<std::tuple<Tensor, Tensor>>;
    const auto pair = [](const Tensors& states) {
      return states.empty() ? Pair() : Pair(std::tuple(states[0], states[1]));
    };
    const auto list = [](const Tensor& out, const std::tuple<Tensor, Tensor>& last) {
      return Tensors{out, std::get<0>(last), std::get<1>(last)};
    };
    return {net.ptr(),
            [=](const Tensor& x, const Tensors& states) {
              const auto [out, last] = net(x, pair(states));
              return list(out, last);
            },
            [=](const PackedSequence& x, const Tensors& states) {
              const auto [out, last] = net->forward_with_packed_input(x, pair(states));
              return list(out.data(), last);
            }};
  } else {
    const auto single = [](const Tensors& states) { return states.empty() ? Tensor() : states[0]; };
    return {net.ptr(),
            [=](const Tensor& x, const Tensors& states) {
              const auto [out, last] = net(x, single(states));
              return Tensors{out, last};
            },
            [=](const PackedSequence& x, const Tensors& states) {
              const auto [out, last] = net->forward_with_packed_input(x, single(states));
              return Tensors{out.data(), last};
            }};
  }
}

/// What the cases of recurrent.py set, beside the sizes.
struct NetworkOptions {
  std::int64_t layers = 1;
  bool bias = true, batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
  std::int64_t projection = 0;
  ScalarType dtype = kDouble;
};

template <class Options>
Options options_with(Options options, const NetworkOptions& set) {
  return options.num_layers(set.layers)
      .bias(set.bias)
      .batch_first(set.batch_first)
      .dropout(set.dropout)
      .bidirectional(set.bidirectional)
      .dtype(set.dtype);
}

/// Returns a layer of a kind: "RNN", "RNN relu", "LSTM" or "GRU".
inline Network make_network(const std::string& kind, const NetworkOptions& set,
                            std::int64_t input = 3, std::int64_t hidden = 4) {
  if (kind == "LSTM") {
    return network_of(
        nn::LSTM(options_with(nn::LSTMOptions(input, hidden), set).proj_size(set.projection)));
  }
  if (kind == "GRU") return network_of(nn::GRU(options_with(nn::GRUOptions(input, hidden), set)));
  const auto options = options_with(nn::RNNOptions(input, hidden), set);
  return network_of(nn::RNN(nn::RNNOptions(options).nonlinearity(kind == "RNN" ? kTanh : kReLU)));
}

inline const char* const kNetworkKinds[] = {"RNN", "RNN relu", "LSTM", "GRU"};

/// Returns first states of `batch` sequences, drawn.
inline Tensors drawn_states(const std::string& kind, const NetworkOptions& set, std::int64_t batch,
                            std::int64_t hidden = 4) {
  const std::int64_t rows = set.layers * (set.bidirectional ? 2 : 1);
  Tensors states = {randn({rows, batch, set.projection > 0 ? set.projection : hidden}, set.dtype)};
  if (kind == "LSTM") states.push_back(randn({rows, batch, hidden}, set.dtype));
  return states;
}

/// One number for all elements, as in recurrent.py.
inline Tensor weighted(const Tensor& tensor) {
  return (tensor *
          arange(tensor.numel(), tensor.dtype()).to(tensor.device()).cos().view(tensor.sizes()))
      .sum();
}

}  // namespace tern::testing
