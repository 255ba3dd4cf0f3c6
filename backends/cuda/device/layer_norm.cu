#include <tern/backends/cuda/device/reduce/loops.h>
#include <tern/backends/cuda/device/support/normalize.h>
#include <tern/core/kernels/families/layer_norm.h>

namespace tern::cuda::device {
namespace {

// S is the type of the elements in memory.

/// One team per row.
template <class S>
__global__ void __launch_bounds__(kThreads) forward_kernel(LayerNormArgs args, Teams teams) {
  using T = MathType<S>;
  const std::int64_t row = teams.row(), last = row < args.rows ? args.size : 0;
  const std::int64_t start = row < args.rows ? row * args.size : 0;
  const S* const in = static_cast<const S*>(args.in) + start;
  S* const out = static_cast<S*>(args.out) + start;
  const double about = args.root_mean_square != 0 ? 0 : widened<T>(in[0]);
  Pair<double> sums{};
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    sums = AddPairs()(sums, moment_term(widened<T>(in[i]), about));
  }
  if (args.root_mean_square != 0) sums.first = 0;
  const auto [mean, variance] = moments(team_reduce(teams, sums, AddPairs()), about, args.size);
  const double rstd = 1 / ::sqrt(variance + args.eps);
  const Center<T> center(mean);
  const T scale = static_cast<T>(rstd);
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    const T x = center(widened<T>(in[i])) * scale;
    out[i] = narrowed<S>(x * affine<S>(args.weight, i, 1) + affine<S>(args.bias, i, 0));
  }
  if (row >= args.rows || teams.member() != 0) return;
  if (args.mean != nullptr) args.mean[row] = mean;
  if (args.rstd != nullptr) args.rstd[row] = rstd;
}

/// Computes grad_in; one team per row.
template <class S>
__global__ void __launch_bounds__(kThreads) backward_kernel(LayerNormArgs args, Teams teams) {
  using T = MathType<S>;
  const bool is_row = teams.row() < args.rows;
  const std::int64_t row = is_row ? teams.row() : 0, last = is_row ? args.size : 0;
  const S* const in = static_cast<const S*>(args.in) + row * args.size;
  const S* const grad = static_cast<const S*>(args.grad) + row * args.size;
  S* const grad_in = static_cast<S*>(args.grad_in) + row * args.size;
  const Center<T> center(args.mean[row]);
  const T rstd = static_cast<T>(args.rstd[row]);
  Pair<T> sums{};
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    const T h = widened<T>(grad[i]) * affine<S>(args.weight, i, 1);
    sums = AddPairs()(sums, Pair<T>{h, h * (center(widened<T>(in[i])) * rstd)});
  }
  if (args.root_mean_square != 0) sums.first = 0;
  sums = team_reduce(teams, sums, AddPairs());
  const T n = static_cast<T>(args.size), mean_h = sums.first / n, mean_hx = sums.second / n;
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    const T h = widened<T>(grad[i]) * affine<S>(args.weight, i, 1);
    const T x = center(widened<T>(in[i])) * rstd;
    grad_in[i] = narrowed<S>(rstd * (h - mean_h - x * mean_hx));
  }
}

/// Computes the gradients of weight and bias by summing down the columns.
template <class S>
struct AffineGradients : AddPairs {
  using T = MathType<S>;
  using State = Pair<T>;
  static constexpr bool kOneByOne = true;
  const S* in;
  const S* grad;
  const double* mean;
  const double* rstd;
  S* grad_weight;
  S* grad_bias;

  explicit AffineGradients(const LayerNormArgs& args)
      : in(static_cast<const S*>(args.in)),
        grad(static_cast<const S*>(args.grad)),
        mean(args.mean),
        rstd(args.rstd),
        grad_weight(static_cast<S*>(args.grad_weight)),
        grad_bias(static_cast<S*>(args.grad_bias)) {}
  __device__ State identity() const { return {0, 0}; }
  __device__ State at(std::int64_t offset, std::int64_t row, std::int64_t) const {
    const T g = widened<T>(grad[offset]), x = Center<T>(mean[row])(widened<T>(in[offset]));
    return {g * (x * static_cast<T>(rstd[row])), g};
  }
  __device__ void store(std::int64_t column, std::int64_t, const State& sums) const {
    if (grad_weight != nullptr) grad_weight[column] = narrowed<S>(sums.first);
    if (grad_bias != nullptr) grad_bias[column] = narrowed<S>(sums.second);
  }
};

template <class S>
void run(const LayerNormArgs& args, KernelContext& context) {
  const Teams teams = row_teams(args.rows, args.size);
  const unsigned blocks = teams.blocks(args.rows);
  if (args.op == LayerNormOp::kForward) {
    return launch(context, forward_kernel<S>, blocks, kThreads, args, teams);
  }
  if (args.grad_in != nullptr) {
    launch(context, backward_kernel<S>, blocks, kThreads, args, teams);
  }
  if (args.grad_weight == nullptr && args.grad_bias == nullptr) return;
  StridedIndex<2> columns;
  columns.add_dim(args.size, {1, 1});
  StridedIndex<1> rows;
  rows.add_dim(args.rows, {args.size});
  run_reduction(context, columns, rows, AffineGradients<S>(args));
}

void layer_norm(const LayerNormArgs& args, KernelContext& context) {
  visit_all_floating(args.dtype, context,
                     [&](auto tag) { run<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_layer_norm(KernelTable& table) { set<LayerNormArgs, layer_norm>(table); }

}  // namespace tern::cuda::device
