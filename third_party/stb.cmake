# stb has no CMake package: Debian puts its headers in include/stb.
find_path(TERN_STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb)
mark_as_advanced(TERN_STB_INCLUDE_DIR)
if(NOT TERN_STB_INCLUDE_DIR)
  message(FATAL_ERROR "tern's examples need stb: install the Debian package libstb-dev, "
                      "or configure with -DTERN_FETCH=ON")
endif()
add_library(tern_stb INTERFACE)
target_include_directories(tern_stb SYSTEM INTERFACE ${TERN_STB_INCLUDE_DIR})
