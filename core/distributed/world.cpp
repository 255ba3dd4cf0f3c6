#include <tern/core/distributed/detail/world.h>

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include <tern/core/base/detail/plugin_library.h>
#include <tern/core/base/error.h>

namespace tern::distributed::detail {
namespace {

constexpr const char* kPackages =
    " (Debian: apt-get install libopenmpi-dev openmpi-bin; tern's plugin is built where CMake "
    "finds "
    "MPI)";

// A second MPI in the process would bind to the functions of the first.
void refuse_other_mpi() {
  void* const symbol = dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
  if (symbol == nullptr) return;
  char text[8192] = {};  // MPI_MAX_LIBRARY_VERSION_STRING of all of them
  int length = 0;
  reinterpret_cast<int (*)(char*, int*)>(symbol)(text, &length);
  const std::string_view version = text;
  TERN_CHECK(version.find("Open MPI") != std::string_view::npos, Error,
             "tern's plugin needs OpenMPI, but this program has loaded another MPI: ",
             version.substr(0, version.find('\n')));
}

}  // namespace

Launch launch_of_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* text = std::getenv(name)) return {std::atoi(text), name};
  }
  // srun --mpi=pmix. Slurm's own variables are also there where no srun started the program.
  const char* const steps = std::getenv("SLURM_STEP_NUM_TASKS");
  if (std::getenv("PMIX_RANK") != nullptr) {
    return {steps == nullptr ? 0 : std::atoi(steps), "SLURM_STEP_NUM_TASKS"};
  }
  const char* const world_size = std::getenv("WORLD_SIZE");
  const bool is_torchrun = world_size != nullptr && std::getenv("RANK") != nullptr &&
                           std::getenv("MASTER_ADDR") != nullptr;
  TERN_CHECK(
      !is_torchrun || std::string_view(world_size) == "1", Error,
      "init_process_group: RANK and WORLD_SIZE=", world_size,
      " are set, as torchrun does, but there is no MPI job; start the program by mpirun -np ",
      world_size);
  return {};
}

std::unique_ptr<Transport> start_mpi(const Launch& launch,
                                     const std::vector<std::string>& folders) {
  refuse_other_mpi();
  const tern::detail::PluginLibrary library =
      tern::detail::open_plugin_library("libtern_mpi.so", kernels::kPluginEntryName, folders);
  TERN_CHECK(library.entry != nullptr, Error, "this program was started by mpirun (",
             launch.variable, "=", launch.size, "), but ", library.reason, kPackages);
  const TransportPlugin& plugin = *reinterpret_cast<TransportEntry>(library.entry)();
  TERN_CHECK(plugin.build_id == transport_build_id(), Error, library.path,
             " was built for another build of tern; build both together");
  Result result;
  std::unique_ptr<Transport> transport(plugin.start(&result));
  TERN_CHECK(transport, Error, "MPI cannot be started: ", result.text);
  TERN_CHECK(launch.size == 0 || transport->size() == launch.size, Error, "the launcher started ",
             launch.size, " processes (", launch.variable, "), but OpenMPI knows ",
             transport->size(), "; start the program by the mpirun of OpenMPI");
  return transport;
}

std::unique_ptr<Transport> start_world() {
  const Launch launch = launch_of_environment();
  if (launch.variable == nullptr) return nullptr;
  return start_mpi(launch, tern::detail::plugin_folders());
}

}  // namespace tern::distributed::detail
