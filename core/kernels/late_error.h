#pragma once

#include <cstdio>
#include <limits>

#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// Returns the name of the op that the user called.
constexpr const char* index_op_name(IndexOp op) {
  switch (op) {
    case IndexOp::kSelect:
      return "index_select";
    case IndexOp::kAdd:
      return "index_add_";
    case IndexOp::kGather:
      return "gather";
    case IndexOp::kScatterAdd:
      return "scatter_add_";
    case IndexOp::kScatter:
      return "scatter_";
    case IndexOp::kScatterProd:
    case IndexOp::kScatterAmax:
    case IndexOp::kScatterAmin:
      return "scatter_reduce_";
    case IndexOp::kIndex:
      return "index";
    case IndexOp::kIndexPut:
      return "index_put_";
    case IndexOp::kIndexFill:
      return "index_fill_";
    case IndexOp::kIndexCopy:
      return "index_copy_";
    case IndexOp::kTake:
      return "take";
    case IndexOp::kPut:
      return "put_";
  }
  return "?";
}

/// Writes the message for an index out of range that a device found. The error arrives late, so the
/// message names the op.
inline void write_late_index_error(char* out, std::size_t size, IndexOp op, std::int64_t index,
                                   std::int64_t limit, std::int32_t device) {
  std::snprintf(out, size,
                "%s(): index %lld is out of bounds for a dimension of size %lld; it was found on "
                "cuda:%d after the call had returned",
                index_op_name(op), static_cast<long long>(index), static_cast<long long>(limit),
                static_cast<int>(device));
}

/// Returns true if an element satisfies `op`. NaN does not.
template <class T>
TERN_HOST_DEVICE bool keeps_rule(RequireOp op, T value) {
  const auto number = +value;  // a bool becomes an int
  switch (op) {
    case RequireOp::kDivisor:
      return number != 0;
    case RequireOp::kProbability:
      return (number >= 0) & (number <= 1);
    case RequireOp::kDeviation:
    case RequireOp::kRate:
      return number >= 0;
    case RequireOp::kWeight:
      return (number >= 0) & !(number > std::numeric_limits<decltype(number)>::max());
    case RequireOp::kTotal:
      break;
  }
  return number > 0;
}

/// Writes the message that every call for a lost device gets. `cause` is CUDA's text of the fault.
inline void write_lost_device(char* out, std::size_t size, const char* cause, std::int32_t device) {
  std::snprintf(out, size,
                "CUDA error: %s; earlier work of cuda:%d found it (CUDA_LAUNCH_BLOCKING=1 shows "
                "which), and this process cannot use the device any more",
                cause, static_cast<int>(device));
}

/// Returns the text for a violated requirement; it begins like PyTorch's.
constexpr const char* broken_rule(RequireOp op) {
  switch (op) {
    case RequireOp::kDivisor:
      return "ZeroDivisionError: an integer was divided by 0.";
    case RequireOp::kProbability:
      return "Expected p_in >= 0 && p_in <= 1 to be true, but got false.";
    case RequireOp::kDeviation:
      return "normal expects all elements of std >= 0.0.";
    case RequireOp::kRate:
      return "invalid Poisson rate, expected rate to be non-negative.";
    case RequireOp::kWeight:
      return "probability tensor contains either `inf`, `nan` or element < 0.";
    case RequireOp::kTotal:
      return "invalid multinomial distribution (sum of probabilities <= 0).";
  }
  return "?";
}

/// Returns the name of the op that has the requirement.
constexpr const char* require_op_name(RequireOp op) {
  switch (op) {
    case RequireOp::kDivisor:
      return "integer division";
    case RequireOp::kProbability:
      return "bernoulli";
    case RequireOp::kDeviation:
      return "normal";
    case RequireOp::kRate:
      return "poisson";
    case RequireOp::kWeight:
    case RequireOp::kTotal:
      break;
  }
  return "multinomial";
}

/// Writes the message for a value that violates a requirement, found by a device.
inline void write_late_value_error(char* out, std::size_t size, RequireOp op, std::int32_t device) {
  std::snprintf(out, size, "%s: %s It was found on cuda:%d after the call had returned",
                require_op_name(op), broken_rule(op), static_cast<int>(device));
}

}  // namespace tern::kernels
