#pragma once

#include <tern/backends/cpu/kernels/attention/block.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/core/kernels/math/math.h>

namespace tern::cpu {

template <class T>
void exp_below(T* __restrict scores, const T* __restrict top, std::int64_t keys, auto width) {
  for (std::int64_t j = 0; j < keys; ++j, scores += width) {
    for (std::int64_t i = 0; i < width; ++i)
      scores[i] = kernels::math::exp_or_zero(scores[i] - top[i]);
  }
}

/// Changes the scores of a block to e^(score - top), where top is the largest score of each query
/// so far, and updates the sums of these numbers. `shrink` receives what the results of earlier
/// blocks must be multiplied with, because their top was smaller.
template <class T>
void softmax_block(T* scores, std::int64_t keys, auto width, T* top, T* sum, T* shrink) {
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  T base[kQueryBlock];
  for (std::int64_t i = 0; i < width; i += kLanes<T>) {
    Vector<T> largest = load(top + i);
    for (std::int64_t j = 0; j < keys; ++j) {
      largest = Larger::combine(largest, load(scores + j * width + i));
    }
    store(base + i, largest);
  }
  for (std::int64_t i = 0; i < width; ++i) {
    const T largest = base[i];
    base[i] = largest == kLowest ? T(0) : largest;  // no key yet: -infinity - base, not NaN
    shrink[i] = kernels::math::exp_or_zero(top[i] - base[i]);
    top[i] = largest;
  }
  exp_below(scores, base, keys, width);
  for (std::int64_t i = 0; i < width; i += kLanes<T>) {
    Vector<T> total{};
    for (std::int64_t j = 0; j < keys; ++j) total += load(scores + j * width + i);
    store(sum + i, load(sum + i) * load(shrink + i) + total);
  }
}

template <class T>
void multiply_lanes(T* __restrict rows, const T* __restrict factors, std::int64_t count,
                    auto width) {
  for (std::int64_t e = 0; e < count; ++e, rows += width) {
    for (std::int64_t i = 0; i < width; ++i) rows[i] *= factors[i];
  }
}

/// The forward pass. A task is a block of queries of one head: it walks over the keys.
template <class T>
class AttentionForward {
 public:
  explicit AttentionForward(const AttentionArgs& args)
      : args_(args), blocks_(divide_up(args.queries, kQueryBlock)) {}

  std::int64_t tasks() const { return args_.batch * args_.heads * blocks_; }

  /// Runs tasks. Returns false if out of memory.
  bool run(std::int64_t begin, std::int64_t end) const {
    T* const memory =
        thread_scratch<T>(kQueryBlock * (args_.size + args_.value_size + 2 * kKeyBlock));
    if (memory == nullptr) return false;
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t head = task / blocks_;
      const std::int64_t first = balanced_block(task % blocks_, blocks_) * kQueryBlock;
      const ScoreBlock block{head / args_.heads,
                             head % args_.heads,
                             first,
                             std::min(kQueryBlock, args_.queries - first),
                             0,
                             0};
      visit_width<T>(block.queries, [&](auto width) { run_block(block, width, memory); });
    }
    return true;
  }

 private:
  void run_block(ScoreBlock block, auto width, T* memory) const {
    T* const query = memory;  // [size][width]
    T* const result = query + args_.size * width;
    T* const scores = result + args_.value_size * width;
    T* const factors = scores + kKeyBlock * width;
    T top[kQueryBlock], sum[kQueryBlock], shrink[kQueryBlock];
    std::fill_n(top, kQueryBlock, -std::numeric_limits<T>::infinity());
    std::fill_n(sum, kQueryBlock, T(0));
    const std::int64_t shared = block.head / args_.group;
    const T* const k = head_of<const T>(args_.k, args_.k_strides, block.batch, shared);
    const T* const v = head_of<const T>(args_.v, args_.v_strides, block.batch, shared);
    load_query(block, query, width);
    const std::int64_t last_query = block.first_query + block.queries - 1;
    const std::int64_t keys =
        args_.is_causal != 0 ? std::min(args_.keys, last_query + 1) : args_.keys;
    for (; block.first_key < keys; block.first_key += kKeyBlock) {
      block.keys = std::min(kKeyBlock, keys - block.first_key);
      const bool is_first = block.first_key == 0;
      multiply_block<T>({k + block.first_key * args_.k_strides.row, args_.k_strides.row, 1}, query,
                        width, scores, width, block.keys, width, args_.size, false);
      mask_scores(args_, block, scores, width);
      softmax_block(scores, block.keys, width, top, sum, shrink);
      if (args_.keep != nullptr) {
        load_dropout(args_, block, factors, width);
        multiply_spans(scores, factors, block.keys * width);
      }
      if (!is_first) multiply_lanes(result, shrink, args_.value_size, width);
      multiply_block<T>({v + block.first_key * args_.v_strides.row, 1, args_.v_strides.row}, scores,
                        width, result, width, args_.value_size, width, block.keys, !is_first);
    }
    store_result(block, result, width, top, sum);
  }

  void load_query(const ScoreBlock& block, T* query, std::int64_t width) const {
    const T* const q = head_of<const T>(args_.q, args_.q_strides, block.batch, block.head);
    rows_to_lanes(query, width, q + block.first_query * args_.q_strides.row, args_.q_strides.row,
                  block.queries, args_.size);
    scale_span(query, args_.size * width, static_cast<T>(args_.scale));
  }

  void store_result(const ScoreBlock& block, T* result, auto width, const T* top,
                    const T* sum) const {
    T inverse[kQueryBlock];
    double* const logsumexp = args_.logsumexp +
                              (block.batch * args_.heads + block.head) * args_.queries +
                              block.first_query;
    for (std::int64_t i = 0; i < width; ++i) inverse[i] = sum[i] == 0 ? T(0) : T(1) / sum[i];
    for (std::int64_t i = 0; i < block.queries; ++i) {
      logsumexp[i] = sum[i] == 0 ? -std::numeric_limits<double>::infinity()
                                 : static_cast<double>(top[i]) +
                                       kernels::math::log(static_cast<double>(sum[i]));
    }
    multiply_lanes(result, inverse, args_.value_size, width);
    T* const out = head_of<T>(args_.out, args_.out_strides, block.batch, block.head);
    lanes_to_rows(out + block.first_query * args_.out_strides.row, args_.out_strides.row, result,
                  width, block.queries, args_.value_size);
  }

  const AttentionArgs& args_;
  std::int64_t blocks_;
};

}  // namespace tern::cpu
