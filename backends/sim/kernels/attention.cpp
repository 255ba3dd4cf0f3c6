#include <cmath>
#include <cstdint>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

/// The rows of one head.
template <class T>
struct HeadRows {
  T* start;
  std::int64_t step;

  HeadRows(auto* data, const AttentionStrides& strides, std::int64_t batch, std::int64_t head)
      : start(static_cast<T*>(data) + batch * strides.batch + head * strides.head),
        step(strides.row) {}
  T& at(std::int64_t row, std::int64_t e) const { return start[row * step + e]; }
};

/// Query `i` of one head of the query, and the head of key and value that it belongs to.
struct Query {
  std::int64_t batch, head, shared, i;

  std::int64_t row(const AttentionArgs& args) const {
    return (batch * args.heads + head) * args.queries + i;
  }
};

template <class T>
double dot(const HeadRows<const T>& a, std::int64_t i, const HeadRows<const T>& b, std::int64_t j,
           std::int64_t size) {
  double sum = 0;
  for (std::int64_t e = 0; e < size; ++e) sum += double{a.at(i, e)} * double{b.at(j, e)};
  return sum;
}

template <class T>
double score(const AttentionArgs& args, const Query& query, std::int64_t j) {
  if (args.is_causal != 0 && j > query.i) return -HUGE_VAL;
  const HeadRows<const T> q(args.q, args.q_strides, query.batch, query.head);
  const HeadRows<const T> k(args.k, args.k_strides, query.batch, query.shared);
  const double product = args.scale * dot(q, query.i, k, j, args.size);
  if (args.mask == nullptr) return product;
  const std::int64_t* const s = args.mask_strides;
  const std::int64_t at = query.batch * s[0] + query.head * s[1] + query.i * s[2] + j * s[3];
  if (args.mask_dtype == kBool) {
    return static_cast<const bool*>(args.mask)[at] ? product : -HUGE_VAL;
  }
  return product + (args.mask_dtype == kFloat ? double{static_cast<const float*>(args.mask)[at]}
                                              : static_cast<const double*>(args.mask)[at]);
}

/// What dropout multiplies a weight with.
double dropout_factor(const AttentionArgs& args, const Query& query, std::int64_t j) {
  if (args.keep == nullptr) return 1;
  return args.keep[query.row(args) * args.keys + j] ? args.keep_scale : 0;
}

template <class T>
void forward_row(const AttentionArgs& args, const Query& query) {
  std::vector<double> weights;
  double largest = -HUGE_VAL, sum = 0;
  for (std::int64_t j = 0; j < args.keys; ++j) {
    weights.push_back(score<T>(args, query, j));
    largest = weights.back() > largest ? weights.back() : largest;
  }
  const double base = largest == -HUGE_VAL ? 0 : largest;
  for (double& weight : weights) sum += weight = std::exp(weight - base);
  args.logsumexp[query.row(args)] = sum == 0 ? -HUGE_VAL : base + std::log(sum);
  const HeadRows<const T> v(args.v, args.v_strides, query.batch, query.shared);
  const HeadRows<T> out(args.out, args.out_strides, query.batch, query.head);
  for (std::int64_t e = 0; e < args.value_size; ++e) {
    double result = 0;
    for (std::int64_t j = 0; j < args.keys; ++j) {
      const double weight = sum == 0 ? 0 : weights[static_cast<std::size_t>(j)] / sum;
      result += weight * dropout_factor(args, query, j) * double{v.at(j, e)};
    }
    out.at(query.i, e) = static_cast<T>(result);
  }
}

/// Sums of the gradients of one head of key and value, and of the heads of the query that share it.
struct GradientSums {
  std::vector<double> q, k, v;
};

template <class T>
void backward_row(const AttentionArgs& args, const Query& query, GradientSums& sums) {
  const HeadRows<const T> q(args.q, args.q_strides, query.batch, query.head);
  const HeadRows<const T> k(args.k, args.k_strides, query.batch, query.shared);
  const HeadRows<const T> v(args.v, args.v_strides, query.batch, query.shared);
  const HeadRows<const T> grad(args.grad, args.grad_strides, query.batch, query.head);
  const double logsumexp = args.logsumexp[query.row(args)];
  if (logsumexp == -HUGE_VAL) return;
  std::vector<double> weights, slopes;
  double total = 0, mean = 0;
  for (std::int64_t j = 0; j < args.keys; ++j) {
    weights.push_back(std::exp(score<T>(args, query, j) - logsumexp));
    slopes.push_back(dropout_factor(args, query, j) * dot(grad, query.i, v, j, args.value_size));
    total += weights.back();
  }
  // Another kernel's logsumexp differs in the last digit, but the weight of an only key is 1.
  for (double& weight : weights) weight = total > 0 ? weight / total : weight;
  for (std::size_t j = 0; j < weights.size(); ++j) mean += weights[j] * slopes[j];
  for (std::int64_t j = 0; j < args.keys; ++j) {
    const double weight = weights[static_cast<std::size_t>(j)];
    const double slope = slopes[static_cast<std::size_t>(j)];
    const double factor = dropout_factor(args, query, j);
    const double of_score = weight * (slope - mean) * args.scale;
    for (std::int64_t e = 0; e < args.value_size; ++e) {
      sums.v[static_cast<std::size_t>(j * args.value_size + e)] +=
          weight * factor * double{grad.at(query.i, e)};
    }
    for (std::int64_t e = 0; e < args.size; ++e) {
      sums.q[static_cast<std::size_t>(query.i * args.size + e)] += of_score * double{k.at(j, e)};
      sums.k[static_cast<std::size_t>(j * args.size + e)] += of_score * double{q.at(query.i, e)};
    }
  }
}

template <class T>
void store(void* data, const AttentionStrides& strides, std::int64_t batch, std::int64_t head,
           std::int64_t size, const std::vector<double>& sums) {
  if (data == nullptr) return;
  const HeadRows<T> rows(data, strides, batch, head);
  const auto count = static_cast<std::int64_t>(sums.size());
  for (std::int64_t at = 0; at < count; ++at) {
    rows.at(at / size, at % size) = static_cast<T>(sums[static_cast<std::size_t>(at)]);
  }
}

template <class T>
void backward_heads(const AttentionArgs& args, std::int64_t batch, std::int64_t shared) {
  GradientSums sums;
  sums.k.resize(static_cast<std::size_t>(args.keys * args.size));
  sums.v.resize(static_cast<std::size_t>(args.keys * args.value_size));
  for (std::int64_t head = shared * args.group; head < (shared + 1) * args.group; ++head) {
    sums.q.assign(static_cast<std::size_t>(args.queries * args.size), 0);
    for (std::int64_t i = 0; i < args.queries; ++i) {
      backward_row<T>(args, {batch, head, shared, i}, sums);
    }
    store<T>(args.grad_q, args.grad_q_strides, batch, head, args.size, sums.q);
  }
  store<T>(args.grad_k, args.grad_k_strides, batch, shared, args.size, sums.k);
  store<T>(args.grad_v, args.grad_v_strides, batch, shared, args.value_size, sums.v);
}

template <class T>
void apply(const AttentionArgs& args) {
  for (std::int64_t batch = 0; batch < args.batch; ++batch) {
    if (args.op == AttentionOp::kBackward) {
      for (std::int64_t shared = 0; shared < args.heads / args.group; ++shared) {
        backward_heads<T>(args, batch, shared);
      }
      continue;
    }
    for (std::int64_t head = 0; head < args.heads; ++head) {
      for (std::int64_t i = 0; i < args.queries; ++i) {
        forward_row<T>(args, {batch, head, head / args.group, i});
      }
    }
  }
}

bool supports(const AttentionArgs& args) { return is_floating_point(args.dtype); }

void attention(const AttentionArgs& args, KernelContext&) {
  visit_floating_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_attention(OracleTable& table) { set<AttentionArgs, supports, attention>(table); }

}  // namespace tern::sim
