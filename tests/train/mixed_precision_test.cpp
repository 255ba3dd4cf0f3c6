#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include <tern/train/train.h>

// Whole trainings under autocast beside the same training in float32.

namespace tern::testing {
namespace {

/// How a training computes.
struct Precision {
  Device device = kCPU;
  std::optional<ScalarType> amp = std::nullopt;
  bool scales = false;
  int broken_step = -1;  // the loss of this step is infinite
};

/// Trains with `loss_of`, which runs in the region, and returns the mean loss of the last ten of
/// `steps` steps.
template <class LossOf>
double final_loss(const Precision& precision, std::vector<Tensor> parameters, int steps,
                  const LossOf& loss_of) {
  optim::Adam optimizer(std::move(parameters), optim::AdamOptions(5e-3));
  amp::GradScaler scaler(
      precision.device,
      amp::GradScalerOptions().enabled(precision.scales).init_scale(1024).growth_interval(20));
  double last = 0;
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::Autocast region(precision.device, precision.amp, precision.amp.has_value());
      loss = loss_of();
    }
    EXPECT_EQ(loss.dtype(), kFloat);
    if (step >= steps - 10) last += loss.item<double>() / 10;
    if (step == precision.broken_step) loss = loss * std::numeric_limits<float>::infinity();
    const double before = scaler.get_scale();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    if (step == precision.broken_step) {
      EXPECT_EQ(scaler.get_scale(), before / 2);
    }
  }
  return last;
}

double train_classifier(const Precision& precision) {
  manual_seed(3);
  const Tensor x = randn({256, 16});
  const Tensor labels = x.mm(randn({16, 5})).add(randn({256, 5})).argmax(1).to(precision.device);
  nn::Sequential net(nn::Linear(16, 64), nn::ReLU(), nn::LayerNorm(nn::LayerNormOptions({64})),
                     nn::Linear(64, 5));
  net->to(precision.device);
  const Tensor input = x.to(precision.device);
  return final_loss(precision, net->parameters(), 80,
                    [&] { return cross_entropy_loss(net->forward(input), labels); });
}

/// Images of 8 x 8 pixels with one bright row and one bright column.
Tensor crosses(std::int64_t count) {
  const Tensor rows = randint(0, 8, {count}), columns = randint(0, 8, {count});
  const Tensor at = arange(8);
  const Tensor row = rows.unsqueeze(1).eq(at).unsqueeze(2);
  const Tensor column = columns.unsqueeze(1).eq(at).unsqueeze(1);
  return row.logical_or(column).to(kFloat).reshape({count, 64});
}

double train_autoencoder(const Precision& precision, int steps) {
  manual_seed(5);
  const Tensor images = crosses(128).to(precision.device);
  nn::Linear encode(64, 48), mean(48, 6), log_variance(48, 6), decode(6, 48), pixels(48, 64);
  std::vector<Tensor> parameters;
  for (nn::Linear& layer : {std::ref(encode), std::ref(mean), std::ref(log_variance),
                            std::ref(decode), std::ref(pixels)}) {
    layer->to(precision.device);
    for (const Tensor& parameter : layer->parameters()) parameters.push_back(parameter);
  }
  const std::vector<Tensor> noise = randn({steps, 128, 6}).to(precision.device).unbind(0);
  std::size_t step = 0;
  return final_loss(precision, parameters, steps, [&] {
    const Tensor hidden = relu(encode(images));
    const Tensor mu = mean(hidden), logvar = log_variance(hidden);
    const Tensor code = mu + noise[step++] * exp(0.5 * logvar);
    const Tensor logits = pixels(relu(decode(code)));
    const Tensor error = binary_cross_entropy_with_logits(logits, images, {}, {}, Reduction::Sum);
    const Tensor m = mu.to(kFloat), v = logvar.to(kFloat);
    return (error - 0.5 * sum(1 + v - m.pow(2) - v.exp())) / 128;
  });
}

void expect_close(double actual, double wanted, double tolerance = 0.01) {
  EXPECT_LT(std::abs(actual - wanted), tolerance * wanted) << actual << " and " << wanted;
}

TEST(MixedPrecision, ReachesTheLossOfFloat32InBFloat16) {
  const double classifier = train_classifier({}), autoencoder = train_autoencoder({}, 120);
  EXPECT_LT(classifier, 0.8);
  EXPECT_LT(autoencoder, 25);
  expect_close(train_classifier({kCPU, kBFloat16}), classifier);
  expect_close(train_autoencoder({kCPU, kBFloat16}, 120), autoencoder);
}

TEST(MixedPrecision, ReachesTheLossOfFloat32InFloat16WithAScaler) {
  const Device device(0);
  const double classifier = train_classifier({device}),
               autoencoder = train_autoencoder({device}, 40);
  expect_close(train_classifier({device, kHalf, true}), classifier);
  expect_close(train_autoencoder({device, kHalf, true}, 40), autoencoder);
}

TEST(MixedPrecision, RecoversFromAnInfiniteLoss) {
  const double classifier = train_classifier({});
  // One step fewer counts.
  expect_close(train_classifier({Device(0), kHalf, true, 25}), classifier, 0.05);
}

}  // namespace
}  // namespace tern::testing
