#include <optional>

#include <tern/backends/cpu/kernels/recurrent/cells.h>
#include <tern/backends/cpu/kernels/recurrent/state_product.h>
#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/math/math_dtype.h>

// A thread takes some sequences through all steps, so that threads never wait for each other, with
// the weight packed once. Few sequences or few steps are not worth this: then the product of each
// step is divided among the threads. The choice depends on the sizes alone, so the bits do not
// depend on the number of threads.

namespace tern::cpu {
namespace {

using namespace kernels;

// Measured: fewer sequences or steps do not pay for packing the weight.
constexpr std::int64_t kMinPackedBatch = 16;
constexpr std::int64_t kMinPackedSteps = 4;
// Multiplications, and elements of gates, that are worth a thread.
constexpr std::int64_t kRecurrentGrain = 1 << 16;
constexpr std::int64_t kCellGrain = 2048;

/// The kernel for products of this instruction set.
KernelFn gemm_kernel;

template <class T>
class Recurrence {
 public:
  Recurrence(const RecurrentArgs& args, KernelContext& context)
      : args_(args),
        context_(context),
        is_forward_(args.op == RecurrentOp::kForward),
        n_(args.hidden),
        width_(gate_columns(args.cell) * n_),
        skipped_(input_only_columns(args.cell) * n_) {}

  void run() const {
    if (args_.batch < kMinPackedBatch || args_.steps < kMinPackedSteps) {
      return walk(0, args_.batch,
                  [&](std::int64_t rows, const T* a, std::int64_t a_row, T* c, std::int64_t c_row) {
                    multiply_with_threads(rows, a, a_row, c, c_row);
                  });
    }
    const auto weight = static_cast<const T*>(args_.weight);
    const std::int64_t columns = width_ - skipped_;
    const StateProduct<T> product = is_forward_ ? StateProduct<T>(weight, 1, n_, n_, columns)
                                                : StateProduct<T>(weight, n_, 1, columns, n_);
    const std::int64_t strips = divide_up(args_.batch, kTileRows);
    const std::int64_t work = args_.steps * kTileRows * columns * n_;  // of a strip
    parallel_for(0, strips, kRecurrentGrain / work, [&](std::int64_t begin, std::int64_t end) {
      walk(begin * kTileRows, std::min(args_.batch, end * kTileRows),
           [&](std::int64_t rows, const T* a, std::int64_t a_row, T* c, std::int64_t c_row) {
             product.multiply_add(rows, a, a_row, c, c_row);
           });
    });
  }

 private:
  std::int64_t start(std::int64_t t) const {
    return args_.starts != nullptr ? args_.starts[t] : t * args_.batch;
  }
  std::int64_t rows_of(std::int64_t t) const { return start(t + 1) - start(t); }

  template <class Pointer>
  static auto row(Pointer* data, std::int64_t index, std::int64_t size) {
    using Element = std::conditional_t<std::is_const_v<Pointer>, const T, T>;
    return data == nullptr ? nullptr : static_cast<Element*>(data) + index * size;
  }

  /// Takes the sequences [begin, end) through all steps.
  template <class Product>
  void walk(std::int64_t begin, std::int64_t end, const Product& multiply_add) const {
    const bool descends = is_forward_ == (args_.reverse != 0);
    for (std::int64_t k = 0; k < args_.steps; ++k) {
      const std::int64_t t = descends ? args_.steps - 1 - k : k;
      const std::int64_t rows = std::min(end, rows_of(t)) - begin;
      if (rows <= 0) continue;
      T* const h = row(args_.h, begin, n_);
      void* const gates = is_forward_ ? args_.gates : args_.grad_gates;
      T* const reached = row(gates, start(t) + begin, width_) + skipped_;
      if (is_forward_) multiply_add(rows, h, n_, reached, width_);
      parallel_for(begin, begin + rows, kCellGrain / width_,
                   [&](std::int64_t from, std::int64_t to) {
                     for (std::int64_t b = from; b < to; ++b) take_cell(t, b);
                   });
      if (!is_forward_) multiply_add(rows, reached, width_, h, n_);
    }
  }

  void take_cell(std::int64_t t, std::int64_t b) const {
    const std::int64_t at = start(t) + b;
    T* const h = row(args_.h, b, n_);
    T* const c = row(args_.c, b, n_);
    if (is_forward_) {
      return forward_cell<T>(
          args_.cell,
          {row(args_.gates, at, width_), h, c, row(args_.out, at, n_), row(args_.cells, at, n_)},
          n_);
    }
    const bool is_lstm = args_.cell == RecurrentCell::kLstm;
    const void* const all = is_lstm ? args_.saved_cells : args_.saved_out;
    const void* const first = is_lstm ? args_.first_c : args_.first_h;
    const std::int64_t before = args_.reverse != 0 ? t + 1 : t - 1;
    const bool continues = before >= 0 && before < args_.steps && b < rows_of(before);
    backward_cell<T>(args_.cell,
                     {row(args_.saved_gates, at, width_), row(args_.saved_out, at, n_),
                      row(args_.saved_cells, at, n_),
                      continues ? row(all, start(before) + b, n_) : row(first, b, n_),
                      row(args_.grad_out, at, n_), h, c, row(args_.grad_gates, at, width_)},
                     n_);
  }

  /// Computes c += a x W, or its transpose in the forward pass, with all threads.
  void multiply_with_threads(std::int64_t rows, const T* a, std::int64_t a_row, T* c,
                             std::int64_t c_row) const {
    const std::int64_t columns = width_ - skipped_;
    GemmArgs args{};
    args.dtype = args_.dtype;
    args.batch = 1;
    args.m = rows;
    args.n = is_forward_ ? columns : n_;
    args.k = is_forward_ ? n_ : columns;
    args.a = a;
    args.a_row_stride = a_row;
    args.a_col_stride = 1;
    args.b = args_.weight;
    args.b_row_stride = is_forward_ ? 1 : n_;
    args.b_col_stride = is_forward_ ? n_ : 1;
    args.c = c;
    args.c_row_stride = c_row;
    args.alpha = args.beta = 1;
    gemm_kernel(&args, &context_);
  }

  const RecurrentArgs& args_;
  KernelContext& context_;
  bool is_forward_;
  std::int64_t n_, width_, skipped_;
};

void recurrent(const RecurrentArgs& args, KernelContext& context) {
  visit_floating(args.dtype, context,
                 [&](auto tag) { Recurrence<typename decltype(tag)::type>(args, context).run(); });
}

}  // namespace

void register_recurrent(kernels::KernelTable& table) {
  gemm_kernel = table[kernels::Slot::gemm];
  kernels::set<kernels::RecurrentArgs, recurrent>(table);
}

}  // namespace tern::cpu
