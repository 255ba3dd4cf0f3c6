// Compiled for size.

#include <algorithm>
#include <limits>
#include <ostream>
#include <string>

#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/convolution.h>
#include <tern/core/ops/nn/detail/convolution.h>

// The rules for the numbers and the sizes of convolutions, with PyTorch's texts.

namespace tern {
namespace {

using detail::Convolution;

/// Writes the numbers of a list, or one number for all dimensions.
void read_list(const char* name, IntArrayRef list, std::size_t dims, std::int64_t* to) {
  TERN_CHECK(list.size() == 1 || list.size() == dims, ShapeError, "expected ", name,
             " to be a single integer value or a list of ", dims,
             " values to match the convolution dimensions, but got ", name, "=", list);
  for (std::size_t d = 0; d < dims; ++d) to[d] = list[list.size() == 1 ? 0 : d];
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
  IntArrayRef extents;
};
std::ostream& operator<<(std::ostream& stream, const PrintedExtents& printed) {
  const char* separator = "(";
  for (const std::int64_t extent : printed.extents) {
    stream << separator << std::to_string(extent);
    separator = " x ";
  }
  return stream << ')';
}

void check_numbers(const Convolution& c) {
  const auto check = [&](const std::int64_t(&list)[3], std::int64_t least, const char* text) {
    for (const std::int64_t number : list) {
      TERN_CHECK(number >= least, Error, text, " is not supported, got ", c.last(list));
    }
  };
  check(c.args.padding, 0, "negative padding");
  check(c.output_padding, 0, "negative output_padding");
  check(c.args.stride, 1, "non-positive stride");
  check(c.args.dilation, 1, "non-positive dilation");
  TERN_CHECK(c.args.groups > 0, Error, "non-positive groups is not supported, got ", c.args.groups);
  constexpr std::int64_t kMostPadding = std::numeric_limits<std::int64_t>::max() / 2;
  for (std::size_t d = 0; d < c.dims; ++d) {
    TERN_CHECK(c.last(c.args.padding)[d] <= kMostPadding, ShapeError,
               "Given padding=", c.last(c.args.padding)[d], " at dimension ", d,
               ", expected padding to be at most ", kMostPadding);
  }
}

/// Checks tensors with a batch dimension.
void check_convolved(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Convolution& c) {
  const std::int64_t groups = c.args.groups, first = weight.size(0);
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
DimVector convolved_extents(const Convolution& c) {
  const IntArrayRef in = c.last(c.args.in), kernel = c.last(c.args.kernel);
  if (c.keeps_extents) return in;
  DimVector padded, spread, result;
  bool fits = true;
  for (std::size_t d = 0; d < c.dims; ++d) {
    padded.push_back(checked_sum(2, c.last(c.args.padding)[d], in[d]));
    spread.push_back(checked_sum(c.last(c.args.dilation)[d], kernel[d] - 1, 1));
    fits = fits && padded[d] >= spread[d];
    result.push_back((padded[d] - spread[d]) / c.last(c.args.stride)[d] + 1);
  }
  TERN_CHECK(fits, ShapeError, "Calculated padded input size per channel: ", PrintedExtents{padded},
             ". Kernel size: ", PrintedExtents{spread},
             ". Kernel size can't be greater than actual input size");
  return result;
}

/// Returns the extents of the result of a transposed convolution.
DimVector transposed_extents(const Convolution& c) {
  const IntArrayRef extents = c.last(c.args.out_sizes), added = c.last(c.output_padding),
                    stride = c.last(c.args.stride), dilation = c.last(c.args.dilation);
  DimVector result;
  for (std::size_t d = 0; d < c.dims; ++d) {
    TERN_CHECK(added[d] < stride[d] || added[d] < dilation[d], Error,
               "output padding must be smaller than either stride or dilation, but got "
               "output_padding: ",
               added, " stride: ", stride, " dilation: ", dilation);
    const std::int64_t kernel = checked_sum(dilation[d], c.last(c.args.kernel)[d] - 1, 1);
    const std::int64_t whole = checked_sum(extents[d] - 1, stride[d], kernel);
    result.push_back(checked_sum(-2, c.last(c.args.padding)[d], checked_sum(1, added[d], whole)));
  }
  TERN_CHECK(*std::min_element(result.begin(), result.end()) >= 0, ShapeError,
             "Given input size per channel: ", PrintedExtents{extents},
             ". Calculated output size per channel: ", PrintedExtents{result},
             ". Output size is too small");
  return result;
}

}  // namespace

namespace detail {

Convolution::Convolution(const char* name_, std::size_t dims_, IntArrayRef stride,
                         IntArrayRef padding, IntArrayRef dilation, std::int64_t groups)
    : name(name_), dims(dims_) {
  args.groups = groups;
  for (auto* list : {&args.in, &args.kernel, &args.out_sizes, &args.stride, &args.dilation}) {
    std::fill_n(*list, 3, 1);
  }
  read_list("stride", stride, dims, last(args.stride));
  read_list("padding", padding, dims, last(args.padding));
  read_list("dilation", dilation, dims, last(args.dilation));
}

Convolution::Convolution(const char* name_, std::size_t dims_, IntArrayRef stride,
                         const PaddingName& padding, IntArrayRef dilation, std::int64_t groups)
    : Convolution(name_, dims_, stride, 0, dilation, groups) {
  keeps_extents = padding.text() == "same";
  TERN_CHECK(keeps_extents || padding.text() == "valid", Error, "Invalid padding string: '",
             padding.text(), "'");
  for (const std::int64_t number : args.stride) {
    TERN_CHECK(!keeps_extents || number == 1, Error,
               "padding='same' is not supported for strided convolutions, got stride ", stride);
  }
}

Convolution& Convolution::transpose(IntArrayRef padding_of_output) {
  transposed = true;
  read_list("output_padding", padding_of_output, dims, last(output_padding));
  return *this;
}

void Convolution::check(const Tensor& input, const Tensor& w, const Tensor& bias) const {
  const auto rank = static_cast<std::int64_t>(dims);
  TERN_CHECK(input.dim() == rank + 1 || input.dim() == rank + 2, ShapeError, "Expected ", rank + 1,
             "D (unbatched) or ", rank + 2, "D (batched) input to ", name,
             ", but got input of size: ", input.sizes());
  TERN_CHECK(w.dim() > 2, ShapeError,
             "weight should have at least three dimensions, but got weight of size ", w.sizes());
  TERN_CHECK(w.dim() == rank + 2, ShapeError, "Expected ", w.dim(), "-dimensional input for ",
             w.dim(), "-dimensional weight ", w.sizes(), ", but got ", rank + 2,
             "-dimensional input of size ", input.sizes(), " instead");
  detail::check_same_device("convolution", {&input, &w, &bias}, {"input", "weight", "bias"});
  TERN_CHECK(is_floating_point(input.dtype()), NotImplementedError,
             "\"convolution\" not implemented for '", input.scalar_type(), "'");
  TERN_CHECK(input.dtype() == w.dtype(), DTypeError, "Input type (", input.scalar_type(),
             ") and weight type (", w.scalar_type(), ") should be the same");
  TERN_CHECK(!bias.defined() || input.dtype() == bias.dtype(), DTypeError, "Input type (",
             input.scalar_type(), ") and bias type (", bias.scalar_type(), ") should be the same");
  check_numbers(*this);
}

void Convolution::set_sizes(const Tensor& input, const Tensor& w, const Tensor& bias) {
  check_convolved(input, w, bias, *this);
  format = input.suggest_memory_format();
  // As in PyTorch, one of both is enough.
  if (format == MemoryFormat::Contiguous) format = w.suggest_memory_format();
  args.batch = input.size(0);
  args.inputs = w.size(1);
  args.outputs = w.size(0) / args.groups;
  DimVector result{args.batch, transposed ? args.inputs * args.groups : w.size(0)};
  std::copy_n(w.sizes().begin() + 2, dims, last(args.kernel));
  std::copy_n(input.sizes().begin() + 2, dims, last(transposed ? args.out_sizes : args.in));
  const DimVector extents = transposed ? transposed_extents(*this) : convolved_extents(*this);
  std::copy_n(extents.begin(), dims, last(transposed ? args.in : args.out_sizes));
  for (std::size_t d = 0; d < dims && keeps_extents; ++d) {
    last(args.padding)[d] = checked_sum(last(args.dilation)[d], last(args.kernel)[d] - 1, 0) / 2;
  }
  for (const std::int64_t extent : extents) result.push_back(extent);
  (transposed ? y : x) = input.sizes();
  (transposed ? x : y) = result;
  weight = w.sizes();
}

}  // namespace detail
}  // namespace tern
