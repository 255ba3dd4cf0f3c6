#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tern::text {

/// So many scores at once are vector code.
constexpr std::size_t kLanes = 32;

/// Returns the largest score, or NaN if there is one.
inline float largest_of(std::span<const float> scores) {
  float best[kLanes];
  int nans[kLanes] = {};
  std::fill_n(best, kLanes, scores.front());
  const auto join = [&](std::size_t lane, float score) {
    best[lane] = score > best[lane] ? score : best[lane];
    nans[lane] |= score != score ? 1 : 0;
  };
  std::size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) join(lane, scores[i + lane]);
  }
  for (std::size_t lane = 0; i < scores.size(); ++i, ++lane) join(lane, scores[i]);
  if (std::ranges::any_of(nans, [](int nan) { return nan != 0; })) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  return *std::ranges::max_element(best);
}

/// Calls a function with the index of each score above `limit`, in their order. Blocks without any
/// are passed quickly.
template <class Function>
void for_each_above(std::span<const float> scores, float limit, const Function& function) {
  for (std::size_t first = 0; first < scores.size(); first += kLanes) {
    const std::size_t last = std::min(first + kLanes, scores.size());
    if (last - first == kLanes) {
      int above = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        above |= scores[first + lane] > limit ? 1 : 0;
      }
      if (above == 0) continue;
    }
    for (std::size_t i = first; i < last; ++i) {
      if (scores[i] > limit) function(i);
    }
  }
}

/// Returns the first index of a score of the list.
inline std::int64_t first_of(std::span<const float> scores, float score) {
  std::size_t first = 0;
  for (; first + kLanes <= scores.size(); first += kLanes) {
    int found = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      found |= scores[first + lane] == score ? 1 : 0;
    if (found != 0) break;
  }
  while (scores[first] != score) ++first;
  return static_cast<std::int64_t>(first);
}

/// A score of a list and where it stands.
struct Scored {
  float score;
  std::size_t index;
};

/// Returns the k largest scores, the largest first; of equal ones the lower index comes first. One
/// pass over the scores, of which few enter the heap.
inline std::vector<Scored> largest(std::span<const float> scores, std::size_t k) {
  const auto better = [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  std::vector<Scored> heap;  // the worst is in front
  heap.reserve(k);
  std::size_t i = 0;
  for (; i < scores.size() && heap.size() < k; ++i) heap.push_back({scores[i], i});
  std::make_heap(heap.begin(), heap.end(), better);
  const auto enter = [&](std::size_t index) {
    if (!(scores[index] > heap.front().score)) return;
    std::pop_heap(heap.begin(), heap.end(), better);
    heap.back() = {scores[index], index};
    std::push_heap(heap.begin(), heap.end(), better);
  };
  for (; i < scores.size() && i % kLanes != 0; ++i) enter(i);
  for (; i < scores.size(); i += kLanes) {
    for_each_above(scores.subspan(i, std::min(kLanes, scores.size() - i)), heap.front().score,
                   [&](std::size_t j) { enter(i + j); });
  }
  std::sort_heap(heap.begin(), heap.end(), better);
  return heap;
}

/// Returns the k-th largest score, for k from 1 to the number of scores.
inline float kth_largest(std::span<const float> scores, std::size_t k) {
  return largest(scores, k).back().score;
}

}  // namespace tern::text
