#include <vector>

#include <tern/core/kernels/families/grid_sample.h>
#include <tern/core/kernels/families/resampling.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

/// Draws a number in [low, high].
std::int64_t draw_size(Noise& noise, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(noise.bits() % static_cast<std::uint64_t>(high - low + 1));
}

template <class T>
std::vector<T> random_elements(Noise& noise, std::int64_t count, double low = -2, double high = 2) {
  std::vector<T> elements(static_cast<std::size_t>(count));
  for (T& x : elements) x = static_cast<T>(static_cast<float>(noise.uniform(low, high)));
  return elements;
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<T>& want, double units) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto a = static_cast<double>(got[i]), b = static_cast<double>(want[i]);
    ASSERT_NEAR(a, b, static_cast<double>(testing::error_limit<T>(4)) * units * (1 + std::abs(b)))
        << "at " << i;
  }
}

class Resample : public testing::KernelTest {
 protected:
  template <class T>
  void check(ResampleArgs args, Noise& noise) {
    SCOPED_TRACE(::testing::Message()
                 << dtype_of<T>() << " mode " << static_cast<int>(args.mode) << " outer "
                 << args.outer << " in " << args.in_size << " out " << args.out_size << " inner "
                 << args.inner << " scale " << args.scale << " aligned " << args.align_corners
                 << " backward " << args.backward);
    args.dtype = dtype_of<T>();
    const std::int64_t ins = args.outer * args.in_size * args.inner;
    const std::int64_t outs = args.outer * args.out_size * args.inner;
    const bool back = args.backward != 0;
    const std::vector<T> in = random_elements<T>(noise, back ? outs : ins);
    std::vector<T> out(static_cast<std::size_t>(back ? ins : outs)), want(out.size());
    args.in = in.data();
    args.out = out.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out = want.data();
    testing::run_oracle(args);
    expect_near(out, want, 16);
  }
};

TEST_P(Resample, RandomSizesAndOptions) {
  Noise noise(8);
  for (int i = 0; i < 1000; ++i) {
    ResampleArgs args{};
    args.mode = static_cast<ResampleMode>(i % 6);
    args.backward = draw_size(noise, 0, 1) == 1;
    const bool is_nearest =
        args.mode == ResampleMode::kNearest || args.mode == ResampleMode::kNearestExact;
    args.align_corners = !is_nearest && draw_size(noise, 0, 2) == 0;
    args.outer = draw_size(noise, 1, 5);
    args.in_size = draw_size(noise, 1, 20);
    args.out_size = draw_size(noise, 1, 20);
    args.inner = i % 3 == 0 ? 1 : draw_size(noise, 1, 30);
    if (args.align_corners == 0 && draw_size(noise, 0, 2) == 0) {
      args.scale = static_cast<double>(args.out_size) / static_cast<double>(args.in_size) * 1.03;
    }
    check<float>(args, noise);
    check<double>(args, noise);
    check<Half>(args, noise);
    check<BFloat16>(args, noise);
  }
}

// Long rows, which threads share.
TEST_P(Resample, ManyElements) {
  Noise noise(9);
  for (const std::int64_t inner : {1, 37}) {
    for (const bool back : {false, true}) {
      ResampleArgs args{ResampleMode::kLinear,
                        kFloat,
                        back,
                        0,
                        is_cuda() ? 3 : 90,
                        50,
                        101,
                        inner,
                        0,
                        nullptr,
                        nullptr};
      check<float>(args, noise);
    }
  }
}

TEST_P(Resample, UnsupportedDtype) {
  std::int64_t x[2] = {};
  EXPECT_EQ(run(ResampleArgs{ResampleMode::kLinear, kLong, 0, 0, 1, 1, 1, 1, 0, x, x + 1}).status,
            StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Resample);

class GridSample : public testing::KernelTest {
 protected:
  template <class T>
  void check(GridSampleArgs args, Noise& noise) {
    SCOPED_TRACE(::testing::Message()
                 << dtype_of<T>() << " mode " << static_cast<int>(args.mode) << " padding "
                 << static_cast<int>(args.padding) << " aligned " << args.align_corners << " dims "
                 << args.dims << " sizes " << args.sizes[0] << ' ' << args.sizes[1] << ' '
                 << args.sizes[2]);
    args.dtype = dtype_of<T>();
    const std::int64_t plane = args.sizes[0] * args.sizes[1] * args.sizes[2];
    const std::int64_t planes = args.batch * args.channels;
    const std::vector<T> in = random_elements<T>(noise, planes * plane);
    // Points that are exact in every dtype, at different distances from the jumps.
    std::vector<T> grid = random_elements<T>(noise, args.batch * args.points * args.dims);
    for (T& x : grid) {
      x = static_cast<T>(static_cast<float>(draw_size(noise, -48, 48)) / 32 + 1.0F / 64);
    }
    const std::vector<T> grad = random_elements<T>(noise, planes * args.points);
    const double units = args.mode == GridMode::kBicubic ? 64 : 16;
    args.in = in.data();
    args.grid = grid.data();
    std::vector<T> out(grad.size()), want(grad.size());
    args.out = out.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out = want.data();
    testing::run_oracle(args);
    expect_near(out, want, units);
    args.out = nullptr;
    args.grad = grad.data();
    std::vector<T> grad_in(in.size()), want_in(in.size());
    std::vector<T> grad_grid(grid.size()), want_grid(grid.size());
    args.grad_in = grad_in.data();
    args.grad_grid = grad_grid.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.grad_in = want_in.data();
    args.grad_grid = want_grid.data();
    testing::run_oracle(args);
    expect_near(grad_in, want_in, units);
    expect_near(grad_grid, want_grid, units * static_cast<double>(args.channels) * 8);
  }
};

TEST_P(GridSample, RandomSizesAndOptions) {
  Noise noise(10);
  for (int i = 0; i < (is_cuda() ? 200 : 1000); ++i) {
    GridSampleArgs args{};
    args.mode = static_cast<GridMode>(i % 3);
    args.padding = static_cast<GridPadding>(draw_size(noise, 0, 2));
    args.align_corners = draw_size(noise, 0, 1) == 1;
    args.dims = static_cast<std::int32_t>(draw_size(noise, 2, 3));
    args.batch = draw_size(noise, 1, 3);
    args.channels = draw_size(noise, 1, 3);
    args.points = draw_size(noise, 1, 20);
    for (int d = 0; d < 3; ++d)
      args.sizes[d] = d == 0 && args.dims == 2 ? 1 : draw_size(noise, 1, 6);
    // The jumps of nearest lie at points that float16 cannot tell apart.
    if (args.mode != GridMode::kNearest) {
      check<Half>(args, noise);
      check<BFloat16>(args, noise);
    }
    check<float>(args, noise);
    check<double>(args, noise);
  }
}

TERN_KERNEL_TESTS(GridSample);

}  // namespace
}  // namespace tern
