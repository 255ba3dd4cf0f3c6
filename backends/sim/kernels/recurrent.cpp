#include <cmath>
#include <cstdint>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// One layer in one direction. T is the dtype.
template <class T>
class Recurrence {
 public:
  explicit Recurrence(const RecurrentArgs& args)
      : args_(args),
        n_(args.hidden),
        width_(gate_columns(args.cell) * n_),
        skipped_(input_only_columns(args.cell) * n_) {}

  void forward() const {
    for (std::int64_t k = 0; k < args_.steps; ++k) {
      const std::int64_t t = args_.reverse != 0 ? args_.steps - 1 - k : k;
      for (std::int64_t b = 0; b < start(t + 1) - start(t); ++b) advance(start(t) + b, b);
    }
  }

  void backward() const {
    for (std::int64_t k = 0; k < args_.steps; ++k) {
      const std::int64_t t = args_.reverse != 0 ? k : args_.steps - 1 - k;
      for (std::int64_t b = 0; b < start(t + 1) - start(t); ++b) retreat(start(t) + b, b, t);
    }
  }

 private:
  std::int64_t start(std::int64_t t) const {
    return args_.starts != nullptr ? args_.starts[t] : t * args_.batch;
  }
  static T* row(void* data, std::int64_t index, std::int64_t size) {
    return data == nullptr ? nullptr : static_cast<T*>(data) + index * size;
  }
  static const T* row(const void* data, std::int64_t index, std::int64_t size) {
    return data == nullptr ? nullptr : static_cast<const T*>(data) + index * size;
  }
  const T* weight(std::int64_t gate) const { return row(args_.weight, gate, n_); }

  /// Row b of the step that was computed before step t, among the states of all steps.
  const T* previous(const void* all, const void* first, std::int64_t b, std::int64_t t) const {
    const std::int64_t before = args_.reverse != 0 ? t + 1 : t - 1;
    const bool exists = before >= 0 && before < args_.steps;
    if (!exists || b >= start(before + 1) - start(before)) return row(first, b, n_);
    return row(all, start(before) + b, n_);
  }

  void advance(std::int64_t at, std::int64_t b) const {
    T* const gates = row(args_.gates, at, width_);
    T* const h = row(args_.h, b, n_);
    T* const c = row(args_.c, b, n_);
    std::vector<double> sums(gates, gates + width_);
    for (std::int64_t j = skipped_; j < width_; ++j) {
      for (std::int64_t k = 0; k < n_; ++k) {
        sums[static_cast<std::size_t>(j)] += double{weight(j - skipped_)[k]} * double{h[k]};
      }
    }
    for (std::int64_t j = 0; j < n_; ++j) {
      const auto sum = [&](std::int64_t column) {
        return sums[static_cast<std::size_t>(column * n_ + j)];
      };
      const auto set = [&](std::int64_t column, double x) {
        gates[column * n_ + j] = static_cast<T>(x);
        return x;
      };
      double result = 0;
      switch (args_.cell) {
        case RecurrentCell::kTanh:
          result = set(0, std::tanh(sum(0)));
          break;
        case RecurrentCell::kRelu:
          result = set(0, sum(0) < 0 ? 0 : sum(0));
          break;
        case RecurrentCell::kLstm: {
          const double i = set(0, logistic(sum(0))), f = set(1, logistic(sum(1)));
          const double g = set(2, std::tanh(sum(2))), o = set(3, logistic(sum(3)));
          const double cell = f * double{c[j]} + i * g;
          c[j] = static_cast<T>(cell);
          if (args_.cells != nullptr) row(args_.cells, at, n_)[j] = c[j];
          result = o * std::tanh(cell);
          break;
        }
        case RecurrentCell::kGru: {
          const double r = set(1, logistic(sum(1))), z = set(2, logistic(sum(2)));
          const double n = set(0, std::tanh(sum(0) + r * set(3, sum(3))));
          result = (1 - z) * n + z * double{h[j]};
          break;
        }
      }
      row(args_.out, at, n_)[j] = static_cast<T>(result);
    }
    for (std::int64_t j = 0; j < n_; ++j) h[j] = row(args_.out, at, n_)[j];
  }

  void retreat(std::int64_t at, std::int64_t b, std::int64_t t) const {
    const T* const gates = row(args_.saved_gates, at, width_);
    const T* const out = row(args_.saved_out, at, n_);
    const T* const grad_out = row(args_.grad_out, at, n_);
    T* const grad_gates = row(args_.grad_gates, at, width_);
    T* const grad_h = row(args_.h, b, n_);
    std::vector<double> before(static_cast<std::size_t>(n_));  // the gradient of the state before
    for (std::int64_t j = 0; j < n_; ++j) {
      const auto gate = [&](std::int64_t column) { return double{gates[column * n_ + j]}; };
      const auto set = [&](std::int64_t column, double x) {
        grad_gates[column * n_ + j] = static_cast<T>(x);
      };
      const double g = double{grad_h[j]} + (grad_out != nullptr ? double{grad_out[j]} : 0);
      switch (args_.cell) {
        case RecurrentCell::kTanh:
          set(0, g * (1 - double{out[j]} * double{out[j]}));
          break;
        case RecurrentCell::kRelu:
          set(0, out[j] <= 0 ? 0 : g);
          break;
        case RecurrentCell::kLstm: {
          T* const grad_c = row(args_.c, b, n_);
          const double old = double{previous(args_.saved_cells, args_.first_c, b, t)[j]};
          const double squashed = std::tanh(double{row(args_.saved_cells, at, n_)[j]});
          const double i = gate(0), f = gate(1), n = gate(2), o = gate(3);
          const double of_cell = double{grad_c[j]} + g * o * (1 - squashed * squashed);
          set(0, of_cell * n * i * (1 - i));
          set(1, of_cell * old * f * (1 - f));
          set(2, of_cell * i * (1 - n * n));
          set(3, g * squashed * o * (1 - o));
          grad_c[j] = static_cast<T>(of_cell * f);
          break;
        }
        case RecurrentCell::kGru: {
          const double old = double{previous(args_.saved_out, args_.first_h, b, t)[j]};
          const double n = gate(0), r = gate(1), z = gate(2), of_n = g * (1 - z) * (1 - n * n);
          set(0, of_n);
          set(1, of_n * gate(3) * r * (1 - r));
          set(2, g * (old - n) * z * (1 - z));
          set(3, of_n * r);
          before[static_cast<std::size_t>(j)] = g * z;
          break;
        }
      }
    }
    for (std::int64_t j = 0; j < n_; ++j) {
      double sum = before[static_cast<std::size_t>(j)];
      for (std::int64_t k = skipped_; k < width_; ++k) {
        sum += double{grad_gates[k]} * double{weight(k - skipped_)[j]};
      }
      grad_h[j] = static_cast<T>(sum);
    }
  }

  const RecurrentArgs& args_;
  std::int64_t n_, width_, skipped_;
};

template <class T>
void apply(const RecurrentArgs& args) {
  const Recurrence<T> recurrence(args);
  args.op == RecurrentOp::kForward ? recurrence.forward() : recurrence.backward();
}

bool supports(const RecurrentArgs& args) { return args.dtype == kFloat || args.dtype == kDouble; }

void recurrent(const RecurrentArgs& args, KernelContext&) {
  args.dtype == kDouble ? apply<double>(args) : apply<float>(args);
}

}  // namespace

void register_recurrent(OracleTable& table) { set<RecurrentArgs, supports, recurrent>(table); }

}  // namespace tern::sim
