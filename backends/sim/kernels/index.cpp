#include <cstdint>
#include <cstring>
#include <map>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/late_error.h>
#include <tern/core/kernels/math/is_nan.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::sim {
namespace {

bool check_indices(const IndexArgs& args, KernelContext& context) {
  const std::int64_t count =
      one_index_per_row(args) ? args.count : args.outer * args.count * args.inner;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t value = args.index[k];
    if (value >= 0 && value < args.limit) continue;
    context.status = StatusCode::kIndexOutOfRange;
    context.detail = value;
    context.limit = args.limit;
    write_late_index_error(context.message, sizeof(context.message), args.op, value, args.limit,
                           context.device);
    return false;
  }
  return true;
}

// Calls visit(here, there) for each element: its offset in the tensor with the index's shape, and
// its offset in the indexed tensor.
template <class Visit>
void each_element(const IndexArgs& args, std::int64_t size, const Visit& visit) {
  for (std::int64_t o = 0; o < args.outer; ++o) {
    for (std::int64_t j = 0; j < args.count; ++j) {
      for (std::int64_t i = 0; i < args.inner; ++i) {
        const std::int64_t here = (o * args.count + j) * args.inner + i;
        const std::int64_t row = args.index[one_index_per_row(args) ? j : here];
        visit(here, (o * size + row) * args.inner + i);
      }
    }
  }
}

void read(const IndexArgs& args) {
  const std::size_t bytes = element_size(args.dtype);
  const auto step = static_cast<std::int64_t>(bytes);
  each_element(args, args.in_size, [&](std::int64_t here, std::int64_t there) {
    std::memcpy(static_cast<char*>(args.out) + here * step,
                static_cast<const char*>(args.in) + there * step, bytes);
  });
}

template <class W>
W combine(IndexOp op, W old, W x) {
  switch (op) {
    case IndexOp::kScatterProd:
      return times(old, x);
    case IndexOp::kScatterAmax:
      return x > old || is_nan(x) ? x : old;
    case IndexOp::kScatterAmin:
      return x < old || is_nan(x) ? x : old;
    case IndexOp::kScatter:
      return x;
    default:
      return plus(old, x);
  }
}

// Combines in the math dtype and rounds each result to T once.
template <class T>
void write(const IndexArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  std::map<std::int64_t, MathType<T>> results;  // by offset
  each_element(args, args.out_size, [&](std::int64_t here, std::int64_t there) {
    MathType<T>& result = results.try_emplace(there, out[there]).first->second;
    if (args.op != IndexOp::kScatter && is_nan(result)) return;  // NaN stays
    result = narrow<MathType<T>>(combine(args.op, Wide<T>{result}, Wide<T>{in[here]}));
  });
  for (const auto& [offset, result] : results) out[offset] = narrow<T>(Wide<T>{result});
}

bool supports(const IndexArgs&) { return true; }

void index(const IndexArgs& args, KernelContext& context) {
  if (!check_indices(args, context)) return;
  if (reads_indexed(args)) return read(args);
  visit_dtype(args.dtype, [&](auto tag) { write<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_index(OracleTable& table) { set<IndexArgs, supports, index>(table); }

}  // namespace tern::sim
