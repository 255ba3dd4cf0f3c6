#include <tern/nn/modules/padding.h>

#include <optional>

#include <tern/core/ops/nn/padding.h>
#include <tern/nn/detail/printing.h>

namespace tern::nn::functional {

Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  constexpr const char* kNames[] = {"constant", "reflect", "replicate", "circular"};
  return tern::pad(input, options.pad(), kNames[static_cast<int>(options.mode())], options.value());
}

}  // namespace tern::nn::functional

namespace tern::nn {

namespace {

/// What distinguishes the padding layers.
struct PadKind {
  const char* name;
  const char* mode;
};
template <class Layer>
constexpr PadKind kPadKind{};
template <>
constexpr PadKind kPadKind<ConstantPad1dImpl>{"ConstantPad1d", "constant"};
template <>
constexpr PadKind kPadKind<ConstantPad2dImpl>{"ConstantPad2d", "constant"};
template <>
constexpr PadKind kPadKind<ConstantPad3dImpl>{"ConstantPad3d", "constant"};
template <>
constexpr PadKind kPadKind<ZeroPad1dImpl>{"ZeroPad1d", "constant"};
template <>
constexpr PadKind kPadKind<ZeroPad2dImpl>{"ZeroPad2d", "constant"};
template <>
constexpr PadKind kPadKind<ZeroPad3dImpl>{"ZeroPad3d", "constant"};
template <>
constexpr PadKind kPadKind<ReflectionPad1dImpl>{"ReflectionPad1d", "reflect"};
template <>
constexpr PadKind kPadKind<ReflectionPad2dImpl>{"ReflectionPad2d", "reflect"};
template <>
constexpr PadKind kPadKind<ReflectionPad3dImpl>{"ReflectionPad3d", "reflect"};
template <>
constexpr PadKind kPadKind<ReplicationPad1dImpl>{"ReplicationPad1d", "replicate"};
template <>
constexpr PadKind kPadKind<ReplicationPad2dImpl>{"ReplicationPad2d", "replicate"};
template <>
constexpr PadKind kPadKind<ReplicationPad3dImpl>{"ReplicationPad3d", "replicate"};
template <>
constexpr PadKind kPadKind<CircularPad1dImpl>{"CircularPad1d", "circular"};
template <>
constexpr PadKind kPadKind<CircularPad2dImpl>{"CircularPad2d", "circular"};
template <>
constexpr PadKind kPadKind<CircularPad3dImpl>{"CircularPad3d", "circular"};

template <std::size_t D>
void print_value(std::ostream& stream, const ConstantPadOptions<D>& options) {
  detail::print_to(stream, {", value=", options.value()});
}
template <std::size_t D>
void print_value(std::ostream&, const PadOptions<D>&) {}

template <std::size_t D>
Tensor padded(const Tensor& input, const ConstantPadOptions<D>& options, const char*) {
  return pad(input, options.padding(), "constant", options.value());
}
template <std::size_t D>
Tensor padded(const Tensor& input, const PadOptions<D>& options, const char* mode) {
  constexpr auto kDims = static_cast<std::int64_t>(D);
  TERN_CHECK(
      mode != std::string_view("circular") || input.dim() == kDims + 1 || input.dim() == kDims + 2,
      ShapeError, "expected ", D + 1, "D or ", D + 2, "D input (got ", input.dim(), "D input)");
  return pad(input, options.padding(), mode);
}

}  // namespace

template <class Derived, class Options>
void detail::PadLayer<Derived, Options>::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::", kPadKind<Derived>.name, "(padding=", options.padding()});
  print_value(stream, options);
  stream << ')';
}

template <class Derived, class Options>
Tensor detail::PadLayer<Derived, Options>::forward(const Tensor& input) {
  return padded(input, options, kPadKind<Derived>.mode);
}

template class detail::PadLayer<ConstantPad1dImpl, ConstantPadOptions<1>>;
template class detail::PadLayer<ConstantPad2dImpl, ConstantPadOptions<2>>;
template class detail::PadLayer<ConstantPad3dImpl, ConstantPadOptions<3>>;
template class detail::PadLayer<ZeroPad1dImpl, PadOptions<1>>;
template class detail::PadLayer<ZeroPad2dImpl, PadOptions<2>>;
template class detail::PadLayer<ZeroPad3dImpl, PadOptions<3>>;
template class detail::PadLayer<ReflectionPad1dImpl, PadOptions<1>>;
template class detail::PadLayer<ReflectionPad2dImpl, PadOptions<2>>;
template class detail::PadLayer<ReflectionPad3dImpl, PadOptions<3>>;
template class detail::PadLayer<ReplicationPad1dImpl, PadOptions<1>>;
template class detail::PadLayer<ReplicationPad2dImpl, PadOptions<2>>;
template class detail::PadLayer<ReplicationPad3dImpl, PadOptions<3>>;
template class detail::PadLayer<CircularPad1dImpl, PadOptions<1>>;
template class detail::PadLayer<CircularPad2dImpl, PadOptions<2>>;
template class detail::PadLayer<CircularPad3dImpl, PadOptions<3>>;

}  // namespace tern::nn
