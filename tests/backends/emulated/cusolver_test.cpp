#include <cmath>
#include <limits>
#include <vector>

#include <tern/backends/cuda/device/linalg/library.h>
#include <tern/core/kernels/families/linalg.h>

#include "backends/kernel_test.h"

// The calls that CUDA's kernel of linear algebra makes to cuSOLVER and cuBLAS: batches, matrices
// with NaN, failures. linalg_test and linalg_factors_test check the results of single matrices.

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

/// A call of the kernel with its buffers.
template <class T>
struct LinalgCall {
  LinalgArgs args{};
  std::vector<T> a, b, out, second, third;
  std::vector<std::int32_t> pivots;
  std::vector<std::int64_t> info;

  LinalgCall(LinalgOp op, std::int64_t batch, std::int64_t m, std::int64_t n) {
    args.op = op;
    args.dtype = dtype_of<T>();
    args.batch = batch;
    args.m = m;
    args.n = n;
    if (args.solves()) args.columns = 3;
    if (op == LinalgOp::kQr) args.columns = args.smaller();
    Noise noise(11);
    fill(a, m * n, noise);
    for (std::int64_t i = 0; i < batch; ++i) {  // far from singular, and positive definite
      for (std::int64_t j = 0; j < args.smaller(); ++j) at(i, j, j) += static_cast<T>(m + n);
    }
    if (args.solves()) fill(b, n * args.columns, noise);
    args.a = a.data();
    args.b = b.data();
    info.resize(static_cast<std::size_t>(batch), -7);
    args.info = info.data();
    if (op == LinalgOp::kLu) resize(pivots, args.smaller());
    args.pivots = pivots.data();
    use_outputs();
  }

  T& at(std::int64_t matrix, std::int64_t i, std::int64_t j) {
    return a[static_cast<std::size_t>((matrix * args.m + i) * args.n + j)];
  }
  /// Sizes the outputs, after a change to `args`.
  void use_outputs() {
    resize(out, args.out_size());
    resize(second, args.second_size());
    resize(third, args.third_size());
    args.out = out.data();
    args.second = second.empty() ? nullptr : second.data();
    args.third = third.empty() ? nullptr : third.data();
  }

 private:
  template <class Element>
  void resize(std::vector<Element>& buffer, std::int64_t size) {
    buffer.assign(static_cast<std::size_t>(args.batch * size), Element(-7));
  }
  void fill(std::vector<T>& buffer, std::int64_t size, Noise& noise) {
    resize(buffer, size);
    for (T& x : buffer) x = static_cast<T>(noise.uniform(-1, 1));
  }
};

class Cusolver : public ::testing::Test {
 protected:
  Cusolver() { emulator::cuda_kernels().register_kernels(&table_); }
  ~Cusolver() override {
    solver_.create_status = CUSOLVER_STATUS_SUCCESS;
    solver_.factor_status = CUSOLVER_STATUS_SUCCESS;
    solver_.never_converges = false;
  }

  template <class T>
  KernelContext run(const LinalgCall<T>& call, int device = 0) const {
    KernelContext context;
    context.device = device;
    LinalgArgs args = call.args;
    const testing::Guards guards(operands(args));
    table_[Slot::linalg](&args, &context);
    return context;
  }

  /// Runs the call and returns how many calls for batches and for single matrices it made.
  template <class T>
  std::pair<int, int> count(const LinalgCall<T>& call) const {
    const int batched = solver_.batched_calls, single = solver_.calls;
    EXPECT_EQ(run(call).status, StatusCode::kOk);
    return {solver_.batched_calls - batched, solver_.calls - single};
  }

  /// Checks that a batch has the results of its matrices, each computed alone.
  template <class T>
  void check_batch(LinalgOp op, std::int64_t m, std::int64_t n, std::pair<int, int> calls,
                   int full = 0) const {
    SCOPED_TRACE(::testing::Message() << "op " << static_cast<int>(op) << ", " << dtype_of<T>()
                                      << ", " << m << " by " << n << ", full " << full);
    constexpr std::int64_t kBatch = 3;
    LinalgCall<T> batch(op, kBatch, m, n);
    batch.args.full = full;
    batch.use_outputs();
    EXPECT_EQ(count(batch), calls);
    EXPECT_EQ(batch.info, std::vector<std::int64_t>(kBatch, 0));
    for (std::int64_t i = 0; i < kBatch; ++i) {
      LinalgCall<T> one(op, 1, m, n);
      one.args.full = full;
      one.use_outputs();
      std::copy_n(&batch.at(i, 0, 0), m * n, one.a.begin());
      std::copy_n(batch.b.begin() + i * static_cast<std::int64_t>(one.b.size()), one.b.size(),
                  one.b.begin());
      ASSERT_EQ(run(one).status, StatusCode::kOk);
      const auto expect_part = [i](const auto& all, const auto& part) {
        const auto first = all.begin() + i * static_cast<std::int64_t>(part.size());
        EXPECT_TRUE(std::equal(part.begin(), part.end(), first)) << "matrix " << i;
      };
      expect_part(batch.out, one.out);
      expect_part(batch.second, one.second);
      expect_part(batch.third, one.third);
      expect_part(batch.pivots, one.pivots);
    }
  }

  emulator::Cusolver& solver_ = emulator::cusolver();

 private:
  KernelTable table_;
};

TEST_F(Cusolver, SmallSquareMatricesOfABatchAreFactoredTogether) {
  const auto check = [&]<class T>(T) {
    check_batch<T>(LinalgOp::kInverse, 5, 5, {2, 0});
    check_batch<T>(LinalgOp::kSolve, 5, 5, {2, 0});
    check_batch<T>(LinalgOp::kDeterminant, 5, 5, {1, 0});
    check_batch<T>(LinalgOp::kLu, 5, 5, {1, 0});
    check_batch<T>(LinalgOp::kCholesky, 5, 5, {1, 0});
    check_batch<T>(LinalgOp::kTriangular, 5, 5, {1, 0});
    check_batch<T>(LinalgOp::kEigh, 32, 32, {1, 0});
    for (const int full : {0, 1}) {
      check_batch<T>(LinalgOp::kSvd, 5, 32, {1, 0}, full);
      check_batch<T>(LinalgOp::kSvd, 32, 4, {1, 0}, full);
    }
  };
  check(float());
  check(double());
}

TEST_F(Cusolver, OtherMatricesOfABatchAreFactoredOneByOne) {
  const auto check = [&]<class T>(T) {
    check_batch<T>(LinalgOp::kLu, 4, 7, {0, 3});
    check_batch<T>(LinalgOp::kLu, 7, 4, {0, 3});
    check_batch<T>(LinalgOp::kQr, 4, 7, {0, 6});
    check_batch<T>(LinalgOp::kQr, 7, 4, {0, 6});
    check_batch<T>(LinalgOp::kEigh, 33, 33, {0, 3});
    for (const int full : {0, 1}) {
      check_batch<T>(LinalgOp::kSvd, 33, 4, {0, 3}, full);
      check_batch<T>(LinalgOp::kSvd, 4, 33, {0, 3}, full);
    }
  };
  check(float());
  check(double());
  check_batch<float>(LinalgOp::kSolve, 513, 513, {0, 6});
  check_batch<float>(LinalgOp::kCholesky, 513, 513, {0, 3});
  check_batch<float>(LinalgOp::kTriangular, 513, 513, {0, 3});
}

TEST_F(Cusolver, EmptyMatricesReachNoLibrary) {
  for (const auto op : {LinalgOp::kInverse, LinalgOp::kSolve, LinalgOp::kCholesky,
                        LinalgOp::kTriangular, LinalgOp::kEigh, LinalgOp::kLu, LinalgOp::kSvd}) {
    for (const std::int64_t batch : {0, 2}) {
      LinalgCall<float> call(op, batch, 0, 0);
      EXPECT_EQ(count(call), std::pair(0, 0));
      EXPECT_EQ(call.info, std::vector<std::int64_t>(static_cast<std::size_t>(batch), 0));
    }
  }
  LinalgCall<float> det(LinalgOp::kDeterminant, 2, 0, 0);
  EXPECT_EQ(count(det), std::pair(0, 0));
  EXPECT_EQ(det.out, std::vector<float>(2, 1));
}

TEST_F(Cusolver, IterationsGetNoNaN) {
  for (const std::int64_t n : {4, 33}) {
    for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      LinalgCall<double> good(LinalgOp::kEigh, 3, n, n), eigh(LinalgOp::kEigh, 3, n, n),
          svd(LinalgOp::kSvd, 3, n, n);
      run(good);
      eigh.at(0, 1, 2) = number;  // above the diagonal: not read
      eigh.at(1, 2, 1) = number;
      svd.at(1, 2, 1) = number;
      ASSERT_EQ(run(eigh).status, StatusCode::kOk);
      ASSERT_EQ(run(svd).status, StatusCode::kOk);
      EXPECT_EQ(eigh.info, (std::vector<std::int64_t>{0, 0, 0}));
      EXPECT_EQ(svd.info, (std::vector<std::int64_t>{0, 2, 0}));
      const auto size = static_cast<std::size_t>(n);
      for (std::size_t i = 0; i < eigh.out.size(); ++i) {
        EXPECT_TRUE(i / size == 1 ? std::isnan(eigh.out[i]) : eigh.out[i] == good.out[i]) << i;
      }
      for (std::size_t i = 0; i < eigh.second.size(); ++i) {
        EXPECT_EQ(std::isnan(eigh.second[i]), i / size / size == 1);
      }
    }
  }
}

TEST_F(Cusolver, PivotsOfMatricesWithNaNStayInRange) {
  for (const std::int64_t batch : {1, 2}) {
    for (const auto op : {LinalgOp::kSolve, LinalgOp::kInverse, LinalgOp::kLu}) {
      LinalgCall<float> call(op, batch, 4, 4);
      call.at(batch - 1, 2, 1) = NAN;
      ASSERT_EQ(run(call).status, StatusCode::kOk);
      EXPECT_EQ(call.info.back(), 0);
      EXPECT_TRUE(std::isnan(call.out.back()));
      for (std::size_t i = 0; i < call.pivots.size(); ++i) {
        EXPECT_GT(call.pivots[i], static_cast<int>(i % 4));
        EXPECT_LE(call.pivots[i], 4);
      }
    }
  }
}

TEST_F(Cusolver, IterationsThatDoNotConvergeAreReported) {
  solver_.never_converges = true;
  for (const auto op : {LinalgOp::kEigh, LinalgOp::kSvd}) {
    for (const std::int64_t n : {4, 33}) {
      LinalgCall<float> call(op, 2, n, n);
      ASSERT_EQ(run(call).status, StatusCode::kOk);
      EXPECT_EQ(call.info, (std::vector<std::int64_t>{1, 1}));
    }
  }
}

TEST_F(Cusolver, FailuresNameTheFunctionAndTheStatus) {
  LinalgCall<float> one(LinalgOp::kInverse, 1, 4, 4), batch(LinalgOp::kInverse, 2, 4, 4);
  solver_.create_status = CUSOLVER_STATUS_NOT_INITIALIZED;
  const KernelContext closed = run(one, 5);
  EXPECT_EQ(closed.status, StatusCode::kDeviceFault);
  EXPECT_STREQ(closed.message,
               "CUDA error: CUSOLVER_STATUS_NOT_INITIALIZED when calling cusolverDnCreate");
  solver_.create_status = CUSOLVER_STATUS_ALLOC_FAILED;
  EXPECT_EQ(run(one, 5).status, StatusCode::kOutOfMemory);
  solver_.create_status = CUSOLVER_STATUS_SUCCESS;
  solver_.factor_status = CUSOLVER_STATUS_INTERNAL_ERROR;
  EXPECT_STREQ(run(one, 5).message,
               "CUDA error: CUSOLVER_STATUS_INTERNAL_ERROR when calling cusolverDnXgetrf");
  EXPECT_STREQ(run(batch, 5).message,
               "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasSgetrfBatched");
  solver_.factor_status = CUSOLVER_STATUS_SUCCESS;
  EXPECT_EQ(run(one, 5).status, StatusCode::kOk);
}

TEST_F(Cusolver, SizesBeyond32BitsAreRefused) {
  LinalgCall<float> call(LinalgOp::kSvd, 1, 1, 1);
  call.args.m = std::int64_t{1} << 31;
  KernelContext context;
  KernelTable table;
  emulator::cuda_kernels().register_kernels(&table);
  table[Slot::linalg](&call.args, &context);
  EXPECT_EQ(context.status, StatusCode::kDeviceFault);
  EXPECT_STREQ(context.message, "CUDA error: a matrix has 2^31 rows or columns, or more");
}

TEST_F(Cusolver, AMissingLibraryIsNamed) {
  const auto message = [](const char* file) {
    KernelContext context;
    cuda::device::SolverLibrary library;
    EXPECT_FALSE(cuda::device::open_solver_library(file, &library, context));
    EXPECT_EQ(context.status, StatusCode::kDeviceFault);
    return std::string(context.message);
  };
  EXPECT_EQ(message("libcusolver.so.none"),
            "linear algebra on CUDA needs NVIDIA's cuSOLVER, and libcusolver.so.none cannot be "
            "used: libcusolver.so.none: cannot open shared object file: No such file or directory");
  const std::string wrong = message("libm.so.6");
  EXPECT_NE(wrong.find("undefined symbol: cublasCreate_v2"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace tern
