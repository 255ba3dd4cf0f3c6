#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/tern.h>

#include "error_of.h"

// Calls that compile and calls that do not. C++ converts text to true, true to 1 and 1 to true, so
// x.to(kDouble, "cuda") would be a non-blocking cast. Here no parameter of type bool, integer or
// text accepts one of the other types.

namespace tern {
namespace {

using Text = const char*;

// NAME<Args...> is true if the expression compiles with arguments of these types.
#define COMPILES(name, call)                                                           \
  template <class... Args>                                                             \
  constexpr bool name =                                                                \
      requires(Tensor x, const Tensor c, TensorOptions options, const Args&... args) { \
    call;                                                                              \
  };

COMPILES(to, x.to(args...))
static_assert(to<Text> && to<std::string> && to<Device> && to<DeviceType> && to<int>);
static_assert(to<ScalarType> && to<TensorOptions> && to<Tensor>);
static_assert(to<Text, bool, bool> && to<ScalarType, bool, bool> && to<int, bool>);
static_assert(to<Device, ScalarType> && to<Text, ScalarType, bool, bool>);
static_assert(to<ScalarType, std::true_type> && to<ScalarType, std::vector<bool>::reference>);
// PyTorch: "to() received an invalid combination of arguments - got (torch.dtype, str)".
static_assert(!to<ScalarType, Text> && !to<ScalarType, std::string>);
static_assert(!to<ScalarType, Device> && !to<ScalarType, DeviceType>);
static_assert(!to<bool> && !to<std::nullptr_t> && !to<std::vector<bool>::reference>);
static_assert(!to<bool, bool>);
static_assert(!to<Text, Text> && !to<Text, int> && !to<Device, int> && !to<ScalarType, int>);
static_assert(!to<int, int> && !to<Device, ScalarType, Text> && !to<Tensor, Text>);
static_assert(!to<ScalarType, void*> && !to<ScalarType, double>);

COMPILES(cuda_of, x.cuda(args...))
static_assert(cuda_of<> && cuda_of<int> && cuda_of<Text> && cuda_of<Device> && !cuda_of<bool>);
static_assert(cuda_of<int, bool> && cuda_of<Text, bool> && cuda_of<Device, bool>);
static_assert(!cuda_of<int, int> && !cuda_of<Text, Text> && !cuda_of<bool, bool>);
static_assert(!cuda_of<ScalarType> && !cuda_of<std::nullptr_t>);
static_assert(to<std::string_view> && to<std::string, bool, bool> && to<int, ScalarType, bool>);
static_assert(!to<std::string, Text> && !to<bool, ScalarType> && !to<int, ScalarType, Text>);
COMPILES(type, x.type(args...))
static_assert(type<ScalarType> && type<ScalarType, bool> && !type<ScalarType, int>);
static_assert(!type<Device> && !type<Text> && !type<int>);

COMPILES(copy_, x.copy_(args...))
static_assert(copy_<Tensor> && copy_<Tensor, bool> && !copy_<Tensor, int> && !copy_<Tensor, Text>);

COMPILES(make_device, Device(args...))
static_assert(make_device<int> && make_device<Text> && make_device<DeviceType, int>);
static_assert(!make_device<bool> && !make_device<std::nullptr_t>);
COMPILES(free_device, tern::device(args...))
COMPILES(with_device, options.device(args...))
static_assert(free_device<int> && free_device<Text> && free_device<DeviceType>);
static_assert(with_device<int> && with_device<Text> && with_device<DeviceType, int>);
static_assert(!free_device<bool> && !with_device<bool>);
COMPILES(default_device, set_default_device(args...))
static_assert(default_device<int> && default_device<Text> && default_device<Device>);
static_assert(!default_device<bool> && !default_device<std::nullptr_t>);
COMPILES(guard, DeviceGuard(args...))
COMPILES(set_device, cuda::set_device(args...))
COMPILES(pool_stream, cuda::getStreamFromPool(args...))
COMPILES(event, cuda::Event(args...))
COMPILES(flagged_event, cuda::CUDAEvent(args...))
static_assert(guard<int> && guard<Device> && guard<Text> && !guard<bool>);
static_assert(set_device<int> && set_device<std::int64_t> && !set_device<bool>);
static_assert(!set_device<Text>);
static_assert(pool_stream<bool> && pool_stream<bool, int> && !pool_stream<int>);
static_assert(!pool_stream<bool, bool> && event<bool> && !event<int> && !event<Text>);
static_assert(flagged_event<int> && flagged_event<unsigned> && !flagged_event<bool>);
static_assert(flagged_event<> && !flagged_event<Text>);

COMPILES(options_grad, options.requires_grad(args...))
COMPILES(options_pinned, options.pinned_memory(args...))
COMPILES(free_grad, tern::requires_grad(args...))
COMPILES(tensor_grad, x.requires_grad_(args...))
COMPILES(set_grad, c.set_requires_grad(args...))
COMPILES(grad_mode, AutoGradMode(args...))
COMPILES(set_enabled, GradMode::set_enabled(args...))
template <class T>
constexpr bool takes_a_switch = options_grad<T>&& options_pinned<T>&& free_grad<T>&&
    tensor_grad<T>&& set_grad<T>&& grad_mode<T>&& set_enabled<T>;
template <class T>
constexpr bool takes_some_switch = options_grad<T> || options_pinned<T> || free_grad<T> ||
                                   tensor_grad<T> || set_grad<T> || grad_mode<T> || set_enabled<T>;
static_assert(takes_a_switch<bool> && takes_a_switch<std::true_type>);
static_assert(!takes_some_switch<int> && !takes_some_switch<Text> && !takes_some_switch<Tensor>);
static_assert(!takes_some_switch<std::string> && !takes_some_switch<StrictInt>);
static_assert(!takes_some_switch<void (*)()> && !takes_some_switch<std::nullptr_t>);

COMPILES(backward, x.backward(args...))
using MaybeBool = std::optional<bool>;
static_assert(backward<Tensor, bool, bool> && backward<Tensor, MaybeBool>);
static_assert(backward<Tensor, std::nullopt_t, bool> && !backward<Tensor, Text>);
static_assert(!backward<Tensor, int> && !backward<Tensor, bool, int>);
COMPILES(backward_of, autograd::backward({x}, {}, args...))
COMPILES(grad_of, autograd::grad({x}, {x}, {}, args...))
static_assert(backward_of<bool, bool> && !backward_of<Text> && !backward_of<int>);
static_assert(grad_of<bool, bool, bool> && !grad_of<Text> && !grad_of<bool, int>);
static_assert(!grad_of<bool, bool, Text>);

// An op as a method and as a function.
#define OP_COMPILES(op)                \
  COMPILES(op##_method, x.op(args...)) \
  COMPILES(op##_function, tern::op(x, args...))
#define ACCEPTS(op, ...) static_assert(op##_method<__VA_ARGS__> && op##_function<__VA_ARGS__>)
#define REFUSES(op, ...) static_assert(!op##_method<__VA_ARGS__> && !op##_function<__VA_ARGS__>)

// Reductions: a dimension or several, then keepdim.
#define REDUCTION(op)              \
  OP_COMPILES(op)                  \
  ACCEPTS(op, int);                \
  ACCEPTS(op, std::int64_t, bool); \
  REFUSES(op, bool);               \
  REFUSES(op, Text);               \
  REFUSES(op, bool, bool);         \
  REFUSES(op, int, int);           \
  REFUSES(op, int, Text)
REDUCTION(sum);
REDUCTION(mean);
REDUCTION(prod);
REDUCTION(amax);
REDUCTION(amin);
REDUCTION(max);
REDUCTION(min);
REDUCTION(argmax);
REDUCTION(argmin);
REDUCTION(all);
REDUCTION(any);
ACCEPTS(sum, IntArrayRef, bool, ScalarType);
REFUSES(sum, IntArrayRef, ScalarType);
OP_COMPILES(norm)
ACCEPTS(norm, int, int, bool);
REFUSES(norm, int, bool);
REFUSES(norm, int, int, int);
REFUSES(norm, int, int, Text);
// A bool is `unbiased`, an integer a dimension.
#define DEVIATION(op)           \
  OP_COMPILES(op)               \
  ACCEPTS(op, bool);            \
  ACCEPTS(op, int, bool, bool); \
  REFUSES(op, Text);            \
  REFUSES(op, bool, bool);      \
  ACCEPTS(op, int, int);        \
  REFUSES(op, int, bool, int)
DEVIATION(var);
DEVIATION(std);

// Sizes and dimensions.
#define ONE_INTEGER(name, call)                   \
  COMPILES(name, call)                            \
  static_assert(name<int> && name<std::int64_t>); \
  static_assert(!name<bool> && !name<Text>)
#define ONE_DIM(op)  \
  OP_COMPILES(op)    \
  ACCEPTS(op, int);  \
  REFUSES(op, bool); \
  REFUSES(op, Text)
#define TWO_INTEGERS(op)  \
  OP_COMPILES(op)         \
  ACCEPTS(op, int, int);  \
  REFUSES(op, bool, int); \
  REFUSES(op, int, bool)
ONE_INTEGER(subscript, x.operator[](args...));
ONE_INTEGER(size, x.size(args...));
ONE_INTEGER(stride, x.stride(args...));
ONE_INTEGER(view, x.view(args...));
ONE_INTEGER(joined, cat({x, x}, args...));
ONE_INTEGER(stacked, stack({x, x}, args...));
ONE_INTEGER(selected, x.index_select(args..., x));
ONE_INTEGER(gathered, x.gather(args..., x));
ONE_INTEGER(added, x.index_add(args..., x, x));
ONE_INTEGER(scattered, x.scatter_add(args..., x, x));
ONE_DIM(softmax);
ONE_DIM(log_softmax);
ONE_DIM(squeeze);
ONE_DIM(unsqueeze);
ONE_DIM(unbind);
ONE_DIM(reshape);
ONE_DIM(expand);
ONE_DIM(permute);
TWO_INTEGERS(transpose);
TWO_INTEGERS(select);
TWO_INTEGERS(flatten);
TWO_INTEGERS(split);
TWO_INTEGERS(chunk);
TWO_INTEGERS(slice);
OP_COMPILES(narrow)
ACCEPTS(narrow, int, int, int);
REFUSES(narrow, bool, int, int);
REFUSES(narrow, int, bool, int);
REFUSES(narrow, int, int, bool);

// Factories.
#define FACTORY(op)                                                                         \
  COMPILES(op##_sized, op(args...))                                                         \
  static_assert(op##_sized<int> && op##_sized<int, ScalarType> && op##_sized<int, Device>); \
  static_assert(op##_sized<int, Text> && op##_sized<int, std::string>);                     \
  static_assert(!op##_sized<int, std::nullptr_t> && !op##_sized<int, void*>);               \
  static_assert(!op##_sized<bool> && !op##_sized<int, bool> && !op##_sized<Text>)
FACTORY(zeros);
FACTORY(ones);
FACTORY(empty);
FACTORY(rand);
FACTORY(randn);
FACTORY(eye);
FACTORY(randperm);
COMPILES(random_ints, randint(args..., {2}))
static_assert(random_ints<int> && random_ints<int, int> && !random_ints<bool>);
static_assert(!random_ints<int, bool>);
static_assert(std::is_constructible_v<IntArrayRef, std::initializer_list<std::int64_t>>);
static_assert(!std::is_constructible_v<IntArrayRef, std::initializer_list<bool>>);

// The options of a factory are text, a device, a dtype or all of them; a bare integer is a number.
template <class T>
constexpr bool is_options = std::is_convertible_v<T, TensorOptions>;
static_assert(is_options<Text> && is_options<std::string> && is_options<std::string_view>);
static_assert(is_options<char[5]> && is_options<char*> && is_options<const std::string&>);
static_assert(is_options<Device> && is_options<DeviceType> && is_options<ScalarType>);
static_assert(!is_options<int> && !is_options<bool> && !is_options<std::nullptr_t>);
static_assert(!is_options<double> && !is_options<char> && !is_options<void*>);
static_assert(!is_options<Tensor> && !is_options<Scalar> && !is_options<IntArrayRef>);
// Numbers, the null pointer constant 0 among them, stay numbers.
static_assert(requires {
  arange(10);
  arange(0, 10);
  arange(10, 0);
  arange(0, 10, 0);
});
static_assert(requires {
  arange(0, "cpu");
  arange(0, 10, "cpu");
  arange(0, 10, 2, "cpu");
});
static_assert(requires {
  full({2}, 0);
  full({2}, 0, "cpu");
  zeros(0, "cpu");
  eye(2, 0, "cpu");
});
static_assert(requires {
  linspace(0, 1, 5, "cpu");
  randint(0, 5, {2}, "cpu");
});
static_assert(requires {
  tensor({0.1}, "cpu");
  tensor({{1}, {2}}, "cpu");
  tensor(0, "cpu");
});
template <class T>
constexpr bool some_factory = requires(Tensor x, T options) {
  ones({2}, options);
}
|| requires(T options) { tensor({1, 2}, options); }
|| requires(Tensor x, T options) { x.new_zeros({2}, options); }
|| requires(Tensor x, T options) { zeros_like(x, options); };
static_assert(some_factory<Text> && some_factory<Device>);
static_assert(!some_factory<int> && !some_factory<bool> && !some_factory<std::nullptr_t>);

COMPILES(all_close, x.allclose(x, 1e-5, 1e-8, args...))
COMPILES(each_close, x.isclose(x, 1e-5, 1e-8, args...))
COMPILES(drop, tern::dropout(x, 0.5, args...))
COMPILES(normalize, batch_norm(x, x, x, x, x, args..., 0.1, 1e-5))
COMPILES(flush, set_flush_denormal(args...))
COMPILES(threads, set_num_threads(args...))
static_assert(normalize<bool> && !normalize<int> && !normalize<Text>);
static_assert(flush<bool> && !flush<int> && !flush<Text>);
static_assert(threads<int> && !threads<bool> && !threads<Text>);
static_assert(all_close<bool> && !all_close<int> && !all_close<Text>);
static_assert(each_close<bool> && !each_close<int> && !each_close<Text>);
static_assert(drop<bool> && !drop<int> && !drop<double> && !drop<Text>);

#undef COMPILES
#undef OP_COMPILES
#undef ACCEPTS
#undef REFUSES
#undef REDUCTION
#undef DEVIATION
#undef ONE_INTEGER
#undef ONE_DIM
#undef TWO_INTEGERS
#undef FACTORY

TEST(Conversions, TextAndNumbersNameDevices) {
  EXPECT_EQ(ones({2}, "meta").device(), Device(kMeta));
  EXPECT_EQ(tensor({0.1}, "meta").device(), Device(kMeta));
  EXPECT_EQ(arange(0, 3, std::string("meta")).numel(), 3);
  EXPECT_EQ(TensorOptions("cuda:1").device(), Device(kCUDA, 1));
  EXPECT_EQ(TensorOptions(Device(0)).device(), Device(kCUDA, 0));
  EXPECT_FALSE(TensorOptions("cuda:1").dtype_opt());
  EXPECT_EQ(arange(3, 0, -1).numel(), 3);
  EXPECT_THROW(ones({2}, "cuba"), DeviceError);
  const char* const unset = nullptr;  // what getenv() returns for a variable that is not set
  EXPECT_EQ(error_of<DeviceError>([&] { Device{unset}; }), "Device string must not be empty");
  EXPECT_EQ(error_of<DeviceError>([&] { ones({2}, unset); }), "Device string must not be empty");
  set_default_device(1);
  const Device chosen = get_default_device();
  set_default_device("cpu");
  EXPECT_EQ(chosen, Device(kCUDA, 1));
}

TEST(Conversions, StrictParametersKeepTheirValues) {
  const StrictBool yes = true;
  const StrictInt minus = -3;
  EXPECT_TRUE(yes);
  EXPECT_EQ(minus, -3);
  EXPECT_EQ(StrictInt(std::uint8_t{200}), 200);
  enum Axis { kRow, kColumn };
  const Tensor x = arange(6).reshape({2, 3});
  EXPECT_TRUE(equal(x.sum(kColumn), tensor({3, 12})));
  EXPECT_EQ(x.size(kColumn), 3);
  const std::vector<bool> flags = {false, true};
  EXPECT_EQ(x.sum(0, flags[1]).dim(), 2);
  EXPECT_EQ(x.argmax(std::optional<std::int64_t>(1)).numel(), 2);
}

}  // namespace
}  // namespace tern
