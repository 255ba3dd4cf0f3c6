#include <limits>

#include "backends/cuda/simulated.h"

#include <tern/core/kernels/families/fill.h>
#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/kernels/optim/formulas.h>

// What PyTorch's values in the records of tests/ops and in golden/optim/optim.json do not show of
// the kernels.

namespace tern::sim {
namespace {

using kernels::StatusCode;
using tern::testing::DeviceArray;
using tern::testing::launch;
using tern::testing::upload;

using F = std::vector<float>;
using L = std::vector<std::int64_t>;
using B = std::vector<std::uint8_t>;
constexpr float kFloatNaN = std::numeric_limits<float>::quiet_NaN();

TEST(SimArange, CountsInEachDtype) {
  kernels::ArangeArgs args{};
  args.count = 3;
  args.start = {0.5, 10};
  args.step = {0.25, -2};
  const DeviceArray<float> floats(3, 0.0f);
  const DeviceArray<std::int64_t> longs(3, 0);
  args.dtype = kFloat;
  args.out = floats.data();
  launch(args);
  args.dtype = kLong;
  args.out = longs.data();
  launch(args);
  EXPECT_EQ(floats.read(), (F{0.5, 0.75, 1}));
  EXPECT_EQ(longs.read(), (L{10, 8, 6}));
  args.dtype = kBool;
  EXPECT_EQ(launch(args).status, StatusCode::kUnsupportedDtype);
}

TEST(SimReduce, EmptyRowsGiveTheNeutralElement) {
  const auto in = upload<std::int64_t>({9});
  const DeviceArray<std::int64_t> out(2, -1);
  const DeviceArray<bool> truth(2, false);
  kernels::ReduceArgs args{};  // the rows of [2, 0]
  args.in_dtype = args.out_dtype = kLong;
  args.kept_ndim = args.reduced_ndim = 1;
  args.kept_sizes[0] = 2;
  args.kept_out_strides[0] = args.reduced_in_strides[0] = 1;
  args.in = in.data();
  args.out = out.data();
  args.op = kernels::ReduceOp::kSum;
  launch(args);
  EXPECT_EQ(out.read(), (L{0, 0}));
  args.op = kernels::ReduceOp::kProd;
  launch(args);
  EXPECT_EQ(out.read(), (L{1, 1}));
  args.op = kernels::ReduceOp::kAll;
  args.out_dtype = kBool;
  args.out = truth.data();
  launch(args);
  EXPECT_EQ(truth.read(), (B{1, 1}));
}

TEST(SimGemm, WithoutInnerSizeGivesTheBias) {
  const auto bias = upload<float>({3, 4});
  const DeviceArray<float> c(4, kFloatNaN);
  kernels::GemmArgs args{};  // [2, 0] x [0, 2]
  args.dtype = kFloat;
  args.batch = 1;
  args.m = args.n = 2;
  args.a_col_stride = args.b_col_stride = 1;
  args.b_row_stride = args.c_row_stride = 2;
  args.c = c.data();
  args.alpha = 1;
  args.bias = bias.data();
  args.bias_stride = 1;
  launch(args);
  EXPECT_EQ(c.read(), (F{3, 4, 3, 4}));
  args.dtype = kBool;
  EXPECT_EQ(launch(args).status, StatusCode::kUnsupportedDtype);
}

TEST(SimOptim, ReadsLearningRateAndStepOnTheDevice) {
  const auto p = upload<double>({1}), g = upload<double>({0.5}), m = upload<double>({0}),
             v = upload<double>({0}), lr = upload<double>({0.25}), step = upload<double>({1});
  kernels::OptimArgs args{};
  kernels::set_optim_rule<kernels::AdamRule>(args, 0, {0.9, 0.999, 0, 0});
  args.dtype = kDouble;
  args.count = 1;
  args.lr = 7;
  args.step = 9;
  args.device_lr = lr.data();
  args.device_step = step.data();
  args.param[0] = p.data();
  args.grad[0] = g.data();
  args.state[0][0] = m.data();
  args.state[1][0] = v.data();
  args.numel[0] = 1;
  launch(args);
  EXPECT_NEAR(p.read()[0], 0.75, 1e-12);  // the first step is lr in the direction of the sign
}

TEST(SimIndex, ABadIndexIsTheErrorOfTheNextWait) {
  const auto in = upload<float>({1, 2});
  const auto index = upload<std::int64_t>({7});
  const DeviceArray<float> out(1, 0.0f);
  const kernels::IndexArgs args{
      kernels::IndexOp::kSelect, kFloat, 1, 1, 2, 1, 1, 2, in.data(), index.data(), out.data(), 0};
  EXPECT_EQ(launch(args).status, StatusCode::kOk);
  EXPECT_EQ(error_of<IndexError>([] { cuda::synchronize(0); }),
            "index_select(): index 7 is out of bounds for a dimension of size 2; it was found on "
            "cuda:0 after the call had returned");
  EXPECT_NO_THROW(cuda::synchronize(0));  // reported once; the device stays usable
  EXPECT_EQ(in.read(), (F{1, 2}));
  launch(args);
  EXPECT_THROW(in.read(), IndexError);  // a blocking copy waits, too
}

}  // namespace
}  // namespace tern::sim
