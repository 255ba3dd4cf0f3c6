#include <torch/torch.h>

#include <gtest/gtest.h>

// The namespaces are programs' own to extend, and to use whole.

namespace torch {
namespace nn {
struct DoublerImpl : Module {
  DoublerImpl() : fc(register_module("fc", Linear(2, 3))) {}
  Tensor forward(const Tensor& x) { return functional::relu(fc(x)) * 2; }
  Linear fc;
};
TORCH_MODULE(Doubler);
namespace functional {
inline Tensor twice(const Tensor& x) { return x * 2; }
}  // namespace functional
}  // namespace nn
namespace optim {
struct NamedSGD : SGD {
  using SGD::SGD;
};
}  // namespace optim
namespace data::datasets {
struct Ones : Dataset<Ones> {
  Example<> get(size_t /*index*/) override { return {ones({1}), ones({1})}; }
  optional<size_t> size() const override { return 3; }
};
}  // namespace data::datasets
namespace cuda {
inline constexpr int kAdded = 1;
}  // namespace cuda
}  // namespace torch

namespace at::cuda {
inline constexpr int kAdded = 2;
}  // namespace at::cuda

namespace c10::cuda {
inline constexpr int kAdded = 3;
}  // namespace c10::cuda

namespace {

TEST(TorchNamespaces, AreReopenedAndUsedWhole) {
  // NOLINTBEGIN(google-build-using-namespace)
  using namespace torch;
  using namespace torch::nn;
  using namespace torch::optim;
  using namespace torch::data;
  using namespace at;
  using namespace c10;
  // NOLINTEND(google-build-using-namespace)
  Doubler net;
  NamedSGD optimizer(net->parameters(), SGDOptions(0.1));
  const Tensor y = net(torch::ones({1, 2}));
  EXPECT_TRUE(y.equal(functional::twice(functional::relu(net->fc(torch::ones({1, 2}))))));
  nn::Linear linear(2, 1);
  init::ones_(linear->weight);
  EXPECT_EQ(linear->weight.index({indexing::Slice(), 0}).item<float>(), 1);
  const optional<ScalarType> dtype = nullopt;
  EXPECT_FALSE(dtype);
  auto loader = make_data_loader(datasets::Ones().map(transforms::Stack<>()), 2);
  EXPECT_EQ((*loader->begin()).data.sizes(), IntArrayRef({2, 1}));
  EXPECT_EQ(torch::cuda::kAdded + at::cuda::kAdded + c10::cuda::kAdded, 6);
}

}  // namespace
