#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

// Counts the elements before each value one by one.
template <class T>
void search_typed(const SearchArgs& args) {
  for (std::int64_t i = 0; i < args.rows * args.count; ++i) {
    const std::int64_t first = args.shared != 0 ? 0 : i / args.count * args.size;
    const auto value = static_cast<Wide<T>>(static_cast<const T*>(args.in)[i]);
    std::int64_t found = 0;
    for (; found < args.size; ++found) {
      const std::int64_t at = args.sorter == nullptr ? found : args.sorter[first + found];
      const auto element = static_cast<Wide<T>>(static_cast<const T*>(args.sequence)[first + at]);
      if (args.right != 0 ? element > value : element >= value) break;
    }
    if (args.out_dtype == kInt) {
      static_cast<std::int32_t*>(args.out)[i] = static_cast<std::int32_t>(found);
    } else {
      static_cast<std::int64_t*>(args.out)[i] = found;
    }
  }
}

bool searches_every_dtype(const SearchArgs&) { return true; }

void search(const SearchArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { search_typed<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_search(OracleTable& table) { set<SearchArgs, searches_every_dtype, search>(table); }

}  // namespace tern::sim
