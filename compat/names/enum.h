#pragma once

#include <cstddef>
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

/// The variant of constants that an option of the type T is in libtorch.
template <class T>
struct VariantOf {};
/// Lists the constants of an option.
template <class... Types>
struct Constants {
  /// Their variant.
  using type = std::variant<Types...>;
};
template <>
struct VariantOf<Reduction> : Constants<enumtype::kNone, enumtype::kMean, enumtype::kSum> {};
template <>
struct VariantOf<nn::KLDivReduction>
    : Constants<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean> {};
template <>
struct VariantOf<nn::EmbeddingBagMode>
    : Constants<enumtype::kSum, enumtype::kMean, enumtype::kMax> {};
template <>
struct VariantOf<PaddingMode>
    : Constants<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular> {};
template <>
struct VariantOf<nn::init::NonlinearityType>
    : Constants<enumtype::kLinear, enumtype::kConv1D, enumtype::kConv2D, enumtype::kConv3D,
                enumtype::kConvTranspose1D, enumtype::kConvTranspose2D, enumtype::kConvTranspose3D,
                enumtype::kSigmoid, enumtype::kTanh, enumtype::kReLU, enumtype::kLeakyReLU> {};
template <>
struct VariantOf<nn::init::FanModeType> : Constants<enumtype::kFanIn, enumtype::kFanOut> {};
template <>
struct VariantOf<nn::UpsampleMode>
    : Constants<enumtype::kNearest, enumtype::kLinear, enumtype::kBilinear, enumtype::kBicubic,
                enumtype::kTrilinear, enumtype::kArea, enumtype::kNearestExact> {};
template <>
struct VariantOf<InterpolationMode> : VariantOf<nn::UpsampleMode> {};
template <>
struct VariantOf<nn::functional::GridSamplePadding>
    : Constants<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection> {};
template <>
struct VariantOf<nn::detail::RNNMode>
    : Constants<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU> {};
template <std::size_t D>
struct VariantOf<nn::ConvPadding<D>>
    : Constants<ExpandingArray<D>, enumtype::kValid, enumtype::kSame> {};

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
template <class T>
typename VariantOf<T>::type as_variant(const T& value) {
  using Variant = typename VariantOf<T>::type;
  if constexpr (std::is_same_v<T, nn::KLDivReduction>) {
    if (value.is_batch_mean) return enumtype::kBatchMean();
    return std::visit([](auto constant) { return Variant(constant); }, as_variant(value.sum));
  } else if constexpr (std::is_same_v<T, InterpolationMode>) {
    return constant_of<Variant>(nn::UpsampleMode(value));
  } else {
    return constant_of<Variant>(value);
  }
}
template <std::size_t D>
typename VariantOf<nn::ConvPadding<D>>::type as_variant(const nn::ConvPadding<D>& value) {
  if (!value.rule()) return value.numbers();
  if (*value.rule() == ConvPaddingRule::Same) return enumtype::kSame();
  return enumtype::kValid();
}

}  // namespace tern::compat::detail

namespace tern::compat {

/// The types of options that are variants in libtorch.
template <class T>
concept OptionValue = requires {
  typename detail::VariantOf<T>::type;
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
