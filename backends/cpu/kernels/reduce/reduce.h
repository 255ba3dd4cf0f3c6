#pragma once

#include <algorithm>
#include <bit>

#include <tern/backends/cpu/kernels/reduce/span.h>
#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/backends/cpu/kernels/support/strided.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/reduce.h>
#include <tern/core/kernels/slots.h>
#include <tern/core/kernels/stride_walker.h>

// Walks a reduction. Elements of another dtype than the policy's are converted in small buffers. A
// policy defines what is computed:
//   Element, Accumulated             types of an input element and of a partial result
//   identity(), combine(a, b)
//   reduce(p, stride, n, first)      reduces n elements; `first` is the index of the first element
//   add_rows(acc, p, stride, rows, columns, first)
//                                    reduces rows into acc[columns]; indices count rows
//   finish(acc, offset)              stores a result

namespace tern::cpu {

constexpr std::int64_t kReduceColumns = 512;

/// Results that are computed as E and stored as elements of `dtype`, which is narrower than E or
/// as wide.
template <class E>
class Results {
 public:
  Results(void* data, ScalarType dtype)
      : data_(static_cast<E*>(data)),
        narrow_(sizeof(E) == element_size(dtype) ? nullptr
                : dtype == kBool                 ? cast_loop_of(kBool, kInt)
                                                 : narrowing_loop(dtype)),
        size_(static_cast<std::int64_t>(element_size(dtype))) {}

  bool is_null() const { return data_ == nullptr; }

  void store(std::int64_t offset, E value) const {
    if (narrow_ == nullptr) {
      data_[offset] = value;
    } else {
      const void* const from = &value;
      narrow_(reinterpret_cast<char*>(data_) + offset * size_, &from, 1, nullptr);
    }
  }

 private:
  E* data_;
  Loop narrow_;  // null: stored as E
  std::int64_t size_;
};

template <class Policy>
class Reduction {
  using Element = typename Policy::Element;
  using Accumulated = typename Policy::Accumulated;
  using Change = void (*)(Element* to, const Element* from, std::int64_t n);

 public:
  /// `dtype` is the policy's dtype, with elements of the type Element. `change`, if not null,
  /// writes what is reduced in the place of n elements. `convert`, if not null, converts elements
  /// instead of a cast.
  Reduction(const kernels::ReduceArgs& args, ScalarType dtype, const Policy& policy,
            Change change = nullptr, Loop convert = nullptr)
      : args_(args),
        policy_(policy),
        convert_(convert != nullptr || args.in_dtype == dtype ? convert
                                                              : cast_loop_of(dtype, args.in_dtype)),
        change_(change),
        in_size_(static_cast<std::int64_t>(element_size(args.in_dtype))),
        kept_ndim_(args.kept_ndim),
        reduced_ndim_(args.reduced_ndim),
        kept_(product(args.kept_ndim, args.kept_sizes)),
        reduced_(product(args.reduced_ndim, args.reduced_sizes)) {
    if (reduced_ndim_ > 0) {
      run_ = args.reduced_sizes[reduced_ndim_ - 1];
      span_stride_ = args.reduced_in_strides[reduced_ndim_ - 1];
    }
    if (kept_ndim_ > 0) {
      column_stride_ = args.kept_in_strides[kept_ndim_ - 1];
      const bool in_memory_order = column_stride_ > 0 && column_stride_ < span_stride_;
      if (in_memory_order || (column_stride_ == 1 && span_stride_ == 0)) {
        columns_ = args.kept_sizes[kept_ndim_ - 1];
      }
    }
  }

  void run() const {
    if (reduced_ == 0) return fill_identity();
    if (kept_ndim_ == 0 && reduced_ndim_ <= 1 && reduced_ <= kGrain) {
      return policy_.finish(reduce_span(0, reduced_, 0), 0);
    }
    const std::int64_t blocks = divide_up(columns_, kReduceColumns);
    const std::int64_t units = kept_ / columns_ * blocks;
    const std::int64_t parts = choose_parts(units);
    const std::int64_t work = kept_ * reduced_ / (units * parts);
    if (parts == 1) {
      parallel_for(0, units, kGrain / (work + 1),
                   [&](std::int64_t begin, std::int64_t end) { reduce_units(begin, end); });
    } else {
      reduce_in_parts(units, parts);
    }
  }

 private:
  static constexpr std::int64_t kGrain = 32768;
  static constexpr std::int64_t kMaxParts = 64, kMaxPartials = 4096;
  static constexpr std::int64_t kPacked = 16 * kReduceColumns, kConverted = 4 * kReduceColumns;

  /// Few results from a large input are computed in parts. The number of parts depends only on the
  /// sizes, so the result does not depend on the thread count. Powers of two give 2, 4, ... threads
  /// the same shares as elementwise loops, which have just left them in their caches.
  std::int64_t choose_parts(std::int64_t units) const {
    const std::int64_t wanted = std::min(kMaxParts / units, kept_ * reduced_ / kGrain);
    const std::int64_t most = std::min({wanted, reduced_, kMaxPartials / kept_});
    return most < 2 ? 1
                    : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
  }

  void fill_identity() const {
    kernels::StrideWalker<1> kept(kept_ndim_, args_.kept_sizes, {args_.kept_out_strides});
    for (std::int64_t i = 0; i < kept_; ++i, kept.next()) {
      policy_.finish(Policy::identity(), kept.offsets[0]);
    }
  }

  kernels::StrideWalker<2> kept_walker() const {
    return {kept_ndim_ - (by_columns() ? 1 : 0),
            args_.kept_sizes,
            {args_.kept_in_strides, args_.kept_out_strides}};
  }

  bool by_columns() const { return columns_ > 1; }

  void reduce_units(std::int64_t begin, std::int64_t end) const {
    if (!by_columns() && reduced_ndim_ <= 1) return reduce_rows(begin, end);
    Accumulated acc[kReduceColumns];
    const std::int64_t blocks = divide_up(columns_, kReduceColumns);
    kernels::StrideWalker<2> kept = kept_walker();
    kept.seek(begin / blocks);
    std::int64_t block = begin % blocks;
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t first = block * kReduceColumns;
      const std::int64_t columns = std::min(kReduceColumns, columns_ - first);
      reduce_range(kept.offsets[0] + first * column_stride_, columns, 0, reduced_, acc);
      const std::int64_t stride = by_columns() ? args_.kept_out_strides[kept_ndim_ - 1] : 0;
      finish_columns(acc, columns, kept.offsets[1] + first * stride, stride);
      if (++block < blocks) continue;
      block = 0;
      kept.next();
    }
  }

  void finish_columns(const Accumulated* acc, std::int64_t columns, std::int64_t offset,
                      std::int64_t stride) const {
    const Policy policy = policy_;
    if (stride == 1) {
      for (std::int64_t c = 0; c < columns; ++c) policy.finish(acc[c], offset + c);
    } else {
      for (std::int64_t c = 0; c < columns; ++c) policy.finish(acc[c], offset + c * stride);
    }
  }

  /// One span gives one result. Short spans would be too slow in the general code.
  void reduce_rows(std::int64_t begin, std::int64_t end) const {
    kernels::StrideWalker<2> kept = kept_walker();
    kept.seek(begin);
    for (std::int64_t i = begin; i < end; ++i, kept.next()) {
      policy_.finish(reduce_span(kept.offsets[0], reduced_, 0), kept.offsets[1]);
    }
  }

  void reduce_in_parts(std::int64_t units, std::int64_t parts) const {
    Accumulated partial[kMaxPartials];
    const std::int64_t blocks = divide_up(columns_, kReduceColumns);
    parallel_for(0, units * parts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t unit = i / parts, part = i % parts;
        kernels::StrideWalker<2> kept = kept_walker();
        kept.seek(unit / blocks);
        const std::int64_t first = unit % blocks * kReduceColumns;
        reduce_range(kept.offsets[0] + first * column_stride_,
                     std::min(kReduceColumns, columns_ - first), reduced_ * part / parts,
                     reduced_ * (part + 1) / parts,
                     partial + part * kept_ + unit / blocks * columns_ + first);
      }
    });
    kernels::StrideWalker<1> kept(kept_ndim_, args_.kept_sizes, {args_.kept_out_strides});
    for (std::int64_t k = 0; k < kept_; ++k, kept.next()) {
      Accumulated acc = partial[k];
      for (std::int64_t part = 1; part < parts; ++part) {
        acc = Policy::combine(acc, partial[part * kept_ + k]);
      }
      policy_.finish(acc, kept.offsets[0]);
    }
  }

  /// Reduces n elements from an offset on. Not inlined: the code of a loop over spans is long and
  /// has several callers.
  [[gnu::noinline]] Accumulated reduce_span(std::int64_t offset, std::int64_t n,
                                            std::int64_t first) const {
    if (takes_elements()) return policy_.reduce(elements(offset), span_stride_, n, first);
    Element converted[kConverted];
    Accumulated result{};
    for (std::int64_t i = 0; i < n; i += kConverted) {
      const std::int64_t count = std::min(kConverted, n - i);
      gather(converted, offset + i * span_stride_, span_stride_, count);
      const Accumulated part = policy_.reduce(converted, 1, count, first + i);
      result = i == 0 ? part : Policy::combine(result, part);
    }
    return result;
  }

  /// Reduces the indices [begin, end) of the reduced dimensions into acc[columns].
  [[gnu::noinline]] void reduce_range(std::int64_t in, std::int64_t columns, std::int64_t begin,
                                      std::int64_t end, Accumulated* acc) const {
    if (by_columns()) std::fill_n(acc, columns, Policy::identity());
    Accumulated single = Policy::identity();
    kernels::StrideWalker<1> outer(std::max(reduced_ndim_ - 1, 0), args_.reduced_sizes,
                                   {args_.reduced_in_strides});
    if (begin > 0) outer.seek(begin / run_);
    for (std::int64_t index = begin; index < end; outer.next()) {
      const std::int64_t skip = index % run_;
      const std::int64_t n = std::min(run_ - skip, end - index);
      const std::int64_t offset = in + outer.offsets[0] + skip * span_stride_;
      if (by_columns()) {
        add_rows(acc, offset, n, columns, index);
      } else {
        single = Policy::combine(single, reduce_span(offset, n, index));
      }
      index += n;
    }
    if (!by_columns()) acc[0] = single;
  }

  /// Packs rows that are not contiguous or of another dtype, then adds them.
  void add_rows(Accumulated* acc, std::int64_t offset, std::int64_t rows, std::int64_t columns,
                std::int64_t first) const {
    if (column_stride_ == 1 && takes_elements()) {
      return policy_.add_rows(acc, elements(offset), span_stride_, rows, columns, first);
    }
    Element packed[kPacked];
    // Converted rows share the first cache with the rows that they come from.
    const std::int64_t most = (takes_elements() ? kPacked : kPacked / 2) / columns;
    for (std::int64_t r = 0; r < rows; r += most) {
      const std::int64_t count = std::min(most, rows - r);
      for (std::int64_t i = 0; i < count; ++i) {
        gather(packed + i * columns, offset + (r + i) * span_stride_, column_stride_, columns);
      }
      policy_.add_rows(acc, packed, columns, count, columns, first + r);
    }
  }

  /// Returns true if the elements in memory are what is reduced.
  bool takes_elements() const { return convert_ == nullptr && change_ == nullptr; }

  const Element* elements(std::int64_t offset) const {
    return static_cast<const Element*>(args_.in) + offset;
  }

  /// Sets to[i] to what is reduced of the element at offset + i * stride.
  void gather(Element* to, std::int64_t offset, std::int64_t stride, std::int64_t n) const {
    if (change_ != nullptr && convert_ == nullptr && stride == 1) {
      return change_(to, elements(offset), n);
    }
    gather_elements(to, offset, stride, n);
    if (change_ != nullptr) change_(to, to, n);
  }

  void gather_elements(Element* to, std::int64_t offset, std::int64_t stride,
                       std::int64_t n) const {
    if (convert_ == nullptr) return gather_span(to, elements(offset), stride, n);
    const char* const from = static_cast<const char*>(args_.in) + offset * in_size_;
    const void* in = from;
    char packed[kConverted * 8];  // the size of the largest elements
    if (stride != 1) {
      copy_tile({packed, n, 1}, {const_cast<char*>(from), 0, stride}, 1, n,
                static_cast<int>(in_size_));
      in = packed;
    }
    convert_(to, &in, n, nullptr);
  }

  const kernels::ReduceArgs& args_;
  const Policy& policy_;
  Loop convert_;   // null: none
  Change change_;  // null: none
  std::int64_t in_size_;
  int kept_ndim_, reduced_ndim_;
  std::int64_t kept_, reduced_;
  std::int64_t run_ = 1, span_stride_ = 0;  // size and stride of the innermost reduced dimension
  std::int64_t columns_ = 1;                // kept elements that are walked together
  std::int64_t column_stride_ = 1;
};

void reduce_values(const kernels::ReduceArgs& args, kernels::KernelContext& context);
void reduce_truth(const kernels::ReduceArgs& args);
void reduce_arg(const kernels::ReduceArgs& args);
void reduce_norm(const kernels::ReduceArgs& args, kernels::KernelContext& context);

}  // namespace tern::cpu
