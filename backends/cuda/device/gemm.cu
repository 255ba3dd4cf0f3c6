#include <cstdint>

#include <tern/backends/cuda/device/gemm/cublas.h>
#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/shared_array.h>
#include <tern/core/kernels/families/gemm.h>

namespace tern::cuda::device {
namespace {

constexpr int kTile = 32;   // rows and columns of the result that a block computes
constexpr int kDepth = 32;  // steps of k that a block loads at a time
constexpr int kSide = 8;    // threads along each side of a tile
constexpr int kTileThreads = kSide * kSide;
constexpr int kEach = kTile / kSide;

template <class Number>
using Tile = SharedMatrix<Number, kDepth, kTile + 1>;

// Loads kDepth elements of each of kTile vectors of an operand, which begins at `start`, with zeros
// beyond the operand's end. Neighbouring threads read neighbouring elements in memory.
template <class T, class Number>
__device__ void load_tile(Tile<Number>& tile, const Elements<T>& operand, std::int64_t start,
                          std::int64_t first, std::int64_t count, std::int64_t stride,
                          std::int64_t first_k, std::int64_t k, std::int64_t k_stride) {
  for (unsigned i = threadIdx.x; i < kTile * kDepth; i += kTileThreads) {
    const unsigned vector = k_stride == 1 ? i / kDepth : i % kTile;
    const unsigned depth = k_stride == 1 ? i % kDepth : i / kTile;
    const std::int64_t row = first + vector, at = first_k + depth;
    const bool inside = row < count && at < k;
    tile[depth][vector] =
        inside ? static_cast<Number>(operand[start + row * stride + at * k_stride]) : 0;
  }
}

// Computes c = alpha * a x b + beta * c + bias. A block computes one tile of the result and a
// thread kEach x kEach elements of the tile; kDepth products are summed at a time. Number is
// unsigned for integers, so that they wrap around: all of them are multiplied as int64 and keep
// their low bits.
template <class T, class Number>
__global__ void __launch_bounds__(kTileThreads)
    tiled_gemm(GemmArgs args, std::int64_t tiles, std::int64_t tile_rows,
               std::int64_t tile_columns) {
  __shared__ Tile<Number> a_tile, b_tile;
  const unsigned x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t batch = tile / (tile_rows * tile_columns);
    const std::int64_t first_row = tile / tile_columns % tile_rows * kTile;
    const std::int64_t first_column = tile % tile_columns * kTile;
    const Elements<T> a{args.a, args.dtype}, b{args.b, args.dtype}, c{args.c, args.dtype};
    Number sums[kEach][kEach] = {};
    for (std::int64_t first_k = 0; first_k < args.k; first_k += kDepth) {
      __syncthreads();
      load_tile(a_tile, a, batch * args.a_batch_stride, first_row, args.m, args.a_row_stride,
                first_k, args.k, args.a_col_stride);
      load_tile(b_tile, b, batch * args.b_batch_stride, first_column, args.n, args.b_col_stride,
                first_k, args.k, args.b_row_stride);
      __syncthreads();
      Number parts[kEach][kEach] = {};
      // Unrolled, this loop needs more registers than there are: integers would spill.
#pragma unroll 1
      for (int p = 0; p < kDepth; ++p) {
        for (int i = 0; i < kEach; ++i) {
          for (int j = 0; j < kEach; ++j) {
            parts[i][j] += a_tile[p][y + i * kSide] * b_tile[p][x + j * kSide];
          }
        }
      }
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) sums[i][j] += parts[i][j];
      }
    }
    const auto alpha = static_cast<Number>(static_cast<T>(args.alpha));
    const auto beta = static_cast<Number>(static_cast<T>(args.beta));
    for (int i = 0; i < kEach; ++i) {
      for (int j = 0; j < kEach; ++j) {
        const std::int64_t row = first_row + y + i * kSide, column = first_column + x + j * kSide;
        if (row >= args.m || column >= args.n) continue;
        const std::int64_t at = batch * args.c_batch_stride + row * args.c_row_stride + column;
        Number sum = alpha * sums[i][j];
        if (beta != 0) sum += beta * static_cast<Number>(c[at]);
        if (args.bias != nullptr) {
          const Elements<T> bias{args.bias, args.dtype};
          sum += static_cast<Number>(bias[column * args.bias_stride]);
        }
        c.set(at, static_cast<T>(sum));
      }
    }
  }
}

template <class T, class Number = T>
void run_tiled(const GemmArgs& args, KernelContext& context) {
  const std::int64_t tile_rows = (args.m + kTile - 1) / kTile;
  const std::int64_t tile_columns = (args.n + kTile - 1) / kTile;
  const std::int64_t tiles = args.batch * tile_rows * tile_columns;
  launch(context, tiled_gemm<T, Number>, blocks_for(tiles, 1), kTileThreads, args, tiles, tile_rows,
         tile_columns);
}

void gemm(const GemmArgs& args, KernelContext& context) {
  if (args.dtype == kBool) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  if (args.batch == 0 || args.m == 0 || args.n == 0) return;
  if (!is_floating_point(args.dtype)) return run_tiled<std::int64_t, std::uint64_t>(args, context);
  if (args.k > 0 && gemm_cublas(args, context)) return;
  args.dtype == kDouble ? run_tiled<double>(args, context) : run_tiled<float>(args, context);
}

}  // namespace

void register_gemm(KernelTable& table) { set<GemmArgs, gemm>(table); }

}  // namespace tern::cuda::device
