#include <cmath>
#include <vector>

#include <tern/core/kernels/families/recurrent.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Number;

/// The size of a call. The lengths of a packed call fall from `steps` to 1.
struct RecurrentShape {
  std::int64_t steps, batch, hidden;
  bool is_packed;
};

// Fewer than 16 sequences, or 4 steps, are multiplied without packing the weight.
const RecurrentShape kRecurrentShapes[] = {
    {1, 1, 1, false},   {3, 2, 5, false}, {5, 17, 9, false}, {4, 41, 70, false},
    {3, 20, 33, false}, {1, 3, 4, true},  {4, 5, 17, true},  {9, 23, 12, true}};

template <class T>
class RecurrentCall {
 public:
  RecurrentCall(RecurrentCell cell, const RecurrentShape& shape, bool reverse)
      : cell_(cell), shape_(shape), reverse_(reverse) {
    starts_ = {0};
    for (std::int64_t t = 0; t < shape.steps; ++t) {
      const std::int64_t ended = shape.is_packed ? t * (shape.batch - 1) / shape.steps : 0;
      starts_.push_back(starts_.back() + shape.batch - ended);
    }
    const std::int64_t columns = gate_columns(cell), n = shape.hidden;
    testing::Noise noise(11);
    const auto fill = [&](std::vector<T>& values, std::int64_t count, double most) {
      for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(static_cast<T>(noise.uniform(-most, most)));
      }
    };
    fill(weight_, (columns - input_only_columns(cell)) * n * n, 1 / std::sqrt(double(n)));
    fill(gates_, rows() * columns * n, 2);
    fill(first_h_, shape.batch * n, 1);
    fill(first_c_, shape.batch * n, 1);
    fill(grad_out_, rows() * n, 1);
    fill(grad_h_, shape.batch * n, 1);
    fill(grad_c_, shape.batch * n, 1);
    h_ = first_h_;
    c_ = first_c_;
    out_.resize(static_cast<std::size_t>(rows() * n));
    cells_.resize(out_.size());
    grad_gates_.resize(gates_.size());
  }

  /// Runs both passes with `run(args)`.
  template <class Run>
  void compute(const Run& run, bool has_grad_out = true) {
    RecurrentArgs args = common(RecurrentOp::kForward);
    args.h = h_.data();
    args.c = is_lstm() ? c_.data() : nullptr;
    args.gates = gates_.data();
    args.out = out_.data();
    args.cells = is_lstm() ? cells_.data() : nullptr;
    run(args);
    args = common(RecurrentOp::kBackward);
    args.h = grad_h_.data();
    args.c = is_lstm() ? grad_c_.data() : nullptr;
    args.saved_gates = gates_.data();
    args.saved_out = out_.data();
    args.saved_cells = is_lstm() ? cells_.data() : nullptr;
    args.first_h = first_h_.data();
    args.first_c = is_lstm() ? first_c_.data() : nullptr;
    args.grad_out = has_grad_out ? grad_out_.data() : nullptr;
    args.grad_gates = grad_gates_.data();
    run(args);
  }

  void expect_close(const RecurrentCall& want) const {
    const auto compare = [](const char* name, const std::vector<T>& got,
                            const std::vector<T>& expected) {
      const Number limit = testing::error_limit<T>(256);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const Number x = expected[i];
        ASSERT_LE(std::abs(Number(got[i]) - x), limit * (1 + std::abs(x))) << name << ' ' << i;
      }
    };
    compare("gates", gates_, want.gates_);
    compare("out", out_, want.out_);
    compare("cells", cells_, want.cells_);
    compare("h", h_, want.h_);
    compare("c", c_, want.c_);
    compare("gradient of the gates", grad_gates_, want.grad_gates_);
    compare("gradient of h", grad_h_, want.grad_h_);
    compare("gradient of c", grad_c_, want.grad_c_);
  }

 private:
  bool is_lstm() const { return cell_ == RecurrentCell::kLstm; }
  std::int64_t rows() const { return starts_.back(); }

  RecurrentArgs common(RecurrentOp op) const {
    RecurrentArgs args{};
    args.op = op;
    args.cell = cell_;
    args.dtype = dtype_of<T>();
    args.reverse = reverse_ ? 1 : 0;
    args.steps = shape_.steps;
    args.batch = shape_.batch;
    args.rows = rows();
    args.hidden = shape_.hidden;
    args.starts = shape_.is_packed ? starts_.data() : nullptr;
    args.weight = weight_.data();
    return args;
  }

  RecurrentCell cell_;
  RecurrentShape shape_;
  bool reverse_;
  std::vector<std::int64_t> starts_;
  std::vector<T> weight_, gates_, first_h_, first_c_, grad_out_, grad_h_, grad_c_;
  std::vector<T> h_, c_, out_, cells_, grad_gates_;
};

class Recurrent : public testing::KernelTest {
 protected:
  template <class T>
  void check() const {
    for (const RecurrentCell cell :
         {RecurrentCell::kTanh, RecurrentCell::kRelu, RecurrentCell::kLstm, RecurrentCell::kGru}) {
      for (const RecurrentShape& shape : kRecurrentShapes) {
        for (const bool reverse : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << "cell " << static_cast<int>(cell) << ", " << shape.steps << " x "
                       << shape.batch << " x " << shape.hidden << (reverse ? ", reverse" : ""));
          RecurrentCall<T> call(cell, shape, reverse), want = call;
          const bool has_grad_out = shape.batch != 2;
          call.compute(
              [&](const RecurrentArgs& args) { ASSERT_EQ(run(args).status, StatusCode::kOk); },
              has_grad_out);
          want.compute([](const RecurrentArgs& args) { testing::run_oracle(args); }, has_grad_out);
          call.expect_close(want);
        }
      }
    }
  }
};

TEST_P(Recurrent, ComputesWhatTheOracleComputes) {
  check<float>();
  check<double>();
}

TEST_P(Recurrent, RefusesOtherDtypes) {
  RecurrentArgs args{};
  args.dtype = kLong;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Recurrent);

}  // namespace
}  // namespace tern
