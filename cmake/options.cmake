# The options for users, and the output folders.

option(TERN_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TERN_BUILD_EXAMPLES "Build the example programs and the tools" ${PROJECT_IS_TOP_LEVEL})
option(TERN_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TERN_INSTALL "Write install rules" ${PROJECT_IS_TOP_LEVEL})
option(TERN_WERROR "Treat warnings in tern's own code as errors" ${PROJECT_IS_TOP_LEVEL})
option(TERN_SHARED "Build libtern as a shared library" ON)
option(TERN_NATIVE "Build the CPU kernels for this machine only" OFF)
option(TERN_ZLIB "Read .gz files (needs zlib)" ON)
option(TERN_IMAGES "Read JPEG and PNG files (needs stb; JPEG needs libjpeg-turbo)" ON)
option(TERN_FETCH "Fetch dependencies that the system does not have" OFF)
option(TERN_FUZZ "Build the fuzz targets for libFuzzer (needs Clang)" OFF)
set(TERN_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined")

if(TERN_SHARED)
  set(TERN_LIBRARY_TYPE SHARED)
else()
  set(TERN_LIBRARY_TYPE STATIC)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "tern needs GCC 12 or later, found ${CMAKE_CXX_COMPILER_VERSION} "
                      "(Debian package g++-12, then -DCMAKE_CXX_COMPILER=g++-12)")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "tern needs Clang 14 or later, found ${CMAKE_CXX_COMPILER_VERSION}")
endif()

# All outputs are in bin, lib and include of this build, so that a program finds the libraries, and the
# library its plugins, in the same way before and after installation.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH $ORIGIN $ORIGIN/../${CMAKE_INSTALL_LIBDIR})

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(TERN_CCACHE ccache)
  mark_as_advanced(TERN_CCACHE)
  if(TERN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers need this sloppiness.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TERN_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${TERN_CCACHE})
  endif()
endif()

if(TERN_SANITIZE)
  add_compile_options(-fsanitize=${TERN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(TERN_SANITIZE MATCHES undefined)
    # Half of the time to compile, for what the address sanitizer reports too.
    add_compile_options(-fno-sanitize=null,vptr,object-size,pointer-overflow,nonnull-attribute,returns-nonnull-attribute)
    # A quarter of it: a check at each access to a member. Tests give the kernels rows that begin at any element; an
    # instruction that needs aligned ones ends the program without a sanitizer, too.
    add_compile_options(-fno-sanitize=alignment)
  endif()
  add_link_options(-fsanitize=${TERN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC may inline one of Storage's operators new and delete and then warns that they do not match.
    add_compile_options(-Wno-mismatched-new-delete)
    # It no longer sees that an optional has a value where it is read.
    add_compile_options(-Wno-maybe-uninitialized)
    if(TERN_SANITIZE MATCHES thread)
      add_compile_options(-Wno-tsan)  # GCC warns that the thread sanitizer does not support fences (State has one)
      add_compile_options(-Wno-stringop-overflow -Wno-array-bounds)  # GCC 12 warns about its own std::string
    endif()
  endif()
endif()

if(TERN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Padding before functions and jumps: a fortieth of the library, and nothing that a benchmark shows.
set(TERN_NO_ALIGNMENT "$<$<CXX_COMPILER_ID:GNU>:-fno-align-functions;-fno-align-jumps;-fno-align-labels>")

# With Clang, the program provides the sanitizers' symbols.
set(TERN_NO_UNDEFINED -Wl,-z,defs)
if(TERN_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TERN_NO_UNDEFINED "")
endif()

# Tables of functions need a relocation for each pointer; packed, they take a bit instead of 24 bytes. The loader of
# glibc reads them from 2.36 on.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs -Wl,--fatal-warnings)
check_cxx_source_compiles([[
#include <features.h>
#if !__GLIBC_PREREQ(2, 36)
#error
#endif
int main() {}
]] TERN_HAS_PACKED_RELOCATIONS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(TERN_HAS_PACKED_RELOCATIONS)
  set(TERN_PACKED_RELOCATIONS -Wl,-z,pack-relative-relocs)
endif()
