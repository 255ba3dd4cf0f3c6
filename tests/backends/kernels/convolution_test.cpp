#include <cstdio>
#include <vector>

#include <tern/core/kernels/families/convolution.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

constexpr ConvolutionOp kConvolutionOps[] = {ConvolutionOp::kForward, ConvolutionOp::kInputGradient,
                                             ConvolutionOp::kWeightGradient};

/// The numbers of a call without pointers. `most` bounds the multiplications.
ConvolutionArgs random_convolution(Noise& noise, double most) {
  const auto up_to = [&](std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(noise.bits() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (;;) {
    ConvolutionArgs args{};
    const bool depthwise = up_to(0, 3) == 0;
    args.batch = up_to(1, up_to(0, 2) == 0 ? 9 : 3);
    args.groups = up_to(0, 1) == 0 ? 1 : up_to(1, 5);
    args.inputs = depthwise ? 1 : up_to(1, up_to(0, 3) == 0 ? 40 : 9);
    args.outputs = depthwise ? 1 : up_to(1, up_to(0, 3) == 0 ? 40 : 9);
    const auto dims = static_cast<int>(up_to(1, 3));
    bool fits = true;
    for (int d = 0; d < 3; ++d) {
      const bool given = d >= 3 - dims;
      args.in[d] = given ? up_to(1, dims == 3 ? 6 : up_to(0, 2) == 0 ? 40 : 12) : 1;
      args.kernel[d] = given ? up_to(1, dims == 3 ? 3 : 5) : 1;
      args.stride[d] = given && up_to(0, 1) == 0 ? up_to(1, 4) : 1;
      args.dilation[d] = given && up_to(0, 2) == 0 ? up_to(1, 3) : 1;
      args.padding[d] = given ? up_to(0, 3) : 0;
      // "same" pads more behind than in front, a transposed convolution has output_padding.
      const std::int64_t behind = given ? args.padding[d] + up_to(0, 1) : 0;
      const std::int64_t room =
          args.in[d] + args.padding[d] + behind - args.dilation[d] * (args.kernel[d] - 1) - 1;
      args.out_sizes[d] = room < 0 ? 0 : room / args.stride[d] + 1;
      fits = fits && room >= 0;
    }
    const auto work = static_cast<double>(args.batch * args.groups * args.inputs * args.outputs *
                                          volume(args.out_sizes) * volume(args.kernel));
    if (fits && work <= most) return args;
  }
}

/// Three tensors of a convolution and a bias.
template <class T>
struct ConvolutionCall {
  std::vector<T> x, w, y, bias;
  ConvolutionArgs numbers;

  ConvolutionCall(const ConvolutionArgs& given, Noise& noise) : numbers(given) {
    const auto fill = [&](std::vector<T>& tensor, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        tensor.push_back(static_cast<T>(static_cast<float>(noise.uniform(-1, 1))));
      }
    };
    const ConvolutionArgs& a = numbers;
    fill(x, a.batch * a.groups * a.inputs * volume(a.in));
    fill(w, a.groups * a.outputs * a.inputs * volume(a.kernel));
    fill(y, a.batch * a.groups * a.outputs * volume(a.out_sizes));
    fill(bias, a.groups * std::max(a.inputs, a.outputs));
  }

  std::vector<T>& result(ConvolutionOp op) {
    return op == ConvolutionOp::kForward ? y : op == ConvolutionOp::kInputGradient ? x : w;
  }

  /// Moves the channels of each tensor behind, or back in front of, its positions.
  void swap_layout(bool to_channels_last) {
    const ConvolutionArgs& a = numbers;
    const auto swap = [&](std::vector<T>& tensor, std::int64_t count, std::int64_t channels,
                          std::int64_t positions) {
      const std::vector<T> from = tensor;
      const std::int64_t rows = to_channels_last ? channels : positions;
      const std::int64_t columns = to_channels_last ? positions : channels;
      for (std::int64_t n = 0; n < count; ++n) {
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            tensor[static_cast<std::size_t>((n * columns + c) * rows + r)] =
                from[static_cast<std::size_t>((n * rows + r) * columns + c)];
          }
        }
      }
    };
    swap(x, a.batch, a.groups * a.inputs, volume(a.in));
    swap(w, a.groups * a.outputs, a.inputs, volume(a.kernel));
    swap(y, a.batch, a.groups * a.outputs, volume(a.out_sizes));
  }

  ConvolutionArgs args(ConvolutionOp op, bool has_bias, std::vector<T>& out) {
    ConvolutionArgs a = numbers;
    a.op = op;
    a.dtype = dtype_of<T>();
    if (op != ConvolutionOp::kInputGradient) a.input = x.data();
    if (op != ConvolutionOp::kWeightGradient) a.weight = w.data();
    if (op != ConvolutionOp::kForward) a.gradient = y.data();
    if (has_bias && op != ConvolutionOp::kWeightGradient) a.bias = bias.data();
    out.assign(result(op).size(), static_cast<T>(NAN));
    a.out = out.data();
    return a;
  }
};

std::string describe(const ConvolutionArgs& a) {
  std::string text = "batch " + std::to_string(a.batch) + " groups " + std::to_string(a.groups) +
                     " inputs " + std::to_string(a.inputs) + " outputs " +
                     std::to_string(a.outputs);
  const auto add = [&](const char* name, const std::int64_t* list) {
    text += std::string(" ") + name;
    for (int d = 0; d < 3; ++d) text += (d == 0 ? " " : "x") + std::to_string(list[d]);
  };
  add("in", a.in);
  add("kernel", a.kernel);
  add("out", a.out_sizes);
  add("stride", a.stride);
  add("padding", a.padding);
  add("dilation", a.dilation);
  return text;
}

class Convolution : public testing::KernelTest {
 protected:
  /// Compares the three functions with the oracle, on the CPU in both layouts and on CUDA with and
  /// without cuDNN.
  template <class T>
  void check(ConvolutionArgs numbers, Noise& noise, bool has_bias) const {
    ASSERT_NO_FATAL_FAILURE(check_layout<T>(numbers, noise, has_bias, false));
    numbers.options = kWithoutCudnn;
    ASSERT_NO_FATAL_FAILURE(check_layout<T>(numbers, noise, has_bias, !is_cuda()));
  }

  template <class T>
  void check_layout(const ConvolutionArgs& numbers, Noise& noise, bool has_bias,
                    bool channels_last) const {
    SCOPED_TRACE(describe(numbers) + (channels_last ? ", channels last" : ""));
    ConvolutionCall<T> call(numbers, noise);
    ConvolutionCall<double> exact(numbers, noise);
    exact.x.assign(call.x.begin(), call.x.end());
    exact.w.assign(call.w.begin(), call.w.end());
    exact.y.assign(call.y.begin(), call.y.end());
    exact.bias.assign(call.bias.begin(), call.bias.end());
    for (const ConvolutionOp op : kConvolutionOps) {
      std::vector<T> got;
      std::vector<double> want;
      ConvolutionCall<T> given = call;
      if (channels_last) given.swap_layout(true);
      ConvolutionArgs args = given.args(op, has_bias, got);
      args.channels_last = channels_last ? 1 : 0;
      ASSERT_EQ(run(args).status, StatusCode::kOk);
      if (channels_last) {
        given.result(op) = got;
        given.swap_layout(false);
        got = given.result(op);
      }
      testing::run_oracle(exact.args(op, has_bias, want));
      const bool of_weight = op == ConvolutionOp::kWeightGradient;
      const std::int64_t channels =
          op == ConvolutionOp::kForward ? numbers.inputs : numbers.outputs;
      const double terms = static_cast<double>(of_weight ? numbers.batch * volume(numbers.out_sizes)
                                                         : channels * volume(numbers.kernel));
      // Winograd's products of float32 have a larger error than a sum.
      const int factor = std::is_same_v<T, double> ? 1 : 8;
      const Number sum_limit =
          factor * testing::Limits<std::conditional_t<testing::kNarrow<T>, float, T>>::epsilon() *
          (8 + terms);
      for (std::size_t i = 0; i < want.size(); ++i) {
        const Number error = std::abs(static_cast<Number>(got[i]) - want[i]);
        const Number rounded = testing::kNarrow<T> ? testing::error_limit<T>(1) : 0;
        // cuDNN rounds before the bias, of at most 1, is added.
        const Number size = std::abs(want[i]) + (is_cuda() && args.bias != nullptr ? 1 : 0);
        ASSERT_LE(error, sum_limit + rounded * size)
            << "op " << static_cast<int>(op) << " element " << i << ": "
            << static_cast<double>(got[i]) << " for " << want[i];
      }
    }
  }

  /// The elements of the gradient of the weights that are not finite if element `at` of the input
  /// is infinite. They must be the same in both layouts.
  std::vector<std::size_t> weights_that_infinity_reaches(const ConvolutionArgs& numbers,
                                                         std::size_t at) const {
    std::vector<std::size_t> reached[2];
    for (const int channels_last : {0, 1}) {
      Noise noise(26);
      ConvolutionCall<float> call(numbers, noise);
      call.x[at] = std::numeric_limits<float>::infinity();
      std::vector<float> got;
      ConvolutionArgs args = call.args(ConvolutionOp::kWeightGradient, false, got);
      args.channels_last = channels_last;
      run(args);
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (!std::isfinite(got[i])) reached[channels_last].push_back(i);
      }
    }
    EXPECT_EQ(reached[0], reached[1]);
    return reached[0];
  }
};

TEST_P(Convolution, IsTheDefinitionForRandomShapes) {
  Noise noise(20);
  const int count = is_cuda() ? 100 : 1000;
  for (int i = 0; i < count; ++i) {
    const ConvolutionArgs numbers = random_convolution(noise, is_cuda() ? 2e4 : 2e5);
    ASSERT_NO_FATAL_FAILURE(check<float>(numbers, noise, i % 2 == 0));
    if (i % 4 == 0) {
      ASSERT_NO_FATAL_FAILURE(check<double>(numbers, noise, i % 8 == 0));
    }
  }
  std::printf("%d random convolutions, three functions each\n", count);
}

TEST_P(Convolution, NarrowDtypesAreComputedInFloat32) {
  Noise noise(21);
  for (int i = 0; i < (is_cuda() ? 10 : 60); ++i) {
    const ConvolutionArgs numbers = random_convolution(noise, 2e4);
    ASSERT_NO_FATAL_FAILURE(check<Half>(numbers, noise, i % 2 == 0));
    ASSERT_NO_FATAL_FAILURE(check<BFloat16>(numbers, noise, i % 2 == 0));
  }
}

/// The numbers of a convolution of images with half of the kernel as padding.
ConvolutionArgs of_images(std::int64_t batch, std::int64_t groups, std::int64_t inputs,
                          std::int64_t outputs, std::int64_t height, std::int64_t width,
                          std::int64_t kernel, std::int64_t stride) {
  ConvolutionArgs args{};
  args.batch = batch;
  args.groups = groups;
  args.inputs = inputs;
  args.outputs = outputs;
  for (int d = 0; d < 3; ++d) {
    args.in[d] = d == 0 ? 1 : d == 1 ? height : width;
    args.kernel[d] = d == 0 ? 1 : std::min(kernel, args.in[d]);
    args.stride[d] = args.in[d] == 1 ? 1 : stride;
    args.padding[d] = args.kernel[d] / 2;
    args.dilation[d] = 1;
    args.out_sizes[d] = (args.in[d] + 2 * args.padding[d] - args.kernel[d]) / args.stride[d] + 1;
  }
  return args;
}

TEST_P(Convolution, PairsOfBfloat16) {
  Noise noise(26);
  for (const ConvolutionArgs& numbers :
       {of_images(2, 1, 18, 34, 9, 7, 3, 1), of_images(3, 2, 16, 20, 5, 6, 1, 1),
        of_images(1, 1, 48, 16, 12, 11, 3, 2), of_images(9, 3, 22, 26, 6, 5, 5, 3)}) {
    ASSERT_NO_FATAL_FAILURE(check<BFloat16>(numbers, noise, true));
    ASSERT_NO_FATAL_FAILURE(check<BFloat16>(numbers, noise, false));
  }
}

/// Sizes at which work is cut: blocks of channels, panels of pixels, joined images.
const ConvolutionArgs kLargeConvolutions[] = {
    of_images(1, 1, 200, 13, 9, 31, 3, 1), of_images(1, 1, 3, 9, 80, 90, 7, 2),
    of_images(9, 1, 16, 270, 7, 7, 1, 1),  of_images(2, 1, 70, 33, 32, 32, 1, 1),
    of_images(2, 1, 24, 40, 13, 15, 1, 1), of_images(3, 40, 1, 1, 20, 37, 3, 1),
    of_images(2, 8, 1, 1, 33, 34, 5, 2),   of_images(1, 1, 20, 9, 1, 700, 4, 3),
    of_images(2, 1, 40, 50, 15, 13, 1, 2), of_images(1, 1, 60, 300, 12, 12, 3, 2),
    of_images(1, 1, 130, 1, 24, 24, 3, 1), of_images(2, 1, 20, 24, 28, 28, 3, 1),
    of_images(3, 2, 17, 19, 13, 15, 3, 1), of_images(11, 1, 230, 16, 8, 8, 3, 1),
    of_images(1, 5, 1, 1, 91, 70, 3, 1),   of_images(2, 3, 1, 1, 101, 67, 5, 2),
    of_images(1, 2, 1, 1, 1, 9000, 4, 3),  of_images(5, 1, 1, 6, 28, 28, 5, 1),
    of_images(3, 2, 6, 16, 14, 14, 5, 1),  of_images(1, 1, 4, 33, 150, 160, 3, 1),
    of_images(2, 1, 9, 7, 90, 95, 3, 3),   of_images(1, 1, 2, 3, 1, 70000, 5, 2),
    of_images(1, 1, 160, 70, 5, 5, 3, 2),  of_images(1, 2, 130, 90, 4, 5, 3, 1),
    of_images(2, 3, 17, 21, 5, 7, 1, 1),   of_images(1, 1, 20, 776, 5, 7, 1, 1),
    of_images(3, 40, 1, 1, 20, 37, 3, 2),  of_images(1, 5, 1, 1, 91, 70, 3, 2),
    of_images(3, 1, 70, 66, 7, 7, 1, 1),   of_images(3, 1, 3, 20, 61, 43, 7, 2),
    of_images(2, 1, 4, 40, 19, 300, 3, 2)};

TEST_P(Convolution, LargeShapes) {
  if (is_cuda()) GTEST_SKIP() << "the kernels divide no work by size";
  Noise noise(22);
  for (const ConvolutionArgs& numbers : kLargeConvolutions) {
    ASSERT_NO_FATAL_FAILURE(check<float>(numbers, noise, true));
  }
}

using ConvolutionThreads = Convolution;

TEST_P(ConvolutionThreads, SameBitsForAnyThreadCount) {
  const int before = get_num_threads();
  Noise noise(23);
  for (const ConvolutionArgs& numbers : kLargeConvolutions) {
    SCOPED_TRACE(describe(numbers));
    ConvolutionCall<float> call(numbers, noise);
    for (const int number : {0, 1, 2, 3, 4, 5}) {
      const ConvolutionOp op = kConvolutionOps[number / 2];
      std::vector<float> results[4];
      for (int threads = 1; threads <= 4; ++threads) {
        if (testing::has_sanitizer() && threads % 2 == 0) continue;
        set_num_threads(threads);
        ConvolutionArgs args = call.args(op, true, results[threads - 1]);
        args.channels_last = number % 2;
        run(args);
        EXPECT_EQ(results[0], results[threads - 1]) << threads << " threads";
      }
    }
  }
  set_num_threads(before);
}

TEST_P(Convolution, ZerosAroundMeetNoInfinities) {
  // Lanes beyond a row must not reach the sums of a weight.
  ConvolutionArgs numbers = of_images(1, 1, 1, 1, 2, 9, 1, 1);
  numbers.stride[1] = 2;
  numbers.out_sizes[1] = 1;
  Noise noise(24);
  ConvolutionCall<float> call(numbers, noise);
  std::fill(call.x.begin() + 9, call.x.end(), std::numeric_limits<float>::infinity());
  std::vector<float> got;
  run(call.args(ConvolutionOp::kWeightGradient, false, got));
  EXPECT_TRUE(std::isfinite(got[0]));
  numbers.inputs = 2;
  ConvolutionCall<float> two(numbers, noise);
  std::fill(two.x.begin() + 9, two.x.begin() + 18, std::numeric_limits<float>::infinity());
  run(two.args(ConvolutionOp::kWeightGradient, false, got));
  EXPECT_TRUE(std::isfinite(got[0]) && std::isfinite(got[1]));
}

TEST_P(Convolution, InfinityInACornerReachesFourWeights) {
  const auto reached = weights_that_infinity_reaches(of_images(1, 1, 1, 1, 4, 5, 3, 1), 0);
  EXPECT_EQ(reached, (std::vector<std::size_t>{0, 1, 3, 4}));
}

TEST_P(Convolution, InfinityAtTheEndOfARowReachesOneWeight) {
  // The last column is the third of the last pixel. A next pixel would have it first.
  const auto reached = weights_that_infinity_reaches(of_images(1, 1, 1, 1, 4, 6, 3, 2), 5);
  EXPECT_EQ(reached, std::vector<std::size_t>{5});
}

TEST_P(Convolution, SaysInWhichWayTheCpuComputes) {
  if (is_cuda()) GTEST_SKIP() << "the kernels of CUDA have one algorithm";
  Noise noise(27);
  const auto way_of = [&](const ConvolutionArgs& numbers, bool channels_last,
                          ConvolutionOp op = ConvolutionOp::kForward) {
    ConvolutionCall<float> call(numbers, noise);
    std::vector<float> got;
    ConvolutionArgs args = call.args(op, false, got);
    const char* algorithm = "";
    args.channels_last = channels_last ? 1 : 0;
    args.algorithm = &algorithm;
    run(args);
    return std::string(algorithm);
  };
  const ConvolutionArgs image = of_images(1, 1, 16, 16, 28, 28, 3, 1);
  EXPECT_EQ(way_of(image, false), "Winograd");
  EXPECT_EQ(way_of(image, true), "Winograd");
  EXPECT_EQ(way_of(of_images(1, 1, 16, 16, 28, 28, 3, 2), false), "copied pixels");
  EXPECT_EQ(way_of(of_images(1, 1, 16, 16, 28, 28, 3, 2), true), "pixels");
  EXPECT_EQ(way_of(of_images(1, 1, 3, 6, 28, 28, 5, 1), false), "planes");
  EXPECT_EQ(way_of(of_images(1, 1, 160, 70, 5, 5, 3, 2), false), "planes") << "many weights";
  EXPECT_EQ(way_of(of_images(1, 1, 70, 66, 7, 7, 1, 1), false), "planes");
  EXPECT_EQ(way_of(of_images(1, 1, 70, 66, 3, 3, 1, 1), false), "planes");
  EXPECT_EQ(way_of(of_images(3, 1, 70, 66, 3, 3, 1, 1), false), "copied pixels") << "empty lanes";
  const ConvolutionArgs rgb = of_images(2, 1, 3, 16, 28, 28, 3, 2);
  EXPECT_EQ(way_of(rgb, true), "pixels");
  EXPECT_EQ(way_of(rgb, true, ConvolutionOp::kInputGradient), "copied planes");
  EXPECT_EQ(way_of(rgb, true, ConvolutionOp::kWeightGradient), "pixels");
  EXPECT_EQ(way_of(of_images(1, 9, 1, 1, 28, 28, 3, 1), false), "depthwise, planes");
  EXPECT_EQ(way_of(of_images(1, 9, 1, 1, 28, 28, 3, 1), true), "depthwise, pixels");
}

TEST_P(Convolution, UnsupportedDtype) {
  Noise noise(25);
  ConvolutionCall<float> call(kLargeConvolutions[7], noise);
  std::vector<float> got;
  ConvolutionArgs args = call.args(ConvolutionOp::kForward, false, got);
  args.dtype = kInt;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Convolution);
TERN_CPU_KERNEL_TESTS(ConvolutionThreads);

}  // namespace
}  // namespace tern
