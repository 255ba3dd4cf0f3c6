#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/tern.h>

#include "error_of.h"

// Values that an op cannot take cause errors. A GPU throws at the next call that waits.

namespace tern {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

class Values : public ::testing::TestWithParam<const char*> {
 protected:
  Device place() const { return Device(GetParam()); }
  Tensor of(const std::vector<double>& values, ScalarType dtype = kFloat) const {
    return tensor(values, kDouble).to(place(), dtype);
  }
  // Returns the error of `call`; a GPU has it after the call.
  template <class Fn>
  std::string error_of_values(const Fn& call) const {
    return error_of([&] {
      call();
      if (place().is_cuda()) cuda::synchronize(place().index());
    });
  }
};

bool holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_P(Values, ProbabilitiesOfBernoulli) {
  for (const ScalarType dtype : {kFloat, kDouble}) {
    for (const double bad : {2.0, -1.0, kNaN, kInfinity, 1.0000001}) {
      const Tensor p = of({0.5, bad, 0}, dtype);
      const std::string text = error_of_values([&] { bernoulli(p); });
      EXPECT_TRUE(holds(text, "Expected p_in >= 0 && p_in <= 1 to be true, but got false."))
          << bad << ": " << text;
    }
    if (!place().is_cuda()) {
      EXPECT_TRUE(holds(error_of([&] {
                          bernoulli(of({0.5, 0, 2.5}, dtype));
                        }),
                        " The element at index 2 of the flattened tensor is 2.5"));
    }
    EXPECT_TRUE(equal(bernoulli(of({0, 1, 1, 0}, dtype)), of({0, 1, 1, 0}, dtype)));
  }
  EXPECT_EQ(bernoulli(of({})).numel(), 0);
  EXPECT_TRUE(equal(bernoulli(of({0, 1}).reshape({2, 1}).expand({2, 3}).t()),
                    of({0, 1, 0, 1, 0, 1}).reshape({3, 2})));
  for (const double bad : {2.0, -1.0, kNaN}) {
    EXPECT_TRUE(holds(error_of([&] { of({0}).bernoulli_(bad); }), "expects p to be in [0, 1]"));
  }
}

TEST_P(Values, IntegerDivisorsOfRemainder) {
  const Tensor x = of({7, -7, 7}, kLong);
  EXPECT_TRUE(holds(error_of_values([&] { x % of({2, 0, 1}, kLong); }), "ZeroDivisionError"));
  EXPECT_TRUE(holds(error_of_values([&] { x % of({0}, kLong).reshape({}); }), "ZeroDivisionError"));
  EXPECT_TRUE(holds(error_of([&] { x % 0; }), "ZeroDivisionError"));
  EXPECT_TRUE(holds(error_of([&] { x % tensor(0); }), "ZeroDivisionError"));
  EXPECT_TRUE(equal(x % of({2, 2, -2}, kLong), of({1, 1, -1}, kLong)));
  EXPECT_TRUE(of({1}).remainder(0).isnan().all().item<bool>());
  EXPECT_TRUE(x.remainder(0.0).isnan().all().item<bool>());
}

TEST_P(Values, NumbersThatADtypeCannotHold) {
  const char* const text = "value cannot be converted to type float without overflow";
  Tensor x = of({1, 2});
  const Tensor mask = tensor({true, false}).to(place());
  const std::vector<std::function<void(double)>> calls = {
      [&](double v) { full({1}, v, device(place())); },
      [&](double v) { full({0}, v, device(place())); },
      [&](double v) { full_like(x, v); },
      [&](double v) { x.new_full({2}, v); },
      [&](double v) { scalar_tensor(v, device(place())); },
      [&](double v) { Tensor(x).fill_(v); },
      [&](double v) { x[0] = v; },
      [&](double v) { x.masked_fill(mask, v); },
      [&](double v) { x.clone().masked_fill_(mask, v); },
      [&](double v) { where(mask, x, v); },
      [&](double v) { where(mask, v, x); },
      [&](double v) { x.clamp(std::nullopt, v); },
      [&](double v) { x.clamp_min(v); },
      [&](double v) { x.add(x, v); },
      [&](double v) { x.sub(x, v); },
      [&](double v) { x.lerp(x, v); },
      [&](double v) { x.addcmul(x, x, v); },
      [&](double v) { linspace(0, v, 3, device(place())); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    for (const double bad : {1e39, -1e39, 3.5e38, 3.40282356e38}) {
      EXPECT_TRUE(holds(error_of([&] { calls[i](bad); }), text)) << bad;
    }
    EXPECT_NO_THROW(calls[i](3.4028234e38));
    EXPECT_NO_THROW(calls[i](kInfinity));
    EXPECT_NO_THROW(calls[i](kNaN));
  }
  EXPECT_TRUE(holds(error_of([&] {
                      of({1, 2}, kHalf).fill_(65520.5);
                    }),
                    "value cannot be converted to type c10::Half without overflow"));
  EXPECT_TRUE(holds(error_of([&] {
                      of({1, 2}, kBFloat16).fill_(1e39);
                    }),
                    "value cannot be converted to type c10::BFloat16 without overflow"));
  EXPECT_NO_THROW(of({1}, kDouble).fill_(1e39));
  // As in PyTorch, these calls give infinity.
  EXPECT_EQ(full({1}, 1e6, of({1}, kHalf).options()).item<float>(), kInfinity);
  const Tensor infinity = of({kInfinity, kInfinity});
  EXPECT_TRUE(equal(of({1, 2}) + 1e39, infinity));
  EXPECT_TRUE(equal(of({1, 2}) * 1e39, infinity));
  EXPECT_TRUE(equal(of({1e39, 2e39}), infinity));
  EXPECT_TRUE(equal(tensor({1e39, 1e39}, kFloat).to(place()), infinity));
  EXPECT_EQ(tensor(1e39).item<double>(), kInfinity);
  EXPECT_TRUE(equal(of({1, 2}).fill_(tensor(1e39, kDouble)), infinity));
  EXPECT_TRUE(holds(error_of([&] { of({1e39}, kDouble).item<float>(); }), text));
}

TEST_P(Values, NormsOfOneNumber) {
  for (const float value : {1e30F, 3e-30F, -1e30F, 1e-45F, 0.0F}) {
    for (const double order : {2.0, 3.0, 1.5}) {
      const Tensor x = full({1}, value, device(place())).requires_grad_();
      const Tensor y = norm(x, order);
      EXPECT_EQ(y.item<float>(), std::abs(value)) << order;
      y.backward();
      const float sign = value == 0 ? 0.0F : value < 0 ? -1.0F : 1.0F;
      EXPECT_EQ(x.grad().item<float>(), sign) << value << ", order " << order;
    }
  }
}

// Norms of host tensors are rescaled; a GPU gives PyTorch's infinity and zero.
TEST(Norm, ScalesNumbersWhosePowersLeaveTheRange) {
  for (const double size : {1e30, 1e-30, 1e-43}) {
    const Tensor x = (tensor({{3., 0.}, {-4., 0.}}, kDouble) * size).to(kFloat).requires_grad_();
    const auto near = [&](const Tensor& actual, const std::vector<double>& expected, double rtol) {
      EXPECT_TRUE(
          actual.to(kDouble).allclose(tensor(expected, kDouble).reshape(actual.sizes()), rtol, 0))
          << actual << " at " << size;
    };
    const double tolerance = size < 1e-38 ? 0.05 : 1e-6;  // denormal numbers have few digits
    near(x.norm(), {5 * size}, tolerance);
    near(x.norm(2, 0), {5 * size, 0}, tolerance);
    near(x.norm(2, 1, true), {3 * size, 4 * size}, tolerance);
    near(x.norm(3, 0), {std::cbrt(91.0) * size, 0}, tolerance);
    near(autograd::grad({x.norm()}, {x})[0], {0.6, 0, -0.8, 0}, tolerance);
    near(autograd::grad({x.norm(2, 0).sum()}, {x})[0], {0.6, 0, -0.8, 0}, tolerance);
    near(autograd::grad({x.norm(3, 0).sum()}, {x})[0],
         {9 / std::pow(91, 2.0 / 3), 0, -16 / std::pow(91, 2.0 / 3), 0}, tolerance);
  }
  const Tensor wide = tensor({1e200, 1e200}, kDouble);
  EXPECT_NEAR(wide.norm().item<double>() / 1e200, std::sqrt(2), 1e-15);
  EXPECT_EQ(tensor({1., kInfinity}).norm().item<double>(), kInfinity);
  EXPECT_TRUE(std::isnan(tensor({1., kNaN}).norm().item<double>()));
  EXPECT_EQ(zeros({3}).norm().item<float>(), 0);
  EXPECT_EQ(tensor({-1e30f}).norm(-3).item<float>(), 1e30f);  // a single number needs no power
  EXPECT_EQ(zeros({2, 0}).norm(2, 1).numel(), 2);
  EXPECT_EQ(empty({0}).norm().item<float>(), 0);
}

TEST(Norm, OfScaledNumbersIsDifferentiableTwice) {
  const Tensor x = (tensor({0.5, -0.25, 0.75}, kDouble) * 1e-160).requires_grad_();
  const Tensor g = autograd::grad({x.norm()}, {x}, {}, std::nullopt, /*create_graph=*/true)[0];
  const Tensor actual = autograd::grad({g[0]}, {x})[0] * 1e-160;
  const Tensor plain = tensor({0.5, -0.25, 0.75}, kDouble).requires_grad_();
  const Tensor h = autograd::grad({plain.norm()}, {plain}, {}, std::nullopt, true)[0];
  EXPECT_TRUE(actual.allclose(autograd::grad({h[0]}, {plain})[0], 1e-12, 1e-15)) << actual;
}

TEST(FromBlob, RefusesANullPointerToElements) {
  EXPECT_EQ(error_of([] { from_blob(nullptr, {3}); }),
            "from_blob: the data pointer is null, but the sizes [3] need elements");
  EXPECT_THROW(from_blob(nullptr, {2, 3}, {1, 2}), Error);
  bool deleted = false;
  EXPECT_THROW(from_blob(nullptr, {1}, [&](void*) { deleted = true; }), Error);
  EXPECT_FALSE(deleted);
  EXPECT_EQ(from_blob(nullptr, {0}).numel(), 0);
  EXPECT_EQ(from_blob(nullptr, {2, 0, 3}, kLong).dim(), 3);
  float value = 2;
  EXPECT_EQ(from_blob(&value, {}).item<float>(), 2);
}

TEST(BatchNorm, RefusesAnEpsThatIsNotPositive) {
  const Tensor x = randn({4, 3});
  const auto call = [&](double eps, bool training) {
    return error_of([&] { batch_norm(x, {}, {}, zeros({3}), ones({3}), training, 0.1, eps); });
  };
  EXPECT_EQ(call(-1, true), "batch_norm eps must be positive during training, but got -1");
  EXPECT_EQ(call(0, true), "batch_norm eps must be positive during training, but got 0");
  EXPECT_EQ(call(-1, false), "batch_norm eps must be non-negative, but got -1");
  EXPECT_NO_THROW(batch_norm(x, {}, {}, zeros({3}), ones({3}), false, 0.1, 0));
  EXPECT_NO_THROW(batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-300));
}

INSTANTIATE_TEST_SUITE_P(Devices, Values, ::testing::Values("cpu", "cuda:0", "cuda:1"),
                         [](const auto& device) {
                           std::string name = device.param;
                           return name == "cpu" ? name : "cuda" + name.substr(5);
                         });

}  // namespace
}  // namespace tern
