#include "nn/nn_test.h"

namespace tern {
namespace {

struct ManyImpl : nn::Module {
  int forward(int a, float b, const std::string& c) {
    return a + static_cast<int>(b) + static_cast<int>(c.size());
  }
};
TERN_MODULE(Many);

struct DefaultsImpl : nn::Module {
  int forward(int a, int b = 2, double c = 3.0) { return a * b + static_cast<int>(c); }

 protected:
  TERN_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(2)}, {2, nn::AnyValue(3.0)})
};

TEST(AnyValue, HoldsOneValueOfAnyType) {
  nn::AnyValue value(5);
  EXPECT_EQ(value.get<int>(), 5);
  EXPECT_EQ(value.try_get<float>(), nullptr);
  EXPECT_EQ(error_of([&] { value.get<float>(); }),
            "Attempted to cast AnyValue to float, but its actual type is int");
  value = nn::AnyValue(ones({2}));
  EXPECT_EQ(value.get<Tensor>().numel(), 2);
  EXPECT_EQ(value.type_info(), typeid(Tensor));
  EXPECT_TRUE(nn::AnyValue().is_empty());
}

TEST(AnyModule, CallsAnyForward) {
  const nn::AnyModule any(Many{});
  EXPECT_EQ(any.forward<int>(1, 2.0f, std::string("abc")), 6);
  EXPECT_EQ(any.any_forward(1, 2.0f, std::string("abc")).get<int>(), 6);
  EXPECT_EQ(error_of([&] { any.forward<int>(1); }),
            "tern::(anonymous namespace)::ManyImpl's forward() method expects 3 argument(s), but "
            "received 1. If tern::(anonymous namespace)::ManyImpl's forward() method has default "
            "arguments, please make sure the forward() method is declared with a corresponding "
            "`TERN_FORWARD_HAS_DEFAULT_ARGS` macro.\n  in module Many");
  EXPECT_EQ(error_of([&] { any.forward<int>(1, 2.0f, std::string(), 4); }),
            "tern::(anonymous namespace)::ManyImpl's forward() method expects 3 argument(s), but "
            "received 4.\n  in module Many");
  EXPECT_EQ(
      error_of([&] { any.forward<int>(1, 2, std::string()); }),
      "Expected argument #1 to be of type float, but received value of type int\n  in module Many");
  EXPECT_EQ(error_of([&] { any.forward(1, 2.0f, std::string()); }),
            "Attempted to cast AnyValue to tern::Tensor, but its actual type is int");
}

TEST(AnyModule, KnowsItsModule) {
  const nn::Linear linear(2, 1);
  const nn::AnyModule any(linear), from_value(nn::LinearImpl(1, 1)),
      from_pointer(std::make_shared<nn::ReLUImpl>());
  EXPECT_EQ(&any.get<nn::LinearImpl>(), linear.get());
  EXPECT_EQ(any.get<nn::Linear>().ptr(), linear.ptr());
  EXPECT_EQ(any.ptr(), linear.ptr());
  EXPECT_EQ(any.ptr<nn::LinearImpl>(), linear.ptr());
  EXPECT_EQ(any.type_info(), typeid(nn::LinearImpl));
  EXPECT_EQ(error_of([&] { any.get<nn::ReLUImpl>(); }),
            "Attempted to cast module of type tern::nn::LinearImpl to type tern::nn::ReLUImpl; "
            "operator() calls a module of any class");
  EXPECT_TRUE(same_bits(any.clone().get<nn::LinearImpl>().weight, linear->weight));
  const nn::AnyModule empty;
  EXPECT_TRUE(empty.is_empty());
  EXPECT_EQ(error_of([&] { empty.any_forward(1); }), "Cannot call forward() on an empty AnyModule");
  EXPECT_EQ(error_of([&] { empty.get<nn::LinearImpl>(); }),
            "Cannot call get() on an empty AnyModule");
  EXPECT_EQ(error_of([&] { empty.ptr(); }), "Cannot call ptr() on an empty AnyModule");
  EXPECT_EQ(error_of([&] { empty.type_info(); }), "Cannot call type_info() on an empty AnyModule");
}

TEST(AnyModule, FillsInDefaultArguments) {
  const nn::AnyModule any(std::make_shared<DefaultsImpl>());
  EXPECT_EQ(any.forward<int>(4), 11);
  EXPECT_EQ(any.forward<int>(4, 5), 23);
  EXPECT_EQ(any.forward<int>(4, 5, 6.0), 26);
  EXPECT_EQ(error_of([&] { any.forward<int>(); }),
            "tern::(anonymous namespace)::DefaultsImpl's forward() method expects at least 1 "
            "argument(s) and at most 3 argument(s), but received 0.\n  in module Defaults");
  EXPECT_NE(error_of([&] { any.forward<int>(1, 2, 3.0, 4); })
                .find("at most 3 argument(s), but "
                      "received 4."),
            std::string::npos);
}

}  // namespace
}  // namespace tern
