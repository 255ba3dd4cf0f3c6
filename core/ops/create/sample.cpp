// Compiled for size.

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/families/sample.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/detail/random.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Random numbers whose distributions depend on tensors.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::check_floating_draw;
using detail::kNoSlope;
using detail::make_tensor;
using detail::OptionalGenerator;
using kernels::RandomOp;
using kernels::RequireOp;
using kernels::SampleArgs;
using kernels::SampleOp;

void require(const char* name, RequireOp op, const Tensor& values) {
  if (!values.is_meta()) detail::require_all(name, op, values);
}

// Returns contiguous uniform numbers in [0, 1).
Tensor uniform_numbers(const char* name, IntArrayRef sizes, ScalarType dtype, Device device,
                       OptionalGenerator& generator) {
  Tensor uniform = make_tensor(sizes, dtype, device);
  detail::draw_random(name, uniform, generator, detail::random_args(RandomOp::kUniform, 0, 1));
  return uniform;
}

// Returns a contiguous tensor with one number for each element of `a`, in its dtype. `b` may be
// undefined.
Tensor run_sample(const char* name, SampleOp op, const Tensor& a, const Tensor& b,
                  OptionalGenerator& given, double low = 0, double high = 0) {
  const ScalarType dtype = kernels::math_dtype(a.dtype());
  Tensor out = make_tensor(a.sizes(), dtype, a.device());
  if (out.numel() == 0 || out.is_meta()) return out.to(a.dtype());
  const auto dense = [&](const Tensor& x) {
    return x.defined() ? x.detach().to(dtype).contiguous() : x;
  };
  const Tensor first = dense(a), second = dense(b);
  Generator& generator = detail::chosen_generator(given, a.device());
  SampleArgs args{};
  args.op = op;
  args.dtype = dtype;
  args.out = out.data_ptr();
  args.a = first.data_ptr();
  args.b = second.defined() ? second.data_ptr() : nullptr;
  args.count = out.numel();
  args.low = low;
  args.high = high;
  {
    const std::lock_guard<std::mutex> lock(generator.mutex());
    if (out.is_cpu()) {
      args.generator = &generator.engine();
    } else {
      kernels::RandomArgs reserved{};
      kernels::reserve_numbers(generator, kernels::kSampleBlocks, reserved);
      args.seed = reserved.seed;
      args.offset = reserved.offset;
      args.philox = reserved.philox;
    }
    kernels::run(name, out.device(), dtype, args);
  }
  return out.to(a.dtype());
}

// 1 where a uniform number lies below the probability, which has the sizes of `out`. A number is
// drawn per element, in the order of out's memory: float64 for such probabilities, otherwise
// float32.
void draw_trials(const char* name, const Tensor& out, const Tensor& probability,
                 OptionalGenerator& generator) {
  Tensor uniform = make_tensor(out.sizes(), dense_strides(out.sizes(), out.strides()),
                               kernels::math_dtype(probability.dtype()), out.device());
  detail::draw_random(name, uniform, generator, detail::random_args(RandomOp::kUniform, 0, 1));
  out.detach().copy_(uniform < probability);
}

// Returns the indices of the n largest elements of each row, in descending order.
Tensor largest_indices(const Tensor& values, std::int64_t n) {
  const Tensor host = values.to(kCPU, kDouble).contiguous();
  const std::int64_t size = host.size(-1), rows = host.numel() / size;
  std::vector<std::int64_t> sizes = host.sizes().vec();
  sizes.back() = n;
  Tensor out = make_tensor(sizes, kLong, kCPU);
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  for (std::int64_t r = 0; r < rows; ++r) {
    const double* const row = host.data_ptr<double>() + r * size;
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const auto before = [&](std::int64_t a, std::int64_t b) {
      return (std::isnan(row[a]) && !std::isnan(row[b])) || row[a] > row[b];
    };
    // The same steps as PyTorch's topk, which decide the order of equal elements.
    if (n <= size / 64) {
      std::partial_sort(order.begin(), order.begin() + n, order.end(), before);
    } else {
      std::nth_element(order.begin(), order.begin() + n - 1, order.end(), before);
      std::sort(order.begin(), order.begin() + n - 1, before);
    }
    std::copy_n(order.begin(), n, out.data_ptr<std::int64_t>() + r * n);
  }
  return out.to(values.device());
}

Tensor multinomial_with_replacement(const Tensor& self, std::int64_t samples,
                                    OptionalGenerator& generator) {
  const ScalarType dtype = kernels::math_dtype(self.dtype());
  const Tensor weights = self.to(dtype).contiguous(), sums = empty_like(weights);
  std::vector<std::int64_t> sizes = self.sizes().vec();
  sizes.back() = samples;
  const Tensor uniform = uniform_numbers("multinomial", sizes, kDouble, self.device(), generator);
  Tensor out = make_tensor(sizes, kLong, self.device());
  if (out.numel() == 0 || out.is_meta()) return out;
  kernels::MultinomialArgs args{};
  args.dtype = dtype;
  args.out = out.data_ptr<std::int64_t>();
  args.weights = weights.data_ptr();
  args.sums = sums.data_ptr();
  args.uniform = uniform.data_ptr<double>();
  args.categories = self.size(-1);
  args.samples = samples;
  args.rows = out.numel() / samples;
  kernels::run("multinomial", out.device(), dtype, args);
  return out;
}

}  // namespace

Tensor bernoulli(const Tensor& self, OptionalGenerator generator) {
  TERN_OP("bernoulli", self);
  check_floating_draw("bernoulli_tensor_cpu_p_", self);
  Tensor out = make_tensor(self.sizes(), self.dtype(), self.device());
  {
    const NoGradGuard no_grad;
    require("bernoulli", RequireOp::kProbability, self);
    draw_trials("bernoulli", out, self, generator);
  }
  if (!needs_grad(self)) return out;
  return record("BernoulliBackward0", out, wrt(self, kNoSlope));
}

Tensor bernoulli(const Tensor& self, double p, OptionalGenerator generator) {
  TERN_OP("bernoulli", self);
  return make_tensor(self.sizes(), self.dtype(), self.device()).bernoulli_(p, std::move(generator));
}

Tensor& Tensor::bernoulli_(const Tensor& p, OptionalGenerator generator) const {
  TERN_OP("bernoulli_", *this, p);
  check_floating_draw("bernoulli_tensor_cpu_p_", p);
  const Tensor probability = p.detach().expand(sizes());
  require("bernoulli_", RequireOp::kProbability, p);
  return detail::overwrite_into(
      handle(),
      [&](const Tensor& x, const Tensor& out) {
        Tensor drawn =
            out.defined() ? out : make_tensor(x.sizes(), x.strides(), x.dtype(), x.device());
        {
          const NoGradGuard no_grad;
          draw_trials("bernoulli_", drawn, probability, generator);
        }
        if (!needs_grad(x, p)) return drawn;
        return record("BernoulliBackward1", drawn, wrt(x, kNoSlope), wrt(p, kNoSlope));
      },
      p);
}

Tensor normal(const Tensor& mean, double std, OptionalGenerator generator) {
  TERN_OP("normal", mean);
  Tensor out = make_tensor(mean.sizes(), mean.dtype(), mean.device());
  out.normal_(0, std, std::move(generator)).add_(mean.detach());
  if (!needs_grad(mean)) return out;
  return record("NormalBackward1", out, wrt(mean, kNoSlope));
}

Tensor normal(double mean, const Tensor& std, OptionalGenerator generator) {
  TERN_OP("normal", mean, std);
  check_floating_draw("normal_kernel_cpu", std);
  require("normal", RequireOp::kDeviation, std);
  Tensor out = make_tensor(std.sizes(), std.dtype(), std.device());
  out.normal_(0, 1, std::move(generator)).mul_(std.detach()).add_(mean);
  if (!needs_grad(std)) return out;
  return record("NormalBackward2", out, wrt(std, kNoSlope));
}

Tensor normal(const Tensor& mean, const Tensor& std, OptionalGenerator generator) {
  TERN_OP("normal", mean, std);
  check_floating_draw("normal_kernel_cpu", mean);
  require("normal", RequireOp::kDeviation, std);
  Tensor out = make_tensor(broadcast_sizes(mean.sizes(), std.sizes()), mean.dtype(), mean.device());
  out.normal_(0, 1, std::move(generator)).mul_(std.detach()).add_(mean.detach());
  if (!needs_grad(mean, std)) return out;
  return record("NormalBackward3", out, wrt(mean, kNoSlope), wrt(std, kNoSlope));
}

Tensor normal(double mean, double std, IntArrayRef sizes, OptionalGenerator generator,
              const TensorOptions& options) {
  TERN_OP("normal");
  return detail::drawn(sizes, options,
                       [&](Tensor& out) { out.normal_(mean, std, std::move(generator)); });
}

Tensor multinomial(const Tensor& self, StrictInt num_samples, StrictBool replacement,
                   OptionalGenerator generator) {
  TERN_OP("multinomial", self);
  TERN_CHECK(
      self.is_floating_point(), DTypeError,
      "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
  TERN_CHECK(self.dim() == 1 || self.dim() == 2, ShapeError, "prob_dist must be 1 or 2 dim, got ",
             self.dim());
  TERN_CHECK(num_samples > 0, Error, "cannot sample n_sample <= 0 samples, got ", num_samples);
  const std::int64_t categories = self.size(-1);
  TERN_CHECK(replacement || num_samples <= categories, Error,
             "cannot sample n_sample > prob_dist.size(-1) samples without replacement, got ",
             num_samples, " > ", categories);
  TERN_CHECK(categories > 0, ShapeError, "cannot sample from 0 categories, got sizes ",
             self.sizes());
  const NoGradGuard no_grad;
  const Tensor weights = self.detach();
  require("multinomial", RequireOp::kWeight, weights);
  require("multinomial", RequireOp::kTotal, weights.sum(-1));
  if (replacement && num_samples != 1) {
    return multinomial_with_replacement(weights, num_samples, generator);
  }
  // The largest weight / q with exponential q wins with a probability proportional to the weight.
  const Tensor score = weights / empty_like(weights).exponential_(1, std::move(generator));
  if (num_samples == 1) return score.argmax(-1, true);
  if (score.is_meta()) return score.narrow(-1, 0, num_samples).to(kLong);
  return largest_indices(score, num_samples);
}

Tensor poisson(const Tensor& input, OptionalGenerator generator) {
  TERN_OP("poisson", input);
  check_floating_draw("poisson_cpu", input);
  require("poisson", RequireOp::kRate, input);
  Tensor out = run_sample("poisson", SampleOp::kPoisson, input, {}, generator);
  if (!needs_grad(input)) return out;
  return record("PoissonBackward0", out, wrt(input, kNoSlope));
}

Tensor binomial(const Tensor& count, const Tensor& prob, OptionalGenerator generator) {
  TERN_OP("binomial", count, prob);
  const auto check = [](const char* name, const Tensor& tensor) {
    TERN_CHECK(tensor.is_floating_point(), DTypeError,
               "binomial only supports floating-point dtypes for ", name,
               ", got: ", tensor.scalar_type());
  };
  check("count", count);
  check("prob", prob);
  TERN_CHECK(count.dtype() == prob.dtype(), DTypeError, "Found dtype ", prob.scalar_type(),
             " but expected ", count.scalar_type());
  TERN_CHECK(count.device() == prob.device(), DeviceError,
             "expected count and prob on one device, got ", count.device(), " and ", prob.device());
  const DimVector sizes = broadcast_sizes(count.sizes(), prob.sizes());
  return run_sample("binomial", SampleOp::kBinomial, count.detach().expand(sizes),
                    prob.detach().expand(sizes), generator);
}

namespace {

void check_slopes(const Tensor& input, double lower, double upper, bool training) {
  TERN_CHECK(std::isfinite(lower), Error, "rrelu: lower bound must be finite, got ", lower);
  TERN_CHECK(std::isfinite(upper), Error, "rrelu: upper bound must be finite, got ", upper);
  TERN_CHECK(lower <= upper, Error,
             "Lower bound should be less than or equal to the upper bound, got ", lower, " > ",
             upper);
  check_floating_draw(training ? "rrelu_with_noise_out_cpu" : "leaky_relu_cpu", input);
}

// The bounds are rounded to the dtype of the kernel first, as PyTorch does.
Tensor draw_slopes(const char* name, const Tensor& input, double lower, double upper,
                   OptionalGenerator& generator) {
  if (input.dtype() != kDouble) {
    lower = static_cast<float>(lower);
    upper = static_cast<float>(upper);
  }
  return run_sample(name, SampleOp::kSlope, input, {}, generator, lower, upper);
}

// The slope of each element when none is drawn: 1 above 0, else `slope`.
Tensor fixed_slopes(const Tensor& input, double slope) {
  const NoGradGuard no_grad;
  return ones_like(input).masked_fill((input > 0).logical_not(), slope);
}

// Multiplies the elements of `into`, those of the input, if it is defined.
Tensor rrelu_with(const char* node, const Tensor& input, const Tensor& slopes,
                  const Tensor& into = {}) {
  Tensor out = into;
  {
    const NoGradGuard no_grad;
    if (out.defined()) {
      out.detach().mul_(slopes);
    } else {
      out = input * slopes;
    }
  }
  if (!needs_grad(input)) return out;
  return record(node, out,
                wrt(
                    input, [](const Tensor& g, const Tensor& s) { return g * s; }, slopes));
}

Tensor& multiply_by_slopes(Tensor& input, const Tensor& slopes) {
  return detail::overwrite_into(input, [&](const Tensor& x, const Tensor& out) {
    return rrelu_with("RreluWithNoiseBackward1", x, slopes, out);
  });
}

// The slopes, drawn ones also in `noise`.
Tensor noisy_slopes(const Tensor& input, Tensor& noise, double lower, double upper, bool training,
                    OptionalGenerator& generator) {
  check_slopes(input, lower, upper, training);
  TERN_CHECK(noise.sizes() == input.sizes(), ShapeError, "expected noise of sizes ", input.sizes(),
             ", got ", noise.sizes());
  TERN_CHECK(noise.dtype() == input.dtype(), DTypeError, "expected noise of dtype ",
             input.scalar_type(), ", got ", noise.scalar_type());
  if (!training) return fixed_slopes(input, (lower + upper) / 2);
  Tensor slopes = draw_slopes("rrelu_with_noise", input, lower, upper, generator);
  const NoGradGuard no_grad;
  noise.copy_(slopes);
  return slopes;
}

}  // namespace

Tensor rrelu(const Tensor& input, const Scalar& lower, const Scalar& upper, StrictBool training,
             OptionalGenerator generator) {
  TERN_OP("rrelu", input);
  const double low = lower.toDouble(), high = upper.toDouble();
  check_slopes(input, low, high, training);
  return rrelu_with("RreluWithNoiseBackward0", input,
                    training ? draw_slopes("rrelu", input, low, high, generator)
                             : fixed_slopes(input, (low + high) / 2));
}

Tensor& rrelu_(Tensor& input, const Scalar& lower, const Scalar& upper, StrictBool training,
               OptionalGenerator generator) {
  TERN_OP("rrelu_", input);
  const double low = lower.toDouble(), high = upper.toDouble();
  check_slopes(input, low, high, training);
  return multiply_by_slopes(input, training ? draw_slopes("rrelu_", input, low, high, generator)
                                            : fixed_slopes(input, (low + high) / 2));
}

Tensor rrelu_with_noise(const Tensor& input, Tensor& noise, const Scalar& lower,
                        const Scalar& upper, StrictBool training, OptionalGenerator generator) {
  TERN_OP("rrelu_with_noise", input, noise);
  return rrelu_with(
      "RreluWithNoiseBackward0", input,
      noisy_slopes(input, noise, lower.toDouble(), upper.toDouble(), training, generator));
}

Tensor& rrelu_with_noise_(Tensor& input, Tensor& noise, const Scalar& lower, const Scalar& upper,
                          StrictBool training, OptionalGenerator generator) {
  TERN_OP("rrelu_with_noise_", input, noise);
  return multiply_by_slopes(
      input, noisy_slopes(input, noise, lower.toDouble(), upper.toDouble(), training, generator));
}

}  // namespace tern
