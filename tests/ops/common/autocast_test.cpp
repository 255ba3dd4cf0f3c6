#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// Regions of autocast: settings, threads, the cache of weights, gradients, and the edges of the
// rules. autocast_golden_test.cpp has the dtypes of every op.

namespace tern::testing {
namespace {

using amp::Autocast;

class AutocastOn : public ::testing::TestWithParam<Device> {
 protected:
  Device device() const { return GetParam(); }
  ScalarType low() const { return device().is_cpu() ? kBFloat16 : kHalf; }
  ScalarType other_low() const { return device().is_cpu() ? kHalf : kBFloat16; }
  Tensor matrix(ScalarType dtype = kFloat) const {
    return ones({3, 3}, TensorOptions().device(device()).dtype(dtype));
  }
};

TEST_P(AutocastOn, CastsMatrixProductsInItsRegionAlone) {
  const Tensor a = matrix();
  EXPECT_EQ(a.mm(a).dtype(), kFloat);
  {
    const Autocast region(device());
    EXPECT_EQ(a.mm(a).dtype(), low());
    EXPECT_EQ((a + a).dtype(), kFloat);
  }
  EXPECT_EQ(a.mm(a).dtype(), kFloat);
}

TEST_P(AutocastOn, TakesADtype) {
  const Tensor a = matrix();
  const Autocast region(device(), other_low());
  EXPECT_EQ(a.mm(a).dtype(), other_low());
  EXPECT_EQ(a.mm(a).mm(a.to(low())).dtype(), other_low());
}

TEST_P(AutocastOn, Nests) {
  const Tensor a = matrix();
  const Autocast outer(device());
  {
    const Autocast off(device(), std::nullopt, false);
    EXPECT_EQ(a.mm(a).dtype(), kFloat);
    EXPECT_THROW(a.mm(a.to(low())), DTypeError);
    {
      const Autocast inner(device(), other_low());
      EXPECT_EQ(a.mm(a).dtype(), other_low());
    }
    EXPECT_EQ(a.mm(a).dtype(), kFloat);
  }
  EXPECT_EQ(a.mm(a).dtype(), low());
}

TEST_P(AutocastOn, EndsWithAnException) {
  const Tensor a = matrix();
  try {
    const Autocast region(device());
    throw std::runtime_error("unwinds");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(autocast::is_autocast_enabled(device().type()));
  {
    const Autocast region(device());
    EXPECT_THROW(a.mm(ones({2, 2}, device())), ShapeError);
    EXPECT_EQ(a.mm(a).dtype(), low());
  }
  EXPECT_EQ(a.mm(a).dtype(), kFloat);
}

TEST_P(AutocastOn, BelongsToAThread) {
  const Tensor a = matrix();
  const Autocast region(device());
  ScalarType of_thread = kBool;
  std::thread([&] { of_thread = a.mm(a).dtype(); }).join();
  EXPECT_EQ(of_thread, kFloat);
  EXPECT_EQ(a.mm(a).dtype(), low());
}

TEST_P(AutocastOn, LeavesOtherDevicesAlone) {
  const Device other = device().is_cpu() ? Device(0) : Device(kCPU);
  const Tensor a = ones({3, 3}, other);
  const Autocast region(device());
  EXPECT_EQ(a.mm(a).dtype(), kFloat);
}

TEST_P(AutocastOn, NeverCastsFloat64OrIntegers) {
  const Autocast region(device());
  EXPECT_EQ(matrix(kDouble).mm(matrix(kDouble)).dtype(), kDouble);
  EXPECT_THROW(matrix().mm(matrix(kDouble)), DTypeError);
  EXPECT_EQ(matrix(kInt).sum().dtype(), kLong);
  EXPECT_EQ(matrix(kDouble).exp().dtype(), kDouble);
  EXPECT_EQ(cat({matrix(), matrix(kDouble)}).dtype(), kDouble);
}

TEST_P(AutocastOn, GivesGradientsTheDtypeOfTheirTensors) {
  const Tensor x = matrix().requires_grad_(), w = matrix().requires_grad_();
  const Tensor bias = ones({3}, device()).requires_grad_();
  Tensor loss;
  {
    const Autocast region(device());
    const Tensor y = linear(x, w, bias);
    EXPECT_EQ(y.dtype(), low());
    loss = mse_loss(y, matrix(low()));
  }
  EXPECT_EQ(loss.dtype(), kFloat);
  loss.backward();
  for (const Tensor& leaf : {x, w, bias}) EXPECT_EQ(leaf.grad().dtype(), kFloat);
  EXPECT_TRUE(w.grad().ne(0).all().item<bool>());
}

TEST_P(AutocastOn, RunsBackwardWithoutCasts) {
  const Tensor x = matrix().requires_grad_();
  const Autocast region(device());
  Tensor wide;
  {
    const Autocast off(device(), std::nullopt, false);
    wide = x.mm(x).mm(x).sum();
  }
  Tensor kept = matrix(low()).requires_grad_();
  kept.mm(kept).sum().backward();
  EXPECT_EQ(kept.grad().dtype(), low());
  ScalarType of_hook = kBool;
  x.register_hook([&](const Tensor& g) { of_hook = g.mm(g).dtype(); });
  wide.backward();
  EXPECT_EQ(of_hook, kFloat);
  EXPECT_TRUE(autocast::is_autocast_enabled(device().type()));
}

TEST_P(AutocastOn, CastsAWeightOnce) {
  const Tensor x = matrix(), w = matrix().requires_grad_();
  const auto cast_of = [&](const Tensor& product) {
    // The node of the product's second input is the cast of w.
    return autograd::gradient_edge(product).function->next_edges()[1].function.get();
  };
  const Autocast region(device());
  const Tensor first = x.mm(w), second = x.mm(w);
  EXPECT_EQ(cast_of(first), cast_of(second));
  first.sum().backward();
  second.sum().backward();  // both through the one cast
  EXPECT_EQ(w.grad()[0][0].item<float>(), 6);
  {
    const Autocast inner(device());
    EXPECT_EQ(cast_of(x.mm(w)), cast_of(first));
  }
  EXPECT_EQ(cast_of(x.mm(w)), cast_of(first));
  autocast::clear_cache();
  EXPECT_NE(cast_of(x.mm(w)), cast_of(first));
}

TEST_P(AutocastOn, KeepsTheCastOfAWeightThatChanges) {
  const Tensor x = matrix(), w = matrix().requires_grad_();
  {
    const Autocast region(device());
    EXPECT_EQ(x.mm(w)[0][0].item<float>(), 3);
    {
      const NoGradGuard no_grad;
      Tensor(w).mul_(2);
    }
    EXPECT_EQ(x.mm(w)[0][0].item<float>(), 3);  // as PyTorch
  }
  {
    const Autocast region(device());
    EXPECT_EQ(x.mm(w)[0][0].item<float>(), 6);
  }
  const Autocast region(device(), std::nullopt, true, /*cache_enabled=*/false);
  EXPECT_EQ(x.mm(w)[0][0].item<float>(), 6);
  const NoGradGuard no_grad;
  Tensor(w).mul_(2);
  EXPECT_EQ(x.mm(w)[0][0].item<float>(), 12);
}

TEST_P(AutocastOn, CachesNoCastWithoutHistory) {
  const Tensor x = matrix(), w = matrix().requires_grad_();
  const Autocast region(device());
  {
    const NoGradGuard no_grad;
    x.mm(w);
  }
  {
    const InferenceMode inference;
    x.mm(w);
  }
  EXPECT_TRUE(x.mm(w).requires_grad());
  const Autocast inner(device(), other_low());
  EXPECT_EQ(x.mm(w).dtype(), other_low());
}

TEST_P(AutocastOn, CastsOnlyTheOpThatIsCalled) {
  // What an op is made of has no rules.
  const Autocast region(device());
  const Tensor a = matrix() + eye(3, device());
  EXPECT_EQ(linalg_solve_triangular(a.tril(), matrix(), false).dtype(), kFloat);
  EXPECT_EQ(a.matrix_exp().dtype(), kFloat);
}

TEST_P(AutocastOn, LeavesOpsInPlaceAndWithOutAlone) {
  const Autocast region(device());
  Tensor a = matrix();
  a.addmm_(matrix(), matrix());
  EXPECT_EQ(a.dtype(), kFloat);
  EXPECT_THROW(a.addmm_(matrix(low()), matrix(low())), DTypeError);
  Tensor out = zeros({3, 3}, device());
  mm_out(out, a, a);
  EXPECT_EQ(out.dtype(), kFloat);
  Tensor wrong = zeros({3, 3}, TensorOptions().device(device()).dtype(kInt));
  EXPECT_THROW(mm_out(wrong, a, a), DTypeError);
  Tensor w = matrix().requires_grad_() * 1;
  w.addmm_(matrix(), matrix());
  EXPECT_EQ(w.dtype(), kFloat);
  w.exp_();
  EXPECT_EQ(w.dtype(), kFloat);
}

TEST_P(AutocastOn, RestoresItsSettingsInACheckpoint) {
  const Tensor x = matrix(), w = matrix().requires_grad_();
  std::vector<ScalarType> dtypes;
  Tensor y;
  {
    const Autocast region(device(), other_low());
    y = autograd::checkpoint(
        [&](const Tensor& input) {
          const Tensor product = input.mm(w).tanh();
          dtypes.push_back(product.dtype());
          return product;
        },
        Tensor(x).requires_grad_());
  }
  y.sum().backward();
  EXPECT_EQ(dtypes, (std::vector<ScalarType>{other_low(), other_low()}));
  EXPECT_EQ(w.grad().dtype(), kFloat);
  EXPECT_FALSE(autocast::is_autocast_enabled(device().type()));
}

TEST_P(AutocastOn, NormalisesNarrowInputsWithParametersOfFloat32) {
  const Tensor x = matrix(low()).requires_grad_(), weight = ones({3}, device()).requires_grad_();
  const Tensor mean = zeros({3}, device()), variance = ones({3}, device());
  const Autocast region(device());
  EXPECT_EQ(batch_norm(x, weight, weight, mean, variance, true, 0.1, 1e-5).dtype(), low());
  const ScalarType wanted = device().is_cpu() ? low() : kFloat;
  EXPECT_EQ(layer_norm(x, {3}, weight, weight).dtype(), wanted);
  EXPECT_EQ(group_norm(x, 3, weight, weight).dtype(), wanted);
  const Tensor y = rms_norm(x, {3}, weight);
  EXPECT_EQ(y.dtype(), wanted);
  y.sum().backward();
  EXPECT_EQ(x.grad().dtype(), low());
  EXPECT_EQ(weight.grad().dtype(), kFloat);
}

TEST_P(AutocastOn, ReachesOpsInsideFunctionsOfLayers) {
  const Autocast region(device());
  const Tensor x = matrix(low());
  const bool wide = device().is_cuda();
  EXPECT_EQ(nn::functional::normalize(x).dtype(), wide ? kFloat : low());
  EXPECT_EQ(einsum("ij,jk->ik", {matrix(), matrix()}).dtype(), low());
  EXPECT_EQ(
      cross_entropy_loss(x, zeros({3}, TensorOptions().device(device()).dtype(kLong))).dtype(),
      kFloat);
  EXPECT_EQ(nn::Linear(nn::LinearOptions(3, 2).device(device()))->forward(matrix()).dtype(), low());
}

INSTANTIATE_TEST_SUITE_P(Devices, AutocastOn, ::testing::Values(Device(kCPU), Device(0)),
                         [](const auto& test) { return test.param.is_cpu() ? "cpu" : "cuda"; });

TEST(AutocastTest, RefusesBinaryCrossEntropyOnCuda) {
  const Tensor p = full({3}, 0.5), q = p.to(Device(0));
  const Autocast cpu(kCPU), cuda(kCUDA);
  EXPECT_EQ(binary_cross_entropy(p.to(kBFloat16), p).dtype(), kFloat);
  const std::string text = error_of<Error>([&] { binary_cross_entropy(q, q); });
  EXPECT_NE(text.find("torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
                      "autocast.\nMany models use a sigmoid layer right before"),
            text.npos);
  EXPECT_EQ(binary_cross_entropy_with_logits(q.to(kHalf), q).dtype(), kFloat);
}

TEST(AutocastTest, TakesTheWidestDtype) {
  const Tensor a = ones({2}), b = ones({2}, kBFloat16), c = ones({2}, kHalf);
  const Autocast region(kCPU);
  EXPECT_EQ(cat({b, b}).dtype(), kBFloat16);
  EXPECT_EQ(stack({a, b}).dtype(), kFloat);
  EXPECT_EQ(cat({a, c}).dtype(), kFloat);
  EXPECT_NE(error_of<DTypeError>([&] {
              cat({c, c});
            }).find("Unexpected floating ScalarType in at::autocast::prioritize"),
            std::string::npos);
}

TEST(AutocastTest, ServesBothDevicesAtOnce) {
  const Tensor a = ones({2, 2}), b = ones({2, 2}, Device(0));
  const Autocast cpu(kCPU), cuda(kCUDA);
  EXPECT_EQ(a.mm(a).dtype(), kBFloat16);
  EXPECT_EQ(b.mm(b).dtype(), kHalf);
}

TEST(AutocastTest, RespectsADtypeThatIsGiven) {
  const Tensor x = ones({2, 2}, TensorOptions().device(0).dtype(kHalf));
  const Autocast region(kCUDA);
  EXPECT_EQ(x.sum().dtype(), kFloat);
  EXPECT_EQ(x.sum(kHalf).dtype(), kHalf);
  EXPECT_EQ(x.cumsum(0, kHalf).dtype(), kHalf);
  EXPECT_EQ(x.prod(kDouble).dtype(), kDouble);
}

TEST(AutocastTest, ChecksDevicesAndDtypes) {
  EXPECT_EQ(error_of<DeviceError>([] { Autocast region(kMeta); }),
            "User specified an unsupported autocast device_type 'meta'");
  EXPECT_EQ(error_of<DTypeError>([] { Autocast region(kCPU, kFloat); }),
            "In CPU autocast, but the target dtype Float is not supported. CPU Autocast only "
            "supports dtypes of torch.bfloat16, torch.float16 currently.");
  EXPECT_THROW(Autocast(kCUDA, kInt), DTypeError);
  EXPECT_FALSE(autocast::is_autocast_enabled(kCPU));
  EXPECT_NO_THROW(Autocast(kCPU, kFloat, false));
  const Autocast region("cuda:1", kFloat);  // as PyTorch: no cast to a lower dtype
  EXPECT_EQ(autocast::get_autocast_dtype(kCUDA), kFloat);
}

TEST(AutocastTest, HasTheFunctionsOfLibtorch) {
  const Tensor a = ones({2, 2});
  EXPECT_TRUE(autocast::is_autocast_available(kCPU));
  EXPECT_FALSE(autocast::is_autocast_available(kMeta));
  autocast::set_autocast_enabled(kCPU, true);
  autocast::set_autocast_dtype(kCPU, kHalf);
  EXPECT_EQ(autocast::increment_nesting(), 1);
  EXPECT_EQ(a.mm(a).dtype(), kHalf);
  EXPECT_EQ(autocast::decrement_nesting(), 0);
  autocast::clear_cache();
  autocast::set_autocast_enabled(kCPU, false);
  autocast::set_autocast_dtype(kCPU, kBFloat16);
  EXPECT_EQ(autocast::get_autocast_dtype(kCPU), kBFloat16);
  EXPECT_EQ(autocast::get_autocast_dtype(kCUDA), kHalf);
  EXPECT_TRUE(autocast::is_autocast_cache_enabled());
  autocast::set_autocast_cache_enabled(false);
  EXPECT_FALSE(autocast::is_autocast_cache_enabled());
  autocast::set_autocast_cache_enabled(true);
  EXPECT_THROW(autocast::set_autocast_enabled(kMeta, true), DeviceError);
  EXPECT_THROW(autocast::set_autocast_dtype(kCPU, kInt), DTypeError);
}

}  // namespace
}  // namespace tern::testing
