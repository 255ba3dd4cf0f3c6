#include <algorithm>
#include <ostream>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/tensor/detail/shape.h>

// Which strides belong to which memory format. The rules for sizes of 1, where several formats fit,
// are PyTorch's.

namespace tern {

std::ostream& operator<<(std::ostream& stream, Layout layout) {
  constexpr const char* kNames[] = {"Strided",   "Sparse",    "SparseCsr",
                                    "SparseCsc", "SparseBsr", "SparseBsc"};
  return stream << kNames[static_cast<int>(layout)];
}

std::ostream& operator<<(std::ostream& stream, MemoryFormat format) {
  constexpr const char* kNames[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  return stream << kNames[static_cast<int>(format)];
}

namespace {

/// Returns the number of dimensions of a channels-last format, 0 for others.
std::size_t rank_of(MemoryFormat format) {
  return format == MemoryFormat::ChannelsLast ? 4 : format == MemoryFormat::ChannelsLast3d ? 5 : 0;
}

/// Returns dimension i of a channels-last tensor, counted from the fastest.
std::size_t channels_last_dim(std::size_t i, std::size_t rank) {
  return i == 0 ? 1 : i == rank - 1 ? 0 : rank - i;
}

}  // namespace

DimVector order_of_dims(IntArrayRef sizes, ArrayRef<IntArrayRef> strides) {
  DimVector order;
  for (std::size_t d = sizes.size(); d-- > 0;) order.push_back(static_cast<std::int64_t>(d));
  // Returns 1 if dimension a is slower than b, -1 if it is faster, 0 if no strides tell.
  const auto compare = [&](std::int64_t first, std::int64_t second) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    for (const IntArrayRef& each : strides) {
      if (each[a] == 0 || each[b] == 0) continue;
      if (each[a] != each[b]) return each[a] < each[b] ? -1 : 1;
      if (sizes[a] > sizes[b]) return 1;
    }
    return 0;
  };
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t at = i;
    for (std::size_t j = i; j-- > 0;) {
      const int result = compare(order[j], order[at]);
      if (result < 0) break;
      if (result > 0) {
        std::swap(order[j], order[at]);
        at = j;
      }
    }
  }
  return order;
}

DimVector strides_in_order(IntArrayRef sizes, const DimVector& order) {
  DimVector strides(sizes.size(), 1);
  std::int64_t stride = 1;
  for (const std::int64_t dim : order) {
    const auto d = static_cast<std::size_t>(dim);
    strides[d] = stride;
    stride *= std::max<std::int64_t>(sizes[d], 1);
  }
  return strides;
}

DimVector format_strides(IntArrayRef sizes, MemoryFormat format) {
  TERN_CHECK(format != MemoryFormat::Preserve, Error, "unsupported memory format Preserve");
  const std::size_t rank = rank_of(format);
  if (rank == 0) return contiguous_strides(sizes);
  TERN_CHECK(sizes.size() == rank, ShapeError, "required rank ", rank, " tensor to use ",
             rank == 4 ? "channels_last" : "channels_last_3d", " format, got sizes ", sizes);
  DimVector strides(rank, 1);
  std::uint64_t stride = 1;  // unsigned, as in contiguous_strides()
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = channels_last_dim(i, rank);
    strides[d] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(sizes[d]);
  }
  return strides;
}

bool has_format(IntArrayRef sizes, IntArrayRef strides, MemoryFormat format) {
  const std::size_t rank = rank_of(format);
  if (rank == 0) return is_contiguous(sizes, strides);
  if (sizes.size() != rank) return false;
  std::int64_t expected = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = channels_last_dim(i, rank);
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

MemoryFormat suggested_format(IntArrayRef sizes, IntArrayRef strides) {
  const std::size_t rank = sizes.size();
  if (rank != 4 && rank != 5) return MemoryFormat::Contiguous;
  if (strides[1] == 0) return MemoryFormat::Contiguous;
  std::int64_t least = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = channels_last_dim(i, rank);
    if (sizes[d] == 0 || strides[d] < least) return MemoryFormat::Contiguous;
    // [N, 1, H, W] and [N, C, 1, 1] fit both formats.
    if (d == 0 && least == strides[1]) return MemoryFormat::Contiguous;
    least = strides[d] * (sizes[d] > 1 ? sizes[d] : 1);
  }
  return rank == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
}

}  // namespace tern
