// Instruction sets: baseline avx2.

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/search.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kSearchGrain = 1024;

/// Returns how many elements come before `value`. Without branches, because no processor could
/// predict them.
template <class T, class At>
std::int64_t elements_before(const At& at, std::int64_t size, T value, bool right) {
  std::int64_t begin = 0;
  while (size > 0) {
    const std::int64_t half = size / 2;
    const T middle = at(begin + half);
    // A NaN is behind every element, because no comparison with it holds but this inequality.
    const bool is_larger = middle > value, differs = middle != value;
    const bool behind = (!is_larger) & (right | differs);
    begin += behind ? half + 1 : 0;
    size = behind ? size - half - 1 : half;
  }
  return begin;
}

template <class Stored>
void search_typed(const SearchArgs& args) {
  using T = MathType<Stored>;
  const auto* const values = static_cast<const Stored*>(args.in);
  const bool right = args.right != 0;
  parallel_for(0, args.rows * args.count, kSearchGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = args.shared != 0 ? 0 : i / args.count * args.size;
      const auto* const sequence = static_cast<const Stored*>(args.sequence) + first;
      const T value = static_cast<T>(values[i]);
      std::int64_t found;
      if (args.sorter == nullptr) {
        found = elements_before([&](std::int64_t j) { return static_cast<T>(sequence[j]); },
                                args.size, value, right);
      } else {
        const std::int64_t* const sorter = args.sorter + first;
        found = elements_before([&](std::int64_t j) { return static_cast<T>(sequence[sorter[j]]); },
                                args.size, value, right);
      }
      if (args.out_dtype == kInt) {
        static_cast<std::int32_t*>(args.out)[i] = static_cast<std::int32_t>(found);
      } else {
        static_cast<std::int64_t*>(args.out)[i] = found;
      }
    }
  });
}

void search(const SearchArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { search_typed<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_search(KernelTable& table) { set<SearchArgs, search>(table); }

}  // namespace tern::cpu
