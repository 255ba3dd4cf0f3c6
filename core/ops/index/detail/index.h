#pragma once

#include <cstdint>
#include <initializer_list>

#include <tern/core/kernels/families/advanced_index.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/tensor/tensor.h>

// What the ops with indices share.

namespace tern::detail {

/// Throws DTypeError unless `index` is int64, DeviceError unless it is on the device of `self`.
/// `method` is PyTorch's name of the kernel.
void check_index(const char* name, const char* method, const Tensor& self, const Tensor& index);
/// Returns an int32 `index` as int64, which the kernels read; others as they are.
Tensor as_long(const Tensor& index);
/// Throws IndexError unless the 1-d `index` fits into a 0-d `self`, which has one element to
/// select.
void check_index_count(const char* name, const Tensor& self, const Tensor& index);
/// Throws IndexError for an index of the CPU outside [0, limit). For results without elements,
/// which never reach the kernel that checks.
void check_index_range(const Tensor& index, std::int64_t limit);

/// Returns the size of a dimension; 1 for a 0-d tensor.
std::int64_t indexed_size(const Tensor& tensor, std::size_t dim);
/// Returns a 0-d tensor as a tensor with one dimension.
Tensor at_least_1d(const Tensor& tensor);

/// Runs the kernel of the family index on contiguous tensors; it writes to `out`.
void run_index(const char* name, kernels::IndexOp op, const Tensor& in, const Tensor& out,
               const Tensor& index, std::size_t dim, std::int64_t count, std::int64_t limit);

/// Returns a copy of the elements of `self` without history, which is contiguous unless it
/// `keeps_order` of the dimensions.
Tensor detached_copy(const Tensor& self, bool keeps_order = false);
/// Returns `into`, which has the elements of `self`, or a detached_copy() if it is undefined.
Tensor into_or_copy(const Tensor& into, const Tensor& self, bool keeps_order = false);
/// Throws Error if `self`, which an op writes in place, has elements in common with one of
/// `others`, as far as their dense layouts tell.
void check_no_overlap(const Tensor& self, std::initializer_list<const Tensor*> others);
/// Throws DTypeError if `source` requires grad, but the result has the dtype of integers of `self`.
void check_has_gradient(const Tensor& self, const Tensor& source);
/// Returns `index`, or a copy if it shares memory with `out`: a kernel that writes to its own
/// indices would not see the indices that it has checked.
Tensor apart_from(const Tensor& out, const Tensor& index);

/// Calls write(target), where the contiguous `target` has the elements of `out`, and gives the
/// result to `out`.
template <class Write>
void write_contiguous(const Tensor& out, const Write& write) {
  if (out.is_contiguous()) return write(out);
  const Tensor target = detached_copy(out);
  write(target);
  copy_elements(out, target);
}

/// Neighbouring dimensions that one tensor of indices names together, as one row.
struct IndexedDims {
  std::size_t first, count;
};

/// How some dimensions of a tensor are indexed together.
struct AdvancedIndex {
  const char* name;  // the op that the user called
  kernels::IndexOp op;
  SmallVector<IndexedDims, 4> dims;
  /// Int64, contiguous: [number of rows in dims, sizes of the index...].
  Tensor at;
  /// The number of other dimensions in front of those of the index in the result.
  std::size_t position = 0;
  bool wraps = true;  // negative indices count from the end

  /// Returns the sizes of the result of get() for a tensor with these sizes.
  DimVector result_sizes(IntArrayRef sizes) const;
};

/// Returns the named elements of `self` in a new tensor without history.
Tensor get_advanced(const Tensor& self, const AdvancedIndex& index);
/// Writes `values`, which broadcasts, to the named elements of `out` or adds it there. The dtypes
/// agree. Records nothing.
void put_advanced(const Tensor& out, const AdvancedIndex& index, const Tensor& values,
                  bool accumulate);

}  // namespace tern::detail
