#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/distributed/detail/transport.h>

namespace tern::distributed::detail {

/// The number of processes that the launcher's environment names, and the variable that does;
/// 1 and null for a program that no launcher started.
struct Launch {
  int size = 1;
  const char* variable = nullptr;
};

/// Reads the environment. Throws Error for a program that torchrun started.
TERN_API Launch launch_of_environment();

/// Opens the plugin in the first of `folders` that has it, and returns the links between all ranks.
/// Throws Error with what is missing, and if MPI does not know the ranks that `launch` names.
TERN_API std::unique_ptr<Transport> start_mpi(const Launch& launch,
                                              const std::vector<std::string>& folders);

/// Returns the links of this process to the others of its job; null if there are no others.
std::unique_ptr<Transport> start_world();

}  // namespace tern::distributed::detail
