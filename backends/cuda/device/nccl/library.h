#pragma once

#include <cstddef>

#include <tern/core/kernels/plugin.h>

// The functions of NCCL that collectives use, found in the library when the first one runs. NCCL is
// no part of the toolkit, so its functions, types and numbers are declared here; where its header
// is installed, library.cpp compares them.

namespace tern::cuda::device::nccl {

using Communicator = void*;

/// X is called with the enumeration, the name of a constant, NCCL's name and the number.
#define TERN_NCCL_NUMBERS(X)                \
  X(Status, kSuccess, ncclSuccess, 0)       \
  X(Status, kInProgress, ncclInProgress, 7) \
  X(Type, kInt8, ncclInt8, 0)               \
  X(Type, kUint8, ncclUint8, 1)             \
  X(Type, kInt32, ncclInt32, 2)             \
  X(Type, kInt64, ncclInt64, 4)             \
  X(Type, kFloat16, ncclFloat16, 6)         \
  X(Type, kFloat32, ncclFloat32, 7)         \
  X(Type, kFloat64, ncclFloat64, 8)         \
  X(Type, kBfloat16, ncclBfloat16, 9)       \
  X(Op, kSum, ncclSum, 0)                   \
  X(Op, kMax, ncclMax, 2)                   \
  X(Op, kMin, ncclMin, 3)                   \
  X(Op, kAverage, ncclAvg, 4)

enum class Status : int {};
enum class Type : int {};
enum class Op : int {};

#define TERN_NCCL_NUMBER(Enum, name, theirs, number) constexpr Enum name{number};
TERN_NCCL_NUMBERS(TERN_NCCL_NUMBER)
#undef TERN_NCCL_NUMBER

/// ncclUniqueId, which NCCL takes by value.
using UniqueId = kernels::CollectiveId;

/// The options of a communicator that NCCL 2.18 knows; later versions read older ones.
struct Config {
  static constexpr int kDefault = -2147483647 - 1;
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = 0;  // calls return before they are done, so that they can be given up
  int cga_cluster_size = kDefault;
  int min_ctas = kDefault;
  int max_ctas = kDefault;
  const char* net_name = nullptr;
  int split_share = kDefault;
};

/// The functions: X is called with the name and the parameters. Streams are cudaStream_t.
#define TERN_NCCL_FUNCTIONS(X)                                                                   \
  X(ncclGetUniqueId, Status, (UniqueId*))                                                        \
  X(ncclGetErrorString, const char*, (Status))                                                   \
  X(ncclGetLastError, const char*, (Communicator))                                               \
  X(ncclCommInitRankConfig, Status, (Communicator*, int, UniqueId, int, Config*))                \
  X(ncclCommGetAsyncError, Status, (Communicator, Status*))                                      \
  X(ncclCommFinalize, Status, (Communicator))                                                    \
  X(ncclCommDestroy, Status, (Communicator))                                                     \
  X(ncclCommAbort, Status, (Communicator))                                                       \
  X(ncclGroupStart, Status, ())                                                                  \
  X(ncclGroupEnd, Status, ())                                                                    \
  X(ncclAllReduce, Status, (const void*, void*, std::size_t, Type, Op, Communicator, void*))     \
  X(ncclReduceScatter, Status, (const void*, void*, std::size_t, Type, Op, Communicator, void*)) \
  X(ncclBroadcast, Status, (const void*, void*, std::size_t, Type, int, Communicator, void*))    \
  X(ncclAllGather, Status, (const void*, void*, std::size_t, Type, Communicator, void*))         \
  X(ncclSend, Status, (const void*, std::size_t, Type, int, Communicator, void*))                \
  X(ncclRecv, Status, (void*, std::size_t, Type, int, Communicator, void*))

struct Library {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a name and parameters take none.
#define TERN_NCCL_FUNCTION(function, Result, parameters) Result(*function) parameters = nullptr;
  TERN_NCCL_FUNCTIONS(TERN_NCCL_FUNCTION)
#undef TERN_NCCL_FUNCTION
};

/// Opens the library `file` and finds the functions. Returns false, with the reason in the status,
/// if that fails.
bool open_library(const char* file, Library* library, kernels::PluginStatus* status);

/// Returns NCCL's functions; null, with the reason in the status, if there is no NCCL. Looks for
/// it once.
const Library* library(kernels::PluginStatus* status);

}  // namespace tern::cuda::device::nccl
