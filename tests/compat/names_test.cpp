#include <tern/compat/torch/torch.h>

#include <gtest/gtest.h>

#include "printed.h"

// Names and macros that programs for libtorch use. The printed texts are libtorch 2.15's.

namespace {

TEST(TorchMacros, CatchTheirErrors) {
  EXPECT_THROW(TORCH_CHECK_VALUE(false, "v"), c10::ValueError);
  EXPECT_THROW(TORCH_CHECK_TYPE(false, "t"), c10::TypeError);
  EXPECT_THROW(AT_ASSERTM(false, "a"), c10::Error);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) TORCH_WARN_ONCE("small ", i);
  TORCH_WARN("n = ", 2);
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(written.find("Warning: small 0 (names_test.cpp:"), 0u) << written;
  EXPECT_EQ(written.find("small 1"), std::string::npos);
  EXPECT_NE(written.find("Warning: n = 2 ("), std::string::npos);
}

std::string dispatched(const at::Tensor& x) {
  return AT_DISPATCH_ALL_TYPES_AND2(at::ScalarType::Half, at::ScalarType::Bool, x.scalar_type(),
                                    "sum_of", [&] {
                                      double sum = 0;
                                      for (int64_t i = 0; i < x.numel(); ++i) {
                                        sum += static_cast<double>(x.data_ptr<scalar_t>()[i]);
                                      }
                                      return c10::str(sum, " ", sizeof(scalar_t));
                                    });
}

TEST(TorchMacros, DispatchOverDtypes) {
  const at::Tensor x = torch::tensor({1, 2, 0});
  for (const auto& [dtype, text] :
       std::vector<std::pair<at::ScalarType, std::string>>{{torch::kByte, "3 1"},
                                                           {torch::kChar, "3 1"},
                                                           {torch::kShort, "3 2"},
                                                           {torch::kInt, "3 4"},
                                                           {torch::kLong, "3 8"},
                                                           {torch::kFloat, "3 4"},
                                                           {torch::kHalf, "3 2"},
                                                           {torch::kBool, "2 1"},
                                                           {torch::kDouble, "3 8"}}) {
    EXPECT_EQ(dispatched(x.to(dtype)), text);
  }
  try {
    dispatched(x.to(torch::kBFloat16));
    FAIL();
  } catch (const c10::NotImplementedError& error) {
    EXPECT_STREQ(error.what(), "\"sum_of\" not implemented for 'BFloat16'");
  }
  EXPECT_THROW(
      AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "f", [] { return sizeof(scalar_t); }),
      c10::NotImplementedError);
  EXPECT_EQ(AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), "f", [] { return sizeof(scalar_t); }), 8u);
}

TEST(TorchPrograms, MakeGeneratorsAndGuards) {
  torch::manual_seed(5);
  const auto expected = torch::randn({3});
  auto made = at::make_generator<at::CPUGeneratorImpl>(5);
  auto created = at::detail::createCPUGenerator(5);
  EXPECT_TRUE(torch::randn({3}, made).equal(expected));
  EXPECT_TRUE(torch::randn({3}, created).equal(expected));
  EXPECT_EQ(at::make_generator<at::CPUGeneratorImpl>().current_seed(), 67280421310721u);
  EXPECT_EQ(at::detail::getDefaultCPUGenerator().current_seed(), 5u);
  c10::OptionalDeviceGuard none, given(torch::device_of(expected));
  given.reset_device(torch::kCPU);
  EXPECT_FALSE(at::device_of(torch::Tensor()));
  EXPECT_EQ(torch::elementSize(torch::kHalf), 2u);
  EXPECT_STREQ(torch::toString(torch::kHalf), "Half");
  const caffe2::TypeMeta dtype = expected.dtype();
  EXPECT_EQ(torch::typeMetaToScalarType(dtype), torch::kFloat);
  EXPECT_TRUE(torch::is_floating_point(expected));
  torch::set_num_interop_threads(1);
  torch::init_num_threads();
}

TEST(TorchPrograms, PassTheDtypeOfSoftmaxAndTwoTensorsToMax) {
  const auto x = torch::tensor({{1.0, 3.0}, {2.0, 0.0}}), y = torch::ones({2, 2});
  EXPECT_EQ(torch::softmax(x, 1, torch::kDouble).dtype(), torch::kDouble);
  EXPECT_TRUE(at::log_softmax(x, 1).equal(x.log_softmax(1)));
  torch::nn::Functional layer(torch::log_softmax, 1, torch::nullopt);
  EXPECT_TRUE(layer(x).equal(x.log_softmax(1)));
  EXPECT_TRUE(torch::max(x, y).equal(torch::maximum(x, y)));
  EXPECT_TRUE(at::min(x, y).equal(torch::minimum(x, y)));
  EXPECT_EQ(std::get<0>(torch::max(x, 1)).sizes(), torch::IntArrayRef({2}));
  EXPECT_EQ(torch::max(x).item<float>(), 3);
}

TEST(TorchPrinting, WritesContainersAsLibtorch) {
  EXPECT_EQ(tern::printed(std::vector<double>{0.5, 2}), "0.5 2");
  EXPECT_EQ(tern::printed(std::vector<std::string>{}), "");
  EXPECT_EQ(tern::printed(std::map<std::string, int>{{"a", 1}, {"b", 2}}), "(a, 1) (b, 2)");
  EXPECT_EQ(tern::printed(std::set<int>{3, 1}), "1 3");
  EXPECT_EQ(tern::printed(std::vector<int>(101)).substr(196), "0 0 ...");
}

TEST(TorchContext, LetsProductsRound) {
  at::globalContext().setAllowTF32CuBLAS(true);
  EXPECT_TRUE(at::globalContext().allowTF32CuBLAS());
  EXPECT_EQ(at::globalContext().float32MatmulPrecision(), at::Float32MatmulPrecision::HIGH);
  at::globalContext().setAllowTF32CuBLAS(false);
  EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
  EXPECT_EQ(at::globalContext().hasCUDA(), torch::cuda::is_available());
}

TEST(TorchNames, SmallHelpers) {
  EXPECT_EQ(c10::Join(", ", std::vector<int>{1, 2}), "1, 2");
  EXPECT_EQ(at::infer_size({3, 1}, {1, 4}), (std::vector<std::int64_t>{3, 4}));
  EXPECT_THROW(at::infer_size({3}, {4}), c10::Error);
  EXPECT_EQ(torch::scalar_to_tensor(2.5).scalar_type(), torch::kDouble);
  EXPECT_EQ(torch::scalar_to_tensor(2).item<int>(), 2);
  EXPECT_EQ(torch::hasCUDA(), torch::cuda::is_available());
}

}  // namespace
