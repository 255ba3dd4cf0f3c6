#include <torch/torch.h>

#include <cstdio>

// A recurrent network learns the parity of the last two bits.
struct NetImpl : torch::nn::Module {
  NetImpl() : rnn(torch::nn::LSTMOptions(1, 8).batch_first(true)), out(8, 2) {
    register_module("rnn", rnn);
    register_module("out", out);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor y = std::get<0>(rnn(x));
    return out(y.select(1, -1));
  }
  torch::nn::LSTM rnn;
  torch::nn::Linear out;
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(5);
  torch::Tensor bits = torch::randint(2, {64, 5, 1}).to(torch::kFloat);
  torch::Tensor label = (bits.select(1, 3) + bits.select(1, 4)).fmod(2).to(torch::kLong).squeeze(1);
  Net net;
  torch::optim::Adam adam(net->parameters(), 0.03);
  torch::Tensor loss;
  for (int step = 0; step < 120; ++step) {
    adam.zero_grad();
    loss = torch::nn::functional::cross_entropy(net(bits), label);
    loss.backward();
    if (step == 0) std::printf("%.4f\n", loss.item<float>());
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    adam.step();
  }
  std::printf("%d\n", loss.item<float>() < 0.1);
}
