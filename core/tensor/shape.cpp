#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {

std::int64_t checked_numel(IntArrayRef sizes) {
  std::int64_t numel = 1;
  bool overflow = false, empty = false;
  for (std::int64_t size : sizes) {
    TERN_CHECK(size >= 0, ShapeError, "Trying to create tensor with negative dimension ", size,
               ": ", sizes);
    empty = empty || size == 0;
    overflow = overflow || __builtin_mul_overflow(numel, size, &numel);
  }
  if (empty) return 0;
  // Leave room for 8-byte elements.
  TERN_CHECK(!overflow && numel <= INT64_MAX / 8, ShapeError,
             "Trying to create tensor with too many elements: ", sizes);
  return numel;
}

DimVector contiguous_strides(IntArrayRef sizes) {
  DimVector strides;
  strides.resize(sizes.size());
  // Unsigned, because the product may overflow for empty tensors and for sizes that are refused
  // later.
  std::uint64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(std::max<std::int64_t>(sizes[i], 1));
  }
  return strides;
}

bool is_contiguous(IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t expected = 1;
  bool matches = true;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) matches = false;
    expected *= sizes[i];
  }
  return matches;
}

namespace {

// Returns the dimensions from the fastest to the slowest in memory, without those of size 1.
DimVector by_stride(IntArrayRef sizes, IntArrayRef strides) {
  DimVector order;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1) order.push_back(static_cast<std::int64_t>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return strides[static_cast<std::size_t>(a)] < strides[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace

bool is_dense(IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t expected = 1;
  for (std::int64_t dim : by_stride(sizes, strides)) {
    const auto d = static_cast<std::size_t>(dim);
    if (sizes[d] == 0) return true;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

std::int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides) {
  std::int64_t extent = 1;
  for (std::int64_t stride : strides) {
    TERN_CHECK(stride >= 0, ShapeError, op, ": Negative strides are not supported, got strides ",
               strides);
  }
  if (checked_numel(sizes) == 0) return 0;
  for (std::int64_t dim : by_stride(sizes, strides)) {
    const auto d = static_cast<std::size_t>(dim);
    TERN_CHECK(strides[d] >= extent, ShapeError, op, ": elements of sizes ", sizes,
               " with strides ", strides, " overlap");
    std::int64_t span = 0;
    const bool overflow = __builtin_mul_overflow(sizes[d] - 1, strides[d], &span) ||
                          __builtin_add_overflow(extent, span, &extent);
    TERN_CHECK(!overflow && extent <= INT64_MAX / 8, ShapeError, op, ": sizes ", sizes,
               " with strides ", strides, " need too many elements");
  }
  return extent;
}

DimVector dense_strides(IntArrayRef sizes, IntArrayRef strides) {
  return strides_in_order(sizes, order_of_dims(sizes, {strides}));
}

DimVector preserved_strides(IntArrayRef sizes, IntArrayRef strides) {
  return is_dense(sizes, strides) ? DimVector(strides) : dense_strides(sizes, strides);
}

std::int64_t wrap_dim(std::int64_t dim, std::int64_t ndim) {
  const std::int64_t range = std::max<std::int64_t>(ndim, 1);
  TERN_CHECK(dim >= -range && dim < range, IndexError,
             "Dimension out of range (expected to be in range of [", -range, ", ", range - 1,
             "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}

DimMask marked_dims(IntArrayRef dims, std::int64_t ndim) {
  DimMask marked(static_cast<std::size_t>(std::max<std::int64_t>(ndim, 1)), false);
  for (std::int64_t dim : dims) {
    const auto at = static_cast<std::size_t>(wrap_dim(dim, ndim));
    TERN_CHECK(!marked[at], Error, "dim ", at,
               " appears multiple times in the list of dims: ", dims);
    marked[at] = true;
  }
  return marked;
}

DimVector broadcast_sizes(IntArrayRef a, IntArrayRef b) {
  const std::size_t ndim = std::max(a.size(), b.size());
  DimVector sizes;
  sizes.resize(ndim);
  for (std::size_t i = 0; i < ndim; ++i) {  // from the last dimension
    const std::int64_t size_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t size_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    TERN_CHECK(size_a == size_b || size_a == 1 || size_b == 1, ShapeError, "The size of tensor a (",
               size_a, ") must match the size of tensor b (", size_b,
               ") at non-singleton dimension ", ndim - 1 - i, ", got sizes ", a, " and ", b);
    sizes[ndim - 1 - i] = size_a == 1 ? size_b : size_a;
  }
  return sizes;
}

bool is_expandable_to(IntArrayRef from, IntArrayRef to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t size = from[from.size() - 1 - i];
    if (size != to[to.size() - 1 - i] && size != 1) return false;
  }
  return true;
}

DimVector broadcast_strides(IntArrayRef from_sizes, IntArrayRef from_strides, IntArrayRef sizes) {
  DimVector strides;
  strides.resize(sizes.size(), 0);
  const std::size_t added = sizes.size() - from_sizes.size();
  for (std::size_t i = 0; i < from_sizes.size(); ++i) {
    strides[added + i] = from_sizes[i] == 1 && sizes[added + i] != 1 ? 0 : from_strides[i];
  }
  return strides;
}

DimVector infer_sizes(IntArrayRef sizes, std::int64_t numel) {
  DimVector result(sizes);
  std::int64_t known = 1;
  std::size_t open = sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      TERN_CHECK(open == sizes.size(), ShapeError,
                 "only one dimension can be inferred, got shape '", sizes, "'");
      open = i;
    } else {
      TERN_CHECK(sizes[i] >= 0, ShapeError, "invalid shape dimension ", sizes[i], " in '", sizes,
                 "'");
      TERN_CHECK(!__builtin_mul_overflow(known, sizes[i], &known), ShapeError, "shape '", sizes,
                 "' is invalid for input of size ", numel);
    }
  }
  if (open != sizes.size()) {
    TERN_CHECK(known != 0, ShapeError, "cannot reshape tensor of 0 elements into shape ", sizes,
               " because the unspecified dimension size -1 can be any value and is ambiguous");
    TERN_CHECK(numel % known == 0, ShapeError, "shape '", sizes, "' is invalid for input of size ",
               numel);
    result[open] = numel / known;
    return result;
  }
  TERN_CHECK(known == numel, ShapeError, "shape '", sizes, "' is invalid for input of size ",
             numel);
  return result;
}

bool view_strides(IntArrayRef sizes, IntArrayRef strides, IntArrayRef new_sizes,
                  DimVector& result) {
  result = contiguous_strides(new_sizes);
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    if (sizes == new_sizes) result = DimVector(strides);
    return true;
  }
  if (!strides.empty() && strides.back() == 1 && is_contiguous(sizes, strides)) return true;
  // From the last dimension: a group of new dimensions must exactly fill each group of old
  // dimensions that lies without gaps. A dimension of size 1 belongs to any group, whatever its
  // stride.
  std::size_t next = new_sizes.size();
  for (std::size_t i = sizes.size(); i > 0;) {
    --i;
    const std::int64_t step = strides[i];
    std::int64_t group = sizes[i];
    while (i > 0 && (sizes[i - 1] == 1 || strides[i - 1] == group * step)) group *= sizes[--i];
    std::int64_t filled = 1;
    while (next > 0 && (filled < group || new_sizes[next - 1] == 1)) {
      --next;
      result[next] = step * filled;
      filled *= new_sizes[next];
    }
    if (filled != group) return false;
  }
  return true;
}

}  // namespace tern
