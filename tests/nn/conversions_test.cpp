#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <tern/nn/data/data.h>
#include <tern/nn/nn.h>
#include <tern/nn/optim/optim.h>

// What compiles and what does not, for modules and options: no parameter converts between bool,
// integer and text. tests/core/tensor/conversions_test.cpp tests tensors.

namespace tern::nn {
namespace {

using Text = const char*;

#define MODULE_COMPILES(name, call)                                                \
  template <class... Args>                                                         \
  constexpr bool name =                                                            \
      requires(Module & m, Linear holder, optim::SGD & sgd, const Args&... args) { \
    call;                                                                          \
  };

MODULE_COMPILES(module_to, m.to(args...))
MODULE_COMPILES(holder_to, holder.to(args...))
MODULE_COMPILES(pointer_to, holder->to(args...))
template <class... Args>
constexpr bool every_to = module_to<Args...>&& holder_to<Args...>&& pointer_to<Args...>;
template <class... Args>
constexpr bool some_to = module_to<Args...> || holder_to<Args...> || pointer_to<Args...>;
static_assert(every_to<Text> && every_to<int> && every_to<Device> && every_to<ScalarType>);
static_assert(every_to<Device, ScalarType, bool> && every_to<Text, bool>);
static_assert(!some_to<ScalarType, Text> && !some_to<ScalarType, Device>);
static_assert(!some_to<ScalarType, int> && !some_to<Text, int> && !some_to<Text, Text>);
static_assert(!some_to<bool> && !some_to<std::nullptr_t> && !some_to<int, int>);

MODULE_COMPILES(module_cuda, m.cuda(args...))
MODULE_COMPILES(holder_cuda, holder.cuda(args...))
static_assert(module_cuda<int> && module_cuda<Device> && !module_cuda<bool>);
static_assert(holder_cuda<int> && holder_cuda<Device> && !holder_cuda<bool>);
static_assert(module_cuda<int, bool> && module_cuda<Text, bool> && !module_cuda<int, int>);
static_assert(holder_cuda<int, bool> && holder_cuda<Text, bool> && !holder_cuda<bool, bool>);
static_assert(every_to<int, ScalarType> && every_to<Text, ScalarType, bool>);
static_assert(!some_to<bool, ScalarType>);

// Containers: an index is not a bool; a key is text.
#define CONTAINER_COMPILES(name, call)                            \
  template <class Holder, class... Args>                          \
  constexpr bool name = requires(Holder c, const Args&... args) { \
    call;                                                         \
  };
CONTAINER_COMPILES(subscript, c->operator[](args...))
CONTAINER_COMPILES(pointer_at, c->ptr(args...))
CONTAINER_COMPILES(parameter_at, c->at(args...))
CONTAINER_COMPILES(relu_at, c->template at<ReLUImpl>(args...))
CONTAINER_COMPILES(insert_relu, c->insert(args..., ReLU()))
template <class Holder, class Index>
constexpr bool every_index =
    subscript<Holder, Index>&& pointer_at<Holder, Index>&& relu_at<Holder, Index>;
template <class Holder, class Index>
constexpr bool some_index =
    subscript<Holder, Index> || pointer_at<Holder, Index> || relu_at<Holder, Index>;
static_assert(every_index<Sequential, int> && every_index<Sequential, std::size_t>);
static_assert(every_index<ModuleList, int> && every_index<ModuleList, std::size_t>);
static_assert(!some_index<Sequential, bool> && !some_index<ModuleList, bool>);
static_assert(!some_index<Sequential, Text> && !some_index<ModuleList, Text>);
static_assert(insert_relu<ModuleList, int> && !insert_relu<ModuleList, bool>);
static_assert(every_index<ModuleDict, Text> && !some_index<ModuleDict, bool>);
static_assert(!subscript<ModuleDict, int> && !subscript<ParameterDict, int>);
static_assert(subscript<ParameterDict, Text> && !subscript<ParameterDict, bool>);
static_assert(subscript<ParameterList, int> && parameter_at<ParameterList, std::size_t>);
static_assert(!subscript<ParameterList, bool> && !parameter_at<ParameterList, bool>);
template <class Index>
constexpr bool dict_index = requires(OrderedDict<std::string, int> dict, const Index& index) {
  dict[index];
};
static_assert(dict_index<int> && dict_index<std::size_t> && dict_index<Text>);
static_assert(!dict_index<bool>);
#undef CONTAINER_COMPILES

MODULE_COMPILES(train, m.train(args...))
MODULE_COMPILES(zero_grad, m.zero_grad(args...))
MODULE_COMPILES(optimizer_zero_grad, sgd.zero_grad(args...))
MODULE_COMPILES(require, m.requires_grad_(args...))
MODULE_COMPILES(walk_parameters, m.parameters(args...))
MODULE_COMPILES(walk_buffers, m.buffers(args...))
MODULE_COMPILES(walk_all, m.modules(args...))
MODULE_COMPILES(name_parameters, m.named_parameters(args...))
MODULE_COMPILES(name_buffers, m.named_buffers(args...))
MODULE_COMPILES(walk_modules, m.named_modules("", args...))
MODULE_COMPILES(add_parameter, m.register_parameter("w", Tensor(), args...))
MODULE_COMPILES(add_buffer, m.register_buffer("b", Tensor(), args...))
MODULE_COMPILES(load_state, m.load_state_dict(State(), args...))
template <class T>
constexpr bool every_switch = train<T>&& zero_grad<T>&& optimizer_zero_grad<T>&& require<T>&&
    walk_parameters<T>&& walk_buffers<T>&& walk_all<T>&& name_parameters<T>&& name_buffers<T>&&
        walk_modules<T>&& add_parameter<T>&& add_buffer<T>&& load_state<T>;
template <class T>
constexpr bool some_switch =
    train<T> || zero_grad<T> || optimizer_zero_grad<T> || require<T> || walk_parameters<T> ||
    walk_buffers<T> || walk_all<T> || name_parameters<T> || name_buffers<T> || walk_modules<T> ||
    add_parameter<T> || add_buffer<T> || load_state<T>;
static_assert(every_switch<bool> && every_switch<std::vector<bool>::reference>);
static_assert(!some_switch<int> && !some_switch<Text> && !some_switch<std::string>);

MODULE_COMPILES(linear_options, LinearOptions(args...))
MODULE_COMPILES(make_linear, LinearImpl(args...))
MODULE_COMPILES(with_bias, LinearOptions(1, 1).bias(args...))
MODULE_COMPILES(with_features, LinearOptions(1, 1).in_features(args...))
MODULE_COMPILES(batch_norm_options, BatchNormOptions(args...))
MODULE_COMPILES(layer_norm_options, LayerNormOptions(args...))
MODULE_COMPILES(softmax_options, functional::SoftmaxFuncOptions(args...))
MODULE_COMPILES(loader_options, data::DataLoaderOptions(args...))
MODULE_COMPILES(relu_options, ReLUOptions(args...))
MODULE_COMPILES(make_relu, ReLUImpl(args...))
MODULE_COMPILES(with_amsgrad, optim::AdamOptions(1e-3).amsgrad(args...))
MODULE_COMPILES(batches, data::DataLoaderOptions(1).batch_size(args...))
MODULE_COMPILES(loader_workers, data::DataLoaderOptions(1).workers(args...))
MODULE_COMPILES(clip, utils::clip_grad_norm_(sgd.parameters(), 1.0, 2.0, args...))
MODULE_COMPILES(dirac, init::dirac_(Tensor(), args...))
static_assert(batches<int> && batches<std::size_t> && !batches<bool> && !batches<Text>);
static_assert(loader_workers<int> && !loader_workers<bool> && !loader_workers<Text>);
static_assert(clip<bool> && !clip<int> && !clip<Text>);
static_assert(dirac<int> && !dirac<bool> && !dirac<Text>);
MODULE_COMPILES(loader_switch, data::DataLoaderOptions(1).drop_last(args...))
static_assert(linear_options<int, int> && !linear_options<bool, int> && !linear_options<int, bool>);
static_assert(make_linear<int, int> && !make_linear<bool, int> && !make_linear<int, bool>);
static_assert(with_bias<bool> && !with_bias<int> && !with_bias<Text>);
static_assert(with_features<int> && !with_features<bool> && !with_features<Text>);
template <class T>
constexpr bool some_options =
    batch_norm_options<T> || layer_norm_options<T> || softmax_options<T> || loader_options<T>;
static_assert(batch_norm_options<int> && layer_norm_options<int> && softmax_options<int> &&
              loader_options<int> && !some_options<bool> && !some_options<Text>);
static_assert(relu_options<> && relu_options<bool> && !relu_options<int> && !relu_options<Text>);
static_assert(make_relu<> && make_relu<bool> && !make_relu<int> && !make_relu<Text>);
static_assert(with_amsgrad<bool> && !with_amsgrad<int> && !with_amsgrad<Text>);
static_assert(loader_switch<bool> && !loader_switch<int> && !loader_switch<Text>);

#undef MODULE_COMPILES

TEST(ModuleConversions, OptionsKeepTheirValues) {
  EXPECT_TRUE(ReLU(true)->options.inplace());
  EXPECT_FALSE(ReLU()->options.inplace());
  EXPECT_FALSE(Linear(LinearOptions(2, 3).bias(false))->bias.defined());
}

}  // namespace
}  // namespace tern::nn
