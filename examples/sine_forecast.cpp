// Forecasts a wave: an LSTM reads 100 points of a sum of two sines and goes on alone. It draws the
// forecast beside the truth.
//
//   sine_forecast [--steps 1000] [--ahead 200] [--hidden 32] [--batch-size 32] [--lr 0.01]
//                 [--seed 1] [--device cpu|cuda|cuda:N] [--disable-cuda] [--picture forecast.svg]
//                 [--save FILE]
//
// Expected with the defaults: a mean squared error below 0.02 over the 200 forecast points. The
// constant answer 0 has an error of about 0.6.

#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include <tern/train/train.h>

#include "support/command_line.h"

namespace {

namespace nn = tern::nn;
using tern::Tensor;

constexpr std::int64_t kSeen = 100;

struct Arguments {
  int steps = 1000;
  std::int64_t ahead = 200, hidden = 32, batch_size = 32;
  double lr = 0.01;
  std::uint64_t seed = 1;
  tern::Device device = tern::kCPU;
  std::string picture = "forecast.svg", save;
};

/// Reads a wave point by point and forecasts the next point.
struct ForecasterImpl : nn::Module {
  explicit ForecasterImpl(std::int64_t hidden)
      : lstm(register_module("lstm", nn::LSTM(nn::LSTMOptions(1, hidden).batch_first(true)))),
        head(register_module("head", nn::Linear(hidden, 1))) {}

  /// Returns the forecast of the point after each point of `wave`.
  ///
  /// Shape: wave [N, length, 1] -> [N, length, 1]
  Tensor forward(const Tensor& wave) { return head(std::get<0>(lstm(wave))); }

  /// Returns `count` points that continue the waves: each forecast is the input of the next step.
  ///
  /// Shape: wave [N, length, 1] -> [N, count, 1]
  Tensor go_on(const Tensor& wave, std::int64_t count) {
    auto [output, state] = lstm(wave);
    std::vector<Tensor> points = {head(output.narrow(1, output.size(1) - 1, 1))};
    while (static_cast<std::int64_t>(points.size()) < count) {
      std::tie(output, state) = lstm(points.back(), state);
      points.push_back(head(output));
    }
    return tern::cat(points, 1);
  }

  nn::LSTM lstm;
  nn::Linear head;
};
TERN_MODULE(Forecaster);

/// Returns sums of a sine with a period of 25 points and one of 60, in random phases.
///
/// Shape: [count, length, 1]
Tensor make_waves(std::int64_t count, std::int64_t length) {
  constexpr double kTurn = 6.283185307179586;
  const Tensor time = tern::arange(length).to(tern::kFloat);
  const Tensor fast = tern::rand({count, 1}) * kTurn, slow = tern::rand({count, 1}) * kTurn;
  const Tensor waves =
      tern::sin(time * (kTurn / 25) + fast) * 0.5 + tern::sin(time * (kTurn / 60) + slow);
  return waves.unsqueeze(2);
}

void draw(const Tensor& truth, const Tensor& forecast, const std::string& path) {
  tern::train::Series seen{"truth", {}, {}}, ahead{"forecast", {}, {}};
  for (std::int64_t i = 0; i < truth.numel(); ++i) {
    seen.x.push_back(static_cast<double>(i));
    seen.y.push_back(truth[i].item<double>());
  }
  for (std::int64_t i = 0; i < forecast.numel(); ++i) {
    ahead.x.push_back(static_cast<double>(kSeen + i));
    ahead.y.push_back(forecast[i].item<double>());
  }
  tern::train::save_chart({"Forecast of a wave", "point", "value", {seen, ahead}}, path);
}

void run(const Arguments& a) {
  tern::manual_seed(a.seed);
  Forecaster net(a.hidden);
  net->to(a.device);
  tern::optim::Adam optimizer(net->parameters(), a.lr);
  tern::optim::CosineAnnealingLR schedule(optimizer, a.steps);
  for (int step = 1; step <= a.steps; ++step) {
    const Tensor wave = make_waves(a.batch_size, kSeen + 1).to(a.device);
    // With noise it learns to come back to the wave, as its own errors will ask of it.
    const Tensor noisy = wave + tern::randn_like(wave) * 0.1;
    const Tensor loss = tern::mse_loss(net(noisy.narrow(1, 0, kSeen)), wave.narrow(1, 1, kSeen));
    optimizer.zero_grad();
    loss.backward();
    nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
    schedule.step();
    if (step % 100 == 0) std::printf("step %d: error %.5f\n", step, loss.item<double>());
  }

  const tern::NoGradGuard no_grad;
  const Tensor waves = make_waves(100, kSeen + a.ahead);
  const Tensor forecast = net->go_on(waves.narrow(1, 0, kSeen).to(a.device), a.ahead).cpu();
  std::printf("mean squared error of %lld forecast points: %.5f\n", static_cast<long long>(a.ahead),
              tern::mse_loss(forecast, waves.narrow(1, kSeen, a.ahead)).item<double>());
  draw(waves[0].flatten(), forecast[0].flatten(), a.picture);
  if (!a.save.empty()) tern::save(net, a.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  support::CommandLine line("Forecasts a wave with an LSTM.", "sine_forecast");
  const support::Check count = support::whole(1, 1 << 20);
  line.option("--steps", a.steps, "1000 unless said").check(count);
  line.option("--ahead", a.ahead, "points to forecast, 200 unless said").check(count);
  line.option("--hidden", a.hidden, "size of the state, 32 unless said")
      .check(support::whole(1, 1 << 14));
  line.option("--batch-size", a.batch_size, "32 unless said").check(count);
  line.option("--lr", a.lr, "learning rate, 0.01 unless said").check(support::positive());
  line.option("--seed", a.seed, "1 unless said");
  line.device(a.device);
  line.option("--picture", a.picture, "forecast.svg unless said")
      .check(support::output_file({".svg"}));
  line.option("--save", a.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(a); });
}
