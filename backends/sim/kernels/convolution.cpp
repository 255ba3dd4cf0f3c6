#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

/// Calls fn with the three indices of each element of a volume, and with its number.
template <class Fn>
void each_position(const std::int64_t* extents, const Fn& fn) {
  std::int64_t number = 0;
  for (std::int64_t i = 0; i < extents[0]; ++i) {
    for (std::int64_t j = 0; j < extents[1]; ++j) {
      for (std::int64_t k = 0; k < extents[2]; ++k) {
        const std::int64_t at[] = {i, j, k};
        fn(at, number++);
      }
    }
  }
}

/// Calls fn(x, w, y) with the numbers of the elements for each product of the definition.
template <class Fn>
void each_product(const ConvolutionArgs& a, const Fn& fn) {
  for (std::int64_t n = 0; n < a.batch; ++n) {
    for (std::int64_t o = 0; o < a.groups * a.outputs; ++o) {
      for (std::int64_t i = 0; i < a.inputs; ++i) {
        const std::int64_t channel = o / a.outputs * a.inputs + i;
        const std::int64_t x = (n * a.groups * a.inputs + channel) * volume(a.in);
        const std::int64_t w = (o * a.inputs + i) * volume(a.kernel);
        const std::int64_t y = (n * a.groups * a.outputs + o) * volume(a.out_sizes);
        each_position(a.out_sizes, [&](const std::int64_t* p, std::int64_t p_number) {
          each_position(a.kernel, [&](const std::int64_t* k, std::int64_t k_number) {
            std::int64_t position = 0;
            for (int d = 0; d < 3; ++d) {
              const std::int64_t at = p[d] * a.stride[d] - a.padding[d] + k[d] * a.dilation[d];
              if (at < 0 || at >= a.in[d]) return;
              position = position * a.in[d] + at;
            }
            fn(x + position, w + k_number, y + p_number);
          });
        });
      }
    }
  }
}

template <class T>
void convolve(const ConvolutionArgs& args) {
  const auto x = static_cast<const T*>(args.input), w = static_cast<const T*>(args.weight);
  const auto bias = static_cast<const T*>(args.bias), y = static_cast<const T*>(args.gradient);
  const auto out = static_cast<T*>(args.out);
  const bool forward = args.op == ConvolutionOp::kForward;
  const std::int64_t size = volume(forward ? args.out_sizes : args.in);
  const std::int64_t channels = args.groups * (forward ? args.outputs : args.inputs);
  const std::int64_t count = args.op == ConvolutionOp::kWeightGradient
                                 ? args.groups * args.outputs * args.inputs * volume(args.kernel)
                                 : args.batch * channels * size;
  std::vector<double> sums(static_cast<std::size_t>(count));
  const auto sum = [&](std::int64_t i) -> double& { return sums[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = 0; i < count && bias != nullptr; ++i) sum(i) = bias[i / size % channels];
  each_product(args, [&](std::int64_t at_x, std::int64_t at_w, std::int64_t at_y) {
    if (forward) {
      sum(at_y) += static_cast<double>(x[at_x]) * static_cast<double>(w[at_w]);
    } else if (args.op == ConvolutionOp::kInputGradient) {
      sum(at_x) += static_cast<double>(y[at_y]) * static_cast<double>(w[at_w]);
    } else {
      sum(at_w) += static_cast<double>(x[at_x]) * static_cast<double>(y[at_y]);
    }
  });
  for (std::int64_t i = 0; i < count; ++i) out[i] = narrow<T>(sum(i));
}

bool supports(const ConvolutionArgs& args) {
  return is_floating_point(args.dtype) && args.channels_last == 0;
}

void convolution(const ConvolutionArgs& args, KernelContext&) {
  visit_floating_dtype(args.dtype, [&](auto tag) { convolve<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_convolution(OracleTable& table) {
  set<ConvolutionArgs, supports, convolution>(table);
}

}  // namespace tern::sim
