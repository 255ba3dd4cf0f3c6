#include "differential/layers/layer_case.h"

namespace tern::testing::differential {
namespace {

using Pair = std::tuple<Tensor, Tensor>;
namespace rnn = nn::utils::rnn;

void append_states(Tensors& results, const Tensor& state) { results.push_back(state); }
void append_states(Tensors& results, const Pair& states) {
  results.push_back(std::get<0>(states));
  results.push_back(std::get<1>(states));
}

/// Calls `run` with the first states of a case.
template <bool kIsLSTM, class Run>
auto with_states(const LayerCase& c, const Run& run) {
  if constexpr (kIsLSTM) {
    return run(c["h0"].defined() ? std::optional<Pair>({c["h0"], c["c0"]}) : std::nullopt);
  } else {
    return run(c["h0"]);
  }
}

template <class Holder>
Tensors call_packed(const Holder& net, const LayerCase& c) {
  const Json& call = c.json.at("call");
  const bool batch_first = c.options.value("batch_first", false);
  const Tensor lengths = tensor(call.at("lengths").get<std::vector<std::int64_t>>(), kCPU);
  const rnn::PackedSequence packed = rnn::pack_padded_sequence(
      c["input"], lengths, batch_first, call.at("enforce_sorted").get<bool>());
  const auto [output, states] = with_states<std::is_same_v<Holder, nn::LSTM>>(
      c, [&](const auto& first) { return net->forward_with_packed_input(packed, first); });
  const auto [padded, again] = rnn::pad_packed_sequence(output, batch_first);
  Tensors results = {output.data(), output.batch_sizes(), padded, again};
  append_states(results, states);
  return results;
}

template <class Holder, class Options>
Network layer_of(const LayerCase& c) {
  Options options(c.size(0), c.size(1));
  TERN_GIVEN(num_layers, std::int64_t);
  TERN_GIVEN(bias, bool);
  TERN_GIVEN(batch_first, bool);
  TERN_GIVEN(dropout, double);
  TERN_GIVEN(bidirectional, bool);
  if constexpr (std::is_same_v<Holder, nn::LSTM>) TERN_GIVEN(proj_size, std::int64_t);
  if constexpr (std::is_same_v<Holder, nn::RNN>) {
    if (c.options.value("nonlinearity", "") == "relu") options.nonlinearity(kReLU);
    if (c.options.value("nonlinearity", "") == "tanh") options.nonlinearity(kTanh);
  }
  const Holder net(options.dtype(c.dtype));
  return {net.ptr(), [net](const LayerCase& args) {
            if (args.json.at("call").contains("lengths")) return call_packed(net, args);
            const auto [output, states] = with_states<std::is_same_v<Holder, nn::LSTM>>(
                args, [&](const auto& first) { return net->forward(args["input"], first); });
            Tensors results = {output};
            append_states(results, states);
            return results;
          }};
}

template <class Holder, class Options>
Network cell_of(const LayerCase& c) {
  Options options(c.size(0), c.size(1));
  TERN_GIVEN(bias, bool);
  if constexpr (std::is_same_v<Holder, nn::RNNCell>) {
    if (c.options.value("nonlinearity", "") == "relu") options.nonlinearity(kReLU);
    if (c.options.value("nonlinearity", "") == "tanh") options.nonlinearity(kTanh);
  }
  const Holder net(options.dtype(c.dtype));
  return {net.ptr(), [net](const LayerCase& args) {
            Tensors results;
            append_states(results, with_states<std::is_same_v<Holder, nn::LSTMCell>>(
                                       args, [&](const auto& first) {
                                         return net->forward(args["input"], first);
                                       }));
            return results;
          }};
}

}  // namespace

Network make_recurrent(const LayerCase& c) {
  const auto layer = c.json.at("layer").get<std::string>();
  if (layer == "RNN") return layer_of<nn::RNN, nn::RNNOptions>(c);
  if (layer == "LSTM") return layer_of<nn::LSTM, nn::LSTMOptions>(c);
  if (layer == "GRU") return layer_of<nn::GRU, nn::GRUOptions>(c);
  if (layer == "RNNCell") return cell_of<nn::RNNCell, nn::RNNCellOptions>(c);
  if (layer == "LSTMCell") return cell_of<nn::LSTMCell, nn::LSTMCellOptions>(c);
  if (layer == "GRUCell") return cell_of<nn::GRUCell, nn::GRUCellOptions>(c);
  return {};
}

}  // namespace tern::testing::differential
