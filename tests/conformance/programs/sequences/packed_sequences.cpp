#include <torch/torch.h>

#include <iostream>

namespace rnn_utils = torch::nn::utils::rnn;

// Sequences of different lengths.
int main() {
  torch::manual_seed(7);
  torch::Tensor a = torch::ones({3, 2}), b = torch::ones({2, 2}) * 2, c = torch::ones({1, 2}) * 3;
  torch::Tensor padded = rnn_utils::pad_sequence({a, b, c});
  std::cout << padded.sizes() << rnn_utils::pad_sequence({a, b, c}, true, -1)[2] << "\n";
  auto packed = rnn_utils::pack_padded_sequence(padded, torch::tensor({3, 2, 1}));
  std::cout << packed.data() << "\n" << packed.batch_sizes() << "\n";
  auto [again, lengths] = rnn_utils::pad_packed_sequence(packed, /*batch_first=*/true);
  std::cout << again.sizes() << lengths << "\n";
  auto sequence = rnn_utils::pack_sequence({a, b, c});
  std::cout << sequence.data().equal(packed.data()) << "\n";
  torch::nn::GRU gru(2, 3);
  auto [out, h] = gru->forward_with_packed_input(packed);
  std::cout << out.data() << "\n" << h << "\n";
  auto unsorted = rnn_utils::pack_padded_sequence(padded, torch::tensor({1, 3, 2}), false,
                                                  /*enforce_sorted=*/false);
  std::cout << unsorted.sorted_indices() << unsorted.unsorted_indices() << "\n";
  std::cout << std::get<1>(gru->forward_with_packed_input(unsorted)) << "\n";
}
