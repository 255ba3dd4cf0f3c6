#pragma once

#include <mpi.h>

#include <tern/core/distributed/detail/transport.h>

namespace tern::mpi {

/// How MPI reduces elements of a dtype. MPI sees elements as bytes and calls tern's functions: it
/// has no float16 and no bfloat16, and its maximum drops NaN.
struct ReductionOp {
  MPI_Datatype type;
  MPI_Op op;
};

/// Returns the op, which the first call makes.
ReductionOp reduction_op(ScalarType dtype, distributed::detail::Reduction op);

}  // namespace tern::mpi
