// Teaches a gated recurrent unit, written by hand, to add the two marked numbers of a sequence
// (Hochreiter and Schmidhuber, 1997). It must remember the first number until the second comes.
//
//   gru [--steps 500] [--length 20] [--batch-size 64] [--hidden 32] [--lr 0.005] [--seed 1]
//       [--device cpu|cuda|cuda:N] [--disable-cuda] [--save FILE]
//
// Expected with the defaults: a mean squared error below 0.002 on new sequences. The constant
// answer 1, which is the mean of the sums, has an error of 0.167.

#include <cstdio>
#include <string>
#include <vector>

#include <tern/tern.h>

#include "support/command_line.h"

namespace {

namespace nn = tern::nn;
using tern::Tensor;

struct Arguments {
  int steps = 500;
  std::int64_t length = 20;
  std::int64_t batch_size = 64;
  std::int64_t hidden = 32;
  double lr = 0.005;
  std::uint64_t seed = 1;
  tern::Device device = tern::kCPU;
  std::string save;
};

/// One step of a gated recurrent unit (Cho et al., 2014), with the formula of torch.nn.GRUCell.
struct GRUCellImpl : nn::Module {
  GRUCellImpl(std::int64_t inputs, std::int64_t hidden) {
    from_input = register_module("from_input", nn::Linear(inputs, 3 * hidden));
    from_state = register_module("from_state", nn::Linear(hidden, 3 * hidden));
  }

  /// Shape: x [N, inputs], state [N, hidden] -> [N, hidden]
  Tensor forward(const Tensor& x, const Tensor& state) {
    const std::vector<Tensor> a = from_input(x).chunk(3, 1), b = from_state(state).chunk(3, 1);
    const Tensor reset = tern::sigmoid(a[0] + b[0]);
    const Tensor update = tern::sigmoid(a[1] + b[1]);
    const Tensor candidate = tern::tanh(a[2] + reset * b[2]);
    return candidate + update * (state - candidate);
  }

  nn::Linear from_input{nullptr}, from_state{nullptr};
};
TERN_MODULE(GRUCell);

/// Reads a sequence with a cell and answers with one number.
struct AdderImpl : nn::Module {
  explicit AdderImpl(std::int64_t hidden) : hidden_size(hidden) {
    cell = register_module("cell", GRUCell(2, hidden));
    answer = register_module("answer", nn::Linear(hidden, 1));
  }

  /// Shape: x [N, length, 2] -> [N, 1]
  Tensor forward(const Tensor& x) {
    // new_zeros makes the state on the input's device and in its dtype.
    Tensor state = x.new_zeros({x.size(0), hidden_size});
    for (const Tensor& step : x.unbind(1)) state = cell(step, state);
    return answer(state);
  }

  std::int64_t hidden_size;
  GRUCell cell{nullptr};
  nn::Linear answer{nullptr};
};
TERN_MODULE(Adder);

/// Returns sequences of random numbers in [0, 1) with a mark at one number of each half, and the
/// sums of the marked numbers.
tern::data::Example<> make_sequences(std::int64_t count, std::int64_t length) {
  const Tensor numbers = tern::rand({count, length});
  const Tensor first = tern::randint(length / 2, {count, 1});
  const Tensor second = tern::randint(length / 2, length, {count, 1});
  const Tensor index = tern::arange(length);
  const Tensor marks = (index.eq(first) | index.eq(second)).to(tern::kFloat);
  return {tern::stack({numbers, marks}, 2), (numbers * marks).sum(1, /*keepdim=*/true)};
}

void run(const Arguments& arguments) {
  tern::manual_seed(arguments.seed);
  Adder net(arguments.hidden);
  net->to(arguments.device);
  tern::optim::Adam optimizer(net->parameters(), arguments.lr);
  for (int step = 1; step <= arguments.steps; ++step) {
    const auto batch = make_sequences(arguments.batch_size, arguments.length);
    optimizer.zero_grad();
    const Tensor sums = batch.target.to(arguments.device);
    const Tensor loss = tern::mse_loss(net(batch.data.to(arguments.device)), sums);
    loss.backward();
    nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
    if (step % 100 == 0) std::printf("step %d: error %.5f\n", step, loss.item<double>());
  }

  const tern::NoGradGuard no_grad;
  const auto test = make_sequences(500, arguments.length);
  const Tensor answers = net(test.data.to(arguments.device)).cpu();
  std::printf("mean squared error on new sequences: %.5f\n",
              tern::mse_loss(answers, test.target).item<double>());
  if (!arguments.save.empty()) tern::save(net, arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Teaches a recurrent network to add two marked numbers.", "gru");
  line.option("--steps", arguments.steps, "500 unless said").check(support::whole(1));
  line.option("--length", arguments.length, "of a sequence, 20 unless said")
      .check(support::whole(2, 1 << 16));
  line.option("--batch-size", arguments.batch_size, "64 unless said")
      .check(support::whole(1, 1 << 20));
  line.option("--hidden", arguments.hidden, "size of the state, 32 unless said")
      .check(support::whole(1, 1 << 14));
  line.option("--lr", arguments.lr, "learning rate, 0.005 unless said").check(support::positive());
  line.option("--seed", arguments.seed, "1 unless said");
  line.device(arguments.device);
  line.option("--save", arguments.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(arguments); });
}
