#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include <tern/backends/mpi/transport.h>

namespace tern::mpi {
namespace {

using Clock = std::chrono::steady_clock;

// How long a rank that has ended waits for the others.
constexpr std::chrono::seconds kPatience(2);

// Ends MPI with the process. A rank that fails ends the job: the others may wait for it in a
// collective, where MPI_Finalize would wait for them. So would it after exit(0), if some never
// come.
void finish(int status, void* owner) {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  const auto pid = static_cast<pid_t>(reinterpret_cast<std::intptr_t>(owner));
  if (pid != getpid() || is_finalized != 0) return;  // a fork, or the program did it
  if (status != 0) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  int is_done = 0;
  for (const auto deadline = Clock::now() + kPatience; is_done == 0 && Clock::now() < deadline;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    sched_yield();
  }
  if (is_done == 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  MPI_Finalize();
}

Transport* start(Result* result) {
  const auto refuse = [&](const char* reason) {
    *result = distributed::detail::failed(reason);
    return nullptr;
  };
  int is_initialized = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_initialized);
  if (is_initialized != 0) {
    MPI_Query_thread(&level);
  } else {
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
      return refuse("MPI_Init_thread failed");
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number as the argument
    on_exit(&finish, reinterpret_cast<void*>(static_cast<std::intptr_t>(getpid())));
  }
  if (level < MPI_THREAD_MULTIPLE) {
    return refuse("it was initialised without MPI_THREAD_MULTIPLE, and groups have threads");
  }
  MPI_Comm world = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Comm_dup(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return refuse("MPI_Comm_dup failed");
  return new MpiTransport(world);
}

constexpr distributed::detail::TransportPlugin kPlugin = {distributed::detail::transport_build_id(),
                                                          &start};

}  // namespace
}  // namespace tern::mpi

extern "C" TERN_API const tern::distributed::detail::TransportPlugin* tern_plugin_entry();
extern "C" const tern::distributed::detail::TransportPlugin* tern_plugin_entry() {
  return &tern::mpi::kPlugin;
}
