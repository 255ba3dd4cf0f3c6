#include <tern/backends/mpi/reductions.h>

#include <map>
#include <mutex>
#include <utility>

#include <tern/core/distributed/detail/combine.h>

namespace tern::mpi {
namespace {

using distributed::detail::Reduction;

template <class T, Reduction op>
void combine(void* from, void* into, int* count, MPI_Datatype* /*type*/) {
  distributed::detail::combine<T, op>(static_cast<T*>(into), static_cast<const T*>(from), *count);
}

}  // namespace

ReductionOp reduction_op(ScalarType dtype, Reduction op) {
  static std::mutex mutex;
  static std::map<std::pair<ScalarType, Reduction>, ReductionOp> ops;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = ops.try_emplace({dtype, op});
  ReductionOp& made = entry->second;
  if (is_new) {
    MPI_Type_contiguous(static_cast<int>(element_size(dtype)), MPI_BYTE, &made.type);
    MPI_Type_commit(&made.type);
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      distributed::detail::visit_reduction(op, [&](auto reduction) {
        MPI_Op_create(&combine<T, reduction()>, /*commute=*/1, &made.op);
      });
    });
  }
  return made;
}

}  // namespace tern::mpi
