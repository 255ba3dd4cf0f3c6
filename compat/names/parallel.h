#pragma once

// ATen/Parallel.h.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include <tern/compat/names/generated/names.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/ops/ops.h>

namespace at {

/// Returns the quotient, rounded up.
constexpr std::int64_t divup(std::int64_t x, std::int64_t y) { return x / y + (x % y > 0 ? 1 : 0); }
/// Returns 0: tern does not number its threads.
inline int get_thread_num() { return 0; }
/// Returns 1: ops do not run side by side.
inline int get_num_interop_threads() { return 1; }

/// Calls `body(range_begin, range_end)` for ranges of at least `grain_size` that make up [begin,
/// end), on several threads. Throws what one of the ranges threw, when all have ended.
template <class Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain_size, const Body& body) {
  std::mutex mutex;
  std::exception_ptr error;
  ::tern::parallel_for(begin, end, grain_size, [&](std::int64_t from, std::int64_t to) {
    try {
      body(from, to);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

/// Returns `combine` of `part(range_begin, range_end, identity)` for ranges of at least
/// `grain_size` that make up [begin, end), from left to right; `identity` for an empty one. The
/// ranges may run on several threads. Throws what one of them threw.
template <class T, class Part, class Combine>
T parallel_reduce(std::int64_t begin, std::int64_t end, std::int64_t grain_size, const T identity,
                  const Part& part, const Combine& combine) {
  if (begin >= end) return identity;
  std::mutex mutex;
  std::vector<std::pair<std::int64_t, T>> parts;  // by the begin of their range
  parallel_for(begin, end, grain_size, [&](std::int64_t from, std::int64_t to) {
    T value = part(from, to, identity);
    const std::lock_guard<std::mutex> lock(mutex);
    parts.emplace_back(from, std::move(value));
  });
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  T result = identity;
  for (const auto& [from, value] : parts) result = combine(result, value);
  return result;
}

}  // namespace at

namespace torch {
/// Returns true when both are undefined, or equal.
inline bool equal_if_defined(const ::tern::Tensor& a, const ::tern::Tensor& b) {
  return a.defined() ? b.defined() && ::tern::equal(a, b) : !b.defined();
}
}  // namespace torch
