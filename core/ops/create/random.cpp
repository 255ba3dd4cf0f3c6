#include <limits>
#include <mutex>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/detail/random.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Draws real numbers; random_integers.cpp draws integers, sample.cpp numbers whose distribution
// depends on tensors.

namespace tern {
namespace detail {

using kernels::RandomArgs;
using kernels::RandomOp;

Generator& chosen_generator(OptionalGenerator& given, Device device) {
  if (!given) return default_generator(device);
  TERN_CHECK(given->device() == device, DeviceError, "Expected a '", device,
             "' generator device but found '", given->device(), "'");
  return *given;
}

RandomArgs random_args(RandomOp op, double a, double b, std::int64_t low, std::int64_t high) {
  RandomArgs args{};
  args.op = op;
  args.a = a;
  args.b = b;
  args.low = low;
  args.high = high;
  return args;
}

namespace {

// Fills the memory of a dense `out` in memory order.
void draw_dense(const char* name, const Tensor& out, OptionalGenerator& given, RandomArgs args) {
  Generator& generator = chosen_generator(given, out.device());
  args.dtype = out.dtype();
  args.out = out.data_ptr();
  args.count = out.numel();
  args.generator = nullptr;
  const std::lock_guard<std::mutex> lock(generator.mutex());
  if (out.is_cpu()) {
    args.generator = &generator.engine();
  } else {
    const bool wide = element_size(out.dtype()) == 8 || args.op == RandomOp::kRandint;
    kernels::reserve_numbers(generator, wide ? 2 : 1, args);
  }
  kernels::run(name, out.device(), out.dtype(), args);
}

}  // namespace

// A tensor with gaps gets the numbers in the order of its memory.
void draw_random(const char* name, const Tensor& out, OptionalGenerator& given, RandomArgs args) {
  if (out.numel() == 0 || out.is_meta()) return;
  if (!is_dense(out.sizes(), out.strides())) {
    const Tensor dense = make_tensor(out.sizes(), dense_strides(out.sizes(), out.strides()),
                                     out.dtype(), out.device());
    args.contiguous = 0;
    draw_dense(name, dense, given, args);
    out.detach().copy_(dense);
    return;
  }
  args.contiguous = out.is_contiguous() ? 1 : 0;
  draw_dense(name, out, given, args);
}

Tensor& draw_random_inplace(Tensor& self, const char* name, const char* node,
                            OptionalGenerator& generator, const RandomArgs& args) {
  return overwrite_into(self, [&](const Tensor& x, const Tensor& out) {
    Tensor drawn = result_like(x, out);
    draw_random(name, drawn, generator, args);
    if (!autograd::needs_grad(x)) return drawn;
    return autograd::record(node, drawn, autograd::wrt(x, kNoSlope));
  });
}

void check_floating_draw(const char* kernel, const Tensor& self) {
  TERN_CHECK(self.is_floating_point(), NotImplementedError, "\"", kernel,
             "\" not implemented for '", self.scalar_type(), "'");
}

}  // namespace detail

namespace {

using detail::check_floating_draw;
using detail::draw_random_inplace;
using detail::OptionalGenerator;
using detail::random_args;
using kernels::RandomOp;

void check_uniform_bounds(double from, double to, const char* type, double largest) {
  const auto check = [&](const char* name, double bound) {
    TERN_CHECK(bound >= -largest && bound <= largest, Error, name, " is out of bounds for ", type,
               ", got ", bound, ", and the largest number is ", largest);
  };
  check("from", from);
  check("to", to);
  TERN_CHECK(from <= to, Error,
             "uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to);
  TERN_CHECK(to - from <= largest, Error, "uniform_ expects to-from <= ", largest, ", the largest ",
             type, ", but found to=", to, " and from=", from,
             " which result in to-from to exceed the limit");
}

}  // namespace

Tensor& Tensor::uniform_(double from, double to, OptionalGenerator generator) const {
  TERN_OP("uniform_", *this);
  check_floating_draw("check_uniform_bounds", *this);
  visit_dtype(dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, double>) {
      check_uniform_bounds(from, to, "double", std::numeric_limits<double>::max());
    } else if constexpr (tern::is_floating_point(dtype_of<T>())) {
      using Limit = detail::FloatingLimit<T>;
      check_uniform_bounds(from, to, Limit::kName, Limit::kLargest);
    }
  });
  return draw_random_inplace(handle(), "uniform_", "UniformBackward0", generator,
                             random_args(RandomOp::kUniform, from, to));
}

Tensor& Tensor::normal_(double mean, double std, OptionalGenerator generator) const {
  TERN_OP("normal_", *this);
  check_floating_draw("normal_kernel_cpu", *this);
  TERN_CHECK(std >= 0, Error, "normal expects std >= 0.0, but found std ", std);
  return draw_random_inplace(handle(), "normal_", "NormalBackward0", generator,
                             random_args(RandomOp::kNormal, mean, std));
}

Tensor& Tensor::bernoulli_(double p, OptionalGenerator generator) const {
  TERN_OP("bernoulli_", *this);
  TERN_CHECK(p >= 0 && p <= 1, Error, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  return draw_random_inplace(handle(), "bernoulli_", "BernoulliBackward2", generator,
                             random_args(RandomOp::kBernoulli, p, 0));
}

namespace {

// Continuous distributions need a floating dtype.
void check_continuous(const char* distribution, const Tensor& self) {
  TERN_CHECK(self.is_floating_point(), DTypeError, distribution,
             " distribution is a continuous probability distribution. dtype must be a floating "
             "point but you specified ",
             self.scalar_type());
}

}  // namespace

Tensor& Tensor::exponential_(double lambd, OptionalGenerator generator) const {
  TERN_OP("exponential_", *this);
  check_continuous("Exponential", *this);
  TERN_CHECK(lambd > 0, Error, "exponential_ expects lambda > 0.0, but found lambda=", lambd);
  return draw_random_inplace(handle(), "exponential_", "ExponentialBackward0", generator,
                             random_args(RandomOp::kExponential, lambd, 0));
}

Tensor& Tensor::cauchy_(double median, double sigma, OptionalGenerator generator) const {
  TERN_OP("cauchy_", *this);
  check_continuous("Cauchy", *this);
  TERN_CHECK(sigma > 0, Error, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
  return draw_random_inplace(handle(), "cauchy_", "CauchyBackward0", generator,
                             random_args(RandomOp::kCauchy, median, sigma));
}

Tensor& Tensor::log_normal_(double mean, double std, OptionalGenerator generator) const {
  TERN_OP("log_normal_", *this);
  check_floating_draw("log_normal_cpu", *this);
  TERN_CHECK(std > 0, Error, "log_normal_ expects std > 0.0, but found std=", std);
  return draw_random_inplace(handle(), "log_normal_", "LogNormalBackward0", generator,
                             random_args(RandomOp::kLogNormal, mean, std));
}

Tensor& Tensor::geometric_(double p, OptionalGenerator generator) const {
  TERN_OP("geometric_", *this);
  TERN_CHECK(dtype() != kBool, NotImplementedError, "\"geometric_cpu\" not implemented for 'Bool'");
  TERN_CHECK(p > 0 && p < 1, Error, "geometric_ expects p to be in (0, 1), but got p=", p);
  return draw_random_inplace(handle(), "geometric_", "GeometricBackward0", generator,
                             random_args(RandomOp::kGeometric, p, 0));
}

Tensor rand(IntArrayRef sizes, const TensorOptions& options) {
  return rand(sizes, std::nullopt, options);
}
Tensor rand(IntArrayRef sizes, OptionalGenerator generator, const TensorOptions& options) {
  TERN_OP("rand");
  return detail::drawn(sizes, options,
                       [&](Tensor& out) { out.uniform_(0, 1, std::move(generator)); });
}
Tensor randn(IntArrayRef sizes, const TensorOptions& options) {
  return randn(sizes, std::nullopt, options);
}
Tensor randn(IntArrayRef sizes, OptionalGenerator generator, const TensorOptions& options) {
  TERN_OP("randn");
  return detail::drawn(sizes, options,
                       [&](Tensor& out) { out.normal_(0, 1, std::move(generator)); });
}
Tensor rand_like(const Tensor& self, const TensorOptions& options) {
  TERN_OP("rand_like", self);
  return detail::drawn_like(self, options, [](Tensor& out) { out.uniform_(); });
}
Tensor rand_like(const Tensor& self, std::optional<Generator> generator,
                 const TensorOptions& options, std::optional<MemoryFormat> memory_format) {
  TERN_OP("rand_like", self);
  const TensorOptions chosen = memory_format ? options.memory_format(memory_format) : options;
  return detail::drawn_like(self, chosen, [&](Tensor& out) { out.uniform_(0, 1, generator); });
}
Tensor randn_like(const Tensor& self, const TensorOptions& options) {
  TERN_OP("randn_like", self);
  return detail::drawn_like(self, options, [](Tensor& out) { out.normal_(); });
}
Tensor randn_like(const Tensor& self, std::optional<Generator> generator,
                  const TensorOptions& options, std::optional<MemoryFormat> memory_format) {
  TERN_OP("randn_like", self);
  const TensorOptions chosen = memory_format ? options.memory_format(memory_format) : options;
  return detail::drawn_like(self, chosen, [&](Tensor& out) { out.normal_(0, 1, generator); });
}

Tensor get_rng_state(Device device) {
  TERN_OP("get_rng_state");
  const Generator& generator = default_generator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_rng_state(const Tensor& state, Device device) {
  TERN_OP("set_rng_state", state);
  Generator& generator = default_generator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace tern
