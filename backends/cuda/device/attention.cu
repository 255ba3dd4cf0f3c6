#include <limits>

#include <tern/backends/cuda/device/cudnn/attention.h>
#include <tern/backends/cuda/device/support/block_reduce.h>
#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/core/kernels/families/attention.h>
#include <tern/core/kernels/math/math.h>

namespace tern::cuda::device {
namespace {

// Attention by cuDNN where it is installed and has engines; these kernels compute all others.
// A block computes kTile rows of a result: queries, or keys for the gradients of key and value.
// It walks over tiles of the others, keys or queries: a warp has four rows and one lane per other.
// From the scores of a tile it makes weights in shared memory, and multiplies them with the other's
// elements. S is the type of the elements in memory, T that of the computation.

constexpr unsigned kTile = 32, kWarps = kThreads / kWarp, kWarpRows = kTile / kWarps;
/// The elements of a row that a block computes, kTile of them in turn by the lanes.
constexpr unsigned kSpans = 4;
constexpr std::int64_t kColumns = kSpans * kTile;

template <class T>
using Tile = SharedMatrix<T, kTile, kTile + 1>;

template <class S>
struct Rows {
  S* data;
  std::int64_t step, count, size;

  __device__ Rows(auto* pointer, const AttentionStrides& strides, std::int64_t batch,
                  std::int64_t head, std::int64_t rows, std::int64_t row_size)
      : data(static_cast<S*>(pointer) + batch * strides.batch + head * strides.head),
        step(strides.row),
        count(rows),
        size(row_size) {}
  template <class T>
  __device__ T at(std::int64_t row, std::int64_t e) const {
    return row < count && e < size ? widened<T>(data[row * step + e]) : T(0);
  }
};

/// Where a thread works.
struct Place {
  std::int64_t batch, head;  // of the query
  std::int64_t row, other;   // the first of the tiles

  __device__ static unsigned lane() { return threadIdx.x % kWarp; }
  __device__ static unsigned local_row(unsigned n) { return threadIdx.x / kWarp + n * kWarps; }
};

/// Sets products[n] to the product of this thread's row n of `a` and its lane's row of `b`.
template <class T, class S>
__device__ void multiply_rows(Tile<T>& a_tile, Tile<T>& b_tile, const Rows<const S>& a,
                              std::int64_t a_first, const Rows<const S>& b, std::int64_t b_first,
                              T (&products)[kWarpRows]) {
  const unsigned lane = Place::lane();
  for (T& product : products) product = 0;
  for (std::int64_t first = 0; first < a.size; first += kTile) {
    __syncthreads();
    for (unsigned n = 0; n < kWarpRows; ++n) {
      const unsigned row = Place::local_row(n);
      a_tile[row][lane] = a.template at<T>(a_first + row, first + lane);
      b_tile[row][lane] = b.template at<T>(b_first + row, first + lane);
    }
    __syncthreads();
    for (unsigned e = 0; e < kTile; ++e) {
      const T of_b = b_tile[lane][e];
#pragma unroll
      for (unsigned n = 0; n < kWarpRows; ++n) {
        products[n] += static_cast<T>(a_tile[Place::local_row(n)][e]) * of_b;
      }
    }
  }
}

/// The sums of a thread: its rows, and of each the elements first_column + lane + 32 s.
template <class T>
struct Sums {
  T of[kWarpRows][kSpans] = {};

  /// Adds the product of a tile of weights and the rows of `other`.
  template <class S>
  __device__ void add(Tile<T>& weights, const Rows<const S>& other, std::int64_t first_other,
                      std::int64_t first_column) {
    for (unsigned j = 0; j < kTile; ++j) {
      T elements[kSpans];
#pragma unroll
      for (unsigned s = 0; s < kSpans; ++s) {
        elements[s] =
            other.template at<T>(first_other + j, first_column + Place::lane() + s * kTile);
      }
#pragma unroll
      for (unsigned n = 0; n < kWarpRows; ++n) {
        const T weight = weights[Place::local_row(n)][j];
#pragma unroll
        for (unsigned s = 0; s < kSpans; ++s) of[n][s] += weight * elements[s];
      }
    }
  }

  template <class S>
  __device__ void store(const Rows<S>& to, std::int64_t first_row, std::int64_t first_column,
                        const T (&factors)[kWarpRows]) const {
    for (unsigned n = 0; n < kWarpRows; ++n) {
      const std::int64_t row = first_row + Place::local_row(n);
      for (unsigned s = 0; s < kSpans; ++s) {
        const std::int64_t e = first_column + Place::lane() + s * kTile;
        if (row < to.count && e < to.size) {
          to.data[row * to.step + e] = narrowed<S>(of[n][s] * factors[n]);
        }
      }
    }
  }
};

/// Returns the score of a query and a key from their product.
template <class T>
__device__ T score_of(const AttentionArgs& args, const Place& place, std::int64_t query,
                      std::int64_t key, T product) {
  constexpr T kForbidden = -std::numeric_limits<T>::infinity();
  if (query >= args.queries || key >= args.keys) return kForbidden;
  if (args.is_causal != 0 && key > query) return kForbidden;
  const T score = product * static_cast<T>(args.scale);
  if (args.mask == nullptr) return score;
  const std::int64_t* const s = args.mask_strides;
  const std::int64_t at = place.batch * s[0] + place.head * s[1] + query * s[2] + key * s[3];
  if (args.mask_dtype == kBool) return static_cast<const bool*>(args.mask)[at] ? score : kForbidden;
  return score + static_cast<const T*>(args.mask)[at];
}

/// Returns what dropout multiplies a weight with.
template <class T>
__device__ T dropout_factor(const AttentionArgs& args, const Place& place, std::int64_t query,
                            std::int64_t key) {
  if (args.keep == nullptr || query >= args.queries || key >= args.keys) return 1;
  const std::int64_t row = (place.batch * args.heads + place.head) * args.queries + query;
  return args.keep[row * args.keys + key] ? static_cast<T>(args.keep_scale) : T(0);
}

/// Returns the place of this block, which has one head of `heads` per batch and `rows` rows.
__device__ inline Place place_of(std::int64_t heads, std::int64_t rows) {
  const std::int64_t tiles = (rows + kTile - 1) / kTile, head = blockIdx.x / tiles;
  return {head / heads, head % heads, blockIdx.x % tiles * kTile, 0};
}

template <class T, class Merge>
__device__ T warp_reduce(T value, const Merge& merge) {
  for (unsigned mask = kWarp / 2; mask > 0; mask /= 2)
    value = merge(value, shuffle_xor(value, mask));
  return value;
}

template <class S>
__global__ void __launch_bounds__(kThreads) attention_forward_kernel(AttentionArgs args) {
  using T = MathType<S>;
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  __shared__ Tile<T> a_tile, b_tile, weights;
  Place place = place_of(args.heads, args.queries);
  const std::int64_t shared = place.head / args.group, column = blockIdx.y * kColumns;
  const Rows<const S> q(args.q, args.q_strides, place.batch, place.head, args.queries, args.size);
  const Rows<const S> k(args.k, args.k_strides, place.batch, shared, args.keys, args.size);
  const Rows<const S> v(args.v, args.v_strides, place.batch, shared, args.keys, args.value_size);
  T top[kWarpRows], sum[kWarpRows] = {}, products[kWarpRows];
  for (T& x : top) x = kLowest;
  Sums<T> sums;
  const std::int64_t end =
      args.is_causal != 0 && place.row + kTile < args.keys ? place.row + kTile : args.keys;
  for (; place.other < end; place.other += kTile) {
    multiply_rows<T>(a_tile, b_tile, q, place.row, k, place.other, products);
    for (unsigned n = 0; n < kWarpRows; ++n) {
      const std::int64_t query = place.row + Place::local_row(n);
      const std::int64_t key = place.other + Place::lane();
      const T score = score_of(args, place, query, key, products[n]);
      const T largest =
          warp_reduce(score > top[n] ? score : top[n], [](T a, T b) { return b > a ? b : a; });
      const T base = largest == kLowest ? T(0) : largest;  // no key yet
      const T shrink = math::exp_or_zero(top[n] - base), weight = math::exp_or_zero(score - base);
      sum[n] = sum[n] * shrink + warp_reduce(weight, [](T a, T b) { return a + b; });
      top[n] = largest;
      for (T& x : sums.of[n]) x *= shrink;
      weights[Place::local_row(n)][Place::lane()] =
          weight * dropout_factor<T>(args, place, query, key);
    }
    __syncthreads();
    sums.add(weights, v, place.other, column);
  }
  T factors[kWarpRows];
  for (unsigned n = 0; n < kWarpRows; ++n) {
    factors[n] = sum[n] == 0 ? T(0) : T(1) / sum[n];
    const std::int64_t query = place.row + Place::local_row(n);
    if (query >= args.queries || blockIdx.y != 0 || Place::lane() != 0) continue;
    // With the logarithm of a float, weight_limit() would take many for that of an only key.
    args.logsumexp[(place.batch * args.heads + place.head) * args.queries + query] =
        sum[n] == 0 ? -std::numeric_limits<double>::infinity()
                    : double{top[n]} + math::log(double{sum[n]});
  }
  const Rows<S> out(args.out, args.out_strides, place.batch, place.head, args.queries,
                    args.value_size);
  sums.store(out, place.row, column, factors);
}

/// Sets dots to the product of result and gradient of each query, one warp per query.
template <class S>
__global__ void __launch_bounds__(kThreads)
    attention_dots_kernel(AttentionArgs args, MathType<S>* dots) {
  using T = MathType<S>;
  const std::int64_t index = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / kWarp;
  const bool is_query = index < args.batch * args.heads * args.queries;
  const std::int64_t row = is_query ? index : 0, head = row / args.queries;
  const Rows<const S> out(args.out, args.out_strides, head / args.heads, head % args.heads,
                          args.queries, args.value_size);
  const Rows<const S> grad(args.grad, args.grad_strides, head / args.heads, head % args.heads,
                           args.queries, args.value_size);
  T dot = 0;
  for (std::int64_t e = Place::lane(); e < args.value_size; e += kWarp) {
    dot += out.template at<T>(row % args.queries, e) * grad.template at<T>(row % args.queries, e);
  }
  dot = warp_reduce(dot, [](T a, T b) { return a + b; });
  if (is_query && Place::lane() == 0) dots[row] = dot;
}

/// Which gradient a kernel computes.
enum class Wanted { kQuery, kKey, kValue };

/// What the weights of a tile are for a gradient: those of the forward pass, or the gradients of
/// the scores.
template <Wanted kWanted, class T>
__device__ T gradient_weight(const AttentionArgs& args, const Place& place, std::int64_t query,
                             std::int64_t key, T product, T slope, const T* dots) {
  if (query >= args.queries || key >= args.keys) return 0;
  const std::int64_t row = (place.batch * args.heads + place.head) * args.queries + query;
  const T logsumexp = static_cast<T>(args.logsumexp[row]);
  if (logsumexp == -std::numeric_limits<T>::infinity()) return 0;
  const T weight = math::exp_or_zero(score_of(args, place, query, key, product) - logsumexp);
  const T factor = dropout_factor<T>(args, place, query, key);
  if constexpr (kWanted == Wanted::kValue) return weight * factor;
  const T kept = weight > weight_limit<T>(args.logsumexp[row]) ? T(0) : weight;
  return kept * (factor * slope - dots[row]) * static_cast<T>(args.scale);
}

template <Wanted kWanted, class S>
__global__ void __launch_bounds__(kThreads)
    attention_backward_kernel(AttentionArgs args, const MathType<S>* dots) {
  using T = MathType<S>;
  constexpr bool kRowsAreQueries = kWanted == Wanted::kQuery;
  __shared__ Tile<T> a_tile, b_tile, weights;
  const std::int64_t shared_heads = args.heads / args.group, column = blockIdx.y * kColumns;
  Place place =
      kRowsAreQueries ? place_of(args.heads, args.queries) : place_of(shared_heads, args.keys);
  const std::int64_t shared = kRowsAreQueries ? place.head / args.group : place.head;
  const std::int64_t heads = kRowsAreQueries ? 1 : args.group;
  if (!kRowsAreQueries) place.head *= args.group;
  const Rows<const S> k(args.k, args.k_strides, place.batch, shared, args.keys, args.size);
  const Rows<const S> v(args.v, args.v_strides, place.batch, shared, args.keys, args.value_size);
  Sums<T> sums;
  const Place first = place;
  for (std::int64_t h = 0; h < heads; ++h) {
    place.head = first.head + h;
    const Rows<const S> q(args.q, args.q_strides, place.batch, place.head, args.queries, args.size);
    const Rows<const S> g(args.grad, args.grad_strides, place.batch, place.head, args.queries,
                          args.value_size);
    std::int64_t end = kRowsAreQueries ? args.keys : args.queries;
    place.other = 0;
    if (args.is_causal != 0) {  // skips tiles above the diagonal
      if (!kRowsAreQueries) place.other = place.row;
      if (kRowsAreQueries && place.row + kTile < end) end = place.row + kTile;
    }
    for (; place.other < end; place.other += kTile) {
      T products[kWarpRows], slopes[kWarpRows] = {};
      multiply_rows<T>(a_tile, b_tile, kRowsAreQueries ? q : k, place.row, kRowsAreQueries ? k : q,
                       place.other, products);
      if constexpr (kWanted != Wanted::kValue) {
        multiply_rows<T>(a_tile, b_tile, kRowsAreQueries ? g : v, place.row,
                         kRowsAreQueries ? v : g, place.other, slopes);
      }
      for (unsigned n = 0; n < kWarpRows; ++n) {
        const std::int64_t row = place.row + Place::local_row(n);
        const std::int64_t other = place.other + Place::lane();
        weights[Place::local_row(n)][Place::lane()] = gradient_weight<kWanted, T>(
            args, place, kRowsAreQueries ? row : other, kRowsAreQueries ? other : row, products[n],
            slopes[n], dots);
      }
      __syncthreads();
      sums.add(weights,
               kWanted == Wanted::kQuery ? k
               : kWanted == Wanted::kKey ? q
                                         : g,
               place.other, column);
    }
  }
  const auto result = [&](void* data, const AttentionStrides& strides, std::int64_t head,
                          std::int64_t count, std::int64_t size) {
    return Rows<S>(data, strides, first.batch, head, count, size);
  };
  constexpr T kOnes[kWarpRows] = {1, 1, 1, 1};
  sums.store(kWanted == Wanted::kQuery
                 ? result(args.grad_q, args.grad_q_strides, first.head, args.queries, args.size)
             : kWanted == Wanted::kKey
                 ? result(args.grad_k, args.grad_k_strides, shared, args.keys, args.size)
                 : result(args.grad_v, args.grad_v_strides, shared, args.keys, args.value_size),
             place.row, column, kOnes);
}

/// The blocks of a launch: tiles of the rows of all heads, and spans of the columns.
dim3 blocks_of(std::int64_t heads, std::int64_t rows, std::int64_t columns) {
  return dim3(static_cast<unsigned>(heads * ((rows + kTile - 1) / kTile)),
              blocks_for(columns, kColumns));
}

template <class S>
void run(const AttentionArgs& args, KernelContext& context) {
  using T = MathType<S>;
  const std::int64_t heads = args.batch * args.heads, shared = heads / args.group;
  if (args.op == AttentionOp::kForward) {
    return launch(context, attention_forward_kernel<S>,
                  blocks_of(heads, args.queries, args.value_size), kThreads, args);
  }
  const std::int64_t queries = heads * args.queries;
  const Scratch dots(context, static_cast<std::size_t>(queries) * sizeof(T));
  launch(context, attention_dots_kernel<S>, blocks_for(queries, kWarps), kThreads, args,
         dots.get<T>());
  const T* const read_dots = dots.get<T>();
  if (args.grad_q != nullptr) {
    launch(context, attention_backward_kernel<Wanted::kQuery, S>,
           blocks_of(heads, args.queries, args.size), kThreads, args, read_dots);
  }
  if (args.grad_k != nullptr) {
    launch(context, attention_backward_kernel<Wanted::kKey, S>,
           blocks_of(shared, args.keys, args.size), kThreads, args, read_dots);
  }
  if (args.grad_v != nullptr) {
    launch(context, attention_backward_kernel<Wanted::kValue, S>,
           blocks_of(shared, args.keys, args.value_size), kThreads, args, read_dots);
  }
}

void attention(const AttentionArgs& args, KernelContext& context) {
  if (cudnn::attend(args, context)) return;
  visit_all_floating(args.dtype, context,
                     [&](auto tag) { run<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_attention(KernelTable& table) { set<AttentionArgs, attention>(table); }

}  // namespace tern::cuda::device
