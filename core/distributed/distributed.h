#pragma once

#include <functional>

#include <tern/core/distributed/process_group.h>

namespace tern::distributed {

/// Returns the group of all ranks of the job. Repeated calls return the same group.
///
/// Under `mpirun` these are its processes, which the plugin libtern_mpi.so connects; inside of
/// run() its threads. A program that is started alone is a group of one rank. Throws Error, with
/// what is missing, in a job that tern cannot join: without the plugin or MPI, under the launcher
/// of another MPI, or started by torchrun.
TERN_API ProcessGroup init_process_group();

/// Runs `program` on `size` ranks that are threads of this process, each with the group of all of
/// them, and returns when all have ended. So a distributed program is a test that needs no mpirun.
/// As a process does, each rank has a default generator of the CPU of its own, which manual_seed()
/// on the rank seeds; at first a fork() of the default generator of the caller.
/// Throws the error of the rank that failed first. A rank that ends makes every call of the others
/// that needs it an Error at once. So is a deadlock: when all ranks wait for each other, each
/// throws an Error that lists what every rank waits in, with group, file and line; groups in which
/// they waited cannot be used after that. Once other threads of the program use a group, a deadlock
/// ends by the time-out.
///
/// Example:
///   distributed::run(4, [](distributed::ProcessGroup& group) {
///     Tensor x = full({3}, group.rank());
///     group.all_reduce(x);  // 6 6 6
///   });
TERN_API void run(int size, const std::function<void(ProcessGroup&)>& program);

}  // namespace tern::distributed
