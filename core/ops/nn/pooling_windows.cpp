// Compiled for size.

#include <string>

#include <tern/core/ops/nn/detail/pooling.h>

// The rules for windows of a fixed size, with PyTorch's texts.

namespace tern {
namespace {

using detail::PoolCall;
using detail::Pooling;

/// Returns the numbers of a list, or of one number for all dimensions.
void read_numbers(const char* name, const PoolCall& call, IntArrayRef list, std::int64_t* to) {
  const auto dims = static_cast<std::size_t>(call.dims);
  if (list.size() != 1 && list.size() != dims) {
    if (dims == 1) {
      detail::raise<ShapeError>(name,
                                " must be an int, list of ints or tuple of ints of size 1 but got "
                                "size ",
                                list.size());
    }
    const bool is_stride = name[0] == 's', is_dilation = name[0] == 'd';
    detail::raise<ShapeError>(name,
                              is_stride     ? " must either be omitted, a single int"
                              : is_dilation ? " must be either a single int"
                                            : " must either be a single int",
                              ", or a tuple of ", dims == 2 ? "two" : "three", " ints (got ",
                              list.size(), ')');
  }
  for (std::size_t i = 0; i < dims; ++i) {
    to[i] = list[list.size() == 1 ? 0 : i];
    constexpr std::int64_t kMost = 0x7fffffff;
    TERN_CHECK(to[i] >= -kMost && to[i] <= kMost, ShapeError, name,
               ": integer out of range: ", to[i]);
  }
}

/// The numbers with the names that PyTorch's texts give them: "kH: 2 kW: 3".
std::string named(const PoolCall& call, const char* prefix, const std::int64_t* numbers) {
  constexpr char kAxes[] = {'T', 'H', 'W'};
  std::string text;
  for (int d = 0; d < call.dims; ++d) {
    if (d > 0) text += ' ';
    text += prefix;
    text += kAxes[3 - call.dims + d];
    text += ": " + std::to_string(numbers[d]);
  }
  return text;
}

void check_positive(const PoolCall& call, const char* what, const char* prefix,
                    const std::int64_t* numbers) {
  for (int d = 0; d < call.dims; ++d) {
    TERN_CHECK(numbers[d] > 0, ShapeError, what, " should be greater than zero, but got ",
               named(call, prefix, numbers));
  }
}

void check_input(const PoolCall& call, const Tensor& input) {
  const std::int64_t dims = call.dims, given = input.dim();
  const bool fits = given == dims + 1 || given == dims + 2;
  bool has_elements = true;
  for (std::size_t d = given == dims + 2 ? 1 : 0; d < input.sizes().size(); ++d) {
    has_elements = has_elements && input.sizes()[d] != 0;
  }
  TERN_CHECK(call.dims != 1 || call.is_max || fits, ShapeError,
             "Expected 2 to 3 dimensions, but got ", given,
             "-dimensional tensor for argument #1 'self'");
  TERN_CHECK(call.dims == 1 || fits, ShapeError, "non-empty ", dims + 1, "D or ", dims + 2,
             "D (batch mode) tensor expected for input, but got:", input.sizes());
  if (call.dims == 3) return detail::check_pooling_elements(input, given == 5 ? 1 : 0);
  TERN_CHECK(
      fits && has_elements, ShapeError, "Expected ", dims + 1, "D or ", dims + 2,
      "D (batch mode) tensor with optional 0 dim batch size for input, but got:", input.sizes());
}

void check_numbers_1d(const kernels::PoolingArgs& args) {
  const std::int64_t kernel = args.kernel[2], padding = args.padding[2];
  TERN_CHECK(kernel > 0, ShapeError, "kernel_size must be greater than zero, but got ", kernel);
  TERN_CHECK(args.stride[2] > 0, ShapeError, "stride must be greater than zero, but got ",
             args.stride[2]);
  TERN_CHECK(padding >= 0, ShapeError, "padding must be non-negative, but got ", padding);
  TERN_CHECK(padding <= kernel / 2, ShapeError,
             "padding should be at most half of kernel size, but got padding=", padding,
             " and kernel_size=", kernel);
  TERN_CHECK(args.dilation[2] > 0, ShapeError, "dilation must be greater than zero, but got ",
             args.dilation[2]);
}

void check_numbers(const PoolCall& call, const std::int64_t* kernel, const std::int64_t* stride,
                   const std::int64_t* padding, const std::int64_t* dilation) {
  for (int d = 0; d < call.dims; ++d) {
    TERN_CHECK(stride[d] != 0, ShapeError, "stride should not be zero, but got ",
               named(call, "d", stride));
    TERN_CHECK(padding[d] >= 0, ShapeError, "pad must be non-negative, but got pad: ", padding[d]);
    TERN_CHECK(padding[d] <= ((kernel[d] - 1) * dilation[d] + 1) / 2, ShapeError,
               "pad should be at most half of effective kernel size, but got pad=", padding[d],
               ", kernel_size=", kernel[d], " and dilation=", dilation[d]);
  }
  check_positive(call, "kernel size", "k", kernel);
  check_positive(call, "stride", "d", stride);
  check_positive(call, "dilation", "dilation", dilation);
  for (int d = 0; d < call.dims; ++d) {
    TERN_CHECK(padding[d] <= kernel[d] / 2, ShapeError,
               "pad should be smaller than or equal to half of kernel size, but got ",
               named(call, "pad", padding), ' ', named(call, "k", kernel));
  }
}

/// Throws if a window has elements in the padding alone, between which the input lies.
void check_windows(const Pooling& pool) {
  const kernels::PoolingArgs& args = pool.args;
  for (int d = 0; d < 3; ++d) {
    if (args.dilation[d] == 1 || args.padding[d] == 0) continue;
    for (std::int64_t o = 0; o < args.out_sizes[d]; ++o) {
      const kernels::PoolingRange range = kernels::pooling_range(args, 0, d, o);
      TERN_CHECK(range.begin < range.end, ShapeError, "window ", o, " of dimension ", d - 3,
                 " has no element of the input: size ", args.sizes[d], ", padding ",
                 args.padding[d], ", dilation ", args.dilation[d]);
    }
  }
}

std::string joined(std::int64_t planes, const std::int64_t* sizes, int dims) {
  std::string text = "(" + std::to_string(planes);
  for (int d = 0; d < dims; ++d) text += 'x' + std::to_string(sizes[d]);
  return text + ')';
}

}  // namespace

namespace detail {

Pooling regular_pooling(const PoolCall& call, const Tensor& input) {
  check_input(call, input);
  Pooling pool(input, call.dims);
  kernels::PoolingArgs& args = pool.args;
  std::int64_t* const kernel = pool.last(args.kernel);
  std::int64_t* const stride = pool.last(args.stride);
  std::int64_t* const padding = pool.last(args.padding);
  std::int64_t* const dilation = pool.last(args.dilation);
  read_numbers("kernel_size", call, call.kernel_size, kernel);
  read_numbers("stride", call, call.stride.empty() ? call.kernel_size : call.stride, stride);
  read_numbers("padding", call, call.padding, padding);
  read_numbers("dilation", call, call.dilation, dilation);
  if (call.dims == 1 && call.is_max) {
    check_numbers_1d(args);
  } else {
    check_numbers(call, kernel, stride, padding, dilation);
  }
  const std::int64_t* const sizes = pool.last(args.sizes);
  if (call.dims == 3 && !call.is_max) {
    for (int d = 0; d < 3; ++d) {
      TERN_CHECK(sizes[d] >= kernel[d], ShapeError, "input image (T: ", sizes[0], " H: ", sizes[1],
                 " W: ", sizes[2], ") smaller than kernel size (kT: ", kernel[0],
                 " kH: ", kernel[1], " kW: ", kernel[2], ')');
    }
  }
  std::int64_t* const out = pool.last(args.out_sizes);
  for (int d = 0; d < call.dims; ++d) {
    const std::int64_t padded = sizes[d] + 2 * padding[d];
    const std::int64_t room =
        padded - dilation[d] * (kernel[d] - 1) - 1 + (call.ceil_mode ? stride[d] - 1 : 0);
    out[d] = (room < 0 ? (room - stride[d] + 1) / stride[d] : room / stride[d]) + 1;
    if (call.ceil_mode && (out[d] - 1) * stride[d] >= sizes[d] + padding[d]) --out[d];
  }
  const std::int64_t planes = input.size(-1 - call.dims);
  for (int d = 0; d < call.dims; ++d) {
    TERN_CHECK(out[d] > 0 || call.dims != 1 || !call.is_max, ShapeError,
               "Invalid computed output size: ", out[d]);
    TERN_CHECK(out[d] > 0, ShapeError, "Given input size: ", joined(planes, sizes, call.dims),
               ". Calculated output size: ", joined(planes, out, call.dims),
               ". Output size is too small");
  }
  check_windows(pool);
  pool.set_out_sizes();
  return pool;
}

}  // namespace detail
}  // namespace tern
