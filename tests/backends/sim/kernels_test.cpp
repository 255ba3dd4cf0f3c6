#include <cmath>
#include <limits>

#include "backends/cuda/simulated.h"

#include <tern/core/kernels/families/copy.h>
#include <tern/core/kernels/families/fill.h>
#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/kernels/families/softmax.h>

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
constexpr float kFloatInf = std::numeric_limits<float>::infinity();
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

template <class Out, class In>
auto copied(const tern::testing::Values<In>& values) {
  const DeviceArray<In> in(values);
  const DeviceArray<Out> out((tern::testing::Values<Out>(values.size())));
  kernels::CopyArgs args{};
  args.ndim = 1;
  args.sizes[0] = static_cast<std::int64_t>(values.size());
  args.in_dtype = dtype_of<In>();
  args.out_dtype = dtype_of<Out>();
  args.in = in.data();
  args.out = out.data();
  args.in_strides[0] = args.out_strides[0] = 1;
  launch(args);
  return out.read();
}

TEST(SimCopy, CastsAsPyTorchDoesOnX86) {
  EXPECT_EQ((copied<std::int64_t, float>({1.9f, -1.9f, kFloatNaN, kFloatInf, -1e30f})),
            (L{1, -1, kLowest, kLowest, kLowest}));
  EXPECT_EQ((copied<bool, float>({0, -0.0f, 0.5f, kFloatNaN})), (B{0, 0, 1, 1}));
  EXPECT_EQ((copied<float, std::int64_t>({3, 16777217})), (F{3, 16777216}));
  EXPECT_EQ((copied<float, bool>({0, 1})), (F{0, 1}));
  EXPECT_EQ((copied<std::int64_t, bool>({0, 1})), (L{0, 1}));
  EXPECT_EQ((copied<double, float>({0.5f})), (std::vector<double>{0.5}));
}

TEST(SimCopy, FollowsStrides) {
  const auto in = upload<float>({1, 2, 3, 4, 5, 6});
  const DeviceArray<float> out(6, 0.0f);
  kernels::CopyArgs args{};  // the transpose of [2, 3]
  args.ndim = 2;
  args.sizes[0] = 3;
  args.sizes[1] = 2;
  args.in_dtype = args.out_dtype = kFloat;
  args.in = in.data();
  args.out = out.data();
  args.in_strides[0] = 1;
  args.in_strides[1] = 3;
  args.out_strides[0] = 2;
  args.out_strides[1] = 1;
  launch(args);
  EXPECT_EQ(out.read(), (F{1, 4, 2, 5, 3, 6}));
}

TEST(SimFill, FillsAView) {
  const DeviceArray<float> out(4, 0.0f);
  auto args = tern::testing::fill_args(out.data(), 2, 1.5f);
  args.out.strides[0] = 3;
  launch(args);
  EXPECT_EQ(out.read(), (F{1.5, 0, 0, 1.5}));
}

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

// Reduces the rows of a [rows, columns] array.
template <class In, class Out>
kernels::ReduceArgs row_args(kernels::ReduceOp op, const DeviceArray<In>& in, std::int64_t rows,
                             std::int64_t columns, const DeviceArray<Out>& out) {
  kernels::ReduceArgs args{};
  args.op = op;
  args.in_dtype = dtype_of<In>();
  args.out_dtype = dtype_of<Out>();
  args.kept_ndim = args.reduced_ndim = 1;
  args.kept_sizes[0] = rows;
  args.kept_in_strides[0] = columns;
  args.kept_out_strides[0] = 1;
  args.reduced_sizes[0] = columns;
  args.reduced_in_strides[0] = 1;
  args.in = in.data();
  args.out = out.data();
  args.scale = 1;
  return args;
}

TEST(SimReduce, SumsMultipliesAndFindsExtremes) {
  const auto in = upload<float>({1, 2, 3, 4, kFloatNaN, 6});
  const DeviceArray<float> out(2, 0.0f);
  auto args = row_args(kernels::ReduceOp::kSum, in, 2, 3, out);
  args.scale = 0.5;
  launch(args);
  EXPECT_EQ(out.read()[0], 3.0f);
  EXPECT_TRUE(std::isnan(out.read()[1]));
  args.op = kernels::ReduceOp::kProd;
  launch(args);
  EXPECT_EQ(out.read()[0], 6.0f);
  args.op = kernels::ReduceOp::kAmax;
  launch(args);
  EXPECT_EQ(out.read()[0], 3.0f);
  EXPECT_TRUE(std::isnan(out.read()[1]));
  args.op = kernels::ReduceOp::kAmin;
  launch(args);
  EXPECT_EQ(out.read()[0], 1.0f);
}

TEST(SimReduce, FindsTheFirstExtremeAndTheFirstNaN) {
  const auto in = upload<float>({1, 5, 5, 0, kFloatNaN, kFloatNaN});
  const DeviceArray<std::int64_t> out(2, -1);
  const DeviceArray<float> values(2, 0.0f);
  auto args = row_args(kernels::ReduceOp::kArgmax, in, 2, 3, out);
  args.values = values.data();
  launch(args);
  EXPECT_EQ(out.read(), (L{1, 1}));
  EXPECT_EQ(values.read()[0], 5.0f);
  EXPECT_TRUE(std::isnan(values.read()[1]));
  args.op = kernels::ReduceOp::kArgmin;
  launch(args);
  EXPECT_EQ(out.read(), (L{0, 1}));
}

TEST(SimReduce, AnyAndAllReadEveryDtype) {
  const auto in = upload<std::int64_t>({0, 7, 0, 0});
  const DeviceArray<bool> out(2, false);
  auto args = row_args(kernels::ReduceOp::kAny, in, 2, 2, out);
  launch(args);
  EXPECT_EQ(out.read(), (B{1, 0}));
  args.op = kernels::ReduceOp::kAll;
  launch(args);
  EXPECT_EQ(out.read(), (B{0, 0}));
}

TEST(SimReduce, EmptyRowsGiveTheNeutralElement) {
  const auto in = upload<std::int64_t>({9});
  const DeviceArray<std::int64_t> out(2, -1);
  const DeviceArray<bool> truth(2, false);
  launch(row_args(kernels::ReduceOp::kSum, in, 2, 0, out));
  EXPECT_EQ(out.read(), (L{0, 0}));
  launch(row_args(kernels::ReduceOp::kProd, in, 2, 0, out));
  EXPECT_EQ(out.read(), (L{1, 1}));
  launch(row_args(kernels::ReduceOp::kAll, in, 2, 0, truth));
  EXPECT_EQ(truth.read(), (B{1, 1}));
}

kernels::GemmArgs gemm_args(const float* a, const float* b, float* c, std::int64_t m,
                            std::int64_t n, std::int64_t k) {
  kernels::GemmArgs args{};
  args.dtype = kFloat;
  args.batch = 1;
  args.m = m;
  args.n = n;
  args.k = k;
  args.a = a;
  args.a_row_stride = k;
  args.a_col_stride = 1;
  args.b = b;
  args.b_row_stride = n;
  args.b_col_stride = 1;
  args.c = c;
  args.c_row_stride = n;
  args.alpha = 1;
  return args;
}

TEST(SimGemm, MultipliesAndAdds) {
  const auto a = upload<float>({1, 2, 3, 4}), b = upload<float>({5, 6, 7, 8});
  const auto bias = upload<float>({-100, 1});
  const DeviceArray<float> c(4, kFloatNaN);
  auto args = gemm_args(a.data(), b.data(), c.data(), 2, 2, 2);
  launch(args);  // beta 0: c is not read
  EXPECT_EQ(c.read(), (F{19, 22, 43, 50}));
  args.alpha = 2;
  args.beta = -1;
  launch(args);
  EXPECT_EQ(c.read(), (F{19, 22, 43, 50}));
  args.alpha = 1;
  args.beta = 0;
  args.bias = bias.data();
  args.bias_stride = 1;
  launch(args);
  EXPECT_EQ(c.read(), (F{-81, 23, -57, 51}));
}

TEST(SimGemm, ReadsTransposedAndBroadcastOperands) {
  const auto a = upload<float>({1, 2, 3, 4, 5, 6, 7, 8}), b = upload<float>({1, 0, 0, 1});
  const DeviceArray<float> c(8, 0.0f);
  auto args = gemm_args(a.data(), b.data(), c.data(), 2, 2, 2);
  args.batch = 2;
  args.a_batch_stride = args.c_batch_stride = 4;
  args.a_row_stride = 1;
  args.a_col_stride = 2;
  launch(args);
  EXPECT_EQ(c.read(), (F{1, 3, 2, 4, 5, 7, 6, 8}));
}

TEST(SimGemm, LeavesGapsInTheResultAlone) {
  const auto a = upload<float>({1, 2}), b = upload<float>({3, 4});
  const DeviceArray<float> c(9, 7.0f);
  auto args = gemm_args(a.data(), b.data(), c.data(), 1, 2, 1);
  args.batch = 2;
  args.a_batch_stride = 1;
  args.c_row_stride = 3;
  args.c_batch_stride = 5;
  launch(args);
  EXPECT_EQ(c.read(), (F{3, 4, 7, 7, 7, 6, 8, 7, 7}));
}

TEST(SimGemm, WithoutInnerSizeGivesTheBias) {
  const auto bias = upload<float>({3, 4});
  const DeviceArray<float> c(4, kFloatNaN);
  auto args = gemm_args(nullptr, nullptr, c.data(), 2, 2, 0);
  args.bias = bias.data();
  args.bias_stride = 1;
  launch(args);
  EXPECT_EQ(c.read(), (F{3, 4, 3, 4}));
  args.dtype = kBool;
  EXPECT_EQ(launch(args).status, StatusCode::kUnsupportedDtype);
}

TEST(SimSoftmax, ForwardAndBackward) {
  const auto in = upload<double>({0, std::log(3.0)}), grad = upload<double>({1, 0});
  const DeviceArray<double> y(2, 0.0), out(2, 0.0);
  kernels::SoftmaxArgs args{
      kernels::SoftmaxOp::kSoftmax, kDouble, 1, 2, 1, in.data(), nullptr, y.data()};
  launch(args);
  EXPECT_DOUBLE_EQ(y.read()[0], 0.25);
  EXPECT_DOUBLE_EQ(y.read()[1], 0.75);
  args.op = kernels::SoftmaxOp::kSoftmaxBackward;
  args.in = y.data();
  args.grad = grad.data();
  args.out = out.data();
  launch(args);
  EXPECT_DOUBLE_EQ(out.read()[0], 0.25 * 0.75);
  EXPECT_DOUBLE_EQ(out.read()[1], -0.75 * 0.25);
  args = {kernels::SoftmaxOp::kLogSoftmax, kDouble, 1, 2, 1, in.data(), nullptr, y.data()};
  launch(args);
  EXPECT_DOUBLE_EQ(y.read()[0], std::log(0.25));
  args = {
      kernels::SoftmaxOp::kLogSoftmaxBackward, kDouble, 1, 2, 1, y.data(), grad.data(), out.data()};
  launch(args);
  EXPECT_DOUBLE_EQ(out.read()[0], 0.75);
  EXPECT_DOUBLE_EQ(out.read()[1], -0.75);
}

TEST(SimSoftmax, InnerDimensionsAndInfinities) {
  const auto in = upload<float>({-kFloatInf, 0, -kFloatInf, kFloatInf});  // [1, 2, 2]
  const DeviceArray<float> y(4, 0.0f);
  launch(kernels::SoftmaxArgs{kernels::SoftmaxOp::kSoftmax, kFloat, 1, 2, 2, in.data(), nullptr,
                              y.data()});
  const F result = y.read();
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[2]));  // a row of -inf
  EXPECT_TRUE(std::isnan(result[3]));                           // a row with +inf
}

TEST(SimIndex, SelectsAddsGathersAndScatters) {
  const auto in = upload<float>({1, 2, 3, 4, 5, 6});  // [3, 2]
  const auto index = upload<std::int64_t>({2, 0});
  const DeviceArray<float> out(4, 0.0f), sums(6, 1.0f);
  kernels::IndexArgs args{
      kernels::IndexOp::kSelect, kFloat, 1, 2, 3, 2, 2, 3, in.data(), index.data(), out.data()};
  launch(args);
  EXPECT_EQ(out.read(), (F{5, 6, 1, 2}));
  args = {kernels::IndexOp::kAdd, kFloat, 1, 2, 2, 3, 2, 3, out.data(), index.data(), sums.data()};
  launch(args);
  EXPECT_EQ(sums.read(), (F{2, 3, 1, 1, 6, 7}));
  const auto places = upload<std::int64_t>({1, 0, 1, 1});  // [2, 2]
  args = {
      kernels::IndexOp::kGather, kFloat, 1, 2, 3, 2, 2, 3, in.data(), places.data(), out.data()};
  launch(args);
  EXPECT_EQ(out.read(), (F{3, 2, 3, 4}));
  args = {kernels::IndexOp::kScatterAdd,
          kFloat,
          1,
          2,
          2,
          3,
          2,
          3,
          out.data(),
          places.data(),
          sums.data()};
  launch(args);
  EXPECT_EQ(sums.read(), (F{2, 5, 7, 5, 6, 7}));
}

TEST(SimIndex, ABadIndexIsTheErrorOfTheNextWait) {
  const auto in = upload<float>({1, 2});
  const auto index = upload<std::int64_t>({7});
  const DeviceArray<float> out(1, 0.0f);
  const kernels::IndexArgs args{
      kernels::IndexOp::kSelect, kFloat, 1, 1, 2, 1, 1, 2, in.data(), index.data(), out.data()};
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
