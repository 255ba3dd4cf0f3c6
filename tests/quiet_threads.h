#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace tern::testing {

/// Returns true if all other threads of the process sleep, as the system lists them.
inline bool other_threads_sleep() {
  const std::string self = std::to_string(::gettid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == self) continue;
    std::ifstream file(task.path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    // The state follows the name, "(name) S"; a thread that has ended has no text.
    const std::size_t name_end = text.rfind(") ");
    if (name_end != std::string::npos && text[name_end + 2] != 'S') return false;
  }
  return true;
}

/// Waits until all other threads of the process sleep. For tests that fork: under the address
/// sanitizer of GCC 12 the child hangs if another thread starts or allocates memory during the
/// fork, because the child then has a lock of the sanitizer that nobody unlocks.
inline void wait_for_quiet_threads() {
  while (!other_threads_sleep()) std::this_thread::yield();
}

}  // namespace tern::testing
