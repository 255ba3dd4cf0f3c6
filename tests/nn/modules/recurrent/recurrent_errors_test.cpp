#include "nn/modules/recurrent/networks.h"

namespace tern {
namespace {

using nn::utils::rnn::pack_padded_sequence;

template <class Holder, class... Inputs>
std::string call_error(const Holder& net, const Inputs&... inputs) {
  return error_of([&] { net(inputs...); });
}

TEST(RecurrentErrors, NameTheInput) {
  const nn::LSTM lstm(3, 4);
  EXPECT_TRUE(has_text(call_error(lstm, zeros({5, 2, 4})),
                       "input.size(-1) must be equal to input_size. Expected 3, got 4"));
  EXPECT_TRUE(has_text(call_error(lstm, zeros({3})),
                       "LSTM: Expected input to be 2D or 3D, got 1D instead"));
  EXPECT_TRUE(
      has_text(call_error(lstm, Tensor()), "an undefined Tensor in C++) for argument #0 'input'"));
  EXPECT_TRUE(has_text(call_error(nn::RNN(3, 4), zeros({3})),
                       "RNN: Expected input to be 2D or 3D, got 1D tensor instead"));
  EXPECT_TRUE(has_text(call_error(lstm, zeros({5, 2, 3}, kDouble)),
                       "RNN input dtype (Double) does not match weight dtype (Float). Convert "
                       "input: input.to(kFloat), or convert model: model->to(kDouble)"));
  EXPECT_TRUE(has_text(call_error(lstm, zeros({0, 2, 3})),
                       "Expected sequence length to be larger than 0 in RNN"));
  EXPECT_TRUE(has_text(call_error(lstm, zeros({5, 2, 3}, Device("meta"))),
                       "tensors are not at the same device, found input tensor at meta and"));
}

TEST(RecurrentErrors, NameTheState) {
  const nn::GRU gru(3, 4);
  const nn::LSTM lstm(3, 4);
  const Tensor x = zeros({5, 2, 3});
  EXPECT_TRUE(has_text(call_error(gru, x, zeros({1, 3, 4})),
                       "Expected hidden size (1, 2, 4), got [1, 3, 4]"));
  EXPECT_TRUE(has_text(call_error(gru, x, zeros({2, 4})),
                       "For batched 3-D input, hx should also be 3-D but got 2-D tensor"));
  EXPECT_TRUE(has_text(call_error(gru, x[0], zeros({1, 2, 4})),
                       "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor"));
  const auto pair = [](const Tensor& h, const Tensor& c) {
    return std::optional(std::tuple(h, c));
  };
  EXPECT_TRUE(has_text(call_error(lstm, x, pair(zeros({1, 3, 4}), zeros({1, 2, 4}))),
                       "Expected hidden[0] size (1, 2, 4), got [1, 3, 4]"));
  EXPECT_TRUE(has_text(call_error(lstm, x, pair(zeros({1, 2, 4}), zeros({1, 2, 5}))),
                       "Expected hidden[1] size (1, 2, 4), got [1, 2, 5]"));
  EXPECT_TRUE(has_text(call_error(lstm, x, pair(zeros({2, 4}), zeros({2, 4}))),
                       "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) "
                       "tensors"));
  EXPECT_TRUE(has_text(call_error(lstm, x, pair(zeros({1, 2, 4}), Tensor())),
                       "LSTM takes both states, h and c, or none: c is undefined"));
  EXPECT_TRUE(has_text(call_error(gru, x, zeros({1, 2, 4}, kDouble)),
                       "Input and hidden tensors are not the same dtype, found input tensor with "
                       "Float and hidden tensor with Double"));
  const auto packed = pack_padded_sequence(x, tensor({5, 3}));
  EXPECT_TRUE(has_text(error_of([&] {
                         gru->forward_with_packed_input(packed, zeros({1, 3, 4}));
                       }),
                       "Expected hidden size (1, 2, 4), got [1, 3, 4]"));
  const auto packed_error = [&](const nn::utils::rnn::PackedSequence& input) {
    return error_of<ShapeError>([&] { gru->forward_with_packed_input(input); });
  };
  EXPECT_TRUE(has_text(packed_error(pack_padded_sequence(zeros({5, 2}), tensor({5, 3}))),
                       "GRU: input must have 2 dimensions, got packed data of 1"));
  EXPECT_TRUE(has_text(packed_error(nn::utils::rnn::PackedSequence(zeros({8, 3}), tensor(8))),
                       "batch_sizes must be a 1-d int64 tensor"));
}

TEST(RecurrentErrors, NameTheOption) {
  using nn::GRUOptions, nn::LSTMOptions, nn::RNNOptions;
  const auto lstm_error = [](const LSTMOptions& options) {
    return error_of([&] { nn::LSTM net(options); });
  };
  EXPECT_TRUE(has_text(lstm_error({3, 0}), "hidden_size must be greater than zero, got 0"));
  EXPECT_TRUE(has_text(lstm_error({0, 4}), "input_size must be greater than zero, got 0"));
  EXPECT_TRUE(has_text(lstm_error(LSTMOptions(3, 4).num_layers(0)),
                       "num_layers must be greater than zero, got 0"));
  EXPECT_TRUE(has_text(lstm_error(LSTMOptions(3, 4).num_layers(std::int64_t{1} << 62)),
                       "num_layers must be at most 1000000, got 4611686018427387904"));
  EXPECT_TRUE(has_text(lstm_error({3, std::int64_t{1} << 62}),  // four gates have 0 rows
                       "LSTM: the size hidden_size must be at most 1152921504606846975, got "
                       "4611686018427387904"));
  EXPECT_TRUE(has_text(error_of([] { nn::GRUCell(3, std::int64_t{1} << 62); }),
                       "GRUCell: the size hidden_size must be at most"));
  EXPECT_TRUE(has_text(lstm_error(LSTMOptions(3, 4).dropout(1.5)),
                       "dropout should be a number in range [0, 1] representing the probability "
                       "of an element being zeroed, got 1.5"));
  EXPECT_TRUE(has_text(lstm_error(LSTMOptions(3, 4).proj_size(4)),
                       "proj_size has to be smaller than hidden_size, got proj_size 4 and "
                       "hidden_size 4"));
  EXPECT_TRUE(has_text(lstm_error(LSTMOptions(3, 4).proj_size(-1)),
                       "proj_size should be a positive integer or zero to disable projections"));
  EXPECT_TRUE(has_text(error_of([] { nn::RNN net(RNNOptions(3, 4).nonlinearity(kSELU)); }),
                       "Select from 'tanh' or 'relu'."));
}

TEST(RecurrentErrors, NameTheCell) {
  const nn::LSTMCell lstm(3, 4);
  const nn::GRUCell gru(3, 4);
  EXPECT_TRUE(has_text(call_error(lstm, zeros({1, 2, 3})),
                       "LSTMCell: Expected input to be 1D or 2D, got 3D instead"));
  EXPECT_TRUE(
      has_text(call_error(lstm, Tensor()), "an undefined Tensor in C++) for argument #0 'input'"));
  EXPECT_TRUE(has_text(call_error(gru, zeros({2, 5})),
                       "input has inconsistent input_size: got 5 expected 3"));
  EXPECT_TRUE(has_text(call_error(gru, zeros({2, 3}), zeros({2, 5})),
                       "hidden0 has inconsistent hidden_size: got 5, expected 4"));
  EXPECT_TRUE(has_text(
      call_error(lstm, zeros({2, 3}), std::optional(std::tuple(zeros({2, 4}), zeros({2, 5})))),
      "hidden1 has inconsistent hidden_size: got 5, expected 4"));
  EXPECT_TRUE(has_text(call_error(gru, zeros({2, 3}), zeros({3, 4})),
                       "Input batch size 2 doesn't match hidden0 batch size 3"));
  EXPECT_TRUE(has_text(call_error(gru, zeros({2, 3}), zeros({4})),
                       "Expected 2D hidden0 (batch x hidden_size), but got 1D tensor"));
  EXPECT_TRUE(has_text(call_error(gru, zeros({3}), zeros({1, 4})), "Expected 1D hidden0"));
  EXPECT_TRUE(
      has_text(call_error(nn::RNNCell(nn::RNNCellOptions(3, 4).nonlinearity(kSELU)), zeros({2, 3})),
               "Unknown nonlinearity: "));
}

}  // namespace
}  // namespace tern
