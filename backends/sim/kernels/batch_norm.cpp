#include <cmath>
#include <cstdint>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

// Numbers the elements of one channel of a [outer, channels, inner] tensor.
template <class T>
struct Elements {
  T* start;
  std::int64_t channel, channels, inner;
  T& operator[](std::int64_t i) const {
    return start[(i / inner * channels + channel) * inner + i % inner];
  }
};

template <class T>
class Channel {
 public:
  Channel(const BatchNormArgs& args, std::int64_t c)
      : args_(args), c_(c), count_(args.outer * args.inner), in_(elements<const T>(args.in)) {}

  void forward() const {
    const auto n = static_cast<double>(count_);
    if (args_.training != 0) {
      double mean = 0, variance = 0;
      for (std::int64_t i = 0; i < count_; ++i) mean += in_[i] / n;
      for (std::int64_t i = 0; i < count_; ++i) variance += (in_[i] - mean) * (in_[i] - mean) / n;
      args_.mean[c_] = mean;
      args_.variance[c_] = variance;
    }
    if (args_.out == nullptr) return;
    const auto out = elements<T>(args_.out);
    const double offset = args_.bias == nullptr ? 0 : double{static_cast<const T*>(args_.bias)[c_]};
    for (std::int64_t i = 0; i < count_; ++i) out[i] = static_cast<T>(x(i) * weight() + offset);
  }

  void backward() const {
    const auto n = static_cast<double>(count_);
    const auto grad = elements<const T>(args_.grad);
    double sum = 0, product = 0;
    for (std::int64_t i = 0; i < count_; ++i) sum += grad[i];
    for (std::int64_t i = 0; i < count_; ++i) product += grad[i] * x(i);
    if (args_.grad_weight != nullptr) {
      static_cast<T*>(args_.grad_weight)[c_] = static_cast<T>(product);
    }
    if (args_.grad_bias != nullptr) static_cast<T*>(args_.grad_bias)[c_] = static_cast<T>(sum);
    if (args_.grad_in == nullptr) return;
    const auto grad_in = elements<T>(args_.grad_in);
    for (std::int64_t i = 0; i < count_; ++i) {
      const double correction = args_.training != 0 ? sum / n + x(i) * product / n : 0;
      grad_in[i] = static_cast<T>(rstd() * weight() * (grad[i] - correction));
    }
  }

 private:
  template <class E, class Pointer>
  Elements<E> elements(Pointer* data) const {
    return {static_cast<E*>(data), c_, args_.channels, args_.inner};
  }
  double rstd() const { return 1 / std::sqrt(args_.variance[c_] + args_.eps); }
  double x(std::int64_t i) const { return (in_[i] - args_.mean[c_]) * rstd(); }
  double weight() const {
    return args_.weight == nullptr ? 1 : double{static_cast<const T*>(args_.weight)[c_]};
  }

  const BatchNormArgs& args_;
  std::int64_t c_, count_;
  Elements<const T> in_;
};

template <class T>
void apply(const BatchNormArgs& args) {
  for (std::int64_t c = 0; c < args.channels; ++c) {
    const Channel<T> channel(args, c);
    args.op == BatchNormOp::kForward ? channel.forward() : channel.backward();
  }
}

bool supports(const BatchNormArgs& args) { return is_floating_point(args.dtype); }

void batch_norm(const BatchNormArgs& args, KernelContext&) {
  visit_floating_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_batch_norm(OracleTable& table) { set<BatchNormArgs, supports, batch_norm>(table); }

}  // namespace tern::sim
