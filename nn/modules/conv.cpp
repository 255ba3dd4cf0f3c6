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

namespace tern::nn::functional {

// NOLINTBEGIN(bugprone-macro-parentheses): names of functions
#define TERN_CONV_FUNCTION(name, Options, transposed_name, TransposedOptions)                   \
  Tensor name(const Tensor& input, const Tensor& weight, const Options& options) {              \
    const auto& padding = options.padding();                                                    \
    if (padding.rule() == kSame) {                                                              \
      return tern::name(input, weight, options.bias(), options.stride(), "same",                \
                        options.dilation(), options.groups());                                  \
    }                                                                                           \
    return tern::name(input, weight, options.bias(), options.stride(), padding.numbers(),       \
                      options.dilation(), options.groups());                                    \
  }                                                                                             \
  Tensor transposed_name(const Tensor& input, const Tensor& weight,                             \
                         const TransposedOptions& options) {                                    \
    return tern::transposed_name(input, weight, options.bias(), options.stride(),               \
                                 options.padding(), options.output_padding(), options.groups(), \
                                 options.dilation());                                           \
  }
TERN_CONV_FUNCTION(conv1d, Conv1dFuncOptions, conv_transpose1d, ConvTranspose1dFuncOptions)
TERN_CONV_FUNCTION(conv2d, Conv2dFuncOptions, conv_transpose2d, ConvTranspose2dFuncOptions)
TERN_CONV_FUNCTION(conv3d, Conv3dFuncOptions, conv_transpose3d, ConvTranspose3dFuncOptions)
#undef TERN_CONV_FUNCTION
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tern::nn::functional

namespace tern::nn {

namespace {

Tensor conv(const Tensor& x, const Tensor& weight, const functional::ConvFuncOptions<1>& options) {
  return functional::conv1d(x, weight, options);
}
Tensor conv(const Tensor& x, const Tensor& weight, const functional::ConvFuncOptions<2>& options) {
  return functional::conv2d(x, weight, options);
}
Tensor conv(const Tensor& x, const Tensor& weight, const functional::ConvFuncOptions<3>& options) {
  return functional::conv3d(x, weight, options);
}
Tensor conv_transpose(const Tensor& x, const Tensor& weight,
                      const functional::ConvTransposeFuncOptions<1>& options) {
  return functional::conv_transpose1d(x, weight, options);
}
Tensor conv_transpose(const Tensor& x, const Tensor& weight,
                      const functional::ConvTransposeFuncOptions<2>& options) {
  return functional::conv_transpose2d(x, weight, options);
}
Tensor conv_transpose(const Tensor& x, const Tensor& weight,
                      const functional::ConvTransposeFuncOptions<3>& options) {
  return functional::conv_transpose3d(x, weight, options);
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
                                    const std::optional<IntArrayRef>& output_size) {
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
  auto given = functional::ConvFuncOptions<D>()
                   .bias(bias)
                   .stride(options.stride())
                   .padding(options.padding())
                   .dilation(options.dilation())
                   .groups(options.groups());
  if (options.padding_mode() == kZeros) return conv(input, weight, given);
  constexpr const char* kModes[] = {"constant", "reflect", "replicate", "circular"};
  const char* const mode = kModes[static_cast<int>(options.padding_mode())];
  return conv(pad(input, padding_of(options), mode), weight, given.padding(0));
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
                                               const std::optional<IntArrayRef>& output_size) {
  return conv_transpose(
      input, weight,
      functional::ConvTransposeFuncOptions<D>()
          .bias(bias)
          .stride(options.stride())
          .padding(options.padding())
          .output_padding(output_padding_of("ConvTranspose", options, input, weight, output_size))
          .groups(options.groups())
          .dilation(options.dilation()));
}

template <class Derived, std::size_t D>
std::vector<std::pair<unsigned, AnyValue>> ConvTransposeLayer<Derived, D>::forward_defaults() {
  return {{1, AnyValue(std::optional<IntArrayRef>())}};
}

template class ConvLayer<Conv1dImpl, 1>;
template class ConvLayer<Conv2dImpl, 2>;
template class ConvLayer<Conv3dImpl, 3>;
template class ConvTransposeLayer<ConvTranspose1dImpl, 1>;
template class ConvTransposeLayer<ConvTranspose2dImpl, 2>;
template class ConvTransposeLayer<ConvTranspose3dImpl, 3>;

}  // namespace detail

}  // namespace tern::nn
