// Compiled for size.

#include <algorithm>
#include <limits>
#include <ostream>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/convolution.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using detail::ConvolutionSizes;

/// The arguments of a call other than tensors, with one number for each spatial dimension.
struct ConvolutionNumbers {
  DimVector stride, padding, dilation, output_padding;
  std::int64_t groups;
  bool transposed;
};

DimVector one_for_each(const char* name, IntArrayRef list, std::size_t dims) {
  TERN_CHECK(list.size() == 1 || list.size() == dims, ShapeError, "expected ", name,
             " to be a single integer value or a list of ", dims,
             " values to match the convolution dimensions, but got ", name, "=", list);
  DimVector result(list);
  while (result.size() < dims) result.push_back(list[0]);
  return result;
}

/// Returns a * b + c.
std::int64_t checked_sum(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t sum = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &sum) || __builtin_add_overflow(sum, c, &sum);
  TERN_CHECK(!overflows, ShapeError, "the size of the result does not fit into 64 bits: ", a, " * ",
             b, " + ", c);
  return sum;
}

/// Extents that are printed as (3 x 4).
struct PrintedExtents {
  const DimVector& extents;
};
std::ostream& operator<<(std::ostream& stream, const PrintedExtents& printed) {
  const char* separator = "(";
  for (const std::int64_t extent : printed.extents) {
    stream << separator << std::to_string(extent);
    separator = " x ";
  }
  return stream << ')';
}

void check_numbers(const ConvolutionNumbers& c) {
  const auto check = [](const DimVector& list, std::int64_t least, const char* text) {
    for (const std::int64_t number : list) {
      TERN_CHECK(number >= least, Error, text, " is not supported, got ", IntArrayRef(list));
    }
  };
  check(c.padding, 0, "negative padding");
  check(c.output_padding, 0, "negative output_padding");
  check(c.stride, 1, "non-positive stride");
  check(c.dilation, 1, "non-positive dilation");
  TERN_CHECK(c.groups > 0, Error, "non-positive groups is not supported, got ", c.groups);
  constexpr std::int64_t kMostPadding = std::numeric_limits<std::int64_t>::max() / 2;
  for (std::size_t d = 0; d < c.padding.size(); ++d) {
    TERN_CHECK(c.padding[d] <= kMostPadding, ShapeError, "Given padding=", c.padding[d],
               " at dimension ", d, ", expected padding to be at most ", kMostPadding);
  }
}

/// Checks tensors with a batch dimension.
void check_convolved(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const ConvolutionNumbers& c) {
  const std::int64_t groups = c.groups, first = weight.size(0);
  for (std::int64_t d = 2; d < weight.dim(); ++d) {
    TERN_CHECK(weight.size(d) > 0, ShapeError,
               "kernel size should be greater than zero, but got weight of size ", weight.sizes());
  }
  TERN_CHECK(first >= groups, ShapeError, "Given groups=", groups,
             ", expected weight to be at least ", groups,
             " at dimension 0, but got weight of size ", weight.sizes(), " instead");
  TERN_CHECK(first % groups == 0, ShapeError, "Given groups=", groups,
             ", expected weight to be divisible by ", groups,
             " at dimension 0, but got weight of size ", weight.sizes(), " instead");
  const std::int64_t second = checked_sum(weight.size(1), groups, 0);
  const std::int64_t channels = c.transposed ? first : second;
  const std::int64_t outputs = c.transposed ? second : first;
  TERN_CHECK(input.size(1) == channels, ShapeError, "Given ",
             c.transposed ? "transposed=" : "groups=", c.transposed ? 1 : groups,
             ", weight of size ", weight.sizes(), ", expected input", input.sizes(), " to have ",
             channels, " channels, but got ", input.size(1), " channels instead");
  TERN_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == outputs), ShapeError, "Given ",
             c.transposed ? "transposed=1, " : "", "weight of size ", weight.sizes(),
             ", expected bias to be 1-dimensional with ", outputs,
             " elements, but got bias of size ", bias.sizes(), " instead");
  TERN_CHECK(
      input.numel() != 0 || input.size(0) == 0 || input.size(1) == 0, ShapeError,
      "Only zero batch or zero channel inputs are supported, but got input shape: ", input.sizes());
}

/// Returns the extents of the result of a convolution.
DimVector convolved_extents(const Tensor& input, const Tensor& weight,
                            const ConvolutionNumbers& c) {
  DimVector padded, kernel, result;
  bool fits = true;
  for (std::size_t d = 0; d < c.stride.size(); ++d) {
    padded.push_back(checked_sum(2, c.padding[d], input.sizes()[d + 2]));
    kernel.push_back(checked_sum(c.dilation[d], weight.sizes()[d + 2] - 1, 1));
    fits = fits && padded[d] >= kernel[d];
    result.push_back((padded[d] - kernel[d]) / c.stride[d] + 1);
  }
  TERN_CHECK(fits, ShapeError, "Calculated padded input size per channel: ", PrintedExtents{padded},
             ". Kernel size: ", PrintedExtents{kernel},
             ". Kernel size can't be greater than actual input size");
  return result;
}

/// Returns the extents of the result of a transposed convolution.
DimVector transposed_extents(const Tensor& input, const Tensor& weight,
                             const ConvolutionNumbers& c) {
  DimVector extents, result;
  for (std::size_t d = 0; d < c.stride.size(); ++d) {
    TERN_CHECK(c.output_padding[d] < c.stride[d] || c.output_padding[d] < c.dilation[d], Error,
               "output padding must be smaller than either stride or dilation, but got "
               "output_padding: ",
               IntArrayRef(c.output_padding), " stride: ", IntArrayRef(c.stride),
               " dilation: ", IntArrayRef(c.dilation));
    extents.push_back(input.sizes()[d + 2]);
    const std::int64_t kernel = checked_sum(c.dilation[d], weight.sizes()[d + 2] - 1, 1);
    const std::int64_t whole = checked_sum(extents[d] - 1, c.stride[d], kernel);
    result.push_back(checked_sum(-2, c.padding[d], checked_sum(1, c.output_padding[d], whole)));
  }
  TERN_CHECK(*std::min_element(result.begin(), result.end()) >= 0, ShapeError,
             "Given input size per channel: ", PrintedExtents{extents},
             ". Calculated output size per channel: ", PrintedExtents{result},
             ". Output size is too small");
  return result;
}

/// Returns the sizes of the call for a kernel that puts `before` zeros in front of the input of the
/// convolution, or of the result of the transposed one.
ConvolutionSizes sizes_of(const Tensor& input, const Tensor& weight, const ConvolutionNumbers& c,
                          const DimVector& before, const DimVector& extents) {
  ConvolutionSizes sizes{
      {}, DimVector(input.sizes()), DimVector(weight.sizes()), {}, input.suggest_memory_format()};
  // As in PyTorch, one of both is enough.
  if (sizes.format == MemoryFormat::Contiguous) sizes.format = weight.suggest_memory_format();
  const std::int64_t groups = c.groups;
  sizes.output = {input.size(0), c.transposed ? weight.size(1) * groups : weight.size(0)};
  for (const std::int64_t extent : extents) sizes.output.push_back(extent);
  // The transposed convolution maps what a convolution with its weight returns to the input.
  if (c.transposed) std::swap(sizes.input, sizes.output);
  kernels::ConvolutionArgs& args = sizes.numbers;
  args.batch = input.size(0);
  args.groups = groups;
  args.inputs = weight.size(1);
  args.outputs = weight.size(0) / groups;
  const std::size_t dims = before.size();
  for (std::size_t d = 0; d < 3; ++d) {
    const bool given = d + dims >= 3;
    const std::size_t i = given ? d + dims - 3 : 0;
    args.in[d] = given ? sizes.input[i + 2] : 1;
    args.kernel[d] = given ? sizes.weight[i + 2] : 1;
    args.out_sizes[d] = given ? sizes.output[i + 2] : 1;
    args.stride[d] = given ? c.stride[i] : 1;
    args.padding[d] = given ? before[i] : 0;
    args.dilation[d] = given ? c.dilation[i] : 1;
  }
  return sizes;
}

void check_tensors(const char* name, const Tensor& input, const Tensor& weight, const Tensor& bias,
                   std::int64_t dims) {
  TERN_CHECK(input.dim() == dims + 1 || input.dim() == dims + 2, ShapeError, "Expected ", dims + 1,
             "D (unbatched) or ", dims + 2, "D (batched) input to ", name,
             ", but got input of size: ", input.sizes());
  TERN_CHECK(weight.dim() > 2, ShapeError,
             "weight should have at least three dimensions, but got weight of size ",
             weight.sizes());
  TERN_CHECK(weight.dim() == dims + 2, ShapeError, "Expected ", weight.dim(),
             "-dimensional input for ", weight.dim(), "-dimensional weight ", weight.sizes(),
             ", but got ", dims + 2, "-dimensional input of size ", input.sizes(), " instead");
  detail::check_same_device("convolution", {&input, &weight, &bias}, {"input", "weight", "bias"});
  TERN_CHECK(is_floating_point(input.dtype()), NotImplementedError,
             "\"convolution\" not implemented for '", input.dtype(), "'");
  TERN_CHECK(input.dtype() == weight.dtype(), DTypeError, "Input type (", input.dtype(),
             ") and weight type (", weight.dtype(), ") should be the same");
  TERN_CHECK(!bias.defined() || input.dtype() == bias.dtype(), DTypeError, "Input type (",
             input.dtype(), ") and bias type (", bias.dtype(), ") should be the same");
}

/// Where the zeros of a convolution are: as many as given, or so many that the extents stay.
enum class ZerosAround { kGiven, kSame };

Tensor convolve_checked(const char* name, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, const ConvolutionNumbers& c,
                        ZerosAround zeros = ZerosAround::kGiven) {
  const auto dims = static_cast<std::int64_t>(c.stride.size());
  check_tensors(name, input, weight, bias, dims);
  check_numbers(c);
  if (input.dim() == dims + 1) {
    return convolve_checked(name, input.unsqueeze(0), weight, bias, c, zeros).squeeze(0);
  }
  check_convolved(input, weight, bias, c);
  DimVector before = c.padding, extents;
  if (zeros == ZerosAround::kSame) {
    for (std::size_t d = 0; d < before.size(); ++d) {
      before[d] = checked_sum(c.dilation[d], weight.sizes()[d + 2] - 1, 0) / 2;
      extents.push_back(input.sizes()[d + 2]);
    }
  } else {
    extents =
        c.transposed ? transposed_extents(input, weight, c) : convolved_extents(input, weight, c);
  }
  const ConvolutionSizes sizes = sizes_of(input, weight, c, before, extents);
  const auto compute = c.transposed ? detail::convolve_transposed : detail::convolve;
  return compute("ConvolutionBackward0", sizes, input, weight, bias);
}

Tensor convolution(const char* name, std::size_t dims, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
                   IntArrayRef dilation, std::int64_t groups) {
  return convolve_checked(
      name, input, weight, bias,
      {one_for_each("stride", stride, dims), one_for_each("padding", padding, dims),
       one_for_each("dilation", dilation, dims), DimVector(dims, 0), groups, false});
}

Tensor convolution(const char* name, std::size_t dims, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, IntArrayRef stride, const PaddingName& padding,
                   IntArrayRef dilation, std::int64_t groups) {
  const bool same = padding.text() == "same";
  TERN_CHECK(same || padding.text() == "valid", Error, "Invalid padding string: '", padding.text(),
             "'");
  const ConvolutionNumbers numbers{one_for_each("stride", stride, dims),
                                   DimVector(dims, 0),
                                   one_for_each("dilation", dilation, dims),
                                   DimVector(dims, 0),
                                   groups,
                                   false};
  for (const std::int64_t number : numbers.stride) {
    TERN_CHECK(!same || number == 1, Error,
               "padding='same' is not supported for strided convolutions, got stride ", stride);
  }
  return convolve_checked(name, input, weight, bias, numbers,
                          same ? ZerosAround::kSame : ZerosAround::kGiven);
}

Tensor transposed_convolution(const char* name, std::size_t dims, const Tensor& input,
                              const Tensor& weight, const Tensor& bias, IntArrayRef stride,
                              IntArrayRef padding, IntArrayRef output_padding, std::int64_t groups,
                              IntArrayRef dilation) {
  return convolve_checked(
      name, input, weight, bias,
      {one_for_each("stride", stride, dims), one_for_each("padding", padding, dims),
       one_for_each("dilation", dilation, dims),
       one_for_each("output_padding", output_padding, dims), groups, true});
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): names of functions
#define TERN_CONVOLUTION(name, transposed_name, dims)                                            \
  Tensor name(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride, \
              IntArrayRef padding, IntArrayRef dilation, StrictInt groups) {                     \
    TERN_OP(#name, input, weight);                                                               \
    TERN_AUTOCAST(kLower, kLower, name, input, weight, bias, stride, padding, dilation, groups); \
    return convolution(#name, dims, input, weight, bias, stride, padding, dilation, groups);     \
  }                                                                                              \
  Tensor name(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride, \
              const PaddingName& padding, IntArrayRef dilation, StrictInt groups) {              \
    TERN_OP(#name, input, weight);                                                               \
    TERN_AUTOCAST(kLower, kLower, name, input, weight, bias, stride, padding, dilation, groups); \
    return convolution(#name, dims, input, weight, bias, stride, padding, dilation, groups);     \
  }                                                                                              \
  Tensor transposed_name(const Tensor& input, const Tensor& weight, const Tensor& bias,          \
                         IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,    \
                         StrictInt groups, IntArrayRef dilation) {                               \
    TERN_OP(#transposed_name, input, weight);                                                    \
    TERN_AUTOCAST(kLower, kLower, transposed_name, input, weight, bias, stride, padding,         \
                  output_padding, groups, dilation);                                             \
    return transposed_convolution(#transposed_name, dims, input, weight, bias, stride, padding,  \
                                  output_padding, groups, dilation);                             \
  }
TERN_CONVOLUTION(conv1d, conv_transpose1d, 1)
TERN_CONVOLUTION(conv2d, conv_transpose2d, 2)
TERN_CONVOLUTION(conv3d, conv_transpose3d, 3)
#undef TERN_CONVOLUTION
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tern
