#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <variant>

#include <tern/compat/names/torch.h>

// The constants of torch/enum.h. In libtorch each is an object of its own class, and options are
// variants of these classes. In tern they are values of enums. The classes here convert to tern's
// values, so a constant fits in both.

/// Defines the class and the constant k##name, which stands for tern's `constant`.
#define TERN_COMPAT_CONSTANT(name, constant)                                      \
  namespace torch {                                                               \
  namespace enumtype {                                                            \
  struct k##name {                                                                \
    constexpr k##name() {}                                                        \
    constexpr operator std::decay_t<decltype(constant)>() const { return value; } \
    static constexpr auto value = constant;                                       \
    static constexpr const char* kName = "k" #name;                               \
  };                                                                              \
  }                                                                               \
  inline constexpr enumtype::k##name k##name;                                     \
  }
/// Defines the class and the constant k##name, which no option of tern takes.
#define TERN_COMPAT_NAME(name)                      \
  namespace torch {                                 \
  namespace enumtype {                              \
  struct k##name {                                  \
    constexpr k##name() {}                          \
    static constexpr const char* kName = "k" #name; \
  };                                                \
  }                                                 \
  inline constexpr enumtype::k##name k##name;       \
  }

TERN_COMPAT_CONSTANT(Linear, ::tern::kLinear)
TERN_COMPAT_CONSTANT(Conv1D, ::tern::kConv1D)
TERN_COMPAT_CONSTANT(Conv2D, ::tern::kConv2D)
TERN_COMPAT_CONSTANT(Conv3D, ::tern::kConv3D)
TERN_COMPAT_CONSTANT(ConvTranspose1D, ::tern::kConvTranspose1D)
TERN_COMPAT_CONSTANT(ConvTranspose2D, ::tern::kConvTranspose2D)
TERN_COMPAT_CONSTANT(ConvTranspose3D, ::tern::kConvTranspose3D)
TERN_COMPAT_CONSTANT(Sigmoid, ::tern::kSigmoid)
TERN_COMPAT_CONSTANT(Tanh, ::tern::kTanh)
TERN_COMPAT_CONSTANT(ReLU, ::tern::kReLU)
TERN_COMPAT_CONSTANT(GELU, ::tern::kGELU)
TERN_COMPAT_NAME(SiLU)
TERN_COMPAT_NAME(Mish)
TERN_COMPAT_CONSTANT(LeakyReLU, ::tern::kLeakyReLU)
TERN_COMPAT_CONSTANT(FanIn, ::tern::kFanIn)
TERN_COMPAT_CONSTANT(FanOut, ::tern::kFanOut)
TERN_COMPAT_CONSTANT(Constant, ::tern::kConstant)
TERN_COMPAT_CONSTANT(Reflect, ::tern::kReflect)
TERN_COMPAT_CONSTANT(Replicate, ::tern::kReplicate)
TERN_COMPAT_CONSTANT(Circular, ::tern::kCircular)
TERN_COMPAT_CONSTANT(Nearest, ::tern::kNearest)
TERN_COMPAT_CONSTANT(Bilinear, ::tern::kBilinear)
TERN_COMPAT_CONSTANT(Bicubic, ::tern::kBicubic)
TERN_COMPAT_CONSTANT(Trilinear, ::tern::kTrilinear)
TERN_COMPAT_CONSTANT(Area, ::tern::kArea)
TERN_COMPAT_CONSTANT(NearestExact, ::tern::kNearestExact)
TERN_COMPAT_CONSTANT(Sum, ::tern::kSum)
TERN_COMPAT_CONSTANT(Mean, ::tern::kMean)
TERN_COMPAT_CONSTANT(Max, ::tern::kMax)
TERN_COMPAT_CONSTANT(None, ::tern::kNone)
TERN_COMPAT_CONSTANT(BatchMean, ::tern::kBatchMean)
TERN_COMPAT_CONSTANT(Zeros, ::tern::kZeros)
TERN_COMPAT_CONSTANT(Border, ::tern::kBorder)
TERN_COMPAT_CONSTANT(Reflection, ::tern::kReflection)
TERN_COMPAT_CONSTANT(RNN_TANH, ::tern::nn::detail::RNNMode::RNN_TANH)
TERN_COMPAT_CONSTANT(RNN_RELU, ::tern::nn::detail::RNNMode::RNN_RELU)
TERN_COMPAT_CONSTANT(LSTM, ::tern::nn::detail::RNNMode::LSTM)
TERN_COMPAT_CONSTANT(GRU, ::tern::nn::detail::RNNMode::GRU)
TERN_COMPAT_CONSTANT(Valid, ::tern::kValid)
TERN_COMPAT_CONSTANT(Same, ::tern::kSame)

#undef TERN_COMPAT_CONSTANT
#undef TERN_COMPAT_NAME

namespace tern::compat::detail {

namespace enumtype = ::torch::enumtype;

/// Returns the constant that stands for `value` as a Variant of the constants that it may be.
template <class Variant, class Value, std::size_t I = 0>
Variant constant_of(const Value& value) {
  using Constant = std::variant_alternative_t<I, Variant>;
  if constexpr (I + 1 < std::variant_size_v<Variant>) {
    if (!(Value(Constant::value) == value)) return constant_of<Variant, Value, I + 1>(value);
  }
  return Constant();
}

/// Returns the value of an option as the variant that libtorch's option is. The zeros around the
/// input of a convolution and the constant of pad() are one value of tern: kZeros.
template <std::same_as<Reduction> T>
auto as_variant(const T& value) {
  return constant_of<std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>>(value);
}
template <std::same_as<nn::KLDivReduction> T>
auto as_variant(const T& value) {
  using Variant =
      std::variant<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  return value.is_batch_mean
             ? Variant(enumtype::kBatchMean())
             : std::visit([](auto constant) { return Variant(constant); }, as_variant(value.sum));
}
template <std::same_as<nn::EmbeddingBagMode> T>
auto as_variant(const T& value) {
  return constant_of<std::variant<enumtype::kSum, enumtype::kMean, enumtype::kMax>>(value);
}
template <std::same_as<PaddingMode> T>
auto as_variant(const T& value) {
  return constant_of<std::variant<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate,
                                  enumtype::kCircular>>(value);
}
template <std::same_as<nn::init::NonlinearityType> T>
auto as_variant(const T& value) {
  return constant_of<std::variant<
      enumtype::kLinear, enumtype::kConv1D, enumtype::kConv2D, enumtype::kConv3D,
      enumtype::kConvTranspose1D, enumtype::kConvTranspose2D, enumtype::kConvTranspose3D,
      enumtype::kSigmoid, enumtype::kTanh, enumtype::kReLU, enumtype::kLeakyReLU>>(value);
}
template <std::same_as<nn::init::FanModeType> T>
auto as_variant(const T& value) {
  return constant_of<std::variant<enumtype::kFanIn, enumtype::kFanOut>>(value);
}
template <std::same_as<nn::UpsampleMode> T>
auto as_variant(const T& value) {
  return constant_of<
      std::variant<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
                   enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact>>(value);
}
template <std::same_as<InterpolationMode> T>
auto as_variant(const T& value) {
  return as_variant(nn::UpsampleMode(value));
}
template <std::same_as<nn::functional::GridSamplePadding> T>
auto as_variant(const T& value) {
  return constant_of<std::variant<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection>>(
      value);
}
template <std::same_as<nn::detail::RNNMode> T>
auto as_variant(const T& value) {
  return constant_of<
      std::variant<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU>>(
      value);
}
template <std::size_t D>
auto as_variant(const nn::ConvPadding<D>& value) {
  using Variant = std::variant<ExpandingArray<D>, enumtype::kValid, enumtype::kSame>;
  if (!value.rule()) return Variant(value.numbers());
  return *value.rule() == ConvPaddingRule::Same ? Variant(enumtype::kSame())
                                                : Variant(enumtype::kValid());
}

}  // namespace tern::compat::detail

namespace tern::compat {

/// The types of options that are variants in libtorch.
template <class T>
concept OptionValue = requires(const T& value) {
  detail::as_variant(value);
};

}  // namespace tern::compat

namespace torch::enumtype {

/// Returns the name of the constant that a variant holds, such as "kMean".
template <class... Constants>
std::string get_enum_name(const std::variant<Constants...>& constant) {
  return std::visit([](const auto& held) { return std::string(held.kName); }, constant);
}
/// Returns the name of the constant that the value of an option is.
template <::tern::compat::OptionValue Value>
std::string get_enum_name(const Value& value) {
  return get_enum_name(::tern::compat::detail::as_variant(value));
}

/// Returns the reduction that a variant holds. Throws Error for another constant.
template <class... Constants>
::tern::Reduction reduction_get_enum(const std::variant<Constants...>& constant) {
  return std::visit(
      [](const auto& held) -> ::tern::Reduction {
        if constexpr (std::is_convertible_v<decltype(held), ::tern::Reduction>) {
          return held;
        } else {
          ::tern::detail::raise<::tern::Error>(held.kName, " is not a valid value for reduction");
        }
      },
      constant);
}
inline ::tern::Reduction reduction_get_enum(::tern::Reduction reduction) { return reduction; }

}  // namespace torch::enumtype

// Programs ask options what they hold by the functions of std::variant.
// NOLINTBEGIN(cert-dcl58-cpp): only there a call of std::holds_alternative finds them
namespace std {
/// Returns true if an option has the value T, such as torch::enumtype::kMean.
template <class T, ::tern::compat::OptionValue Value>
bool holds_alternative(const Value& value) {
  return holds_alternative<T>(::tern::compat::detail::as_variant(value));
}
/// Returns the value of an option as a T. Throws std::bad_variant_access if it has another.
template <class T, ::tern::compat::OptionValue Value>
T get(const Value& value) {
  return get<T>(::tern::compat::detail::as_variant(value));
}
/// Returns the address of a constant of the class T if the option has that value, else null. Only a
/// padding that is numbers has them where it points.
template <class T, ::tern::compat::OptionValue Value>
const T* get_if(const Value* value) noexcept {
  if (value == nullptr || !holds_alternative<T>(*value)) return nullptr;
  if constexpr (
      requires { value->numbers(); } && !requires { T::kName; }) {
    return &value->numbers();
  } else {
    static constexpr T constant;
    return &constant;
  }
}
}  // namespace std
// NOLINTEND(cert-dcl58-cpp)
