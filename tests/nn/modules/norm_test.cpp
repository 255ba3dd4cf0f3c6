#include <functional>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

using Names = std::vector<std::string>;

/// A layer with the options that golden/modules/norms.py gives it, how libtorch prints it, and the
/// keys of its state.
struct Norm {
  std::string name;
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const Tensor&)> forward;
  std::string prints;
  Names keys;
};

template <class Holder>
Norm norm_of(const std::string& name, const Holder& holder, const std::string& prints,
             const Names& keys = {}) {
  return {name, holder.ptr(), [holder](const Tensor& x) { return holder(x); },
          "tern::nn::" + prints, keys};
}

/// Returns all layers, with the parameters of golden/modules/norms.py.
std::vector<Norm> norms() {
  using namespace nn;
  const Names affine{"weight", "bias"},
      running{"running_mean", "running_var", "num_batches_tracked"};
  const Names all{"weight", "bias", "running_mean", "running_var", "num_batches_tracked"};
  std::vector<Norm> result{
      norm_of("BatchNorm1d", BatchNorm1d(3),
              "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=true, track_running_stats=true)",
              all),
      norm_of("BatchNorm1d of sequences",
              BatchNorm1d(BatchNorm1dOptions(3).eps(0.1).momentum(std::nullopt)),
              "BatchNorm1d(3, eps=0.1, momentum=None, affine=true, track_running_stats=true)", all),
      norm_of("BatchNorm2d", BatchNorm2d(3),
              "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=true, track_running_stats=true)",
              all),
      norm_of("BatchNorm2d without bias", BatchNorm2d(BatchNorm2dOptions(3).bias(false)),
              "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=true, bias=false, "
              "track_running_stats=true)",
              {"weight", "running_mean", "running_var", "num_batches_tracked"}),
      norm_of("BatchNorm3d", BatchNorm3d(BatchNorm3dOptions(2).momentum(0.5)),
              "BatchNorm3d(2, eps=1e-05, momentum=0.5, affine=true, track_running_stats=true)",
              all),
      norm_of("BatchNorm3d bare",
              BatchNorm3d(BatchNorm3dOptions(2).affine(false).track_running_stats(false)),
              "BatchNorm3d(2, eps=1e-05, momentum=0.1, affine=false, track_running_stats=false)"),
      norm_of("InstanceNorm1d", InstanceNorm1d(3),
              "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=false, "
              "track_running_stats=false)"),
      norm_of("InstanceNorm1d of one",
              InstanceNorm1d(InstanceNorm1dOptions(3).affine(true).track_running_stats(true)),
              "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=true, track_running_stats=true)",
              all),
      norm_of("InstanceNorm2d",
              InstanceNorm2d(
                  InstanceNorm2dOptions(3).eps(0.1).momentum(0.3).affine(true).track_running_stats(
                      true)),
              "InstanceNorm2d(3, eps=0.1, momentum=0.3, affine=true, track_running_stats=true)",
              all),
      norm_of("InstanceNorm3d", InstanceNorm3d(InstanceNorm3dOptions(2).affine(true)),
              "InstanceNorm3d(2, eps=1e-05, momentum=0.1, affine=true, track_running_stats=false)",
              affine),
      norm_of(
          "InstanceNorm3d tracking",
          InstanceNorm3d(InstanceNorm3dOptions(2).momentum(std::nullopt).track_running_stats(true)),
          "InstanceNorm3d(2, eps=1e-05, momentum=None, affine=false, track_running_stats=true)",
          running),
      norm_of("GroupNorm", GroupNorm(2, 4), "GroupNorm(2, 4, eps=1e-05, affine=true)", affine),
      norm_of("GroupNorm of vectors", GroupNorm(GroupNormOptions(3, 6).eps(0.1).bias(false)),
              "GroupNorm(3, 6, eps=0.1, affine=true, bias=false)", {"weight"}),
      norm_of("GroupNorm bare", GroupNorm(GroupNormOptions(1, 4).affine(false)),
              "GroupNorm(1, 4, eps=1e-05, affine=false)"),
      norm_of("RMSNorm", RMSNorm(5), "RMSNorm([5], eps=None, elementwise_affine=true)", {"weight"}),
      norm_of("RMSNorm wide", RMSNorm(RMSNormOptions({3, 5}).eps(0.1)),
              "RMSNorm([3, 5], eps=0.1, elementwise_affine=true)", {"weight"}),
      norm_of("RMSNorm bare", RMSNorm(RMSNormOptions(5).elementwise_affine(false)),
              "RMSNorm([5], eps=None, elementwise_affine=false)"),
      norm_of("LocalResponseNorm", LocalResponseNorm(3),
              "LocalResponseNorm(3, alpha=0.0001, beta=0.75, k=1)"),
      norm_of("LocalResponseNorm of images",
              LocalResponseNorm(LocalResponseNormOptions(2).alpha(0.5).beta(0.6).k(2)),
              "LocalResponseNorm(2, alpha=0.5, beta=0.6, k=2)"),
      norm_of("CrossMapLRN2d", CrossMapLRN2d(CrossMapLRN2dOptions(3).alpha(0.7)),
              "CrossMapLRN2d(3, alpha=0.7, beta=0.75, k=1)"),
      norm_of("CrossMapLRN2d even",
              CrossMapLRN2d(CrossMapLRN2dOptions(4).alpha(0.7).beta(0.5).k(2)),
              "CrossMapLRN2d(4, alpha=0.7, beta=0.5, k=2)"),
  };
  const NoGradGuard no_grad;
  for (const Norm& norm : result) {
    double number = 1;
    for (Tensor& parameter : norm.module->parameters()) {
      parameter.copy_(arange(parameter.numel()).view(parameter.sizes()) / 4 + number);
      number -= 0.5;
    }
    norm.module->to(kDouble);
  }
  return result;
}

const nlohmann::json& entries() { return testing::golden("modules/norms"); }
Tensor golden_norm(const std::string& name) { return testing::golden_tensor(entries().at(name)); }

::testing::AssertionResult is_golden(const Tensor& actual, const std::string& name) {
  return close(actual, golden_norm(name), 1e-12);
}

TEST(Norms, AreThoseOfPyTorch) {
  for (const Norm& norm : norms()) {
    SCOPED_TRACE(norm.name);
    const Tensor x = parameter_of(golden_norm(norm.name + " input"));
    const Tensor y = norm.forward(x);
    EXPECT_TRUE(is_golden(y, norm.name));
    (y * arange(y.numel(), kDouble).view(y.sizes())).sum().backward();
    if (entries().contains(norm.name + " gradient")) {
      EXPECT_TRUE(is_golden(x.grad(), norm.name + " gradient"));
    }
    for (const auto& [key, parameter] : norm.module->named_parameters()) {
      EXPECT_TRUE(is_golden(parameter.grad(), norm.name + ' ' + key + " gradient"));
    }
    norm.module->eval();
    EXPECT_TRUE(is_golden(norm.forward(x), norm.name + " eval"));
    for (const auto& [key, buffer] : norm.module->named_buffers()) {
      EXPECT_TRUE(is_golden(buffer, norm.name + ' ' + key));
    }
    EXPECT_EQ(norm.module->state_dict().keys(), norm.keys);
    EXPECT_EQ(printed(*norm.module), norm.prints);
  }
}

TEST(Norms, PassGradcheckOfBothOrders) {
  for (const Norm& norm : norms()) {
    SCOPED_TRACE(norm.name);
    std::vector<Tensor> inputs{parameter_of(golden_norm(norm.name + " input"))};
    for (const Tensor& parameter : norm.module->parameters()) inputs.push_back(parameter);
    const auto call = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{norm.forward(in[0])};
    };
    EXPECT_TRUE(autograd::gradcheck(call, inputs));
    EXPECT_TRUE(autograd::gradgradcheck(call, inputs));
  }
}

TEST(Norms, CloneAndResetTheirTensors) {
  for (const Norm& norm : norms()) {
    SCOPED_TRACE(norm.name);
    const auto copy = norm.module->clone();
    EXPECT_TRUE(identical(copy->state_dict(), norm.module->state_dict()));
  }
  EXPECT_TRUE(nn::GroupNorm(2, 4)->weight.equal(ones({4})));
  EXPECT_TRUE(nn::GroupNorm(2, 4)->bias.equal(zeros({4})));
  EXPECT_TRUE(nn::RMSNorm(4)->weight.equal(ones({4})));
  const nn::InstanceNorm2d net(nn::InstanceNorm2dOptions(3).affine(true).track_running_stats(true));
  net(randn({2, 3, 4, 4}));
  EXPECT_FALSE(net->running_var.equal(ones({3})));
  net->reset_parameters();
  EXPECT_TRUE(net->running_var.equal(ones({3})) && net->running_mean.equal(zeros({3})));
  EXPECT_EQ(net->num_batches_tracked.item<int>(), 0);  // as in PyTorch, only a BatchNorm counts
}

TEST(Norms, TakeStridedInputAndOtherDevices) {
  for (const Norm& norm : norms()) {
    SCOPED_TRACE(norm.name);
    const Tensor x = golden_norm(norm.name + " input");
    const Tensor strided = x.transpose(0, -1).contiguous().transpose(0, -1);
    EXPECT_TRUE(is_golden(norm.forward(strided), norm.name));
    norm.module->to("cuda:1");
    const Tensor y = norm.forward(x.to("cuda:1"));
    EXPECT_EQ(y.device(), Device("cuda:1"));
    EXPECT_TRUE(is_golden(y, norm.name));
    norm.module->to(kHalf);
    const Tensor half = norm.forward(x.to("cuda:1", kHalf));
    EXPECT_EQ(half.dtype(), kHalf);
    EXPECT_TRUE(close(half.to(kDouble), golden_norm(norm.name), 4e-3));
  }
}

TEST(Norms, TakeBatchesWithoutElements) {
  for (const Norm& norm : norms()) {
    SCOPED_TRACE(norm.name);
    auto sizes = golden_norm(norm.name + " input").sizes().vec();
    if (norm.name == "InstanceNorm1d of one") sizes.insert(sizes.begin(), 1);
    sizes[0] = 0;
    const State before = copy_of(norm.module->state_dict());
    const Tensor x = zeros(sizes, kDouble).requires_grad_();
    const Tensor y = norm.forward(x);
    EXPECT_EQ(y.sizes(), IntArrayRef(sizes));
    y.sum().backward();
    EXPECT_EQ(x.grad().sizes(), IntArrayRef(sizes));
    for (const std::string key : {"running_mean", "running_var"}) {
      if (before.contains(key)) {
        EXPECT_TRUE(identical(norm.module->state_dict()[key], before[key]));
      }
    }
  }
}

TEST(Norms, AreMadeWhereTheirOptionsSay) {
  const nn::GroupNorm group(nn::GroupNormOptions(2, 4).device("cuda:1").dtype(kDouble));
  const nn::RMSNorm rms(nn::RMSNormOptions(4).device("cuda:1").dtype(kDouble));
  const nn::InstanceNorm1d instance(
      nn::InstanceNorm1dOptions(4).affine(true).device("cuda:1").dtype(kDouble));
  for (const Tensor& tensor : {group->bias, rms->weight, instance->weight}) {
    EXPECT_EQ(tensor.device(), Device("cuda:1"));
    EXPECT_EQ(tensor.dtype(), kDouble);
  }
  const Tensor x = ones({2, 4, 3}, kDouble);
  for (const std::function<void()>& call :
       {std::function<void()>([&] { group(x); }), std::function<void()>([&] { rms(x.mT()); }),
        std::function<void()>([&] { instance(x); })}) {
    EXPECT_NE(error_of<DeviceError>(call).find("Expected all tensors to be on the same device"),
              std::string::npos);
  }
}

TEST(Norms, SayWhatDoesNotFit) {
  const auto expect = [](const std::function<void()>& call, const std::string& text) {
    EXPECT_EQ(error_of<ShapeError>(call).substr(0, text.size()), text);
  };
  const Tensor x = ones({2, 4, 3});
  expect([&] { nn::BatchNorm2d(4)(x); }, "expected 4D input (got 3D input)\n");
  expect([&] { nn::BatchNorm3d(4)(x); }, "expected 5D input (got 3D input)\n");
  expect([&] { nn::InstanceNorm1d(4)(x[0][0]); }, "expected 2D or 3D input (got 1D input)\n");
  expect([&] { nn::InstanceNorm2d(4)(x[0]); }, "expected 3D or 4D input (got 2D input)\n");
  expect([&] { nn::InstanceNorm3d(4)(x); }, "expected 4D or 5D input (got 3D input)\n");
  const nn::InstanceNorm1d affine(nn::InstanceNorm1dOptions(3).affine(true));
  expect([&] { affine(x); },
         "expected input's size at dim=1 to match num_features (3), but got: 4.\n");
  expect([&] { affine(x[0]); },
         "expected input's size at dim=0 to match num_features (3), but got: 4.\n");
  expect(
      [&] {
        nn::InstanceNorm1d(4)(ones({2, 4, 1}));
      },
      "instance_norm: Expected more than 1 spatial element when training, got input size [2, 4, "
      "1]\n");
  expect([] { nn::GroupNorm(2, 3); },
         "nn::GroupNorm: num_channels (3) must be divisible by num_groups (2)");
  expect([] { nn::GroupNorm(0, 3); }, "nn::GroupNorm: num_groups must be positive, got 0");
  expect([] { nn::GroupNorm(2, -2); },
         "nn::GroupNorm: the size num_channels must not be negative, got -2");
  expect(
      [&] {
        nn::GroupNorm(2, 2)(ones({1, 2}));
      },
      "group_norm: Expected more than 1 value per channel when training, got input size [1, "
      "2]\n");
  expect([&] { nn::GroupNorm(2, 6)(x); }, "group_norm: Expected weight to be a vector of size");
  const std::string none =
      "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
      "element, but got normalized_shape = []";
  using Shape = std::vector<std::int64_t>;
  expect([] { nn::LayerNorm(nn::LayerNormOptions(Shape())); }, "nn::LayerNorm: " + none);
  expect([] { nn::LayerNorm(nn::LayerNormOptions({})); }, "nn::LayerNorm: " + none);
  expect([] { nn::RMSNorm(nn::RMSNormOptions({})); }, "nn::RMSNorm: " + none);
  expect([] { nn::RMSNorm(nn::RMSNormOptions(Shape()).elementwise_affine(false)); },
         "nn::RMSNorm: " + none);
  expect([] { nn::RMSNorm(-2); }, "nn::RMSNorm: the size normalized_shape must not be negative");
  expect([&] { nn::RMSNorm(4)(x); }, "rms_norm: Given normalized_shape=[4], expected input with");
  expect([&] { nn::LocalResponseNorm(2)(x[0]); },
         "local_response_norm: Expected 3D or higher dimensionality input (got 2 dimensions)\n");
  expect([&] { nn::CrossMapLRN2d(2)(x); },
         "CrossMapLRN2d: Expected input to be 4D, got 3D instead.\n");
  EXPECT_EQ(error_of([&] { nn::LocalResponseNorm(0)(x); }),
            "local_response_norm: kernel size should be greater than zero, but got 0\n  in module "
            "LocalResponseNorm");
  EXPECT_EQ(error_of([&] { nn::CrossMapLRN2d(0)(x.unsqueeze(0)); }),
            "CrossMapLRN2d: size must be positive, got 0\n  in module CrossMapLRN2d");
  EXPECT_FALSE((std::is_constructible_v<nn::InstanceNormOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::RMSNormOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::LocalResponseNormOptions, bool>));
}

TEST(Norms, AreFunctionsToo) {
  namespace F = nn::functional;
  const Tensor x = golden_norm("InstanceNorm2d input");
  const Tensor mean = zeros({3}, kDouble), variance = ones({3}, kDouble);
  const Tensor weight = tensor({1., 1.25, 1.5}, kDouble), bias = weight - 0.5;
  const auto options = F::InstanceNormFuncOptions()
                           .running_mean(mean)
                           .running_var(variance)
                           .weight(weight)
                           .bias(bias)
                           .momentum(0.3)
                           .eps(0.1);
  EXPECT_TRUE(is_golden(F::instance_norm(x, options), "InstanceNorm2d"));
  EXPECT_TRUE(is_golden(mean, "InstanceNorm2d running_mean"));
  EXPECT_TRUE(is_golden(variance, "InstanceNorm2d running_var"));
  EXPECT_EQ(
      error_of([&] { F::instance_norm(x, F::InstanceNormFuncOptions().use_input_stats(false)); }),
      "instance_norm: Expected running_mean and running_var to be defined when "
      "use_input_stats is false");
  const Tensor y = golden_norm("RMSNorm bare input");
  EXPECT_TRUE(is_golden(F::rms_norm(y, F::RMSNormFuncOptions({5})), "RMSNorm bare"));
  const Tensor z = golden_norm("GroupNorm bare input");
  EXPECT_TRUE(is_golden(F::group_norm(z, F::GroupNormFuncOptions(1)), "GroupNorm bare"));
}

TEST(Norms, NormalizeDividesByTheNorm) {
  namespace F = nn::functional;
  const Tensor x = golden_norm("LocalResponseNorm input");
  const Tensor unit = F::normalize(x);
  EXPECT_TRUE(close(unit.norm(2, 1), ones({2, 3}, kDouble), 1e-14));
  EXPECT_TRUE(close(unit * x.norm(2, 1, true), x, 1e-14));
  const auto options = F::NormalizeFuncOptions().p(1).dim(-1).eps(100);
  EXPECT_TRUE(close(F::normalize(x, options), x / 100, 1e-14));
  Tensor out = empty({0}, kDouble);
  EXPECT_TRUE(F::normalize(x, F::NormalizeFuncOptions().out(out)).is_same(out));
  EXPECT_TRUE(same_bits(out, unit));
  EXPECT_TRUE(F::normalize(zeros({2, 2})).equal(zeros({2, 2})));
  EXPECT_NE(error_of<IndexError>([&] { F::normalize(x[0][0]); }).find("Dimension out of range"),
            std::string::npos);
  const auto call = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{F::normalize(in[0])};
  };
  EXPECT_TRUE(autograd::gradcheck(call, {parameter_of(x)}));
  EXPECT_TRUE(autograd::gradgradcheck(call, {parameter_of(x)}));
}

}  // namespace
}  // namespace tern
