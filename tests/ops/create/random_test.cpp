#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"
#include "golden/golden.h"

// Ops that draw random numbers: golden/ops/draws.json holds PyTorch's numbers on the CPU for seed
// 0.

namespace tern {
namespace {

namespace F = nn::functional;

Tensor ramp(const std::vector<std::int64_t>& sizes, ScalarType dtype = kFloat) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return (arange(count) + 1).to(dtype).reshape(sizes);
}

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

const std::map<std::string, std::function<Tensor()>>& samples() {
  static const std::map<std::string, std::function<Tensor()>> all = {
      {"exponential_, transposed",
       [] {
         return empty({3, 4}).t().exponential_(2);
       }},
      {"cauchy_, double", [] { return empty({4}, kDouble).cauchy_(0.5, 2); }},
      {"geometric_, strided",
       [] {
         return empty({4, 6}).slice(1, 0, 6, 2).geometric_(0.3);
       }},
      {"log_normal_, int sizes", [] { return empty({20}).log_normal_(); }},
      {"bernoulli p", [] { return bernoulli(empty({10}, kLong), 0.3); }},
      {"bernoulli_ tensor",
       [] {
         return empty({4, 3}).bernoulli_(ramp({3}) / 4);
       }},
      {"bernoulli_ tensor, transposed",
       [] {
         return empty({3, 4}).t().bernoulli_(ramp({4, 3}) / 13);
       }},
      {"bernoulli_ tensor, double",
       [] { return empty({5}, kLong).bernoulli_(ramp({5}, kDouble) / 6); }},
      {"bernoulli tensor, transposed",
       [] {
         return bernoulli((ramp({3, 4}) / 13).t());
       }},
      {"normal mean", [] { return normal(ramp({5}), 0.3); }},
      {"normal mean, 20", [] { return normal(ramp({20}), 0.3); }},
      {"normal std", [] { return normal(0.1, ramp({5})); }},
      {"normal both",
       [] {
         return normal(ramp({4, 1}), ramp({5}));
       }},
      {"normal half", [] { return normal(ramp({17}, kHalf), ramp({17})); }},
      {"normal double std", [] { return normal(ramp({3}), ramp({3}, kDouble) / 3); }},
      {"normal transposed",
       [] {
         return normal(ramp({4, 5}).t(), 2.0);
       }},
      {"normal sizes",
       [] {
         return normal(1.0, 2.0, {2, 3});
       }},
      {"multinomial 1", [] { return multinomial(ramp({5}), 1); }},
      {"multinomial 3", [] { return multinomial(ramp({5}), 3); }},
      {"multinomial rows",
       [] {
         return multinomial(ramp({4, 6}), 6);
       }},
      {"multinomial rows, transposed",
       [] {
         return multinomial(ramp({6, 4}).t(), 6);
       }},
      {"multinomial replaced",
       [] {
         return multinomial(ramp({4, 6}), 9, true);
       }},
      {"multinomial replaced, half", [] { return multinomial(ramp({100}, kHalf), 30, true); }},
      {"multinomial half", [] { return multinomial(ramp({100}, kHalf), 30); }},
      {"multinomial bfloat16", [] { return multinomial(ramp({100}, kBFloat16), 100); }},
      {"multinomial few of many", [] { return multinomial(ramp({1000}), 10); }},
      {"multinomial with zeros",
       [] {
         return multinomial(tensor({0., 1., 0., 2.}), 2);
       }},
      {"multinomial double", [] { return multinomial(ramp({50}, kDouble), 20, true); }},
      {"poisson",
       [] {
         return poisson(ramp({4, 8}));
       }},
      {"poisson large", [] { return poisson(ramp({20}) * 100); }},
      {"poisson half", [] { return poisson(ramp({20}, kHalf)); }},
      {"poisson transposed",
       [] {
         return poisson(ramp({4, 3}, kDouble).t());
       }},
      {"binomial", [] { return binomial(ramp({30}) * 3, tensor(0.4)); }},
      {"binomial, p", [] { return binomial(tensor(50.0), ramp({30}) / 31); }},
      {"binomial double",
       [] {
         return binomial(ramp({3, 1}, kDouble) * 20, ramp({5}, kDouble) / 6);
       }},
      {"random_ float", [] { return empty({5}).random_(0, std::int64_t{1} << 31); }},
      {"random_ float, odd", [] { return empty({5}).random_(-(std::int64_t{1} << 31) - 1, 7); }},
      {"random_ bfloat16", [] { return empty({5}, kBFloat16).random_(-200, 300); }},
      {"random_ half", [] { return empty({5}, kHalf).random_(-3000, 65504); }},
      {"random_ from", [] { return empty({5}, kLong).random_(-5, std::nullopt); }},
      {"random_ from, float", [] { return empty({5}).random_(200, std::nullopt); }},
      {"random_ from, int8", [] { return empty({5}, kChar).random_(-5, std::nullopt); }},
      {"random_ from, int32", [] { return empty({5}, kInt).random_(200, std::nullopt); }},
      {"random_ all", [] { return empty({5}, kLong).random_(kLeast, std::nullopt); }},
      {"random_ all, double", [] { return empty({5}, kDouble).random_(kLeast, std::nullopt); }},
      {"randint",
       [] {
         return randint(7, {3, 2}, kByte);
       }},
      {"randperm int8", [] { return randperm(9, kChar); }},
      {"rrelu",
       [] {
         return rrelu(ramp({3, 4}) - 6, 0.1, 0.4, true);
       }},
      {"rrelu transposed, double",
       [] {
         return rrelu((ramp({3, 4}, kDouble) - 6).t(), 0.1, 0.4, true);
       }},
      {"rrelu evaluated", [] { return rrelu(ramp({5}) - 3, 0.1, 0.4, false); }},
      {"dropout", [] { return dropout(ramp({10}), 0.3, true); }},
      {"alpha_dropout", [] { return alpha_dropout(ramp({10}), 0.3, true); }},
      {"feature_dropout",
       [] {
         return feature_dropout(ramp({3, 4, 2}), 0.3, true);
       }},
      {"feature_alpha_dropout",
       [] {
         return feature_alpha_dropout(ramp({3, 4, 2}), 0.3, true);
       }},
      {"dropout1d",
       [] {
         return F::dropout1d(ramp({4, 3}), F::Dropout1dFuncOptions().p(0.3));
       }},
      {"dropout2d",
       [] {
         return F::dropout2d(ramp({4, 3, 2}), F::Dropout2dFuncOptions().p(0.3));
       }},
      {"dropout3d",
       [] {
         return F::dropout3d(ramp({4, 3, 2, 1}), F::Dropout3dFuncOptions().p(0.3));
       }},
      {"gumbel_softmax",
       [] {
         return F::gumbel_softmax(ramp({3, 4}), F::GumbelSoftmaxFuncOptions().tau(0.7));
       }},
      {"gumbel_softmax hard",
       [] {
         return F::gumbel_softmax(ramp({3, 4}).t(),
                                  F::GumbelSoftmaxFuncOptions().tau(0.7).hard(true).dim(0));
       }},
  };
  return all;
}

TEST(Random, DrawsPyTorchsNumbers) {
  const nlohmann::json& goldens = testing::golden("ops/draws")["sampled"];
  EXPECT_EQ(goldens.size(), samples().size());
  for (const auto& [name, draw] : samples()) {
    SCOPED_TRACE(name);
    manual_seed(0);
    const Tensor got = draw(), want = testing::golden_tensor(goldens.at(name));
    EXPECT_EQ(got.dtype(), want.dtype());
    // The exponential function of softmax is tern's own.
    if (name.starts_with("gumbel")) {
      EXPECT_TRUE(allclose(got, want)) << got << want;
    } else {
      EXPECT_TRUE(equal(got, want)) << got << want;
    }
  }
}

std::string node_of(const Tensor& x) { return x.grad_fn() ? x.grad_fn()->name() : "none"; }

TEST(Random, GradientsAreZeroAndNamed) {
  const auto check = [](const std::string& name, const Tensor& leaf, const Tensor& out) {
    EXPECT_EQ(node_of(out), name);
    out.sum().backward();
    EXPECT_TRUE(equal(leaf.grad(), zeros_like(leaf))) << name;
  };
  const auto leaf = [] { return full({4}, 0.5).requires_grad_(); };
  const auto in_place = [&](const std::string& name, const auto& draw) {
    const Tensor x = leaf();
    Tensor y = x * 1;
    draw(y);
    check(name, x, y);
  };
  in_place("ExponentialBackward0", [](Tensor& x) { x.exponential_(); });
  in_place("CauchyBackward0", [](Tensor& x) { x.cauchy_(); });
  in_place("LogNormalBackward0", [](Tensor& x) { x.log_normal_(); });
  in_place("GeometricBackward0", [](Tensor& x) { x.geometric_(0.5); });
  in_place("BernoulliBackward1", [](Tensor& x) { x.bernoulli_(full({4}, 0.5)); });
  const auto function = [&](const std::string& name, const auto& draw) {
    const Tensor x = leaf();
    check(name, x, draw(x));
  };
  function("NormalBackward1", [](const Tensor& x) { return normal(x, 1.0); });
  function("NormalBackward2", [](const Tensor& x) { return normal(1.0, x); });
  function("NormalBackward3", [](const Tensor& x) { return normal(x, ones({4})); });
  function("NormalBackward3", [](const Tensor& x) { return normal(ones({3, 1}), x); });
  function("PoissonBackward0", [](const Tensor& x) { return poisson(x); });
  function("BernoulliBackward1", [](const Tensor& x) { return empty({2, 4}).bernoulli_(x); });
  EXPECT_FALSE(multinomial(leaf(), 2).requires_grad());
  EXPECT_FALSE(binomial(leaf(), leaf()).requires_grad());
}

TEST(Random, RreluPassesItsSlopesBack) {
  for (const bool training : {true, false}) {
    const Tensor x = (ramp({3, 4}) - 6).requires_grad_();
    Tensor noise = zeros({3, 4});
    const Tensor y = rrelu_with_noise(x, noise, 0.1, 0.4, training);
    EXPECT_EQ(node_of(y), "RreluWithNoiseBackward0");
    y.sum().backward();
    EXPECT_TRUE(allclose(x.grad() * x.detach(), y.detach()));
    EXPECT_TRUE(equal(noise, training ? x.grad() : zeros({3, 4})));
    Tensor z = x * 1;
    EXPECT_EQ(node_of(rrelu_(z, 0.1, 0.4, training)), "RreluWithNoiseBackward1");
  }
}

TEST(Random, BadArgumentsAreNamed) {
  const auto says = [](const std::string& text, const std::function<void()>& call) {
    const std::string error = error_of(call);
    EXPECT_NE(error.find(text), std::string::npos) << error;
  };
  Tensor x = ones({3}), ints = ones({3}, kLong);
  says("exponential_ expects lambda > 0.0, but found lambda=0", [&] { x.exponential_(0); });
  says("cauchy_ expects sigma > 0.0, but found sigma=-1", [&] { x.cauchy_(0, -1); });
  says("log_normal_ expects std > 0.0, but found std=0", [&] { x.log_normal_(0, 0); });
  says("geometric_ expects p to be in (0, 1), but got p=1", [&] { x.geometric_(1); });
  says("Exponential distribution is a continuous", [&] { ints.exponential_(); });
  says("\"log_normal_cpu\" not implemented for 'Long'", [&] { ints.log_normal_(); });
  says("\"geometric_cpu\" not implemented for 'Bool'", [] { ones({2}, kBool).geometric_(0.5); });
  says("from is out of bounds for unsigned char", [] { empty({2}, kByte).random_(-1, 5); });
  says("to - 1 is out of bounds for signed char", [] { empty({2}, kChar).random_(0, 129); });
  says("to - 1 is out of bounds for c10::Half", [] { empty({2}, kHalf).random_(0, 70000); });
  says("to - 1 is out of bounds for bool", [] { empty({2}, kBool).random_(3); });
  says("'from' casted to dtype to be less than 'to' casted to dtype",
       [] { empty({2}, kBFloat16).random_(16777217, 16777221); });
  says("to_inc=16777216", [] { empty({2}).random_(std::int64_t{1} << 24, std::nullopt); });
  says("got Int", [] { empty({2}, kInt).random_(kLeast, std::nullopt); });
  says("\"randperm\" not implemented for 'Bool'", [] { randperm(2, kBool); });
  says("n cannot be greater than 2049 for Half type", [] { randperm(2050, kHalf); });
  says("without overflow: 128", [] { randperm(129, kChar); });
  says("normal expects std >= 0.0, but found std -1", [&] { normal(x, -1.0); });
  says("normal expects all elements of std >= 0.0", [&] { normal(x, -x); });
  says("normal expects all elements of std >= 0.0", [&] { normal(0.0, x * NAN); });
  says("\"normal_kernel_cpu\" not implemented for 'Long'", [&] { normal(ints, 1.0); });
  says("Expected p_in >= 0 && p_in <= 1", [&] { x.bernoulli_(x * 2); });
  says("invalid Poisson rate, expected rate to be non-negative", [&] { poisson(-x); });
  says("\"poisson_cpu\" not implemented for 'Long'", [&] { poisson(ints); });
  says("only supports floating-point dtypes for count, got: Long", [&] { binomial(ints, x); });
  says("Found dtype Double but expected Float", [&] { binomial(x, x.to(kDouble)); });
  says("cannot sample n_sample <= 0 samples", [&] { multinomial(x, 0); });
  says("cannot sample n_sample > prob_dist.size(-1) samples", [&] { multinomial(x, 4); });
  says("prob_dist must be 1 or 2 dim", [] { multinomial(ones({1, 1, 1}), 1); });
  says("contains either `inf`, `nan` or element < 0", [&] { multinomial(x * NAN, 1); });
  says("contains either `inf`, `nan` or element < 0", [&] { multinomial(-x, 9, true); });
  says("sum of probabilities <= 0", [&] { multinomial(x * 0, 1); });
  says("only supports floating-point dtypes for input, got: Long", [&] { multinomial(ints, 1); });
  says("Lower bound should be less than or equal to", [&] { rrelu(x, 0.5, 0.2, true); });
  says("lower bound must be finite, got nan", [&] { rrelu(x, NAN, 0.2); });
  says("Feature dropout requires at least 2 dimensions", [&] { feature_dropout(x, 0.5, true); });
  says("dropout probability has to be between 0 and 1, but got 1.1",
       [&] { alpha_dropout(x, 1.1, true); });
  EXPECT_TRUE(equal(x, ones({3}))) << "nothing was changed";
}

TEST(Random, EdgesOfDistributions) {
  EXPECT_EQ(multinomial(ones({0, 3}), 2).sizes(), IntArrayRef({0, 2}));
  EXPECT_EQ(poisson(empty({0})).numel(), 0);
  EXPECT_TRUE(equal(binomial(tensor({0., -1., 5., 3.}), tensor({0.5, 0.5, 1., 0.})),
                    tensor({0., 0., 5., 0.})));
  EXPECT_TRUE(binomial(full({1}, NAN), full({1}, 0.5)).isnan().item<bool>());
  EXPECT_TRUE(binomial(ones({1}), full({1}, NAN)).isnan().item<bool>());
  EXPECT_TRUE(equal(poisson(zeros({3})), zeros({3})));
  EXPECT_EQ(normal(ones({2}, kMeta), 1.0).sizes(), IntArrayRef({2}));
  EXPECT_EQ(poisson(ones({2}, kMeta)).dtype(), kFloat);
  EXPECT_EQ(multinomial(ones({2, 3}, kMeta), 2, true).sizes(), IntArrayRef({2, 2}));
  EXPECT_EQ(multinomial(ones({2, 3}, kMeta), 2).dtype(), kLong);
  const Tensor x = ones({3});
  EXPECT_TRUE(alpha_dropout(x, 0.5, false).is_same(x));
  EXPECT_TRUE(equal(feature_dropout(x, 1, true), zeros({3})));
  EXPECT_EQ(F::dropout1d(ones({2, 3}).requires_grad_()).dim(), 2);
}

TEST(Random, GuardRestoresTheState) {
  manual_seed(3);
  const Tensor state = get_rng_state();
  {
    const ForkRngGuard guard;
    manual_seed(9);
    randn({5});
  }
  EXPECT_TRUE(equal(get_rng_state(), state));
  const Tensor first = rand({4});
  set_rng_state(state);
  EXPECT_TRUE(equal(rand({4}), first));
  EXPECT_THROW(set_rng_state(ones({3})), DTypeError);
}

TEST(Random, ForkedGeneratorsAreIndependentOfWhatWasDrawn) {
  Generator seeds;
  seeds.manual_seed(7);
  const Tensor before = rand({4}, seeds.fork(3));
  rand({100}, seeds);
  EXPECT_TRUE(equal(rand({4}, seeds.fork(3)), before));
  EXPECT_FALSE(equal(rand({4}, seeds.fork(4)), before));
}

TEST(Random, DrawsLikeATensorFromAGenerator) {
  const Tensor like = zeros({3, 4}, kDouble);
  const auto seeded = [] { return std::optional<Generator>(Generator().manual_seed(3)); };
  EXPECT_TRUE(rand_like(like, seeded()).equal(rand({3, 4}, seeded(), kDouble)));
  EXPECT_TRUE(randn_like(like, seeded(), kFloat).equal(randn({3, 4}, seeded())));
  const Tensor drawn = randint(5, {3, 4}, seeded(), kDouble);
  EXPECT_TRUE(randint_like(like, 5, seeded()).equal(drawn));
  EXPECT_TRUE(randint_like(like, 0, 5, seeded()).equal(drawn));
  EXPECT_EQ(rand_like(zeros({2, 3, 4, 5}), seeded(), {}, MemoryFormat::ChannelsLast).strides(),
            (IntArrayRef{60, 1, 15, 3}));
  EXPECT_TRUE(randn_like(like, seeded(), requires_grad()).requires_grad());
  const std::optional<std::int64_t> bound = 5, none;
  EXPECT_TRUE(empty({4}).random_(0, bound, seeded()).equal(empty({4}).random_(0, 5, seeded())));
  EXPECT_TRUE(empty({4}, kLong)
                  .random_(0, none, seeded())
                  .equal(empty({4}, kLong).random_(0, std::nullopt, seeded())));
}

}  // namespace
}  // namespace tern
