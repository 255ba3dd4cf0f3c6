# What tern is built with. Taken from the system; with TERN_FETCH=ON what is missing is fetched in
# the version pinned here. The library itself needs Eigen and nlohmann_json (neither shows in its
# headers) and, for images, stb; the tests GoogleTest, the examples CLI11.

include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()

# Looks for the target on the system. Global, because a static libtern is linked further up.
function(tern_find package version target)
  if(NOT TARGET ${target})
    find_package(${package} ${version} QUIET)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL ON)
    endif()
  endif()
endfunction()

# Fetches the package unless the target exists by now. `headers` is the folder to include from, or
# CMAKE for a package that is built by its own CMakeLists.txt.
function(tern_need package version target debian headers url sha256)
  if(TARGET ${target})
    return()
  elseif(NOT TERN_FETCH)
    message(FATAL_ERROR "tern needs ${package} ${version}: install the Debian package ${debian}, "
                        "or configure with -DTERN_FETCH=ON")
  endif()
  message(STATUS "Fetching ${package}")
  if(headers STREQUAL "CMAKE")
    FetchContent_Declare(${package} URL ${url} URL_HASH SHA256=${sha256})
    FetchContent_MakeAvailable(${package})
  else()
    # A folder that is not there: CMake fetches and adds nothing.
    FetchContent_Declare(${package} URL ${url} URL_HASH SHA256=${sha256} SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(${package})
    FetchContent_GetProperties(${package} SOURCE_DIR folder)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${folder}/${headers})
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
tern_find(Threads "" Threads::Threads)

tern_find(Eigen3 3.4 Eigen3::Eigen)
tern_need(Eigen3 3.4 Eigen3::Eigen libeigen3-dev .
  https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
  8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72)

tern_find(nlohmann_json 3.11 nlohmann_json::nlohmann_json)
tern_need(nlohmann_json 3.11 nlohmann_json::nlohmann_json nlohmann-json3-dev include
  https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)

if(TERN_ZLIB)
  tern_find(ZLIB "" ZLIB::ZLIB)
  if(NOT TARGET ZLIB::ZLIB)
    message(FATAL_ERROR "tern reads .gz files with zlib: install the Debian package zlib1g-dev, "
                        "or configure with -DTERN_ZLIB=OFF")
  endif()
endif()

if(TERN_IMAGES)
  # Without libjpeg-turbo tern reads PNG alone.
  tern_find(JPEG "" JPEG::JPEG)
endif()

if(TERN_BUILD_TESTS)
  set(INSTALL_GTEST OFF)
  set(BUILD_GMOCK OFF)
  tern_find(GTest 1.12 GTest::gtest_main)
  tern_need(GTest 1.12 GTest::gtest_main libgtest-dev CMAKE
    https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
endif()

if(TERN_BUILD_EXAMPLES OR TERN_BUILD_TESTS)
  tern_find(CLI11 2.1 CLI11::CLI11)
  tern_need(CLI11 2.1 CLI11::CLI11 libcli11-dev include
    https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
    f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
endif()

if(TERN_IMAGES)
  # stb has no CMake package.
  find_path(TERN_STB_FOLDER stb_image.h PATH_SUFFIXES stb)
  mark_as_advanced(TERN_STB_FOLDER)
  if(TERN_STB_FOLDER)
    add_library(stb::stb INTERFACE IMPORTED GLOBAL)
    target_include_directories(stb::stb SYSTEM INTERFACE ${TERN_STB_FOLDER})
  endif()
  tern_need(stb "" stb::stb libstb-dev .
    https://github.com/nothings/stb/archive/5736b15f7ea0ffb08dd38af21067c314d6a3aae9.tar.gz
    d00921d49b06af62aa6bfb97c1b136bec661dd11dd4eecbcb0da1f6da7cedb4c)
endif()
