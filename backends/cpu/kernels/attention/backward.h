#pragma once

#include <tern/backends/cpu/kernels/attention/block.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/core/kernels/math/math.h>

namespace tern::cpu {

/// Computes the weights from scores and logsumexp, and from the slopes (the gradients of the
/// dropped weights) the gradients of the scores: weight * (factor * slope - dot), or 0 for a weight
/// above the limit of its query. On return `scores` holds the dropped weights. `factors` is null
/// without dropout.
template <class T>
void score_gradients(T* __restrict scores, T* __restrict slopes, const T* __restrict factors,
                     const T* __restrict logsumexp, const T* __restrict dot,
                     const T* __restrict limits, std::int64_t keys, auto width) {
  if (factors == nullptr) {
    for (std::int64_t j = 0; j < keys; ++j, scores += width, slopes += width) {
      for (std::int64_t i = 0; i < width; ++i) {
        const T weight = kernels::math::exp_or_zero(scores[i] - logsumexp[i]);
        slopes[i] = (weight > limits[i] ? T(0) : weight) * (slopes[i] - dot[i]);
        scores[i] = weight;
      }
    }
    return;
  }
  for (std::int64_t j = 0; j < keys; ++j, scores += width, slopes += width, factors += width) {
    for (std::int64_t i = 0; i < width; ++i) {
      const T weight = kernels::math::exp_or_zero(scores[i] - logsumexp[i]);
      slopes[i] = (weight > limits[i] ? T(0) : weight) * (factors[i] * slopes[i] - dot[i]);
      scores[i] = weight * factors[i];
    }
  }
}

/// The backward pass. A task is a part of the keys of one head of k and v: it walks over all
/// queries of the heads that share it, sums the gradients of its keys and values in memory of its
/// own, and stores its share of the gradient of the query. The sums of the shares are taken at the
/// end, in order. The number of parts depends on the sizes alone, so that the result has the same
/// bits for any number of threads.
template <class T>
class AttentionBackward {
 public:
  explicit AttentionBackward(const AttentionArgs& args)
      : args_(args),
        heads_(args.heads / args.group),
        key_blocks_(divide_up(args.keys, kKeyBlock)),
        parts_(std::min(divide_up(kFewTasks, args.batch * heads_), key_blocks_)),
        size_(divide_up(args.size, kLanes<T>) * kLanes<T>),
        value_size_(divide_up(args.value_size, kLanes<T>) * kLanes<T>),
        shares_(has_shares() ? parts_ * query_elements() : 0) {}

  std::int64_t tasks() const { return args_.batch * heads_ * parts_; }

  /// Runs tasks. Returns false if out of memory.
  bool run(std::int64_t begin, std::int64_t end) const {
    const std::int64_t most = divide_up(key_blocks_, parts_) * kKeyBlock;
    const std::int64_t lanes = 2 * args_.size + args_.value_size + 3 * kKeyBlock;
    T* const memory = thread_scratch<T>((lanes + size_ + value_size_) * kQueryBlock +
                                        most * (size_ + value_size_));
    if (memory == nullptr) return false;
    for (std::int64_t task = begin; task < end; ++task) {
      run_task(task / parts_, balanced_block(task % parts_, parts_), memory);
    }
    return true;
  }

  /// Returns true if add_shares() must run after all tasks.
  bool has_shares() const { return parts_ > 1 && args_.grad_q != nullptr; }
  std::int64_t rows() const { return args_.batch * args_.heads * args_.queries; }

  /// Sums the shares of rows of the gradient of the query.
  void add_shares(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t head = row / args_.queries;
      T* const to =
          head_of<T>(args_.grad_q, args_.grad_q_strides, head / args_.heads, head % args_.heads) +
          row % args_.queries * args_.grad_q_strides.row;
      const T* from = shares_.data() + row * args_.size;
      std::copy_n(from, args_.size, to);
      for (std::int64_t part = 1; part < parts_; ++part) {
        from += query_elements();
        for (std::int64_t e = 0; e < args_.size; ++e) to[e] += from[e];
      }
    }
  }

 private:
  // So many tasks keep the threads of most machines busy.
  static constexpr std::int64_t kFewTasks = 32;

  std::int64_t query_elements() const { return rows() * args_.size; }

  /// What a task works with.
  struct Memory {
    T *query, *gradient;               // [size][width]: scaled query and gradient of the result
    T *query_rows, *gradient_rows;     // the same as [queries][size], padded to whole vectors
    T *scores, *slopes, *factors;      // [keys][width]
    T* query_gradient;                 // [size][width]
    T *key_gradient, *value_gradient;  // of all keys of the task, [keys][size], padded
  };

  void run_task(std::int64_t shared_head, std::int64_t part, T* data) const {
    Memory m;
    const auto take = [&](std::int64_t count) {
      T* const taken = data;
      data += count;
      return taken;
    };
    m.query_rows = take(kQueryBlock * size_);
    m.gradient_rows = take(kQueryBlock * value_size_);
    m.query = take(kQueryBlock * args_.size);
    m.query_gradient = take(kQueryBlock * args_.size);
    m.gradient = take(kQueryBlock * args_.value_size);
    m.scores = take(kQueryBlock * kKeyBlock);
    m.slopes = take(kQueryBlock * kKeyBlock);
    m.factors = take(kQueryBlock * kKeyBlock);
    const std::int64_t first_key = key_blocks_ * part / parts_ * kKeyBlock;
    const std::int64_t last_key =
        std::min(key_blocks_ * (part + 1) / parts_ * kKeyBlock, args_.keys);
    const std::int64_t keys = last_key - first_key;
    m.key_gradient = take(keys * size_);
    m.value_gradient = take(keys * value_size_);
    std::fill_n(m.key_gradient, keys * (size_ + value_size_), T(0));
    std::fill_n(m.query_rows, kQueryBlock * (size_ + value_size_), T(0));
    const std::int64_t batch = shared_head / heads_, shared = shared_head % heads_;
    for (std::int64_t head = shared * args_.group; head < (shared + 1) * args_.group; ++head) {
      for (std::int64_t query = 0; query < args_.queries; query += kQueryBlock) {
        const ScoreBlock block{batch,     head, query, std::min(kQueryBlock, args_.queries - query),
                               first_key, keys};
        visit_width<T>(block.queries, [&](auto width) { run_queries(block, width, part, m); });
      }
    }
    store_rows(args_.grad_k, args_.grad_k_strides, batch, shared, first_key, keys, m.key_gradient,
               size_, args_.size);
    store_rows(args_.grad_v, args_.grad_v_strides, batch, shared, first_key, keys, m.value_gradient,
               value_size_, args_.value_size);
  }

  static void store_rows(void* data, const AttentionStrides& strides, std::int64_t batch,
                         std::int64_t head, std::int64_t first, std::int64_t count, const T* from,
                         std::int64_t from_row, std::int64_t size) {
    if (data == nullptr) return;
    T* const to = head_of<T>(data, strides, batch, head) + first * strides.row;
    for (std::int64_t j = 0; j < count; ++j)
      std::copy_n(from + j * from_row, size, to + j * strides.row);
  }

  /// Adds what a block of queries contributes. `all` has all keys of the task.
  void run_queries(const ScoreBlock& all, auto width, std::int64_t part, const Memory& m) const {
    T logsumexp[kQueryBlock] = {}, dot[kQueryBlock] = {}, limits[kQueryBlock] = {};
    load_queries(all, width, m, logsumexp, dot, limits);
    const std::int64_t shared = all.head / args_.group;
    const T* const k = head_of<const T>(args_.k, args_.k_strides, all.batch, shared);
    const T* const v = head_of<const T>(args_.v, args_.v_strides, all.batch, shared);
    const std::int64_t k_row = args_.k_strides.row, v_row = args_.v_strides.row;
    std::int64_t end = all.first_key + all.keys;
    if (args_.is_causal != 0) end = std::min(end, all.first_query + all.queries);
    std::fill_n(m.query_gradient, args_.size * width, T(0));
    ScoreBlock block = all;
    for (; block.first_key < end; block.first_key += kKeyBlock) {
      const std::int64_t key = block.first_key, keys = std::min(kKeyBlock, end - key);
      block.keys = keys;
      multiply_block<T>({k + key * k_row, k_row, 1}, m.query, width, m.scores, width, keys, width,
                        args_.size, false);
      mask_scores(args_, block, m.scores, width);
      multiply_block<T>({v + key * v_row, v_row, 1}, m.gradient, width, m.slopes, width, keys,
                        width, args_.value_size, false);
      if (args_.keep != nullptr) load_dropout(args_, block, m.factors, width);
      score_gradients(m.scores, m.slopes, args_.keep != nullptr ? m.factors : nullptr, logsumexp,
                      dot, limits, keys, width);
      const std::int64_t place = key - all.first_key;
      if (args_.grad_v != nullptr) {
        multiply_block<T>({m.scores, width, 1}, m.gradient_rows, value_size_,
                          m.value_gradient + place * value_size_, value_size_, keys, value_size_,
                          all.queries, true);
      }
      if (args_.grad_k != nullptr) {
        multiply_block<T>({m.slopes, width, 1}, m.query_rows, size_, m.key_gradient + place * size_,
                          size_, keys, size_, all.queries, true);
      }
      if (args_.grad_q != nullptr) {
        multiply_block<T>({k + key * k_row, 1, k_row}, m.slopes, width, m.query_gradient, width,
                          args_.size, width, keys, true);
      }
    }
    if (args_.grad_q != nullptr) store_query_gradient(all, width, part, m.query_gradient);
  }

  /// Loads query, gradient, logsumexp, the product of result and gradient, and the limit of the
  /// weights of each query.
  void load_queries(const ScoreBlock& block, std::int64_t width, const Memory& m, T* logsumexp,
                    T* dot, T* limits) const {
    const auto rows_of = [&](const void* data, const AttentionStrides& strides) {
      return head_of<const T>(data, strides, block.batch, block.head) +
             block.first_query * strides.row;
    };
    const T* const q = rows_of(args_.q, args_.q_strides);
    const T* const g = rows_of(args_.grad, args_.grad_strides);
    const T* const out = rows_of(args_.out, args_.out_strides);
    const T factor = static_cast<T>(args_.scale);
    for (std::int64_t i = 0; i < block.queries; ++i) {
      T* const row = m.query_rows + i * size_;
      std::copy_n(q + i * args_.q_strides.row, args_.size, row);
      scale_span(row, args_.size, factor);
      std::copy_n(g + i * args_.grad_strides.row, args_.value_size,
                  m.gradient_rows + i * value_size_);
    }
    rows_to_lanes(m.query, width, m.query_rows, size_, block.queries, args_.size);
    rows_to_lanes(m.gradient, width, m.gradient_rows, value_size_, block.queries, args_.value_size);
    const double* const sums = args_.logsumexp +
                               (block.batch * args_.heads + block.head) * args_.queries +
                               block.first_query;
    for (std::int64_t i = 0; i < block.queries; ++i) {
      // A query without any key: e^(-infinity - infinity) is 0.
      const T sum = static_cast<T>(sums[i]);
      logsumexp[i] = sum == -std::numeric_limits<T>::infinity() ? -sum : sum;
      limits[i] = kernels::weight_limit<T>(sums[i]);
      dot[i] = dot_of(out + i * args_.out_strides.row, m.gradient_rows + i * value_size_);
    }
  }

  T dot_of(const T* __restrict a, const T* __restrict b) const {
    Vector<T> sums{};
    std::int64_t e = 0;
    for (; e + kLanes<T> <= args_.value_size; e += kLanes<T>) sums += load(a + e) * load(b + e);
    T sum = 0;
    for (; e < args_.value_size; ++e) sum += a[e] * b[e];
    for (int lane = 0; lane < kLanes<T>; ++lane) sum += sums[lane];
    return sum;
  }

  void store_query_gradient(const ScoreBlock& block, std::int64_t width, std::int64_t part,
                            T* gradient) const {
    scale_span(gradient, args_.size * width, static_cast<T>(args_.scale));
    std::int64_t row = args_.grad_q_strides.row;
    T* to = nullptr;
    if (parts_ == 1) {
      to = head_of<T>(args_.grad_q, args_.grad_q_strides, block.batch, block.head);
    } else {
      row = args_.size;
      to = shares_.data() + part * query_elements() +
           (block.batch * args_.heads + block.head) * args_.queries * row;
    }
    lanes_to_rows(to + block.first_query * row, row, gradient, width, block.queries, args_.size);
  }

  const AttentionArgs& args_;
  std::int64_t heads_, key_blocks_, parts_, size_, value_size_;
  Scratch<T> shares_;
};

}  // namespace tern::cpu
