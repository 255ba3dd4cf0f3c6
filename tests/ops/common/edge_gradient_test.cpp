#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"

// PyTorch's gradients at the edges of ops, and of ops that run backward twice.

namespace tern {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor leaf_of(const std::vector<double>& values) {
  return tensor(values, kDouble).requires_grad_();
}

void expect_values(const Tensor& actual, const std::vector<double>& expected) {
  EXPECT_TRUE(allclose(actual.cpu().reshape({-1}), tensor(expected, kDouble), 1e-12, 0, true))
      << actual;
}

TEST(EdgeGradient, OfAPowerOfZero) {
  for (const bool is_number : {true, false}) {
    const Tensor t = leaf_of({0, 1, -1, 2});
    const Tensor out = is_number ? pow(0, t) : pow(zeros({4}, kDouble), t);
    expect_values(out, {1, 0, kInf, 0});
    expect_values(autograd::grad({out.sum()}, {t})[0], {0, 0, -kInf, 0});
  }
  const Tensor x = leaf_of({0, 0, 0, 0});
  pow(x, tensor({0., 1., 2., 0.5}, kDouble)).sum().backward();
  expect_values(x.grad(), {0, 1, 0, kInf});
}

// A step along it must leave the matrix symmetric, because only one triangle is read.
TEST(EdgeGradient, OfEigenvectorsIsSymmetric) {
  const Tensor a = leaf_of({2, 1, 0.5, 1, 3, -1, 0.5, -1, 1}).detach().reshape({3, 3});
  const Tensor weight = arange(1, 10, kDouble).reshape({3, 3});
  for (const char* triangle : {"L", "U"}) {
    const Tensor x = a.clone().requires_grad_();
    const auto [values, vectors] = linalg_eigh(x, triangle);
    (vectors.abs() * weight).sum().backward();
    expect_values(x.grad(), {0.46695805478326, 0.51778859834623, -0.33774824572138,
                             0.51778859834623, -0.94083930491673, -0.35844580203956,
                             -0.33774824572138, -0.35844580203956, 0.47388125013347});
  }
}

// An element of self that does not count has no share, also where it equals the result.
TEST(EdgeGradient, OfExtremesWithoutSelf) {
  const Tensor index = tensor({0, 0, 1, 1, 0});
  for (const char* const reduce : {"amax", "amin"}) {
    const double sign = reduce[2] == 'a' ? 1 : -1;
    for (const bool by_slices : {false, true}) {
      const Tensor self = leaf_of({4 * sign, 7 * sign, 2}),
                   source = leaf_of({4 * sign, 4 * sign, 1 * sign, 7 * sign, 3 * sign});
      const Tensor out = by_slices ? self.index_reduce(0, index, source, reduce, false)
                                   : self.scatter_reduce(0, index, source, reduce, false);
      const auto grads = autograd::grad({out}, {self, source}, {tensor({1., 10., 100.}, kDouble)});
      expect_values(grads[0], {0, 0, 100});
      expect_values(grads[1], {0.5, 0.5, 0, 10, 0});
    }
  }
}

// With create_graph ordinary ops compute the gradient, else a kernel.
TEST(EdgeGradient, OfAVolumeAtPointsThatAreNoNumbers) {
  const Tensor volume = arange(1, 28, kDouble).reshape({1, 1, 3, 3, 3}).requires_grad_();
  for (const double bad : {kInf, -kInf, std::nan("")}) {
    const Tensor points = tensor({bad, 0.25, -0.5, 0.25, bad, 0.5, -0.5, 0.375, bad}, kDouble)
                              .reshape({1, 1, 1, 3, 3});
    for (const std::int64_t mode : {0, 1}) {
      for (const std::int64_t padding : {0, 1, 2}) {
        const Tensor out = grid_sampler(volume, points, mode, padding, true);
        const Tensor gradient = autograd::grad({out.sum()}, {volume}, {}, true)[0];
        const Tensor composed = autograd::grad({out.sum()}, {volume}, {}, true, true)[0];
        EXPECT_TRUE(composed.allclose(gradient, 1e-12, 1e-12))
            << bad << " with mode " << mode << " and padding " << padding << ":\n"
            << composed - gradient;
      }
    }
  }
}

TEST(EdgeGradient, OfTheTargetOfBinaryCrossEntropy) {
  const Tensor x = leaf_of({0, 1, 0.25}), t = leaf_of({0.5, 0.5, 0.5});
  binary_cross_entropy(x, t, {}, Reduction::Sum).backward();
  expect_values(x.grad(), {-5e11, 5e11, -4. / 3});
  expect_values(t.grad(), {kInf, -kInf, std::log(3)});
  // With create_graph ordinary ops compute the gradient.
  const Tensor loss = binary_cross_entropy(x, t.detach(), {}, Reduction::Sum);
  expect_values(autograd::grad({loss}, {x}, {}, {}, /*create_graph=*/true)[0],
                {-5e11, 5e11, -4. / 3});
}

// Weights count in every reduction; the mean of a class loss is divided by the sum of the weights.
TEST(EdgeGradient, OfWeightedLosses) {
  const Tensor x = (arange(12, kDouble).reshape({4, 3}) % 5 / 4 - 0.5).requires_grad_();
  const Tensor p = leaf_of({0.25, 0.5, 0.75}), target = tensor({1., 0., 0.5}, kDouble);
  const Tensor classes = tensor({2, 0, 1, 2});  // class 1 is ignored below
  const Tensor of_class = tensor({0.5, 1., 2.}, kDouble), weight = tensor({2., 1., 4.}, kDouble);
  const std::pair<Reduction, double> shares[] = {
      {Reduction::None, 1}, {Reduction::Sum, 1}, {Reduction::Mean, 1. / 3}};
  for (const auto& [reduction, share] : shares) {
    const bool each = reduction == Reduction::None;
    const auto check = [&](const Tensor& loss, const Tensor& input, double divided,
                           const std::vector<double>& values, const std::vector<double>& gradient) {
      double sum = 0;
      for (const double value : values) sum += value;
      expect_values(loss / divided, each ? values : std::vector<double>{sum});
      const Tensor first = autograd::grad({loss.sum() / divided}, {input})[0];
      expect_values(first.dim() == 2 ? first[0] : first, gradient);
    };
    check(cross_entropy_loss(x, classes, of_class, reduction, 1, 0.25), x,
          reduction == Reduction::Mean ? 1 / 4.5 : 1,
          {1.5992307345601735, 0.780115044712858, 0, 2.426069498592901},
          {0.41390975589125095, 0.5016383724747074, -0.9155481283659583});
    check(binary_cross_entropy(p, target, weight, reduction), p, share,
          {2.772588722239781, 0.6931471805599453, 3.347952867143343}, {-8, 2, 16. / 3});
    check(binary_cross_entropy_with_logits(p, target, weight, {}, reduction), p, share,
          {1.1518788397576871, 0.9740769841801067, 3.0474840244595995},
          {-0.8756469982284039, 0.6224593312018546, 0.7167147967015719});
  }
}

// [2, 3, 2]: the classes are in the middle, and the mean counts four samples.
TEST(EdgeGradient, OfCrossEntropyOfProbabilitiesInThreeDimensions) {
  const Tensor k = arange(12, kDouble).reshape({2, 3, 2});
  const Tensor x = (k % 5 / 4 - 0.5).requires_grad_();
  const Tensor t = (k * 7 % 11 / 16).requires_grad_();
  const Tensor weight = tensor({0.5, 1., 2.}, kDouble);
  struct Case {
    bool is_weighted;
    double smoothing, loss;
    std::vector<double> of_input, of_target;  // [0, 0, :] and [1, :, 1]
  };
  const Case cases[] = {{false,
                         0,
                         3.517934694269876,
                         {0.10480709431453925, -0.09103979307199091},
                         {1.2318375667944002, 0.7318375667944002, 1.4818375667944002}},
                        {true,
                         0,
                         3.520331505099602,
                         {0.1746784905242321, 0.10035808532842944},
                         {0.6159187833972001, 0.7318375667944002, 2.9636751335888003}},
                        {true,
                         0.25,
                         3.99985182037364,
                         {0.14368662050071293, 0.11869738675056989},
                         {0.46193908754790003, 0.5488781750958001, 2.2227563501916}}};
  for (const Case& c : cases) {
    for (const bool is_mean : {false, true}) {
      const double share = is_mean ? 0.25 : 1;
      const Tensor loss =
          cross_entropy_loss(x, t, c.is_weighted ? weight : Tensor(),
                             is_mean ? Reduction::Mean : Reduction::Sum, -100, c.smoothing);
      expect_values(loss / share, {c.loss});
      const auto grads = autograd::grad({loss / share}, {x, t});
      expect_values(grads[0][0][0], c.of_input);
      expect_values(grads[1][1].select(1, 1), c.of_target);
    }
  }
  const Tensor each = cross_entropy_loss(x, t, weight, Reduction::None, -100, 0.25);
  EXPECT_EQ(each.sizes(), IntArrayRef({2, 2}));
  expect_values(each,
                {0.8303724327738089, 1.1822777109927314, 1.2091206672187813, 0.7780810093883188});
}

// A gradient whose dtype differs from the output's is cast at the start, so that hooks and rules
// see the output's dtype.
TEST(EdgeGradient, OfAnotherDtypeIsCastAtOnce) {
  for (const ScalarType of_output : {kFloat, kDouble}) {
    const Tensor given = tensor({1., 3.}, of_output == kFloat ? kDouble : kFloat);
    const Tensor x = ones({2}, of_output).requires_grad_();
    x.backward(given);
    EXPECT_EQ(x.grad().dtype(), of_output);
    const Tensor y = x * 2;
    ScalarType seen = kLong;
    y.register_hook([&](const Tensor& g) {
      seen = g.dtype();
      return Tensor();
    });
    y.backward(given);
    EXPECT_EQ(seen, of_output);
    EXPECT_TRUE(equal(x.grad(), tensor({3., 9.}, of_output)));
    // A number that float32 cannot hold: nothing is rounded on the way.
    if (of_output == kFloat) continue;
    const Tensor fine = full({2}, 1 + 0x1p-40, kDouble);
    EXPECT_TRUE(equal(autograd::grad({x * fine}, {x}, {ones({2})})[0], fine));
  }
}

TEST(EdgeGradient, OfACopyAcrossGoesBackToItsDevice) {
  for (const auto& [from, to] : {std::pair("cpu", "cuda:0"), std::pair("cuda:1", "cpu")}) {
    const Tensor x = ones({2, 3}, TensorOptions(kDouble).device(Device(from))).requires_grad_();
    Tensor there = zeros({2, 3}, TensorOptions(kDouble).device(Device(to)));
    there.copy_(x);
    EXPECT_EQ(there.device(), Device(to));
    (there * 3).sum().backward();
    EXPECT_EQ(x.grad().device(), Device(from));
    expect_values(x.grad(), std::vector<double>(6, 3));
  }
}

TEST(Edge, AsStridedEndsWithItsStorage) {
  EXPECT_TRUE(equal(arange(4).as_strided({2}, {2}, 1), tensor({1, 3})));
  const std::string text = error_of([] { arange(4).as_strided({2}, {2}, 2); });
  EXPECT_NE(text.find("are out of bounds for storage of"), text.npos) << text;
}

// A view without elements adds nothing to the buffer that a gradient is put together in.
TEST(EdgeGradient, AViewWithoutElementsMayLieAnywhere) {
  const std::int64_t far = std::int64_t{1} << 50;
  const std::vector<std::vector<std::int64_t>> sizes = {{0}, {0, far}, {far, 0}};
  for (const auto& size : sizes) {
    const std::vector<std::int64_t> strides(size.size(), 1);
    const Tensor x = ones({3}).requires_grad_();
    x.as_strided(size, strides, far).sum().backward();
    EXPECT_TRUE(equal(x.grad(), zeros({3})));
    const Tensor changed = x.clone();
    changed.as_strided(size, strides, far).fill_(2);
    EXPECT_TRUE(equal(autograd::grad({changed.sum()}, {x})[0], ones({3})));
    const Tensor nothing = ones(size).requires_grad_();  // the base has no elements, either
    nothing.as_strided(size, strides).sum().backward();
    EXPECT_EQ(nothing.grad().sizes(), IntArrayRef(size));
  }
}

class NormalizationTwice : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Devices, NormalizationTwice, ::testing::Values("cpu", "cuda:0"),
                         [](const auto& test) {
                           return std::string(test.param, 0, 3) == "cpu" ? "cpu" : "cuda";
                         });

TEST_P(NormalizationTwice, RunsAgainOnlyWhenItsGraphIsKept) {
  const TensorOptions options = TensorOptions(kDouble).device(Device(GetParam()));
  const Tensor x = (arange(12, options).square() % 7).reshape({4, 3}).requires_grad_();
  const Tensor weight = full({3}, 1.5, options).requires_grad_();
  const Tensor bias = zeros({3}, options).requires_grad_();
  const Tensor mean = ones({3}, options), variance = full({3}, 2., options);
  const Tensor g = arange(12, options).reshape({4, 3});
  const std::vector<std::function<Tensor()>> norms = {
      [&] { return layer_norm(x, 3, weight, bias); },
      [&] { return batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5); },
      [&] { return batch_norm(x, weight, bias, mean, variance, false, 0.1, 1e-5); }};
  for (std::size_t i = 0; i < norms.size(); ++i) {
    SCOPED_TRACE(i);
    const Tensor out = norms[i]();
    const std::vector<Tensor> inputs = {x, weight, bias};
    const auto once = autograd::grad({out}, inputs, {g}, /*retain_graph=*/true);
    const auto again = autograd::grad({out}, inputs, {g});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(equal(once[k], again[k])) << k;
    for (const bool twice : {false, true}) {
      const std::string text =
          error_of([&] { autograd::grad({out}, inputs, {g}, {}, /*create_graph=*/twice); });
      EXPECT_NE(text.find("Trying to backward through the graph a second time"), text.npos) << text;
    }
    // The saved tensors are checked, too.
    for (const bool of_input : {true, false}) {
      const Tensor late = norms[i]();
      {
        const NoGradGuard no_grad;
        Tensor(of_input ? x : weight).add_(1);
      }
      const std::string text = error_of([&] { late.backward(g); });
      EXPECT_NE(text.find("has been modified by an inplace operation"), text.npos) << text;
    }
  }
}

}  // namespace
}  // namespace tern
