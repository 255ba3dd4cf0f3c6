#include <tern/nn/modules/conv.h>

#include <cmath>

#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/nn/convolution.h>
#include <tern/core/ops/nn/padding.h>
#include <tern/nn/any_module.h>
#include <tern/nn/detail/conv_channels.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/init.h>

namespace tern::nn {

namespace {

/// Calls the op of D dimensions.
template <std::size_t D, class... Args>
Tensor conv_op(const Args&... args) {
  if constexpr (D == 1) return tern::conv1d(args...);
  if constexpr (D == 2) return tern::conv2d(args...);
  if constexpr (D == 3) return tern::conv3d(args...);
}
template <std::size_t D, class... Args>
Tensor conv_transpose_op(const Args&... args) {
  if constexpr (D == 1) return tern::conv_transpose1d(args...);
  if constexpr (D == 2) return tern::conv_transpose2d(args...);
  if constexpr (D == 3) return tern::conv_transpose3d(args...);
}

/// Convolves with the options of a function or of a module.
template <class Options, std::size_t D>
Tensor convolve(const Tensor& input, const Tensor& weight, const Tensor& bias,
                const Options& options, const ConvPadding<D>& padding) {
  const auto call = [&](const auto& numbers) {
    return conv_op<D>(input, weight, bias, options.stride(), numbers, options.dilation(),
                      options.groups());
  };
  return padding.rule() == kSame ? call("same") : call(padding.numbers());
}
template <class Options, std::size_t D>
Tensor convolve_transposed(const Tensor& input, const Tensor& weight, const Tensor& bias,
                           const Options& options, const ExpandingArray<D>& output_padding) {
  return conv_transpose_op<D>(input, weight, bias, options.stride(), options.padding(),
                              output_padding, options.groups(), options.dilation());
}

/// The name of a module, for error texts.
struct ConvName {
  const char* kind;
  std::size_t dims;
};
std::ostream& operator<<(std::ostream& stream, const ConvName& name) {
  detail::print_to(stream, {"nn::", name.kind, name.dims, 'd'});
  return stream;
}

template <class Options>
void check_conv_options(const ConvName& name, const Options& options) {
  detail::check_conv_channels(name.kind, name.dims, options.in_channels(), options.out_channels(),
                              options.groups());
  for (const std::int64_t size : *options.kernel_size()) {
    TERN_CHECK(size >= 0, ShapeError, name, ": kernel_size must not be negative, got ",
               options.kernel_size());
  }
}

/// Registers weight [first, second / groups, kernel_size] and bias.
template <class Layer>
void register_conv(Layer& layer, std::int64_t first, std::int64_t second) {
  const TensorOptions like = detail::factory_options(layer.options);
  DimVector sizes{first, second / layer.options.groups()};
  for (const std::int64_t size : *layer.options.kernel_size()) sizes.push_back(size);
  layer.bind_parameter("weight", layer.weight, empty(sizes, like));
  layer.bind_parameter(
      "bias", layer.bias,
      layer.options.bias() ? empty({layer.options.out_channels()}, like) : Tensor());
  layer.reset_parameters();
}

void draw_conv(const Tensor& weight, const Tensor& bias) {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const auto fan_in = static_cast<double>(std::get<0>(init::_calculate_fan_in_and_fan_out(weight)));
  if (fan_in != 0) init::uniform_(bias, -1 / std::sqrt(fan_in), 1 / std::sqrt(fan_in));
}

template <std::size_t D>
bool is_all(const ExpandingArray<D>& numbers, std::int64_t value) {
  for (const std::int64_t number : *numbers) {
    if (number != value) return false;
  }
  return true;
}

template <class Options>
void print_start(std::ostream& stream, const char* name, std::size_t dims, const Options& options) {
  detail::print_to(
      stream, {"tern::nn::", name, dims, "d(", options.in_channels(), ", ", options.out_channels(),
               ", kernel_size=", options.kernel_size(), ", stride=", options.stride()});
}

template <class Options>
void print_end(std::ostream& stream, const Options& options) {
  if (options.groups() != 1) detail::print_to(stream, {", groups=", options.groups()});
  if (!options.bias()) stream << ", bias=false";
  constexpr const char* kModes[] = {"", "kReflect", "kReplicate", "kCircular"};
  if (options.padding_mode() != kZeros) {
    stream << ", padding_mode=" << kModes[static_cast<int>(options.padding_mode())];
  }
  stream << ')';
}

/// Returns the elements that the padding adds, as the argument of pad().
template <std::size_t D>
std::vector<std::int64_t> padding_of(const ConvOptions<D>& options) {
  std::vector<std::int64_t> pad;
  for (std::size_t d = D; d-- > 0;) {
    const bool same = options.padding().rule() == kSame;
    const std::int64_t all = same ? (*options.dilation())[d] * ((*options.kernel_size())[d] - 1)
                                  : 2 * (*options.padding().numbers())[d];
    pad.push_back(all / 2);
    pad.push_back(all - all / 2);
  }
  return pad;
}

template <std::size_t D>
ExpandingArray<D> output_padding_of(const char* name, const ConvTransposeOptions<D>& options,
                                    const Tensor& input, const Tensor& weight,
                                    const OptionalIntArrayRef& output_size) {
  if (!output_size) return options.output_padding();
  const auto dims = static_cast<std::size_t>(input.dim());
  if (dims != D + 1 && dims != D + 2) return options.output_padding();  // the op reports it
  TERN_CHECK(output_size->size() == D || output_size->size() == dims, ShapeError, "nn::", name, D,
             "d: for ", dims, "D input, output_size must have ", D, " or ", dims, " elements (got ",
             output_size->size(), ")");
  const std::size_t first = output_size->size() - D;
  ExpandingArray<D> result = 0;
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t stride = (*options.stride())[d];
    const std::int64_t least = (input.sizes()[dims - D + d] - 1) * stride -
                               2 * (*options.padding())[d] +
                               (*options.dilation())[d] * (weight.sizes()[d + 2] - 1) + 1;
    const std::int64_t wanted = (*output_size)[first + d];
    TERN_CHECK(wanted >= least && wanted < least + stride, ShapeError,
               "requested an output size of ", *output_size, ", but size ", wanted,
               " is not in the valid range from ", least, " to ", least + stride - 1,
               " (for an input of ", input.sizes(), ")");
    (*result)[d] = wanted - least;
  }
  return result;
}

}  // namespace

namespace detail {

void check_conv_channels(const char* kind, std::size_t dims, std::int64_t in, std::int64_t out,
                         std::int64_t groups) {
  const ConvName name{kind, dims};
  TERN_CHECK(groups > 0, Error, name, ": groups must be a positive integer, got ", groups);
  TERN_CHECK(in >= 0 && out >= 0, ShapeError, name,
             ": the numbers of channels must not be negative, got ", in, " and ", out);
  TERN_CHECK(in % groups == 0, Error, name, ": in_channels must be divisible by groups, got ", in,
             " and ", groups);
  TERN_CHECK(out % groups == 0, Error, name, ": out_channels must be divisible by groups, got ",
             out, " and ", groups);
}

template <class Derived, std::size_t D>
ConvLayer<Derived, D>::ConvLayer(const ConvOptions<D>& options_) : options(options_) {
  ConvLayer::reset();
}

template <class Derived, std::size_t D>
void ConvLayer<Derived, D>::reset() {
  check_conv_options({"Conv", D}, options);
  TERN_CHECK(
      options.padding().rule() != kSame || is_all(options.stride(), 1), Error, ConvName{"Conv", D},
      ": padding='same' is not supported for strided convolutions, got stride ", options.stride());
  register_conv(*this, options.out_channels(), options.in_channels());
}

template <class Derived, std::size_t D>
void ConvLayer<Derived, D>::reset_parameters() {
  draw_conv(weight, bias);
}

template <class Derived, std::size_t D>
void ConvLayer<Derived, D>::pretty_print(std::ostream& stream) const {
  print_start(stream, "Conv", D, options);
  if (options.padding().rule()) {
    detail::print_to(stream,
                     {", padding='", (options.padding().rule() == kSame ? "same" : "valid"), '\''});
  } else if (!is_all(options.padding().numbers(), 0)) {
    detail::print_to(stream, {", padding=", options.padding().numbers()});
  }
  if (!is_all(options.dilation(), 1)) detail::print_to(stream, {", dilation=", options.dilation()});
  print_end(stream, options);
}

template <class Derived, std::size_t D>
Tensor ConvLayer<Derived, D>::forward(const Tensor& input) {
  const ConvPadding<D>& padding = options.padding();
  if (options.padding_mode() == kZeros) return convolve(input, weight, bias, options, padding);
  constexpr const char* kModes[] = {"constant", "reflect", "replicate", "circular"};
  const char* const mode = kModes[static_cast<int>(options.padding_mode())];
  const Tensor padded = pad(input, padding_of(options), mode);
  return convolve(padded, weight, bias, options, ConvPadding<D>(0));
}

template <class Derived, std::size_t D>
ConvTransposeLayer<Derived, D>::ConvTransposeLayer(const ConvTransposeOptions<D>& options_)
    : options(options_) {
  ConvTransposeLayer::reset();
}

template <class Derived, std::size_t D>
void ConvTransposeLayer<Derived, D>::reset() {
  check_conv_options({"ConvTranspose", D}, options);
  TERN_CHECK(options.padding_mode() == kZeros, Error, ConvName{"ConvTranspose", D},
             ": Only \"zeros\" padding mode is supported for ConvTranspose", D, 'd');
  register_conv(*this, options.in_channels(), options.out_channels());
}

template <class Derived, std::size_t D>
void ConvTransposeLayer<Derived, D>::reset_parameters() {
  draw_conv(weight, bias);
}

template <class Derived, std::size_t D>
void ConvTransposeLayer<Derived, D>::pretty_print(std::ostream& stream) const {
  print_start(stream, "ConvTranspose", D, options);
  if (!is_all(options.padding(), 0)) detail::print_to(stream, {", padding=", options.padding()});
  if (!is_all(options.dilation(), 1)) detail::print_to(stream, {", dilation=", options.dilation()});
  if (!is_all(options.output_padding(), 0)) {
    detail::print_to(stream, {", output_padding=", options.output_padding()});
  }
  print_end(stream, options);
}

template <class Derived, std::size_t D>
Tensor ConvTransposeLayer<Derived, D>::forward(const Tensor& input,
                                               const OptionalIntArrayRef& output_size) {
  return convolve_transposed(
      input, weight, bias, options,
      output_padding_of("ConvTranspose", options, input, weight, output_size));
}

template <class Derived, std::size_t D>
std::vector<std::pair<unsigned, AnyValue>> ConvTransposeLayer<Derived, D>::forward_defaults() {
  return {{1, AnyValue(OptionalIntArrayRef())}};
}

template class ConvLayer<Conv1dImpl, 1>;
template class ConvLayer<Conv2dImpl, 2>;
template class ConvLayer<Conv3dImpl, 3>;
template class ConvTransposeLayer<ConvTranspose1dImpl, 1>;
template class ConvTransposeLayer<ConvTranspose2dImpl, 2>;
template class ConvTransposeLayer<ConvTranspose3dImpl, 3>;

}  // namespace detail

namespace functional {

Tensor conv1d(const Tensor& input, const Tensor& weight, const Conv1dFuncOptions& options) {
  return convolve(input, weight, options.bias(), options, options.padding());
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options) {
  return convolve(input, weight, options.bias(), options, options.padding());
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const Conv3dFuncOptions& options) {
  return convolve(input, weight, options.bias(), options, options.padding());
}
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose1dFuncOptions& options) {
  return convolve_transposed(input, weight, options.bias(), options, options.output_padding());
}
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose2dFuncOptions& options) {
  return convolve_transposed(input, weight, options.bias(), options, options.output_padding());
}
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose3dFuncOptions& options) {
  return convolve_transposed(input, weight, options.bias(), options, options.output_padding());
}

}  // namespace functional

}  // namespace tern::nn
