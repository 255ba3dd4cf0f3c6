#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <tern/train/train.h>

#include "error_of.h"
#include "golden/golden.h"

// GradScaler beside PyTorch's (golden/train/grad_scaler.py), on several devices, and its errors.

namespace tern::testing {
namespace {

using amp::GradScaler;
using amp::GradScalerOptions;

constexpr float kInf = std::numeric_limits<float>::infinity();

class GradScalerOn : public ::testing::TestWithParam<Device> {};

double number_of(const nlohmann::json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

TEST_P(GradScalerOn, FollowsPyTorchFor50Steps) {
  for (const char* name : {"doubled", "odd", "overflow"}) {
    const nlohmann::json& rows = golden("train/grad_scaler").at(name);
    GradScaler scaler(GetParam(), GradScalerOptions()
                                      .growth_factor(rows[0][0])
                                      .backoff_factor(rows[0][1])
                                      .growth_interval(rows[0][2].get<std::int64_t>())
                                      .init_scale(rows[0][3]));
    Tensor w = tensor({1.0, -0.5, 0.25}, kFloat).to(GetParam()).requires_grad_();
    optim::SGD optimizer({w}, optim::SGDOptions(0.1).momentum(0.5));
    ASSERT_EQ(rows.size(), 51U);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      SCOPED_TRACE(std::string(name) + ", step " + std::to_string(i));
      optimizer.zero_grad();
      scaler.scale((w * w).sum() / 2 + w.sum() * number_of(rows[i][0])).backward();
      scaler.step(optimizer);
      scaler.update();
      EXPECT_EQ(scaler.get_scale(), rows[i][1].get<double>());
      EXPECT_EQ(scaler.state_dict().get<int>("_growth_tracker"), rows[i][2].get<int>());
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(w[k].item<double>(), rows[i][static_cast<std::size_t>(3 + k)].get<double>(),
                    1e-6);
      }
    }
  }
}

TEST_P(GradScalerOn, UnscalesBeforeTheStepOnRequest) {
  GradScaler scaler(GetParam(), GradScalerOptions().init_scale(8));
  Tensor w = ones({3}, GetParam()).requires_grad_();
  optim::SGD optimizer({w}, optim::SGDOptions(1.0));
  scaler.scale(w.sum()).backward();
  EXPECT_EQ(w.grad()[0].item<float>(), 8);
  const auto version = w.grad()._version();
  scaler.unscale_(optimizer);
  EXPECT_EQ(w.grad()[0].item<float>(), 1);
  EXPECT_GT(w.grad()._version(), version);
  scaler.step(optimizer);
  EXPECT_EQ(w[0].item<float>(), 0);
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 8);
}

TEST_P(GradScalerOn, UnscalesManyGradientsOfSeveralDtypesAndLayouts) {
  GradScaler scaler(GetParam(), GradScalerOptions().init_scale(4));
  std::vector<Tensor> parameters;
  for (std::int64_t i = 0; i < 120; ++i) {
    const ScalarType dtype = i % 3 == 0 ? kDouble : i % 3 == 1 ? kBFloat16 : kFloat;
    const auto options = TensorOptions().dtype(dtype).device(GetParam());
    parameters.push_back(ones({i % 5, 40}, options).requires_grad_());
    const Tensor grad = full({40, i % 5}, static_cast<double>(i), options);
    parameters.back().mutable_grad() = i % 2 == 0 ? grad.t() : grad.t().contiguous();
  }
  optim::SGD optimizer(parameters, optim::SGDOptions(0.0));
  scaler.scale(ones({}, GetParam()));
  scaler.unscale_(optimizer);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor grad = parameters[i].grad();
    const double wanted = static_cast<double>(i) / 4;
    EXPECT_TRUE(grad.numel() == 0 || (grad.eq(wanted).all().item<bool>())) << i;
  }
  EXPECT_NO_THROW(scaler.step(optimizer));
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 4);
}

TEST_P(GradScalerOn, MakesALossOfFloat16Float32) {
  GradScaler scaler(GetParam());
  const Tensor loss = full({}, 2, TensorOptions().dtype(kHalf).device(GetParam()));
  EXPECT_EQ(scaler.scale(loss).item<float>(), 131072);
  EXPECT_EQ(scaler.scale(std::vector<Tensor>{loss, loss})[1].dtype(), kFloat);
  EXPECT_EQ(scaler.scale(loss.reshape({1})).dtype(), kHalf);
}

INSTANTIATE_TEST_SUITE_P(Devices, GradScalerOn, ::testing::Values(Device(kCPU), Device(0)),
                         [](const auto& test) { return test.param.is_cpu() ? "cpu" : "cuda"; });

TEST(GradScalerTest, TakesGradientsOfSeveralDevices) {
  GradScaler scaler(kCUDA, GradScalerOptions().init_scale(2).growth_interval(1));
  std::vector<Tensor> parameters;
  for (const Device device : {Device(kCPU), Device(0), Device(1)}) {
    parameters.push_back(ones({2}, device).requires_grad_());
  }
  optim::SGD optimizer(parameters, optim::SGDOptions(1.0));
  const auto step = [&](float broken) {
    optimizer.zero_grad();
    std::vector<Tensor> losses;
    for (const Tensor& parameter : parameters) losses.push_back(parameter.sum());
    losses[1] = losses[1] * broken;
    for (const Tensor& loss : scaler.scale(losses)) loss.backward();
    scaler.step(optimizer);
    scaler.update();
  };
  step(kInf);
  EXPECT_EQ(scaler.get_scale(), 1);
  for (const Tensor& parameter : parameters) EXPECT_EQ(parameter[0].item<float>(), 1);
  step(1);
  EXPECT_EQ(scaler.get_scale(), 2);
  for (const Tensor& parameter : parameters) EXPECT_EQ(parameter[0].item<float>(), 0);
}

TEST(GradScalerTest, ChecksEachOptimizerByItself) {
  GradScaler scaler(kCPU, GradScalerOptions().init_scale(2));
  Tensor good = ones({1}).requires_grad_(), bad = ones({1}).requires_grad_();
  optim::SGD first({good}, optim::SGDOptions(1.0)), second({bad}, optim::SGDOptions(1.0));
  scaler.scale(good.sum() + (bad * kInf).sum()).backward();
  scaler.step(first);
  scaler.step(second);
  scaler.update();
  EXPECT_EQ(good.item<float>(), 0);
  EXPECT_EQ(bad.item<float>(), 1);
  EXPECT_EQ(scaler.get_scale(), 1);
}

TEST(GradScalerTest, DoesNothingWhenDisabled) {
  GradScaler scaler(kCPU, GradScalerOptions().enabled(false));
  Tensor w = ones({1}).requires_grad_();
  optim::SGD optimizer({w}, optim::SGDOptions(1.0));
  const Tensor loss = w.sum();
  EXPECT_TRUE(scaler.scale(loss).is_same(loss));
  loss.backward();
  scaler.unscale_(optimizer);
  scaler.unscale_(optimizer);
  scaler.step(optimizer);
  scaler.step(optimizer, [] { return ones({}); });
  scaler.update();
  scaler.update(-1);
  for (const Tensor& unsuitable : {Tensor(), ones({2}), ones({}).requires_grad_()}) {
    EXPECT_NO_THROW(scaler.update(unsuitable));
  }
  EXPECT_EQ(w.item<float>(), -1);
  EXPECT_EQ(scaler.get_scale(), 1);
  EXPECT_FALSE(scaler.is_enabled());
  EXPECT_TRUE(scaler.state_dict().empty());
  EXPECT_NO_THROW(scaler.load_state_dict(State()));
}

TEST(GradScalerTest, SavesItsState) {
  GradScaler scaler(kCPU, GradScalerOptions().init_scale(4).growth_interval(3));
  Tensor w = ones({1}).requires_grad_();
  optim::SGD optimizer({w}, optim::SGDOptions(0.0));
  scaler.scale(w.sum()).backward();
  scaler.step(optimizer);
  scaler.update();
  const State state = scaler.state_dict();
  EXPECT_EQ(state.keys(), (std::vector<std::string>{"scale", "growth_factor", "backoff_factor",
                                                    "growth_interval", "_growth_tracker"}));
  GradScaler other(kCPU);
  other.load_state_dict(state);
  EXPECT_EQ(other.get_scale(), 4);
  EXPECT_EQ(other.get_growth_interval(), 3);
  EXPECT_EQ(other.state_dict().get<int>("_growth_tracker"), 1);
  EXPECT_EQ(error_of<Error>([&] { other.load_state_dict(State()); }),
            "The source state dict is empty, possibly because it was saved from a disabled "
            "instance of GradScaler.");
  State part = state;
  part.erase("_growth_tracker");
  part.set("scale", 99.0);
  EXPECT_THROW(other.load_state_dict(part), IndexError);
  EXPECT_EQ(other.get_scale(), 4);
}

TEST(GradScalerTest, HasTheErrorsOfPyTorch) {
  GradScaler scaler(kCPU);
  Tensor w = ones({1}).requires_grad_();
  optim::SGD optimizer({w}, optim::SGDOptions(1.0));
  const std::string not_started =
      " but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
      "outputs) earlier in the iteration.";
  EXPECT_EQ(error_of<Error>([&] { scaler.unscale_(optimizer); }),
            "Attempted unscale_" + not_started);
  EXPECT_EQ(error_of<Error>([&] { scaler.step(optimizer); }), "Attempted step" + not_started);
  EXPECT_EQ(error_of<Error>([&] { scaler.update(); }), "Attempted update" + not_started);
  const Tensor loss = scaler.scale(w.sum());
  EXPECT_EQ(error_of<Error>([&] { scaler.step(optimizer); }),
            "No inf checks were recorded for this optimizer.");
  EXPECT_EQ(error_of<Error>([&] { scaler.update(); }),
            "No inf checks were recorded prior to update.");
  scaler.update(65536);
  loss.backward();
  scaler.unscale_(optimizer);
  EXPECT_EQ(error_of<Error>([&] { scaler.unscale_(optimizer); }),
            "unscale_() has already been called on this optimizer since the last update().");
  EXPECT_EQ(error_of<Error>([&] { scaler.step(optimizer, [] { return ones({}); }); }),
            "Closure use is not currently supported if GradScaler is enabled.");
  scaler.step(optimizer);
  EXPECT_EQ(error_of<Error>([&] { scaler.step(optimizer); }),
            "step() has already been called since the last update().");
  EXPECT_EQ(error_of<Error>([&] { scaler.unscale_(optimizer); }),
            "unscale_() is being called after step().");
  scaler.update();
  EXPECT_EQ(w.item<float>(), 0);
}

TEST(GradScalerTest, RefusesGradientsOfFloat16AndChangesNone) {
  GradScaler scaler(kCPU);
  Tensor wide = ones({1}).requires_grad_(), narrow = ones({1}, kHalf).requires_grad_();
  wide.mutable_grad() = ones({1});
  narrow.mutable_grad() = ones({1}, kHalf);
  optim::SGD optimizer({wide, narrow}, optim::SGDOptions(1.0));
  scaler.scale(ones({}));
  EXPECT_EQ(error_of<Error>([&] { scaler.unscale_(optimizer); }),
            "Attempting to unscale FP16 gradients.");
  EXPECT_EQ(wide.grad().item<float>(), 1);
}

TEST(GradScalerTest, ChecksItsOptions) {
  const auto refused = [](const GradScalerOptions& options, const std::string& text) {
    EXPECT_EQ(error_of<Error>([&] { GradScaler(kCPU, options); }).rfind("GradScaler: " + text, 0),
              0U);
  };
  refused(GradScalerOptions().growth_factor(1), "The growth factor must be > 1.0.");
  refused(GradScalerOptions().backoff_factor(1), "The backoff factor must be < 1.0.");
  refused(GradScalerOptions().backoff_factor(0), "The backoff factor must be > 0.");
  refused(GradScalerOptions().growth_interval(0), "The growth interval must be at least 1");
  refused(GradScalerOptions().init_scale(-1), "The scale must be positive and finite");
  GradScaler scaler(kCPU);
  EXPECT_THROW(scaler.set_growth_factor(0.5), Error);
  scaler.set_growth_factor(3);
  scaler.set_backoff_factor(0.25);
  scaler.set_growth_interval(7);
  EXPECT_EQ(scaler.get_growth_factor(), 3);
  EXPECT_EQ(scaler.get_backoff_factor(), 0.25);
  EXPECT_EQ(scaler.get_growth_interval(), 7);
  scaler.scale(ones({}));
  EXPECT_THROW(scaler.update(ones({2})), Error);
  EXPECT_THROW(scaler.update(ones({1}).requires_grad_()), Error);
  scaler.update(full({1}, 32));
  EXPECT_EQ(scaler.get_scale(), 32);
  // What is refused is not kept.
  EXPECT_THROW(scaler.set_growth_interval(0), Error);
  EXPECT_THROW(scaler.set_backoff_factor(1), Error);
  EXPECT_THROW(scaler.set_growth_factor(1), Error);
  EXPECT_EQ(scaler.get_growth_interval(), 7);
  EXPECT_EQ(scaler.get_backoff_factor(), 0.25);
  EXPECT_EQ(scaler.get_growth_factor(), 3);
  for (const double scale : {0.0, -1.0, 1e300, std::nan("")}) {
    EXPECT_THROW(scaler.update(scale), Error) << scale;
  }
  EXPECT_EQ(scaler.get_scale(), 32);
}

}  // namespace
}  // namespace tern::testing
