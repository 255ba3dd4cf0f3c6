#include <limits>
#include <vector>

#include <tern/core/kernels/families/pooling.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

/// Draws a number in [low, high].
std::int64_t draw(Noise& noise, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(noise.bits() % static_cast<std::uint64_t>(high - low + 1));
}

/// Draws windows; some of them may lie beside the input.
PoolingArgs draw_windows(Noise& noise, PoolingWindows windows, bool has_dilation) {
  PoolingArgs args{};
  args.windows = windows;
  args.planes = draw(noise, 1, 4);
  args.count_include_pad = draw(noise, 0, 1) == 1;
  args.divisor = draw(noise, 0, 3) == 0 ? draw(noise, 2, 5) : 0;
  const std::int64_t dims = draw(noise, 1, 3);
  for (int d = 0; d < 3; ++d) {
    const std::int64_t most = d == 2 ? 40 : 9;
    args.sizes[d] = d < 3 - dims ? 1 : draw(noise, 1, most);
    args.stride[d] = args.dilation[d] = 1;
    if (windows == PoolingWindows::kAdaptive) {
      args.out_sizes[d] = draw(noise, 1, args.sizes[d] + 2);
      continue;
    }
    const bool is_wide = windows == PoolingWindows::kRegular && draw(noise, 0, 7) == 0;
    args.kernel[d] = draw(noise, 1, is_wide ? 20 : std::min<std::int64_t>(args.sizes[d], 5));
    if (windows == PoolingWindows::kTable) {
      args.out_sizes[d] = draw(noise, 1, args.sizes[d] - args.kernel[d] + 1);
      continue;
    }
    args.stride[d] = draw(noise, 1, 4);
    if (has_dilation && args.kernel[d] > 1) {
      args.dilation[d] =
          draw(noise, 1, std::max<std::int64_t>((args.sizes[d] - 1) / (args.kernel[d] - 1), 1));
    }
    // Less than the distance of two elements, so that one of them is inside.
    args.padding[d] = draw(noise, 0, args.kernel[d] / 2);
    if (args.dilation[d] > 1) args.padding[d] = std::min<std::int64_t>(args.padding[d], 1);
    args.padding[d] = std::max(args.padding[d], (args.kernel[d] - args.sizes[d] + 1) / 2);
    const std::int64_t reach = (args.kernel[d] - 1) * args.dilation[d] + 1;
    std::int64_t out =
        std::max<std::int64_t>(args.sizes[d] + 2 * args.padding[d] - reach, 0) / args.stride[d] + 1;
    const bool hangs_over =
        (out - 1) * args.stride[d] + args.stride[d] < args.sizes[d] + args.padding[d];
    if (draw(noise, 0, 1) == 1 && hangs_over && args.dilation[d] == 1) ++out;
    args.out_sizes[d] = out;
  }
  return args;
}

/// Returns false for windows that an op refuses.
bool every_window_has_an_element(const PoolingArgs& args) {
  if (args.windows == PoolingWindows::kTable) return true;
  for (int d = 0; d < 3; ++d) {
    for (std::int64_t o = 0; o < args.out_sizes[d]; ++o) {
      const PoolingRange range = pooling_range(args, 0, d, o);
      if (range.begin >= range.end) return false;
    }
  }
  return true;
}

/// The shapes that are compared. Emulated kernels take longer; a sanitizer sees the same in fewer.
int count_of_shapes(bool is_cuda) { return is_cuda ? 200 : testing::has_sanitizer() ? 300 : 1000; }

/// Draws windows such that each has an element inside of the input.
PoolingArgs random_windows(Noise& noise, PoolingWindows windows, bool has_dilation) {
  constexpr std::int64_t kMost = 4000;  // elements of windows, which keeps the test quick
  for (;;) {
    const PoolingArgs args = draw_windows(noise, windows, has_dilation);
    std::int64_t work = args.planes;
    for (int d = 0; d < 3; ++d) {
      work *=
          std::max(args.out_sizes[d] * std::max<std::int64_t>(args.kernel[d], 1), args.sizes[d]);
    }
    if (work <= kMost && every_window_has_an_element(args)) return args;
  }
}

class Pooling : public testing::KernelTest {
 protected:
  template <class T>
  void check(PoolingArgs args, PoolingOp op, Noise& noise, bool with_indices = false) {
    SCOPED_TRACE(::testing::Message()
                 << dtype_of<T>() << " op " << static_cast<int>(op) << " windows "
                 << static_cast<int>(args.windows) << " sizes " << args.sizes[0] << ' '
                 << args.sizes[1] << ' ' << args.sizes[2] << " out " << args.out_sizes[0] << ' '
                 << args.out_sizes[1] << ' ' << args.out_sizes[2] << " kernel " << args.kernel[0]
                 << ' ' << args.kernel[1] << ' ' << args.kernel[2] << " stride " << args.stride[2]
                 << " padding " << args.padding[2] << " dilation " << args.dilation[2]);
    args.op = op;
    args.dtype = dtype_of<T>();
    const auto count = [&](const std::int64_t* n) {
      return static_cast<std::size_t>(args.planes * n[0] * n[1] * n[2]);
    };
    const bool back = op == PoolingOp::kAverageBackward;
    std::vector<T> in(count(back ? args.out_sizes : args.sizes));
    std::vector<T> out(count(back ? args.sizes : args.out_sizes)), want(out.size());
    std::vector<std::int64_t> indices(out.size(), -7), want_indices(out.size(), -7);
    for (T& x : in) {
      x = static_cast<T>(static_cast<int>(noise.bits() % 9) - 4);
      if constexpr (is_floating_point(dtype_of<T>())) {
        const std::uint64_t kind = op == PoolingOp::kMax ? noise.bits() % 12 : 2;
        if (kind == 0) x = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
        if (kind == 1) x = static_cast<T>(-std::numeric_limits<float>::infinity());
      }
    }
    args.in = in.data();
    args.out = out.data();
    if (with_indices) args.indices = indices.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out = want.data();
    if (with_indices) args.indices = want_indices.data();
    testing::run_oracle(args);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Number got = Number(out[i]), right = Number(want[i]);
      if (op == PoolingOp::kMax || !is_floating_point(dtype_of<T>())) {
        ASSERT_TRUE(got == right || (got != got && right != right))
            << "at " << i << ": " << got << " instead of " << right;
        ASSERT_EQ(indices[i], want_indices[i]) << "at " << i;
      } else {
        ASSERT_NEAR(static_cast<double>(got), static_cast<double>(right),
                    static_cast<double>(testing::error_limit<T>(8)) * 8)
            << "at " << i;
      }
    }
  }
};

TEST_P(Pooling, MaximaOfRandomWindows) {
  Noise noise(5);
  for (int i = 0; i < count_of_shapes(is_cuda()); ++i) {
    const auto windows = static_cast<PoolingWindows>(draw(noise, 0, 2));
    PoolingArgs args = random_windows(noise, windows, /*has_dilation=*/true);
    std::vector<std::int64_t> starts;
    if (windows == PoolingWindows::kTable) {
      for (std::int64_t plane = 0; plane < args.planes; ++plane) {
        for (int d = 0; d < 3; ++d) {
          for (std::int64_t o = 0; o < args.out_sizes[d]; ++o) {
            starts.push_back(draw(noise, 0, args.sizes[d] - args.kernel[d]));
          }
        }
      }
      args.starts = starts.data();
    }
    const bool with_indices = i % 3 != 0;
    check<float>(args, PoolingOp::kMax, noise, with_indices);
    check<double>(args, PoolingOp::kMax, noise, with_indices);
    check<std::int64_t>(args, PoolingOp::kMax, noise, with_indices);
    check<BFloat16>(args, PoolingOp::kMax, noise, with_indices);
    check<std::int8_t>(args, PoolingOp::kMax, noise, with_indices);
  }
}

TEST_P(Pooling, MaximaOfSquares) {
  Noise noise(7);
  for (std::int64_t width = 2; width < 40; ++width) {
    PoolingArgs args{};
    args.planes = draw(noise, 1, 3);
    for (int d = 0; d < 3; ++d) {
      args.sizes[d] = d == 0 ? 1 : d == 1 ? draw(noise, 2, 5) : width;
      args.kernel[d] = args.stride[d] = d == 0 ? 1 : 2;
      args.dilation[d] = 1;
      args.out_sizes[d] = args.sizes[d] / args.kernel[d];
    }
    check<float>(args, PoolingOp::kMax, noise, /*with_indices=*/true);
    check<BFloat16>(args, PoolingOp::kMax, noise, /*with_indices=*/true);
  }
}

TEST_P(Pooling, AveragesOfRandomWindows) {
  Noise noise(6);
  for (int i = 0; i < count_of_shapes(is_cuda()); ++i) {
    const auto windows = static_cast<PoolingWindows>(draw(noise, 0, 1));
    const PoolingArgs args = random_windows(noise, windows, /*has_dilation=*/false);
    check<float>(args, PoolingOp::kAverage, noise);
    check<double>(args, PoolingOp::kAverage, noise);
    check<Half>(args, PoolingOp::kAverage, noise);
    check<std::int64_t>(args, PoolingOp::kAverage, noise);
    check<float>(args, PoolingOp::kAverageBackward, noise);
    check<double>(args, PoolingOp::kAverageBackward, noise);
    check<BFloat16>(args, PoolingOp::kAverageBackward, noise);
  }
}

// Windows that reach far beyond the input cost as much as the elements inside.
TEST_P(Pooling, WindowsOfBillionsOfElements) {
  constexpr std::int64_t kMost = 0x7fffffff;
  std::vector<float> in = {1, 5, 2, 3, 4, -9}, out(1);
  PoolingArgs args{};
  args.dtype = kFloat;
  args.planes = 1;
  for (int d = 0; d < 3; ++d) {
    args.sizes[d] = d == 0 ? 1 : d + 1;
    args.out_sizes[d] = args.dilation[d] = 1;
    args.kernel[d] = args.stride[d] = d == 0 ? 1 : kMost;
    args.padding[d] = d == 0 ? 0 : kMost / 2;
  }
  args.in = in.data();
  args.out = out.data();
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(out[0], 5);
  args.op = PoolingOp::kAverage;
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_EQ(out[0], 1);
  args.op = PoolingOp::kAverageBackward;
  args.in = out.data();
  args.out = in.data();
  ASSERT_EQ(run(args).status, StatusCode::kOk);
  EXPECT_FLOAT_EQ(in[5], 1.0F / 6);
}

// Many planes and long rows, which threads share.
TEST_P(Pooling, ManyElements) {
  Noise noise(7);
  PoolingArgs args{};
  args.count_include_pad = 1;
  args.planes = is_cuda() ? 3 : 70;
  for (int d = 0; d < 3; ++d) {
    args.sizes[d] = d == 0 ? 1 : 24;
    args.kernel[d] = d == 0 ? 1 : 3;
    args.stride[d] = d == 0 ? 1 : 2;
    args.padding[d] = d == 0 ? 0 : 1;
    args.dilation[d] = 1;
    args.out_sizes[d] = d == 0 ? 1 : 12;
  }
  check<float>(args, PoolingOp::kMax, noise, true);
  check<BFloat16>(args, PoolingOp::kMax, noise, true);
  check<float>(args, PoolingOp::kAverage, noise);
  check<float>(args, PoolingOp::kAverageBackward, noise);
}

TEST_P(Pooling, UnsupportedDtype) {
  PoolingArgs args{};
  args.planes = 1;
  for (int d = 0; d < 3; ++d) {
    args.sizes[d] = args.out_sizes[d] = args.kernel[d] = args.stride[d] = args.dilation[d] = 1;
  }
  bool flags[2] = {};
  args.dtype = kBool;
  args.in = flags;
  args.out = flags + 1;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
  std::int32_t numbers[2] = {};
  args.op = PoolingOp::kAverage;
  args.dtype = kInt;
  args.in = numbers;
  args.out = numbers + 1;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Pooling);

}  // namespace
}  // namespace tern
