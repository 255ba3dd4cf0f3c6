#include <tern/backends/cuda/device/normalize.h>
#include <tern/backends/cuda/device/reduce_loops.h>
#include <tern/core/kernels/families/layer_norm.h>
#include <tern/core/kernels/math_dtype.h>

namespace tern::cuda::device {
namespace {

/// One team per row.
template <class T>
__global__ void __launch_bounds__(kThreads) forward_kernel(LayerNormArgs args, Teams teams) {
  const std::int64_t row = teams.row(), last = row < args.rows ? args.size : 0;
  const std::int64_t start = row < args.rows ? row * args.size : 0;
  const T* const in = static_cast<const T*>(args.in) + start;
  T* const out = static_cast<T*>(args.out) + start;
  const double about = in[0];
  Pair<double> sums{};
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    sums = AddPairs()(sums, moment_term(in[i], about));
  }
  const auto [mean, variance] = moments(team_reduce(teams, sums, AddPairs()), about, args.size);
  const double rstd = 1 / ::sqrt(variance + args.eps);
  const Center<T> center(mean);
  const T scale = static_cast<T>(rstd);
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    out[i] = center(in[i]) * scale * affine<T>(args.weight, i, 1) + affine<T>(args.bias, i, 0);
  }
  if (row >= args.rows || teams.member() != 0) return;
  if (args.mean != nullptr) args.mean[row] = mean;
  if (args.rstd != nullptr) args.rstd[row] = rstd;
}

/// Computes grad_in; one team per row.
template <class T>
__global__ void __launch_bounds__(kThreads) backward_kernel(LayerNormArgs args, Teams teams) {
  const bool is_row = teams.row() < args.rows;
  const std::int64_t row = is_row ? teams.row() : 0, last = is_row ? args.size : 0;
  const T* const in = static_cast<const T*>(args.in) + row * args.size;
  const T* const grad = static_cast<const T*>(args.grad) + row * args.size;
  T* const grad_in = static_cast<T*>(args.grad_in) + row * args.size;
  const Center<T> center(args.mean[row]);
  const T rstd = static_cast<T>(args.rstd[row]);
  Pair<T> sums{};
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    const T h = grad[i] * affine<T>(args.weight, i, 1);
    sums = AddPairs()(sums, Pair<T>{h, h * (center(in[i]) * rstd)});
  }
  sums = team_reduce(teams, sums, AddPairs());
  const T n = static_cast<T>(args.size), mean_h = sums.first / n, mean_hx = sums.second / n;
#pragma unroll 4
  for (std::int64_t i = teams.member(); i < last; i += teams.size) {
    const T h = grad[i] * affine<T>(args.weight, i, 1);
    grad_in[i] = rstd * (h - mean_h - center(in[i]) * rstd * mean_hx);
  }
}

/// Computes the gradients of weight and bias by summing down the columns.
template <class T>
struct AffineGradients : AddPairs {
  using State = Pair<T>;
  const T* in;
  const T* grad;
  const double* mean;
  const double* rstd;
  T* grad_weight;
  T* grad_bias;

  explicit AffineGradients(const LayerNormArgs& args)
      : in(static_cast<const T*>(args.in)),
        grad(static_cast<const T*>(args.grad)),
        mean(args.mean),
        rstd(args.rstd),
        grad_weight(static_cast<T*>(args.grad_weight)),
        grad_bias(static_cast<T*>(args.grad_bias)) {}
  __device__ State identity() const { return {0, 0}; }
  __device__ State at(std::int64_t offset, std::int64_t row, std::int64_t) const {
    const T g = grad[offset], x = Center<T>(mean[row])(in[offset]);
    return {g * (x * static_cast<T>(rstd[row])), g};
  }
  __device__ void store(std::int64_t column, std::int64_t, const State& sums) const {
    if (grad_weight != nullptr) grad_weight[column] = sums.first;
    if (grad_bias != nullptr) grad_bias[column] = sums.second;
  }
};

template <class T>
void run(const LayerNormArgs& args, KernelContext& context) {
  const Teams teams = row_teams(args.rows, args.size);
  const unsigned blocks = teams.blocks(args.rows);
  if (args.op == LayerNormOp::kForward) {
    return launch(context, forward_kernel<T>, blocks, kThreads, args, teams);
  }
  if (args.grad_in != nullptr) {
    launch(context, backward_kernel<T>, blocks, kThreads, args, teams);
  }
  if (args.grad_weight == nullptr && args.grad_bias == nullptr) return;
  StridedIndex<2> columns;
  columns.add_dim(args.size, {1, 1});
  StridedIndex<1> rows;
  rows.add_dim(args.rows, {args.size});
  run_reduction(context, columns, rows, AffineGradients<T>(args));
}

void layer_norm(const LayerNormArgs& args, KernelContext& context) {
  visit_floating(args.dtype, context,
                 [&](auto tag) { run<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_layer_norm(KernelTable& table) { set<LayerNormArgs, layer_norm>(table); }

}  // namespace tern::cuda::device
