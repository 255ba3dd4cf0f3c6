# libtern_cuda.so: the plugin with the CUDA kernels, built if there is a CUDA toolkit.

if(PROJECT_IS_TOP_LEVEL)
  set(tern_cuda_default AUTO)
else()
  set(tern_cuda_default OFF)  # as part of another project, build no more than it asked for
endif()
set(TERN_CUDA ${tern_cuda_default} CACHE STRING "Build the CUDA backend: ON, OFF, or AUTO where there is a toolkit")
set_property(CACHE TERN_CUDA PROPERTY STRINGS AUTO ON OFF)
set(tern_cuda_architectures "90-real;75-virtual")
if(DEFINED ENV{CUDAARCHS})
  set(tern_cuda_architectures $ENV{CUDAARCHS})
endif()
set(TERN_CUDA_ARCHITECTURES ${tern_cuda_architectures} CACHE STRING
    "GPUs to compile for, as CMAKE_CUDA_ARCHITECTURES; what is virtual is compiled by the driver")

if(TERN_CUDA STREQUAL "AUTO" OR TERN_CUDA)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(TERN_NVCC nvcc HINTS /usr/local/cuda/bin)
    mark_as_advanced(TERN_NVCC)
    if(TERN_NVCC)
      set(ENV{CUDACXX} ${TERN_NVCC})  # check_language() uses it; it may not support this GCC
    endif()
  endif()
  if(NOT CMAKE_CUDA_HOST_COMPILER)
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${TERN_CUDA_ARCHITECTURES})
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT TERN_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "TERN_CUDA=ON needs a CUDA toolkit: put nvcc on the PATH, set CUDACXX, "
                        "or configure with -DTERN_CUDA=OFF")
  endif()
  set(tern_with_cuda ${CMAKE_CUDA_COMPILER})
  if(TERN_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(NOT TERN_CUDA STREQUAL "AUTO")
      message(FATAL_ERROR "TERN_CUDA=ON needs GCC and no TERN_SANITIZE")
    endif()
    set(tern_with_cuda OFF)
  endif()
endif()

# The kernel files that are compiled together, in groups of up to 12 CPU-seconds: nvcc reads the headers twice, which
# takes 3 seconds, and most files take no more than 2 seconds beyond that. A file in no group is a unit of its own; files
# with the mark of spilled registers have their own groups. unity.cmake serves C++ alone, as CMake's unity builds do.
set(tern_cuda_units
  "elementwise fill gemm gemm/cublas gemm/plan reduce require triangle"
  "linalg linalg/factors linalg/solver"
  "cudnn/attention cudnn/convolution cudnn/plans"
  "advanced_index index mask search"
  "padding random resampling sample"
  "convolution grid_sample pooling"
  "scan sort"
  "layer_norm order_statistics softmax"
  "cdist recurrent support/ordered_terms"
  "reduce/arg reduce/truth"
  "elementwise/compare elementwise/unary")

# Replaces the files of each group in the list by a file of the build folder that includes them.
function(tern_join_cuda_units list)
  set(all ${${list}})
  foreach(group IN LISTS tern_cuda_units)
    string(REPLACE " " ";" files "${group}")
    list(GET files 0 name)
    string(REPLACE "/" "-" name ${name})
    set(unit ${PROJECT_BINARY_DIR}/cuda_units/${name}.cu)
    set(text "")
    foreach(file IN LISTS files)
      set(path ${PROJECT_SOURCE_DIR}/backends/cuda/device/${file}.cu)
      list(REMOVE_ITEM all ${path})
      tern_mark(mark ${path} "Spills registers")
      if(mark AND NOT text MATCHES "${mark}")
        string(PREPEND text "// Spills registers.\n")
      endif()
      string(APPEND text "#include <tern/backends/cuda/device/${file}.cu>\n")
    endforeach()
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)  # writes only what has changed
    list(APPEND all ${unit})
  endforeach()
  set(${list} ${all} PARENT_SCOPE)
endfunction()

function(tern_add_cuda_plugin)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS backends/cuda/device/*.cu backends/cuda/device/*.cpp)
  if(TERN_UNITY)
    tern_join_cuda_units(sources)
  endif()
  add_library(tern_cuda MODULE ${sources})
  add_library(tern::cuda ALIAS tern_cuda)
  tern_own_code(tern_cuda)
  target_include_directories(tern_cuda PRIVATE ${PROJECT_BINARY_DIR}/include)
  target_compile_features(tern_cuda PRIVATE cxx_std_20)
  # The formulas are constexpr functions of the host, too. CMake before 3.26 does not know CUDA_STANDARD 20
  # for nvcc.
  # Without being asked, nvcc compresses PTX alone; compressed, machine code takes a sixth.
  target_compile_options(tern_cuda PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -Xfatbin=-compress-all>)
  # Spilled registers are errors on the GPU that all builds are for, except in the files with a
  # mark (marks.cmake), where a kernel keeps arrays in local memory or calls a division (at most 128 bytes). Their number may only
  # shrink, and cmake/kernel_budgets.tsv bounds local memory.
  foreach(source IN LISTS sources)
    tern_mark(spills ${source} "Spills registers")
    if(TERN_WERROR AND TERN_CUDA_ARCHITECTURES MATCHES "^90-real(;[0-9]+-virtual)*$"
       AND source MATCHES "\\.cu$" AND NOT spills)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -Xptxas=-warn-spills,-Werror)
    endif()
  endforeach()
  target_link_libraries(tern_cuda PRIVATE CUDA::cudart_static CUDA::cublasLt Threads::Threads)
  target_link_options(tern_cuda PRIVATE ${TERN_NO_UNDEFINED}
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/plugin.map)
  set_target_properties(tern_cuda PROPERTIES
    CUDA_VISIBILITY_PRESET hidden CUDA_RUNTIME_LIBRARY Static
    INSTALL_RPATH_USE_LINK_PATH ON  # the toolkit's folder, which has cuBLASLt
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/plugin.map)
  add_dependencies(tern_programs tern_cuda)
endfunction()

if(tern_with_cuda)
  enable_language(CUDA)
  if(PROJECT_IS_TOP_LEVEL)
    # The host's part of a kernel file only launches: optimizing it took a quarter of the time to compile.
    string(REPLACE "-O3" "-O1" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
  endif()
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.5)
    find_package(CUDAToolkit REQUIRED)
    tern_add_cuda_plugin()
  elseif(TERN_CUDA STREQUAL "AUTO")
    message(STATUS "No CUDA backend: it needs CUDA 12.5, found ${CMAKE_CUDA_COMPILER_VERSION}")
  else()
    message(FATAL_ERROR "TERN_CUDA=ON needs CUDA 12.5 or later, found ${CMAKE_CUDA_COMPILER_VERSION}")
  endif()
endif()
