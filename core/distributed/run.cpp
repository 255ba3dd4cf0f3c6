#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/distributed/detail/threads.h>
#include <tern/core/distributed/detail/world.h>
#include <tern/core/distributed/distributed.h>
#include <tern/core/tensor/detail/thread_generator.h>

namespace tern::distributed {
namespace {

constexpr double kTimeout = 60;

// The group of the thread, in run().
thread_local const ProcessGroup* group_of_thread = nullptr;

}  // namespace

detail::ThreadWorld*& detail::world_of_thread() {
  thread_local ThreadWorld* world = nullptr;
  return world;
}

ProcessGroup init_process_group() {
  if (group_of_thread != nullptr) return *group_of_thread;
  // Never destroyed: ranks end at different times.
  static const ProcessGroup& world = *new ProcessGroup(detail::start_world());
  return world;
}

void run(int size, const std::function<void(ProcessGroup&)>& program) {
  TERN_CHECK(size >= 1, Error, "run: needs at least one rank, got ", size);
  TERN_CHECK(program, Error, "run: the program is an empty function");
  const std::shared_ptr<detail::ThreadWorld> world = detail::make_thread_world(size);
  std::mutex mutex;
  std::exception_ptr first_error;
  const Generator seeds = default_generator(kCPU);
  const auto run_rank = [&](int rank) {
    const tern::detail::ThreadGenerator own_draws(seeds.fork(static_cast<std::uint64_t>(rank)));
    detail::world_of_thread() = world.get();
    try {
      ProcessGroup group(detail::thread_transport(world, rank));
      group.set_timeout(kTimeout);
      const ProcessGroup own = group;  // `program` may assign another group
      group_of_thread = &own;
      program(group);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_error) first_error = std::current_exception();
    }
    group_of_thread = nullptr;
    detail::end_rank(*world, rank);
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) threads.emplace_back(run_rank, rank);
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace tern::distributed
