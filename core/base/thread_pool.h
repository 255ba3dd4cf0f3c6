#pragma once

#include <cstdint>

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// Sets how many threads ops may use, including the caller. The default is the environment variable
/// TERN_NUM_THREADS, else OMP_NUM_THREADS, else the number of cores that this process may use.
/// Workers start at the first parallel region that needs them. Throws Error for a count below 1.
///
/// The first op or get_num_threads() reads the variables. Then a TERN_NUM_THREADS that is not a
/// number from 1 to 4096 throws Error; an empty text counts as no variable.
TERN_API void set_num_threads(int count);
template <class T>
requires detail::kIsBool<T>
void set_num_threads(T) = delete;

/// Returns how many threads ops may use, including the caller. Throws Error for a bad
/// TERN_NUM_THREADS.
TERN_API int get_num_threads();

/// Returns true inside a parallel region. Nested regions run on the calling thread alone.
TERN_API bool in_parallel_region();

namespace detail {

/// Runs `body(context, part)` for every part in [0, parts) on the pool and the calling thread, and
/// returns when all parts are done. `body` is a plain function, so that starting a region allocates
/// nothing; it must not throw. Nested calls, and calls while another thread uses the pool, run all
/// parts on the calling thread. Safe in a forked child, which starts its own workers.
TERN_API void run_parallel(int parts, void (*body)(void* context, int part), void* context);

}  // namespace detail

/// Splits [begin, end) into at most get_num_threads() ranges of at least `grain` elements and calls
/// `fn(range_begin, range_end)` for each range. `fn` must not throw. The split depends only on the
/// thread count and `grain`, so equal settings give equal bits.
///
/// Example:
///   tern::parallel_for(0, n, 4096, [&](std::int64_t from, std::int64_t to) {
///     for (std::int64_t i = from; i < to; ++i) out[i] = 2 * in[i];
///   });
template <class Fn>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const Fn& fn) {
  const std::int64_t count = end - begin;
  if (count <= 0) return;
  if (grain < 1) grain = 1;
  // Small loops skip the cost of reading the thread count.
  std::int64_t parts = count < 2 * grain ? 1 : count / grain;
  if (parts > 1) {
    const std::int64_t threads = in_parallel_region() ? 1 : get_num_threads();
    parts = parts < threads ? parts : threads;
  }
  if (parts <= 1) {
    fn(begin, end);
    return;
  }
  struct Context {
    std::int64_t begin, count, parts;
    const Fn* fn;
  } context{begin, count, parts, &fn};
  detail::run_parallel(
      static_cast<int>(parts),
      [](void* data, int part) {
        const auto& c = *static_cast<const Context*>(data);
        const std::int64_t from = c.begin + c.count * part / c.parts;
        const std::int64_t to = c.begin + c.count * (part + 1) / c.parts;
        (*c.fn)(from, to);
      },
      &context);
}

}  // namespace tern
