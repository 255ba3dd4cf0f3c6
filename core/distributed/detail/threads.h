#pragma once

#include <memory>
#include <vector>

#include <tern/core/distributed/detail/transport.h>

namespace tern::distributed::detail {

class ThreadWorld;
class Group;
struct Pending;

/// Makes ranks that are threads of this process.
std::shared_ptr<ThreadWorld> make_thread_world(int size);
/// Returns the links of one rank to all others.
std::unique_ptr<Transport> thread_transport(const std::shared_ptr<ThreadWorld>& world, int rank);
/// Notes that a rank makes no further calls.
void end_rank(ThreadWorld& world, int rank);

/// The world to which a rank's thread belongs; null on other threads.
ThreadWorld*& world_of_thread();

// A world counts the threads that can go on, to find deadlocks: those of ranks, and those of groups
// that have calls.

/// Counts a call that is to be queued.
void begin_pending(Pending& pending);
/// Notes its end.
void end_pending(Pending& pending, Group& group);
/// Notes that the thread of a rank waits for it.
void await_pending(Pending& pending);

}  // namespace tern::distributed::detail
