#pragma once

#include <memory>
#include <vector>

#include <tern/core/distributed/detail/transport.h>

namespace tern::distributed::detail {

class ThreadWorld;

/// Makes ranks that are threads of this process.
std::shared_ptr<ThreadWorld> make_thread_world(int size);
/// Returns the links of one rank to all others.
std::unique_ptr<Transport> thread_transport(const std::shared_ptr<ThreadWorld>& world, int rank);
/// Notes that a rank makes no further calls.
void end_rank(ThreadWorld& world, int rank);

}  // namespace tern::distributed::detail
