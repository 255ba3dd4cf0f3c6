#include <cmath>
#include <cstdint>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

// One row: `size` elements at stride `step`.
template <class T>
struct Row {
  T* start;
  std::int64_t step;
  T& operator[](std::int64_t i) const { return start[i * step]; }
};

template <class T>
void forward(Row<const T> in, Row<T> out, std::int64_t size, bool logarithm) {
  double largest = -HUGE_VAL, sum = 0;
  for (std::int64_t i = 0; i < size; ++i) largest = in[i] > largest ? double{in[i]} : largest;
  for (std::int64_t i = 0; i < size; ++i) sum += std::exp(in[i] - largest);
  for (std::int64_t i = 0; i < size; ++i) {
    const double shifted = in[i] - largest;
    out[i] = static_cast<T>(logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
  }
}

template <class T>
void backward(Row<const T> result, Row<const T> grad, Row<T> out, std::int64_t size,
              bool logarithm) {
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    sum += logarithm ? double{grad[i]} : double{grad[i]} * result[i];
  }
  for (std::int64_t i = 0; i < size; ++i) {
    const double y = result[i], g = grad[i];
    out[i] = static_cast<T>(logarithm ? g - std::exp(y) * sum : y * (g - sum));
  }
}

template <class T>
void apply(const SoftmaxArgs& args) {
  const bool logarithm =
      args.op == SoftmaxOp::kLogSoftmax || args.op == SoftmaxOp::kLogSoftmaxBackward;
  const bool is_forward = args.op == SoftmaxOp::kSoftmax || args.op == SoftmaxOp::kLogSoftmax;
  for (std::int64_t o = 0; o < args.outer; ++o) {
    for (std::int64_t i = 0; i < args.inner; ++i) {
      const std::int64_t start = o * args.size * args.inner + i;
      const Row<const T> in{static_cast<const T*>(args.in) + start, args.inner};
      const Row<T> out{static_cast<T*>(args.out) + start, args.inner};
      if (is_forward) {
        forward(in, out, args.size, logarithm);
      } else {
        const Row<const T> grad{static_cast<const T*>(args.grad) + start, args.inner};
        backward(in, grad, out, args.size, logarithm);
      }
    }
  }
}

bool supports(const SoftmaxArgs& args) { return is_floating_point(args.dtype); }

void softmax(const SoftmaxArgs& args, KernelContext&) {
  visit_floating_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_softmax(OracleTable& table) { set<SoftmaxArgs, supports, softmax>(table); }

}  // namespace tern::sim
