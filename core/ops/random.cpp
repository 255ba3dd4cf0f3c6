#include <limits>
#include <mutex>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/math_dtype.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/inplace.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using kernels::RandomArgs;
using kernels::RandomOp;
using OptionalGenerator = std::optional<Generator>;

Generator& chosen(OptionalGenerator& given, Device device) {
  if (!given) return default_generator(device);
  TERN_CHECK(given->device() == device, DeviceError, "Expected a '", device,
             "' generator device but found '", given->device(), "'");
  return *given;
}

// Fills the memory of a dense `out` in memory order.
void draw_dense(const char* name, const Tensor& out, OptionalGenerator& given, RandomArgs args) {
  Generator& generator = chosen(given, out.device());
  args.dtype = out.dtype();
  args.out = out.data_ptr();
  args.count = out.numel();
  args.generator = nullptr;
  const std::lock_guard<std::mutex> lock(generator.mutex());
  if (out.is_cpu()) {
    args.generator = &generator.engine();
  } else {
    const bool wide = element_size(out.dtype()) == 8 || args.op == kernels::RandomOp::kRandint;
    kernels::reserve_numbers(generator, wide ? 2 : 1, args);
  }
  kernels::run(name, out.device(), out.dtype(), args);
}

// Does the same for any strides: a tensor with gaps gets the numbers in the order of its memory.
void draw(const char* name, const Tensor& out, OptionalGenerator& given, RandomArgs args) {
  if (out.numel() == 0 || out.is_meta()) return;
  if (!is_dense(out.sizes(), out.strides())) {
    const Tensor dense = detail::make_tensor(out.sizes(), dense_strides(out.sizes(), out.strides()),
                                             out.dtype(), out.device());
    args.contiguous = 0;
    draw_dense(name, dense, given, args);
    out.detach().copy_(dense);
    return;
  }
  args.contiguous = out.is_contiguous() ? 1 : 0;
  draw_dense(name, out, given, args);
}

// Draws in place. The old elements and their history are lost, whether the op is recorded or not.
Tensor& draw_inplace(Tensor& self, const char* name, const char* node, OptionalGenerator& generator,
                     const RandomArgs& args) {
  return detail::inplace(self, [&](const Tensor& x, const Tensor& out) {
    if (out.defined()) {
      draw(name, out, generator, args);
      return out;
    }
    const Tensor fresh = detail::make_tensor(x.sizes(), x.strides(), x.dtype(), x.device());
    draw(name, fresh, generator, args);
    return autograd::record(node, fresh,
                            autograd::wrt(x, [](const Tensor& g) { return zeros_like(g); }));
  });
}

RandomArgs args_of(RandomOp op, double a, double b, std::int64_t low = 0, std::int64_t high = 0) {
  RandomArgs args{};
  args.op = op;
  args.a = a;
  args.b = b;
  args.low = low;
  args.high = high;
  return args;
}

void check_floating(const char* kernel, const Tensor& self) {
  TERN_CHECK(self.is_floating_point(), NotImplementedError, "\"", kernel,
             "\" not implemented for '", self.dtype(), "'");
}

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

Tensor& Tensor::uniform_(double from, double to, OptionalGenerator generator) {
  TERN_OP("uniform_", *this);
  check_floating("check_uniform_bounds", *this);
  visit_dtype(dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, double>) {
      check_uniform_bounds(from, to, "double", std::numeric_limits<double>::max());
    } else if constexpr (tern::is_floating_point(dtype_of<T>())) {
      using Limit = detail::FloatingLimit<T>;
      check_uniform_bounds(from, to, Limit::kName, Limit::kLargest);
    }
  });
  return draw_inplace(*this, "uniform_", "UniformBackward0", generator,
                      args_of(RandomOp::kUniform, from, to));
}

Tensor& Tensor::normal_(double mean, double std, OptionalGenerator generator) {
  TERN_OP("normal_", *this);
  check_floating("normal_kernel_cpu", *this);
  TERN_CHECK(std >= 0, Error, "normal expects std >= 0.0, but found std ", std);
  return draw_inplace(*this, "normal_", "NormalBackward0", generator,
                      args_of(RandomOp::kNormal, mean, std));
}

Tensor& Tensor::bernoulli_(double p, OptionalGenerator generator) {
  TERN_OP("bernoulli_", *this);
  TERN_CHECK(p >= 0 && p <= 1, Error, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  return draw_inplace(*this, "bernoulli_", "BernoulliBackward2", generator,
                      args_of(RandomOp::kBernoulli, p, 0));
}

namespace {

Tensor& random_inplace(const char* node, Tensor& self, std::int64_t from, std::int64_t to,
                       OptionalGenerator& generator) {
  TERN_CHECK(from < to, Error, "random_ expects 'from' to be less than 'to', but got from=", from,
             " >= to=", to);
  return draw_inplace(self, "random_", node, generator,
                      args_of(RandomOp::kRandint, 0, 0, from, to));
}

}  // namespace

Tensor& Tensor::random_(StrictInt from, StrictInt to, OptionalGenerator generator) {
  TERN_OP("random_", *this);
  return random_inplace("RandomBackward0", *this, from, to, generator);
}

Tensor& Tensor::random_(StrictInt to, OptionalGenerator generator) {
  TERN_OP("random_", *this);
  return random_inplace("RandomBackward1", *this, 0, to, generator);
}

Tensor& Tensor::random_(OptionalGenerator generator) {
  TERN_OP("random_", *this);
  // All integers from 0 that the dtype holds exactly; int64 has 2^63 of them, which wraps around.
  const std::uint64_t count = visit_dtype(dtype(), [](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (tern::is_floating_point(dtype_of<T>())) {
      constexpr int kDigits = std::is_same_v<T, Half>       ? 11
                              : std::is_same_v<T, BFloat16> ? 8
                                                            : std::numeric_limits<T>::digits;
      return (std::uint64_t{1} << kDigits) + 1;
    } else {
      return static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + 1;
    }
  });
  const double one_word = tern::element_size(dtype()) == 8 ? 0 : 1;
  return draw_inplace(
      *this, "random_", "RandomBackward2", generator,
      args_of(RandomOp::kRandint, one_word, 0, 0, static_cast<std::int64_t>(count)));
}

namespace {

// Fills `fresh` and gives it the version and requires_grad of a new tensor.
template <class Fill>
Tensor drawn(Tensor fresh, const TensorOptions& options, Fill fill) {
  fill(fresh);
  fresh.self().storage->reset_version();
  if (options.requires_grad()) fresh.requires_grad_();
  return fresh;
}

template <class Fill>
Tensor drawn(IntArrayRef sizes, const TensorOptions& options, Fill fill) {
  return drawn(empty(sizes, options.requires_grad(false)), options, fill);
}

template <class Fill>
Tensor drawn_like(const Tensor& self, const TensorOptions& options, Fill fill) {
  return drawn(empty_like(self, options.requires_grad(false)), options, fill);
}

}  // namespace

Tensor rand(IntArrayRef sizes, const TensorOptions& options) {
  return rand(sizes, std::nullopt, options);
}
Tensor rand(IntArrayRef sizes, OptionalGenerator generator, const TensorOptions& options) {
  TERN_OP("rand");
  return drawn(sizes, options, [&](Tensor& out) { out.uniform_(0, 1, std::move(generator)); });
}
Tensor randn(IntArrayRef sizes, const TensorOptions& options) {
  return randn(sizes, std::nullopt, options);
}
Tensor randn(IntArrayRef sizes, OptionalGenerator generator, const TensorOptions& options) {
  TERN_OP("randn");
  return drawn(sizes, options, [&](Tensor& out) { out.normal_(0, 1, std::move(generator)); });
}
Tensor randint(StrictInt high, IntArrayRef sizes, const TensorOptions& options) {
  return randint(0, high, sizes, std::nullopt, options);
}
Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes, const TensorOptions& options) {
  return randint(low, high, sizes, std::nullopt, options);
}
Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes, OptionalGenerator generator,
               const TensorOptions& options) {
  TERN_OP("randint");
  return drawn(sizes, options.or_else(kLong),
               [&](Tensor& out) { out.random_(low, high, std::move(generator)); });
}

Tensor randperm(StrictInt n, const TensorOptions& options) {
  return randperm(n, std::nullopt, options);
}

Tensor randperm(StrictInt n, OptionalGenerator generator, const TensorOptions& options) {
  TERN_OP("randperm");
  TERN_CHECK(n >= 0, Error, "n must be non-negative, got ", n);
  // Drawn on the host, from the CPU's generator unless one is given.
  const Tensor order = detail::make_tensor({n}, kLong, kCPU);
  Generator& source = chosen(generator, kCPU);
  {
    const std::lock_guard<std::mutex> lock(source.mutex());
    randperm(source.engine(), order.data_ptr<std::int64_t>(), n);
  }
  const Tensor out = order.to(options.device(), options.dtype_opt().value_or(kLong));
  return options.pinned_memory() ? out.pin_memory() : out;
}

Tensor rand_like(const Tensor& self, const TensorOptions& options) {
  TERN_OP("rand_like", self);
  return drawn_like(self, options, [](Tensor& out) { out.uniform_(); });
}
Tensor randn_like(const Tensor& self, const TensorOptions& options) {
  TERN_OP("randn_like", self);
  return drawn_like(self, options, [](Tensor& out) { out.normal_(); });
}
Tensor randint_like(const Tensor& self, StrictInt low, StrictInt high,
                    const TensorOptions& options) {
  TERN_OP("randint_like", self);
  return drawn_like(self, options, [&](Tensor& out) { out.random_(low, high); });
}

Tensor bernoulli(const Tensor& self, OptionalGenerator generator) {
  TERN_OP("bernoulli", self);
  check_floating("bernoulli_tensor_cpu_p_", self);
  Tensor out;
  {
    const NoGradGuard no_grad;
    detail::require_all("bernoulli", kernels::RequireOp::kProbability, self);
    // One uniform number per element: float64 for probabilities of float64, otherwise float32.
    Tensor uniform =
        detail::make_tensor(self.sizes(), kernels::math_dtype(self.dtype()), self.device());
    uniform.uniform_(0, 1, std::move(generator));
    out = (uniform < self).to(self.dtype());
  }
  if (!autograd::needs_grad(self)) return out;
  return autograd::record("BernoulliBackward0", out,
                          autograd::wrt(self, [](const Tensor& g) { return zeros_like(g); }));
}

}  // namespace tern
