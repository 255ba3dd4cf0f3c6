#pragma once

#include <cstdint>

#include <tern/backends/cuda/device/linalg/solver.h>
#include <tern/backends/cuda/device/support/copy.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/core/kernels/families/linalg.h>

// What the kernels of linear algebra do around the library's calls. The library stores matrices by
// column, so it reads our row-major matrices as their transposes; some matrices are transposed on
// the way in or out.

namespace tern::cuda::device {

/// The functions for batches are made for small matrices; larger ones are factored one by one.
constexpr std::int64_t kLargestBatched = 512;
/// The batched functions for eigenvalues and singular values refuse larger matrices.
constexpr std::int64_t kLargestJacobiBatched = 32;

inline MatrixStrides by_row(std::int64_t rows, std::int64_t columns) {
  return {rows * columns, columns, 1};
}
/// `width` is the number of columns in memory.
inline MatrixStrides by_column(std::int64_t rows, std::int64_t width) {
  return {rows * width, 1, rows};
}

/// Copies args.batch matrices.
inline void copy_matrices(const LinalgArgs& args, KernelContext& context, std::int64_t rows,
                          std::int64_t columns, const void* in, const MatrixStrides& in_strides,
                          void* out, const MatrixStrides& out_strides) {
  copy_matrices(context, args.dtype, {args.batch, rows, columns}, in, in_strides, out, out_strides);
}

/// Scratch for `count` elements for each matrix of the batch.
template <class T>
class BatchScratch {
 public:
  BatchScratch(const LinalgArgs& args, KernelContext& context, std::int64_t count)
      : memory_(context, static_cast<std::size_t>(args.batch * count) * sizeof(T)), count_(count) {}
  T* get() const { return memory_.get<T>(); }
  /// Returns the elements for matrix `index`.
  T* at(std::int64_t index) const { return get() + index * count_; }

 private:
  Scratch memory_;
  std::int64_t count_;
};

/// The index of this thread and the number of threads of the grid.
struct GridPosition {
  std::int64_t first = 0, step = 0;
  __device__ GridPosition()
      : first(std::int64_t{blockIdx.x} * kThreads + threadIdx.x),
        step(std::int64_t{gridDim.x} * kThreads) {}
};

template <class T>
__global__ void __launch_bounds__(kThreads) fill_elements(T* out, std::int64_t count, T value) {
  const GridPosition here;
  for (std::int64_t i = here.first; i < count; i += here.step) out[i] = value;
}

/// Writes the addresses of the matrices, which the functions for batches ask for.
template <class T>
__global__ void __launch_bounds__(kThreads)
    write_addresses(T** out, T* first, std::int64_t step, std::int64_t batch) {
  const GridPosition here;
  for (std::int64_t i = here.first; i < batch; i += here.step) out[i] = first + i * step;
}

/// Sets the elements above the diagonal, if `above`, or below the diagonal of row-major matrices
/// to 0.
template <class T>
__global__ void __launch_bounds__(kThreads)
    clear_triangle(T* out, std::int64_t count, std::int64_t rows, std::int64_t columns,
                   bool above) {
  const GridPosition here;
  for (std::int64_t i = here.first; i < count; i += here.step) {
    const std::int64_t row = i / columns % rows, column = i % columns;
    if (above ? column > row : column < row) out[i] = T(0);
  }
}

template <class T>
void fill_each(KernelContext& context, T* out, std::int64_t count, T value) {
  launch(context, fill_elements<T>, blocks_for(count, kThreads), kThreads, out, count, value);
}

/// Addresses of the matrices of a batch, in device memory.
template <class T>
class Addresses {
 public:
  Addresses(const LinalgArgs& args, KernelContext& context, T* first, std::int64_t step)
      : memory_(args, context, 1) {
    launch(context, write_addresses<T>, blocks_for(args.batch, kThreads), kThreads, get(), first,
           step, args.batch);
  }
  T** get() const { return memory_.get(); }

 private:
  BatchScratch<T*> memory_;
};

/// Memory of `size` elements of type T for a function that asks for so many.
template <class T>
class Work {
 public:
  Work(KernelContext& context, int size)
      : memory_(context, static_cast<std::size_t>(size > 0 ? size : 1) * sizeof(T)) {}
  T* get() const { return memory_.get<T>(); }

 private:
  Scratch memory_;
};

/// The library's info is 32 bits wide, like the sizes that functions without an X take.
using LibraryInfo = BatchScratch<int>;

/// Runs kQr, kEigh and kSvd on matrices with elements.
template <class T>
void factor_matrices(const LinalgArgs& args, Solver& solver);

}  // namespace tern::cuda::device
