#include <tern/compat/torch/torch.h>

#include <gtest/gtest.h>

#include "error_of.h"
#include "printed.h"

// Options, their constants and the classes they are made of, as programs for libtorch use them.

namespace nn = torch::nn;
namespace F = torch::nn::functional;
namespace enumtype = torch::enumtype;
using enumtype::get_enum_name;
using tern::error_of;
using tern::printed;

namespace {

TEST(TorchConstants, AreAlternativesOfVariants) {
  std::variant<enumtype::kLinear, enumtype::kConv1D, enumtype::kBatchMean, enumtype::kSum>
      constant = torch::kConv1D;
  EXPECT_EQ(constant.index(), 1u);
  EXPECT_EQ(get_enum_name(constant), "kConv1D");
  constant = torch::kBatchMean;
  EXPECT_TRUE(std::holds_alternative<enumtype::kBatchMean>(constant));
  EXPECT_EQ(error_of([&] { enumtype::reduction_get_enum(constant); }),
            "kBatchMean is not a valid value for reduction");
  constant = torch::kSum;
  EXPECT_EQ(enumtype::reduction_get_enum(constant), at::Reduction::Sum);
  const std::variant<enumtype::kSiLU, enumtype::kMish, enumtype::kGELU> activation = torch::kMish;
  EXPECT_EQ(get_enum_name(activation), "kMish");
}

TEST(TorchConstants, AreValuesOfOptions) {
  EXPECT_EQ(get_enum_name(nn::L1LossOptions().reduction()), "kMean");
  EXPECT_EQ(get_enum_name(nn::KLDivLossOptions(torch::kBatchMean).reduction()), "kBatchMean");
  EXPECT_EQ(get_enum_name(nn::KLDivLossOptions(torch::kNone).reduction()), "kNone");
  EXPECT_EQ(get_enum_name(nn::EmbeddingBagOptions(1, 2).mode(torch::kMax).mode()), "kMax");
  nn::Conv2dOptions conv(1, 1, 1);
  EXPECT_TRUE(std::holds_alternative<enumtype::kZeros>(conv.padding_mode()));
  EXPECT_EQ(get_enum_name(conv.padding_mode(torch::kReflect).padding_mode()), "kReflect");
  EXPECT_EQ(std::get<torch::ExpandingArray<2>>(conv.padding({2, 3}).padding())->at(1), 3);
  EXPECT_TRUE(std::holds_alternative<enumtype::kSame>(conv.padding(torch::kSame).padding()));
  EXPECT_EQ(get_enum_name(nn::RNNOptions(1, 1).nonlinearity()), "kTanh");
  const F::GridSampleFuncOptions grid =
      F::GridSampleFuncOptions().mode(torch::kNearest).padding_mode(torch::kBorder);
  EXPECT_EQ(get_enum_name(grid.mode()) + get_enum_name(grid.padding_mode()), "kNearestkBorder");
  EXPECT_EQ(get_enum_name(nn::UpsampleOptions().mode(torch::kLinear).mode()), "kLinear");
}

TEST(TorchConstants, GoWhereAnOptionGoes) {
  const auto x = torch::ones({2}), y = torch::zeros({2});
  const enumtype::kSum sum;
  EXPECT_EQ(nn::MSELoss(sum)(x, y).item<float>(), 2);
  EXPECT_EQ(F::smooth_l1_loss(x, y, torch::kSum).item<float>(), 1);
  EXPECT_EQ(F::huber_loss(x, y, torch::kNone).numel(), 2);
  const auto image = torch::arange(8.).view({1, 2, 4});
  EXPECT_EQ(F::kl_div(image.softmax(-1).log(), image.softmax(-1), torch::kBatchMean).dim(), 0);
  const auto resized = F::interpolate(image, F::InterpolateFuncOptions()
                                                 .size(std::vector<int64_t>{2})
                                                 .mode(torch::kLinear)
                                                 .align_corners(false));
  EXPECT_EQ(resized.sizes(), torch::IntArrayRef({1, 2, 2}));
  EXPECT_EQ(F::pad(image, F::PadFuncOptions({1, 1}).mode(torch::kReflect)).size(2), 6);
  EXPECT_EQ(nn::init::calculate_gain(torch::kReLU), std::sqrt(2.0));
  auto weight = torch::empty({3, 3});
  nn::init::kaiming_uniform_(weight, 0, torch::kFanOut, torch::kLeakyReLU);
  nn::TransformerEncoderLayer layer(
      nn::TransformerEncoderLayerOptions(4, 2).activation(torch::kGELU));
  EXPECT_EQ(layer(torch::ones({3, 1, 4})).sizes(), torch::IntArrayRef({3, 1, 4}));
}

/// Makes options from whatever their constructor needs.
template <class Options>
Options made() {
  const std::vector<int64_t> list = {2};
  if constexpr (std::is_default_constructible_v<Options>) {
    return Options();
  } else if constexpr (std::is_constructible_v<Options, int>) {
    return Options(2);
  } else if constexpr (std::is_constructible_v<Options, std::vector<int64_t>>) {
    return Options(list);
  } else if constexpr (std::is_constructible_v<Options, int, int>) {
    return Options(2, 2);
  } else if constexpr (std::is_constructible_v<Options, int, std::vector<int64_t>>) {
    return Options(2, list);
  } else if constexpr (std::is_constructible_v<Options, int, int, int>) {
    return Options(2, 2, 2);
  } else if constexpr (std::is_constructible_v<Options, int, int, std::vector<int64_t>>) {
    return Options(2, 2, list);
  } else if constexpr (std::is_constructible_v<Options, nn::TransformerEncoderLayer, int>) {
    return Options(nn::TransformerEncoderLayerOptions(2, 1), 2);
  } else if constexpr (std::is_constructible_v<Options, nn::TransformerDecoderLayer, int>) {
    return Options(nn::TransformerDecoderLayerOptions(2, 1), 2);
  } else {
    const torch::Tensor t;
    return Options(2, 1, t, t, t, t, false, 0.0, t, t);
  }
}

template <class T>
bool are_equal(const T& a, const T& b) {
  return a == b;
}
template <size_t D>
bool are_equal(const torch::ExpandingArray<D>& a, const torch::ExpandingArray<D>& b) {
  return *a == *b;
}

using torch::ExpandingArray;
using torch::ExpandingArrayWithOptionalElem;
using torch::Tensor;
namespace optim = torch::optim;

// clang-format off: each option in a scope
#define OPTION(Class, name)       \
  {                               \
    auto options = made<Class>(); \
    auto value = options.name();  \
    options.name(value);          \
  }
#define OPTION_TYPE(Class, name, ...)  \
  {                                    \
    auto options = made<Class>();      \
    using Type = __VA_ARGS__;          \
    const Type value = options.name(); \
    options.name(value);               \
  }
#define OPTION_DEFAULT(Class, name, initial, ...)                       \
  {                                                                     \
    auto options = made<Class>();                                       \
    using Type = __VA_ARGS__;                                           \
    const Type value = options.name();                                  \
    options.name(value);                                                \
    EXPECT_TRUE(are_equal<>(value, Type(initial))) << #Class "." #name; \
  }
// clang-format on
TEST(TorchOptions, AreThoseOfLibtorch){
#include "conformance/options.txt"
}

TEST(TorchOptions, NameTheTypesOfTheirArguments) {
  nn::L1LossOptions::reduction_t reduction = torch::kSum;
  EXPECT_EQ(get_enum_name(nn::L1LossOptions().reduction(reduction).reduction()), "kSum");
  const nn::KLDivLossOptions::reduction_t mean = torch::kBatchMean;
  EXPECT_EQ(get_enum_name(mean), "kBatchMean");
  const nn::RNNOptions::nonlinearity_t nonlinearity = torch::kReLU;
  EXPECT_EQ(get_enum_name(nonlinearity), "kReLU");
  const nn::Conv2dOptions::padding_t padding = torch::kValid;
  EXPECT_TRUE(std::holds_alternative<enumtype::kValid>(padding));
  const nn::ConvTranspose2dOptions::padding_mode_t padding_mode = torch::kZeros;
  EXPECT_EQ(get_enum_name(padding_mode), "kZeros");
  const nn::detail::conv_padding_t<2> same = torch::kSame;
  EXPECT_TRUE(std::holds_alternative<enumtype::kSame>(same));
  EXPECT_EQ(get_enum_name(F::InterpolateFuncOptions::mode_t(torch::kArea)), "kArea");
  nn::activation_t activation = torch::kGELU;
  activation = [](const torch::Tensor& t) { return t; };
  const torch::optim::AdamOptions::betas_t betas{0.5, 0.6};
  EXPECT_EQ(std::get<1>(torch::optim::AdamOptions().betas(betas).betas()), 0.6);
}

TEST(TorchExpandingArray, RepeatsOneValue) {
  torch::ExpandingArray<5> array(7);
  EXPECT_EQ(array.size(), 5u);
  EXPECT_EQ(printed(array), "[7, 7, 7, 7, 7]");
  array->at(1) = 3;
  EXPECT_EQ((*array)[1], 3);
  EXPECT_EQ(printed(torch::ExpandingArray<1>(9)), "9");
  EXPECT_EQ(printed(torch::ExpandingArray<2, float>({1.5F, 2})), "[1.5, 2]");
  EXPECT_EQ(printed(torch::ExpandingArray<2>(std::array<int64_t, 2>{5, 6})), "[5, 6]");
  EXPECT_EQ(error_of([] {
              torch::ExpandingArray<2>({1, 2, 3, 4});
            }),
            "Expected 2 values, but instead got 4");
}

TEST(TorchExpandingArray, HasElementsThatAreMissing) {
  using Array = torch::ExpandingArrayWithOptionalElem<2>;
  const std::optional<int64_t> none;
  EXPECT_EQ(printed(Array({std::nullopt, 3})), "[None, 3]");
  EXPECT_EQ(printed(Array(std::vector<std::optional<int64_t>>{7, none})), "[7, None]");
  EXPECT_EQ(printed(Array(std::array<std::optional<int64_t>, 2>{1, none})), "[1, None]");
  EXPECT_EQ(printed(Array(std::vector<int64_t>{5, 6})), "[5, 6]");
  EXPECT_EQ(printed(Array(std::array<int64_t, 2>{1, 2})), "[1, 2]");
  EXPECT_EQ(printed(Array(4)), "[4, 4]");
  EXPECT_EQ(printed(Array(none)), "[None, None]");
  EXPECT_EQ(printed(torch::ExpandingArrayWithOptionalElem<1>(none)), "None");
  Array array({std::nullopt, 3});
  torch::ExpandingArray<2, std::optional<int64_t>>& base = array;
  EXPECT_EQ(base.size(), 2u);
  EXPECT_EQ(error_of([] { Array(std::vector<int64_t>{1}); }),
            "Expected 2 values, but instead got 1");
}

TEST(TorchOrderedDict, ComparesAndDescribesItsKeys) {
  using Dict = torch::OrderedDict<std::string, int>;
  Dict dict("Penguin");
  dict.insert("a", 1);
  EXPECT_EQ(dict.key_description(), "Penguin");
  EXPECT_EQ(error_of([&] { dict.insert("a", 2); }), "Penguin 'a' already defined");
  EXPECT_EQ(dict[0].pair(), (std::pair<std::string, int>("a", 1)));
  const Dict one = {{"a", 1}, {"b", 2}}, other = {{"b", 2}, {"a", 1}};
  EXPECT_TRUE(one == (Dict{{"a", 1}, {"b", 2}}));
  EXPECT_FALSE(one == other);
  EXPECT_FALSE(one == (Dict{{"a", 1}, {"b", 3}}));
  EXPECT_EQ(error_of([&] { Dict(one).erase("q"); }), "Key 'q' doesn't exist");
}

TEST(TorchNnUtils, ReverseAndCompleteSizes) {
  using namespace nn::modules;
  EXPECT_EQ(utils::_reverse_repeat_vector({1, 2}, 2), (std::vector<int64_t>{2, 2, 1, 1}));
  const std::vector<std::optional<int64_t>> sizes = {std::nullopt, 3};
  EXPECT_EQ(utils::_list_with_default(sizes, {4, 5, 6}), (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(error_of([&] {
              utils::_list_with_default(sizes, {4, 5});
            }),
            "Input dimension should be at least 3");
}

TEST(TorchConstants, AreFoundByAddress) {
  nn::RNNOptions rnn(2, 3);
  EXPECT_NE(std::get_if<enumtype::kTanh>(&rnn.nonlinearity()), nullptr);
  EXPECT_EQ(std::get_if<enumtype::kReLU>(&rnn.nonlinearity()), nullptr);
  nn::Conv1dOptions conv(1, 1, 1);
  using Numbers = torch::ExpandingArray<1>;
  conv.padding(2);
  ASSERT_NE(std::get_if<Numbers>(&conv.padding()), nullptr);
  EXPECT_EQ((*std::get_if<Numbers>(&conv.padding()))->at(0), 2);
  conv.padding(torch::kSame);
  EXPECT_EQ(std::get_if<Numbers>(&conv.padding()), nullptr);
  EXPECT_NE(std::get_if<enumtype::kSame>(&conv.padding()), nullptr);
}

TEST(TorchConvOptions, SayWhetherTheyAreTransposed) {
  const nn::Conv2d conv(nn::Conv2dOptions(1, 1, 3));
  const nn::ConvTranspose2d transposed(nn::ConvTranspose2dOptions(1, 1, 3).output_padding(0));
  EXPECT_TRUE(!conv->options.transposed() && transposed->options.transposed());
  EXPECT_EQ(conv->options.output_padding()->at(1), 0);
  const torch::Tensor x = torch::ones({1, 1, 2, 2});
  EXPECT_EQ(transposed->forward(x, std::vector<int64_t>{4, 4}).size(2), 4);
}

}  // namespace
