# Finds what tern needs on the system, or with TERN_FETCH=ON fetches the pinned version.

include(${CMAKE_CURRENT_LIST_DIR}/versions.cmake)
include(FetchContent)

# Makes `target` exist. `package` is CMake's name of it, `debian` the package to install.
function(tern_need target package version debian)
  find_package(${package} ${version} QUIET)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
    return()
  endif()
  if(NOT TERN_FETCH)
    message(FATAL_ERROR "tern needs ${package} ${version}: install the Debian package ${debian}, "
                        "or configure with -DTERN_FETCH=ON")
  endif()
  message(STATUS "Fetching ${package}")
  FetchContent_Declare(${package} URL ${TERN_URL_${package}} URL_HASH ${TERN_HASH_${package}}
                       DOWNLOAD_EXTRACT_TIMESTAMP TRUE)
  FetchContent_MakeAvailable(${package})
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
tern_need(Eigen3::Eigen Eigen3 3.4 libeigen3-dev)
tern_need(nlohmann_json::nlohmann_json nlohmann_json 3.11 nlohmann-json3-dev)
if(TERN_ZLIB)
  find_package(ZLIB QUIET)
  if(NOT ZLIB_FOUND)
    message(FATAL_ERROR "tern reads .gz files with zlib: install the Debian package zlib1g-dev, "
                        "or configure with -DTERN_ZLIB=OFF")
  endif()
endif()
if(TERN_BUILD_TESTS)
  tern_need(GTest::gtest_main GTest 1.11 libgtest-dev)
endif()
if(TERN_BUILD_EXAMPLES)
  tern_need(CLI11::CLI11 CLI11 2.1 libcli11-dev)
  include(${CMAKE_CURRENT_LIST_DIR}/stb.cmake)
endif()
