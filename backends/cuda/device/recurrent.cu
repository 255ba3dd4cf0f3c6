#include <cstddef>

#include <tern/backends/cuda/device/families.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/families/recurrent.h>
#include <tern/core/kernels/math/math.h>
#include <tern/core/kernels/math/math_dtype.h>

// Each step is a product and a kernel for the cells. The host does not know how many rows the steps
// of a packed batch have: their products take all sequences, and the kernels ignore those that have
// ended.

namespace tern::cuda::device {
namespace {

/// One step: its number, and the product of a packed batch, [batch, columns * hidden]. The forward
/// pass reads the product of the state there, the backward pass writes the gradients of the gates.
template <class T>
struct Step {
  RecurrentArgs args;
  std::int64_t t;
  T* product;  // null unless packed

  __device__ std::int64_t start(std::int64_t step) const {
    return args.starts != nullptr ? args.starts[step] : step * args.batch;
  }
  __device__ bool has(std::int64_t step, std::int64_t b) const {
    return step >= 0 && step < args.steps && b < start(step + 1) - start(step);
  }
  __device__ T* element(void* rows, std::int64_t row, std::int64_t j) const {
    return static_cast<T*>(rows) + row * args.hidden + j;
  }
  __device__ T read(const void* rows, std::int64_t row, std::int64_t j) const {
    return static_cast<const T*>(rows)[row * args.hidden + j];
  }
  /// Element j of the state from which sequence b began this step.
  __device__ T before(const void* all, const void* first, std::int64_t b, std::int64_t j) const {
    const std::int64_t step = args.reverse != 0 ? t + 1 : t - 1;
    return has(step, b) ? read(all, start(step) + b, j) : read(first, b, j);
  }
};

template <class T>
__global__ void __launch_bounds__(kThreads) recurrent_forward_step(Step<T> step) {
  const RecurrentArgs& args = step.args;
  const std::int64_t columns = gate_columns(args.cell), own = input_only_columns(args.cell);
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
       i < args.batch * args.hidden; i += stride) {
    const std::int64_t b = i / args.hidden, j = i % args.hidden;
    if (!step.has(step.t, b)) continue;
    const std::int64_t row = step.start(step.t) + b;
    T sums[4] = {};
    for (std::int64_t column = 0; column < columns; ++column) {
      sums[column] = step.read(args.gates, row * columns + column, j);
      if (step.product != nullptr && column >= own) {
        sums[column] += step.read(step.product, b * (columns - own) + column - own, j);
      }
    }
    const auto set = [&](std::int64_t column, T x) {
      *step.element(args.gates, row * columns + column, j) = x;
      return x;
    };
    T state = 0;
    if (args.cell == RecurrentCell::kTanh) {
      state = math::tanh(sums[0]);
    } else if (args.cell == RecurrentCell::kRelu) {
      state = sums[0] < 0 ? T(0) : sums[0];
    } else if (args.cell == RecurrentCell::kLstm) {
      T* const c = step.element(args.c, b, j);
      const T in = set(0, math::sigmoid(sums[0])), forget = set(1, math::sigmoid(sums[1]));
      const T candidate = set(2, math::tanh(sums[2])), out = set(3, math::sigmoid(sums[3]));
      *c = forget * *c + in * candidate;
      if (args.cells != nullptr) *step.element(args.cells, row, j) = *c;
      state = out * math::tanh(*c);
    } else {
      const T r = set(1, math::sigmoid(sums[1])), z = set(2, math::sigmoid(sums[2]));
      const T candidate = set(0, math::tanh(sums[0] + r * set(3, sums[3])));
      state = (T(1) - z) * candidate + z * *step.element(args.h, b, j);
    }
    if (columns == 1) set(0, state);
    *step.element(args.h, b, j) = state;
    *step.element(args.out, row, j) = state;
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) recurrent_backward_step(Step<T> step) {
  const RecurrentArgs& args = step.args;
  const std::int64_t columns = gate_columns(args.cell), own = input_only_columns(args.cell);
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
       i < args.batch * args.hidden; i += stride) {
    const std::int64_t b = i / args.hidden, j = i % args.hidden;
    if (!step.has(step.t, b)) {  // the product must not change this sequence
      for (std::int64_t column = own; column < columns && step.product != nullptr; ++column) {
        *step.element(step.product, b * (columns - own) + column - own, j) = 0;
      }
      continue;
    }
    const std::int64_t row = step.start(step.t) + b;
    const auto gate = [&](std::int64_t column) {
      return step.read(args.saved_gates, row * columns + column, j);
    };
    const auto set = [&](std::int64_t column, T x) {
      *step.element(args.grad_gates, row * columns + column, j) = x;
      if (step.product != nullptr && column >= own) {
        *step.element(step.product, b * (columns - own) + column - own, j) = x;
      }
    };
    T* const grad_h = step.element(args.h, b, j);
    const T g = *grad_h + (args.grad_out != nullptr ? step.read(args.grad_out, row, j) : T(0));
    T direct = 0;  // the part that reaches the state before without a product
    if (args.cell == RecurrentCell::kTanh) {
      const T out = step.read(args.saved_out, row, j);
      set(0, g * (T(1) - out * out));
    } else if (args.cell == RecurrentCell::kRelu) {
      set(0, step.read(args.saved_out, row, j) <= 0 ? T(0) : g);
    } else if (args.cell == RecurrentCell::kLstm) {
      T* const grad_c = step.element(args.c, b, j);
      const T in = gate(0), forget = gate(1), candidate = gate(2), out = gate(3);
      const T squashed = math::tanh(step.read(args.saved_cells, row, j));
      const T of_cell = *grad_c + g * out * (T(1) - squashed * squashed);
      const T old = step.before(args.saved_cells, args.first_c, b, j);
      set(0, of_cell * candidate * in * (T(1) - in));
      set(1, of_cell * old * forget * (T(1) - forget));
      set(2, of_cell * in * (T(1) - candidate * candidate));
      set(3, g * squashed * out * (T(1) - out));
      *grad_c = of_cell * forget;
    } else {
      const T candidate = gate(0), r = gate(1), z = gate(2);
      const T of_sum = g * (T(1) - z) * (T(1) - candidate * candidate);
      const T old = step.before(args.saved_out, args.first_h, b, j);
      set(0, of_sum);
      set(1, of_sum * gate(3) * r * (T(1) - r));
      set(2, g * (old - candidate) * z * (T(1) - z));
      set(3, of_sum * r);
      direct = g * z;
    }
    *grad_h = direct;
  }
}

KernelFn gemm_kernel() {
  static const KernelFn kernel = [] {
    KernelTable table;
    register_gemm(table);
    return table[Slot::gemm];
  }();
  return kernel;
}

template <class T>
void run(const RecurrentArgs& args, KernelContext& context) {
  const bool is_forward = args.op == RecurrentOp::kForward, is_packed = args.starts != nullptr;
  const std::int64_t n = args.hidden, width = gate_columns(args.cell) * n;
  const std::int64_t skipped = input_only_columns(args.cell) * n, columns = width - skipped;
  const std::int64_t product_size = is_packed ? args.batch * columns : 0;
  const Scratch memory(context, (static_cast<std::size_t>(product_size) + 1) * sizeof(T));
  T* const product = is_packed ? memory.get<T>() : nullptr;

  GemmArgs multiply{};
  multiply.dtype = args.dtype;
  multiply.batch = 1;
  multiply.m = args.batch;
  multiply.n = is_forward ? columns : n;
  multiply.k = is_forward ? n : columns;
  multiply.a = is_forward ? args.h : product;
  multiply.a_row_stride = is_forward ? n : (is_packed ? columns : width);
  multiply.a_col_stride = 1;
  multiply.b = args.weight;
  multiply.b_row_stride = is_forward ? 1 : n;
  multiply.b_col_stride = is_forward ? n : 1;
  multiply.c = is_forward ? product : static_cast<T*>(args.h);
  multiply.c_row_stride = is_forward ? (is_packed ? columns : width) : n;
  multiply.alpha = 1;
  multiply.beta = is_forward && is_packed ? 0 : 1;

  const unsigned blocks = blocks_for(args.batch * n, kThreads);
  const bool descends = is_forward == (args.reverse != 0);
  for (std::int64_t k = 0; k < args.steps && !is_stopped(context); ++k) {
    const Step<T> step{args, descends ? args.steps - 1 - k : k, product};
    const std::int64_t first = step.t * args.batch * width + skipped;  // unless packed
    if (is_forward) {
      if (!is_packed) multiply.c = static_cast<T*>(args.gates) + first;
      gemm_kernel()(&multiply, &context);
      launch(context, recurrent_forward_step<T>, blocks, kThreads, step);
    } else {
      launch(context, recurrent_backward_step<T>, blocks, kThreads, step);
      if (!is_packed) multiply.a = static_cast<T*>(args.grad_gates) + first;
      gemm_kernel()(&multiply, &context);
    }
  }
}

void recurrent(const RecurrentArgs& args, KernelContext& context) {
  visit_floating(args.dtype, context,
                 [&](auto tag) { run<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_recurrent(KernelTable& table) { set<RecurrentArgs, recurrent>(table); }

}  // namespace tern::cuda::device
