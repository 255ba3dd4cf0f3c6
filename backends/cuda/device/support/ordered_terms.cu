#include <tern/backends/cuda/device/support/ordered_terms.h>

#include <tern/backends/cuda/device/support/combine_terms.h>
#include <tern/backends/cuda/device/support/strided_index.h>
#include <tern/core/kernels/by_size.h>

// Sorts the terms by the elements that they name; then each element has a run of terms. A thread
// combines those of a run that lie in one chunk. The results of a run that crosses chunks are
// combined in a second step.

namespace tern::cuda::device {
namespace {

/// The number of sorted terms that one thread combines.
constexpr std::int64_t kTermChunk = 64;

template <class T>
struct OrderedTerms {
  Terms terms;
  StridedIndex<3> places;  // of (position among the sorted terms or number of a chunk, o, i)
  const SortItem* items;
  const T* in;
  T* out;
  /// For each chunk the results of two runs, [outer, inner] each: of the run at the chunk's
  /// begin, and of the run at its end that begins within it.
  MathType<T>* parts;

  OrderedTerms(const Terms& all, std::int64_t positions) : terms(all) {
    places.add_dim(all.outer, {0, 1, 0});
    places.add_dim(positions, {1, 0, 0});
    places.add_dim(all.inner, {0, 0, 1});
  }

  __device__ MathType<T> term(std::int64_t position, std::int64_t o, std::int64_t i) const {
    const std::int64_t j = items[position].index;
    return widened<MathType<T>>(in[terms.one_value ? 0 : (o * terms.count + j) * terms.inner + i]);
  }
  __device__ T* element(std::uint64_t key, std::int64_t o, std::int64_t i) const {
    return out + o * terms.outer_stride + static_cast<std::int64_t>(key) * terms.key_stride +
           i * terms.inner_stride;
  }
  __device__ MathType<T>* part(std::int64_t chunk, bool at_begin, std::int64_t o,
                               std::int64_t i) const {
    const std::int64_t number = 2 * chunk + (at_begin ? 0 : 1);
    return parts + (number * terms.outer + o) * terms.inner + i;
  }
  /// Returns true if a run has terms at `position` and before it.
  __device__ bool joins(std::int64_t position) const {
    return position > 0 && position < terms.count && items[position - 1].key == items[position].key;
  }
};

/// One thread per term, which does nothing unless a run or a chunk begins with its term.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads) combine_chunks(OrderedTerms<T> terms) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (thread >= terms.places.count) return;
  std::int64_t place[3];
  terms.places.offsets(thread, place);
  const auto [begin, o, i] = place;
  const bool continues = terms.joins(begin), at_begin = begin % kTermChunk == 0;
  const std::uint64_t key = terms.items[begin].key;
  if ((continues && !at_begin) || key == kNoKey) return;
  T* const element = terms.element(key, o, i);
  MathType<T> result = terms.term(begin, o, i);
  if (!continues) result = Op::combine(widened<MathType<T>>(*element), result);
  std::int64_t end = begin + 1;
  for (; end % kTermChunk != 0 && terms.joins(end); ++end) {
    result = Op::combine(result, terms.term(end, o, i));
  }
  if (continues || terms.joins(end)) {
    *terms.part(begin / kTermChunk, at_begin, o, i) = result;
  } else {
    *element = narrowed<T>(result);
  }
}

/// One thread per chunk and column: finishes the run that begins in the chunk and leaves it.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads) join_chunks(OrderedTerms<T> terms) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (thread >= terms.places.count) return;
  std::int64_t place[3];
  terms.places.offsets(thread, place);
  const auto [chunk, o, i] = place;
  std::int64_t next = (chunk + 1) * kTermChunk;
  if (!terms.joins(next)) return;
  const std::uint64_t key = terms.items[next].key;
  std::int64_t begin = next - 1;
  while (begin > chunk * kTermChunk && terms.joins(begin)) --begin;
  if (terms.joins(begin) || key == kNoKey) return;  // an earlier chunk has the begin
  MathType<T> result = *terms.part(chunk, begin == chunk * kTermChunk, o, i);
  for (; terms.joins(next) && terms.items[next].key == key; next += kTermChunk) {
    result = Op::combine(result, *terms.part(next / kTermChunk, true, o, i));
  }
  *terms.element(key, o, i) = narrowed<T>(result);
}

template <class Op, class T>
void combine_runs(KernelContext& context, const Terms& all, const void* in, void* out,
                  const SortItem* items) {
  const std::int64_t chunks = (all.count + kTermChunk - 1) / kTermChunk;
  const Scratch parts(
      context, static_cast<std::size_t>(2 * chunks * all.outer * all.inner) * sizeof(MathType<T>));
  const auto run = [&](auto kernel, std::int64_t positions) {
    OrderedTerms<T> terms(all, positions);
    terms.items = items;
    terms.in = static_cast<const T*>(in);
    terms.out = static_cast<T*>(out);
    terms.parts = parts.get<MathType<T>>();
    launch(context, kernel, blocks_for(terms.places.count, kThreads), kThreads, terms);
  };
  run(combine_chunks<Op, T>, all.count);
  if (chunks > 1) run(join_chunks<Op, T>, chunks - 1);
}

}  // namespace

void combine_sorted(KernelContext& context, TermOp op, ScalarType dtype, const Terms& terms,
                    const void* in, void* out, SortItem* items) {
  SortItem* spare = items + terms.count;
  merge_sort(context, items, spare, terms.count, terms.count, SmallerItem());
  if (op == TermOp::kReplace) {
    return visit_size(element_size(dtype), [&](auto tag) {
      combine_runs<LastTerm, typename decltype(tag)::type>(context, terms, in, out, items);
    });
  }
  visit_all_floating(dtype, context, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (op == TermOp::kAdd) return combine_runs<AddTerms, T>(context, terms, in, out, items);
    combine_runs<MultiplyTerms, T>(context, terms, in, out, items);
  });
}

}  // namespace tern::cuda::device
