# libtern_mpi.so: the plugin that connects processes started by mpirun, built where there is OpenMPI. The ABIs of other MPIs differ.

if(PROJECT_IS_TOP_LEVEL)
  set(tern_mpi_default AUTO)
else()
  set(tern_mpi_default OFF)  # as part of another project, build no more than it asked for
endif()
set(TERN_MPI ${tern_mpi_default} CACHE STRING "Build the MPI plugin: ON, OFF, or AUTO where there is OpenMPI")
set_property(CACHE TERN_MPI PROPERTY STRINGS AUTO ON OFF)

function(tern_add_mpi_plugin)
  file(GLOB sources CONFIGURE_DEPENDS backends/mpi/*.cpp)
  add_library(tern_mpi MODULE ${sources})
  tern_own_code(tern_mpi)
  tern_unity(tern_mpi)
  target_include_directories(tern_mpi PRIVATE ${PROJECT_BINARY_DIR}/include)
  target_include_directories(tern_mpi SYSTEM PRIVATE ${MPI_CXX_INCLUDE_DIRS})
  target_compile_features(tern_mpi PRIVATE cxx_std_20)
  target_compile_definitions(tern_mpi PRIVATE OMPI_SKIP_MPICXX=1)  # the bindings for C++, which are no more
  target_link_libraries(tern_mpi PRIVATE ${MPI_mpi_LIBRARY})
  target_link_options(tern_mpi PRIVATE ${TERN_NO_UNDEFINED}
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/plugin.map)
  set_target_properties(tern_mpi PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/plugin.map)
  add_dependencies(tern_programs tern_mpi)
endfunction()

if(TERN_MPI STREQUAL "AUTO" OR TERN_MPI)
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND AND MPI_mpi_LIBRARY)
    tern_add_mpi_plugin()
  elseif(NOT TERN_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "TERN_MPI=ON needs OpenMPI (Debian: apt-get install libopenmpi-dev openmpi-bin)")
  endif()
endif()
