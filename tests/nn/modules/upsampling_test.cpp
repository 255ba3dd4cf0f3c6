#include <functional>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

namespace F = nn::functional;
using Options = F::InterpolateFuncOptions;
using Sizes = std::vector<std::int64_t>;
using Factors = std::vector<double>;

/// A resampling with the options that golden/modules/upsampling.py gives it.
struct Resampler {
  std::string name;
  std::function<Tensor(const Tensor&)> call;
};

Resampler resampler(const std::string& name, const Options& options) {
  return {name, [options](const Tensor& x) { return F::interpolate(x, options); }};
}

std::vector<Resampler> resamplers() {
  const auto size = [](const Sizes& sizes) { return Options().size(sizes); };
  const auto scale = [](const Factors& factors) { return Options().scale_factor(factors); };
  nn::Upsample twice(nn::UpsampleOptions().scale_factor(Factors{2, 2}));
  nn::Upsample smooth(nn::UpsampleOptions().size(Sizes{4, 5}).mode(kBilinear).align_corners(true));
  return {
      resampler("nearest 1d", size({5})),
      resampler("nearest 3d", size({2, 3, 4})),
      resampler("nearest scale", scale({1.7, 1.7})),
      resampler("nearest recomputed", scale({1.7, 1.7}).recompute_scale_factor(true)),
      resampler("nearest-exact", scale({1.5, 0.6}).mode(kNearestExact)),
      resampler("linear", size({7}).mode(kLinear)),
      resampler("bilinear", size({5, 2}).mode(kBilinear).align_corners(true)),
      resampler("bilinear scale", scale({1.7, 1.7}).mode(kBilinear)),
      resampler("bilinear recomputed",
                scale({1.7, 1.7}).mode(kBilinear).recompute_scale_factor(true)),
      resampler("bilinear antialias", size({3, 2}).mode(kBilinear).antialias(true)),
      resampler("bicubic", size({6, 3}).mode(kBicubic)),
      resampler("bicubic antialias", scale({0.4, 0.4}).mode(kBicubic).antialias(true)),
      resampler("trilinear", size({3, 3, 3}).mode(kTrilinear)),
      resampler("area", size({2, 3}).mode(kArea)),
      resampler("area scale", scale({0.5}).mode(kArea)),
      {"Upsample", [twice](const Tensor& x) { return twice(x); }},
      {"Upsample bilinear", [smooth](const Tensor& x) { return smooth(x); }},
  };
}

Tensor golden_sampled(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/upsampling").at(name));
}

TEST(Upsampling, IsThatOfPyTorch) {
  for (const Resampler& each : resamplers()) {
    SCOPED_TRACE(each.name);
    const Tensor x = parameter_of(golden_sampled(each.name + " input"));
    const Tensor y = each.call(x);
    EXPECT_TRUE(close(y, golden_sampled(each.name), 1e-13));
    (y * arange(y.numel(), kDouble).view(y.sizes())).sum().backward();
    EXPECT_TRUE(close(x.grad(), golden_sampled(each.name + " gradient"), 1e-12));
    EXPECT_TRUE(close(each.call(x.detach().to("cuda:1")), y, 1e-13));
    EXPECT_TRUE(close(each.call(x.detach().to(kBFloat16)).to(kDouble), y, 5e-2));
  }
}

TEST(Upsampling, PassesGradcheckOfBothOrders) {
  for (const Resampler& each : resamplers()) {
    SCOPED_TRACE(each.name);
    const auto call = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{each.call(in[0])};
    };
    const Tensor x = parameter_of(golden_sampled(each.name + " input"));
    EXPECT_TRUE(autograd::gradcheck(call, {x}));
    EXPECT_TRUE(autograd::gradgradcheck(call, {x}));
  }
}

TEST(Upsampling, Prints) {
  EXPECT_EQ(printed(*nn::Upsample(nn::UpsampleOptions().scale_factor(Factors{2, 1.5}))),
            "tern::nn::Upsample(scale_factor=[2, 1.5], mode=kNearest)");
  EXPECT_EQ(printed(*nn::Upsample(nn::UpsampleOptions().size(Sizes{4}).mode(kLinear))),
            "tern::nn::Upsample(size=[4], mode=kLinear)");
}

TEST(Upsampling, KeepsAndRepeatsBytes) {
  const Tensor bytes = tensor({0, 5, 250, 255}).to(kByte).view({1, 1, 2, 2});
  const Tensor twice = F::interpolate(bytes, Options().scale_factor(Factors{2, 2}));
  EXPECT_TRUE(twice.equal(bytes.repeat_interleave(2, 2).repeat_interleave(2, 3)));
  const Tensor smooth = F::interpolate(bytes, Options().size(Sizes{2, 3}).mode(kBilinear));
  EXPECT_TRUE(smooth.equal(tensor({0, 3, 5, 250, 253, 255}).to(kByte).view({1, 1, 2, 3})));
  const Tensor same = F::interpolate(bytes, Options().size(Sizes{2, 2}));
  EXPECT_TRUE(same.equal(bytes));
  EXPECT_NE(same.data_ptr(), bytes.data_ptr());
}

// rotate() of the data transforms and this share no code.
TEST(GridSample, IsThatOfPyTorchWithGradientsOfBothOrders) {
  for (const char* device : {"cpu", "cuda:0"}) {
    const Tensor theta = golden_sampled("theta").to(device).requires_grad_();
    const Tensor image = golden_sampled("image").to(device).requires_grad_();
    const Tensor grid = F::affine_grid(theta, {1, 2, 3, 4});
    const Tensor out =
        F::grid_sample(image, grid, F::GridSampleFuncOptions().padding_mode(kBorder));
    EXPECT_TRUE(close(out, golden_sampled("sampled"), 1e-13));
    const auto first = autograd::grad({out.square().sum()}, {theta, image}, {}, true, true);
    EXPECT_TRUE(close(first[0], golden_sampled("theta first"), 1e-12));
    EXPECT_TRUE(close(first[1], golden_sampled("image first"), 1e-12));
    const auto second =
        autograd::grad({first[0].square().sum() + first[1].square().sum()}, {theta, image});
    EXPECT_TRUE(close(second[0], golden_sampled("theta second"), 1e-11));
    EXPECT_TRUE(close(second[1], golden_sampled("image second"), 1e-11));
  }
}

TEST(GridSample, IdentityReadsTheInput) {
  const Tensor x = rand({2, 3, 4, 5}, kDouble);
  const Tensor theta = tensor({{1., 0., 0.}, {0., 1., 0.}}).to(kDouble).expand({2, 2, 3});
  for (const bool align : {false, true}) {
    const Tensor grid = F::affine_grid(theta, x.sizes(), align);
    for (const InterpolationMode mode : {kBilinear, kNearest, kBicubic}) {
      const auto options = F::GridSampleFuncOptions().mode(mode).align_corners(align);
      EXPECT_TRUE(F::grid_sample(x, grid, options).allclose(x));
    }
  }
}

TEST(GridSample, ReadsPointsThatAreNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor grid = tensor({std::nan(""), 0., inf, 0., 0.5, -inf}).to(kDouble).view({1, 1, 3, 2});
  const Tensor x = arange(1, 10, kDouble).view({1, 1, 3, 3});
  const auto sampled = [&](InterpolationMode mode, GridPaddingMode padding) {
    return F::grid_sample(
               x, grid,
               F::GridSampleFuncOptions().mode(mode).padding_mode(padding).align_corners(true))
        .flatten();
  };
  EXPECT_TRUE(sampled(kNearest, GridPaddingMode::Zeros).equal(zeros({3}, kDouble)));
  EXPECT_TRUE(sampled(kNearest, kBorder).equal(tensor({4., 6., 3.}).to(kDouble)));
  EXPECT_TRUE(sampled(kBilinear, kBorder).equal(tensor({4., 6., 2.5}).to(kDouble)));
  EXPECT_TRUE(sampled(kBilinear, kReflection).equal(tensor({4., 4., 2.5}).to(kDouble)));
  EXPECT_TRUE(sampled(kBilinear, GridPaddingMode::Zeros).isnan().all().item<bool>());
}

TEST(Upsampling, SaysWhatDoesNotFit) {
  const Tensor x = ones({2, 3, 4, 4});
  const auto expect = [](const std::string& text, const std::function<void()>& call) {
    EXPECT_EQ(error_of(call).substr(0, text.size()), text);
  };
  const auto sized = [](const Sizes& sizes) { return Options().size(sizes); };
  expect("interpolate: only one of size or scale_factor should be defined", [&] {
    F::interpolate(x, sized({6, 6}).scale_factor(Factors{2, 2}));
  });
  expect("interpolate: either size or scale_factor should be defined", [&] { F::interpolate(x); });
  expect("interpolate: either size or scale_factor should be defined", [&] { nn::Upsample()(x); });
  expect(
      "interpolate: Input and output sizes should be greater than 0, but got input (H: "
      "4, W: 4) output (H: -1, W: -1)",
      [&] {
        F::interpolate(x, sized({-1, -1}));
      });
  expect(
      "interpolate: Input and output sizes should be greater than 0, but got input (H: "
      "4, W: 4) output (H: 0, W: 0)",
      [&] {
        F::interpolate(x, Options().scale_factor(Factors{0.1, 0.1}));
      });
  expect(
      "interpolate: Input and output must have the same number of spatial dimensions, but got "
      "input with "
      "spatial dimensions of [4, 4] and output size of [1, 2, 3].",
      [&] {
        F::interpolate(x, sized({1, 2, 3}));
      });
  expect(
      "interpolate: Input and scale_factor must have the same number of spatial dimensions, but "
      "got input "
      "with spatial dimensions of [4, 4] and scale_factor of shape [1, 2, 3].",
      [&] {
        F::interpolate(x, Options().scale_factor(Factors{1, 2, 3}));
      });
  expect(
      "interpolate: Input and output must have the same number of spatial dimensions, but got "
      "input with spatial dimensions of [4, 4] and output size of [4].",
      [&] { F::interpolate(x, sized({4})); });
  expect(
      "interpolate: Input and scale_factor must have the same number of spatial dimensions, but "
      "got input with spatial dimensions of [4, 4] and scale_factor of shape [2].",
      [&] { F::interpolate(x, Options().scale_factor(Factors{2})); });
  expect("interpolate: scale_factor inf of a dimension of 4 elements leads to no size", [&] {
    F::interpolate(x, Options().scale_factor(Factors{std::numeric_limits<double>::infinity(), 1}));
  });
  expect("interpolate: scale_factor nan of a dimension of 4 elements leads to no size", [&] {
    F::interpolate(x, Options().scale_factor(Factors{NAN, 1}));
  });
  expect(
      "interpolate: Input and output sizes should be greater than 0, but got input (H: "
      "4, W: 4) output (H: -8, W: -8)",
      [&] {
        F::interpolate(x, Options().scale_factor(Factors{-2, -2}));
      });
  expect(
      "interpolate: Trying to create tensor with too many elements: [2, 3, 2000000000, "
      "2000000000]",
      [&] {
        F::interpolate(x, sized({2'000'000'000, 2'000'000'000}));
      });
  expect(
      "interpolate: align_corners option can only be set with the interpolating modes: linear | "
      "bilinear | "
      "bicubic | trilinear",
      [&] {
        F::interpolate(x, sized({6, 6}).align_corners(true));
      });
  expect(
      "interpolate: Anti-alias option is restricted to bilinear and bicubic modes and requires a "
      "4-D tensor "
      "as input",
      [&] {
        F::interpolate(x, sized({6, 6}).antialias(true));
      });
  expect("interpolate: Got 4D input, but linear mode needs 3D input", [&] {
    F::interpolate(x, sized({6, 6}).mode(kLinear));
  });
  expect("interpolate: Got 3D input, but bilinear mode needs 4D input",
         [&] { F::interpolate(x[0], sized({6}).mode(kBilinear)); });
  expect(
      "interpolate: Input Error: Only 3D, 4D and 5D input Tensors supported (got 2D) for the "
      "modes: nearest "
      "| linear | bilinear | bicubic | trilinear | area | nearest-exact (got nearest)",
      [&] {
        F::interpolate(x[0][0], sized({6, 6}));
      });
  expect("interpolate: recompute_scale_factor is not meaningful with an explicit size.", [&] {
    F::interpolate(x, sized({6, 6}).recompute_scale_factor(true));
  });
  expect(
      "interpolate: Non-empty 4D data tensor expected but got a tensor with sizes [2, 0, "
      "4, 4]",
      [&] {
        F::interpolate(ones({2, 0, 4, 4}), sized({6, 6}));
      });
  expect("the only nonlinearity that is a mode of interpolation is kLinear",
         [] { Options().mode(kReLU); });
  expect(
      "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
      "got: 'area'",
      [&] {
        F::grid_sample(x, ones({2, 1, 1, 2}), F::GridSampleFuncOptions().mode(kArea));
      });
  expect(
      "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
      "'reflection'",
      [] { F::GridSampleFuncOptions().padding_mode(kCircular); });
  expect("grid_sampler: expected scalar type Float but found Double", [&] {
    F::grid_sample(x, ones({2, 1, 1, 2}, kDouble));
  });
  expect(
      "affine_grid_generator: Expected a batch of 2D affine matrices of shape Nx2x3 for size "
      "[2, 3, 4, 4]. Got [2, 3, 3]",
      [] {
        F::affine_grid(ones({2, 3, 3}), {2, 3, 4, 4});
      });
  expect(
      "grid_sampler: expected 4D or 5D input and grid with same number of dimensions, but got "
      "input "
      "with sizes [2, 3, 4, 4] and grid with sizes [2, 1, 2]",
      [&] {
        F::grid_sample(x, ones({2, 1, 2}));
      });
  expect(
      "affine_grid_generator: Trying to create tensor with too many elements: [2, 4294967296, "
      "4294967296, 2]",
      [] {
        F::affine_grid(ones({2, 2, 3}), {2, 3, std::int64_t{1} << 32, std::int64_t{1} << 32});
      });
  expect("affine_grid_generator: Expected non-zero, positive output size. Got [2, 3, 0, 4]", [] {
    F::affine_grid(ones({2, 2, 3}), {2, 3, 0, 4});
  });
  expect(
      "affine_grid_generator: affine_grid only supports 4D and 5D sizes, for 2D and 3D affine "
      "transforms, respectively. Got size [2, 3, 4]",
      [] {
        F::affine_grid(ones({2, 2, 3}), {2, 3, 4});
      });
}

}  // namespace
}  // namespace tern
