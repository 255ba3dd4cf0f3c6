// Instruction sets: baseline avx2.

#include <algorithm>
#include <cstring>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/mask.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kMaskGrain = 4;  // blocks

std::int64_t count_true(const unsigned char* mask, std::int64_t n) {
  constexpr std::int64_t kByteSum = 128;  // elements whose number fits into a byte
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; i += kByteSum) {
    unsigned char sum = 0;
    const std::int64_t end = std::min(i + kByteSum, n);
    for (std::int64_t j = i; j < end; ++j) {
      sum = static_cast<unsigned char>(sum + (mask[j] != 0 ? 1 : 0));
    }
    count += sum;
  }
  return count;
}

/// One block: the elements of the mask, and the range of numbers of its true elements. Loops over
/// the elements stop at the last true one. So they need no branch for a true element, and they
/// write only what is the block's own.
struct MaskPart {
  const unsigned char* mask;
  std::int64_t first, size;  // elements
  std::int64_t begin, end;   // numbers of the true elements
};

template <class T>
void select_block(const MaskPart& part, T* __restrict out, const T* __restrict in) {
  std::int64_t n = part.begin;
  for (std::int64_t i = 0; n < part.end; ++i) {
    out[n] = in[part.first + i];
    n += part.mask[i] != 0 ? 1 : 0;
  }
}

template <class T>
void scatter_block(const MaskPart& part, T* __restrict out, const T* __restrict in) {
  std::int64_t n = part.begin;
  for (std::int64_t i = 0; n < part.end; ++i) {
    T& to = out[part.first + i];
    to = part.mask[i] != 0 ? in[n] : to;
    n += part.mask[i] != 0 ? 1 : 0;
  }
}

void write_indices(const MaskArgs& args, const MaskPart& part) {
  std::int32_t found[kMaskBlock];
  const std::int64_t count = part.end - part.begin;
  for (std::int32_t i = 0, n = 0; n < count; ++i) {
    found[n] = i;
    n += part.mask[i] != 0 ? 1 : 0;
  }
  std::int64_t* out = static_cast<std::int64_t*>(args.out) + part.begin * args.row_stride;
  if (args.ndim == 1) {
    for (std::int64_t n = 0; n < count; ++n) out[n * args.row_stride] = part.first + found[n];
    return;
  }
  const std::int32_t last = args.ndim - 1;
  const std::int64_t width = args.sizes[last];
  std::int64_t coordinates[kMaxDims] = {};
  std::int64_t row = -width;  // the first element of the current row, whose coordinates are known
  for (std::int64_t n = 0; n < count; ++n, out += args.row_stride) {
    const std::int64_t element = part.first + found[n];
    if (element - row >= width) {
      std::int64_t rest = element / width;
      row = rest * width;
      for (std::int32_t d = last - 1; d > 0; --d) {
        coordinates[d] = rest % args.sizes[d];
        rest /= args.sizes[d];
      }
      coordinates[0] = rest;
    }
    for (std::int32_t d = 0; d < last; ++d) out[d * args.column_stride] = coordinates[d];
    out[last * args.column_stride] = element - row;
  }
}

template <class Write>
void each_mask_block(const MaskArgs& args, const Write& write) {
  const auto mask = reinterpret_cast<const unsigned char*>(args.mask);
  parallel_for(0, mask_blocks(args.size), kMaskGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t first = block * kMaskBlock;
      write(MaskPart{mask + first, first, std::min(kMaskBlock, args.size - first),
                     block == 0 ? 0 : args.ends[block - 1], args.ends[block]});
    }
  });
}

void mask(const MaskArgs& args, KernelContext&) {
  if (args.op == MaskOp::kCount) {
    const auto mask = reinterpret_cast<const unsigned char*>(args.mask);
    parallel_for(0, mask_blocks(args.size), kMaskGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block) {
        const std::int64_t first = block * kMaskBlock;
        args.counts[block] = count_true(mask + first, std::min(kMaskBlock, args.size - first));
      }
    });
  } else if (args.op == MaskOp::kIndices) {
    each_mask_block(args, [&](const MaskPart& part) { write_indices(args, part); });
  } else {
    visit_size(element_size(args.dtype), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto in = static_cast<const T*>(args.in);
      const auto out = static_cast<T*>(args.out);
      each_mask_block(args, [&](const MaskPart& part) {
        args.op == MaskOp::kSelect ? select_block(part, out, in) : scatter_block(part, out, in);
      });
    });
  }
}

}  // namespace

void register_mask(kernels::KernelTable& table) { kernels::set<kernels::MaskArgs, mask>(table); }

}  // namespace tern::cpu
