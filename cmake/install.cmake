# Defines what `cmake --install` copies, and how find_package(tern) and pkg-config find it. package.cmake copies the
# same into other folders.

include(CMakePackageConfigHelpers)

set_target_properties(tern_torch_compat PROPERTIES EXPORT_NAME torch_compat)

# The public headers: the headers of these folders outside of private folders. tests/install compares them with
# the headers that tern.h includes. Installed one by one: install(DIRECTORY) would also create folders without a
# public header.
file(GLOB_RECURSE tern_public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     core/*.h core/*.def core/*.inc nn/*.h serialization/*.h train/*.h compat/*.h)
list(FILTER tern_public_headers EXCLUDE REGEX "/detail/|^core/kernels/")
foreach(header IN ITEMS cuda graph graphed_step stream)
  list(APPEND tern_public_headers backends/cuda/host/${header}.h)
endforeach()

write_basic_package_version_file(tern-config-version.cmake COMPATIBILITY SameMinorVersion)
# Programs ask for versions of PyTorch.
write_basic_package_version_file(TorchConfigVersion.cmake VERSION 2.15.0 COMPATIBILITY AnyNewerVersion)

# A static libtern brings its libraries along.
set(tern_pc_private " -pthread -l${CMAKE_DL_LIBS}")
if(TERN_ZLIB)
  string(APPEND tern_pc_private " -lz")
endif()
if(TERN_IMAGES AND TARGET JPEG::JPEG)
  string(APPEND tern_pc_private " -ljpeg")
endif()
if(NOT TERN_SHARED)
  set(tern_pc_libs "${tern_pc_private}")
endif()

# tern_install(PREFIX LIBRARIES PLUGINS [EXCLUDE_FROM_ALL]): the components <PREFIX>library, <PREFIX>development,
# <PREFIX>tools, <PREFIX>cuda and <PREFIX>mpi, with libtern in the folder LIBRARIES and its plugins in PLUGINS.
function(tern_install prefix libraries plugins)
  install(TARGETS tern tern_torch_compat EXPORT ${prefix}tern-targets
          LIBRARY DESTINATION ${libraries} COMPONENT ${prefix}library
                  NAMELINK_COMPONENT ${prefix}development ${ARGN}
          ARCHIVE DESTINATION ${libraries} COMPONENT ${prefix}development ${ARGN})
  if(TARGET tern_sim)
    install(TARGETS tern_sim LIBRARY DESTINATION ${plugins} COMPONENT ${prefix}library ${ARGN})
  endif()
  if(TARGET tern_cuda)
    install(TARGETS tern_cuda LIBRARY DESTINATION ${plugins} COMPONENT ${prefix}cuda ${ARGN})
  endif()
  if(TARGET tern_mpi)
    install(TARGETS tern_mpi LIBRARY DESTINATION ${plugins} COMPONENT ${prefix}mpi ${ARGN})
  endif()
  if(TARGET tern-state)
    install(TARGETS tern-state COMPONENT ${prefix}tools ${ARGN})
  endif()

  set(development COMPONENT ${prefix}development ${ARGN})
  set(headers ${CMAKE_INSTALL_INCLUDEDIR}/tern)
  foreach(header IN LISTS tern_public_headers ITEMS tern.h)
    get_filename_component(above ${header} DIRECTORY)
    install(FILES ${header} DESTINATION ${headers}/${above} ${development})
  endforeach()
  install(DIRECTORY ${TERN_MOVED_HEADERS}/tern/ DESTINATION ${headers} ${development})

  set(package ${libraries}/cmake/tern)
  install(EXPORT ${prefix}tern-targets FILE tern-targets.cmake NAMESPACE tern:: DESTINATION ${package}
          ${development})
  set(config ${PROJECT_BINARY_DIR}/${prefix}install)
  configure_package_config_file(cmake/tern-config.cmake.in ${config}/tern-config.cmake
                                INSTALL_DESTINATION ${package})
  install(FILES ${config}/tern-config.cmake ${PROJECT_BINARY_DIR}/tern-config-version.cmake
          DESTINATION ${package} ${development})

  # find_package(Torch) for programs written for libtorch. In a prefix of its own, so that no program finds it unasked.
  set(torch share/tern/torch/share/cmake/Torch)
  configure_package_config_file(cmake/TorchConfig.cmake.in ${config}/TorchConfig.cmake
                                INSTALL_DESTINATION ${torch} PATH_VARS package CMAKE_INSTALL_INCLUDEDIR)
  install(FILES ${config}/TorchConfig.cmake ${PROJECT_BINARY_DIR}/TorchConfigVersion.cmake
          DESTINATION ${torch} ${development})

  # The way up from the folder of tern.pc, so that an installation can be moved.
  file(RELATIVE_PATH tern_pc_up /${libraries}/pkgconfig /)
  string(REGEX REPLACE "/$" "" tern_pc_up ${tern_pc_up})
  set(tern_pc_libraries ${libraries})
  configure_file(cmake/pkgconfig/tern.pc.in ${config}/tern.pc @ONLY)
  install(FILES ${config}/tern.pc DESTINATION ${libraries}/pkgconfig ${development})
endfunction()

tern_install("" ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_LIBDIR})

# tern_install_text(PREFIX RUNTIME DEVELOPMENT PLUGIN LIBRARIES PLUGINS [EXCLUDE_FROM_ALL]): the library of tokenizers
# and generation and its plugin, as the components <PREFIX><RUNTIME>, <PREFIX><DEVELOPMENT> and <PREFIX><PLUGIN>.
function(tern_install_text prefix runtime development plugin libraries plugins)
  if(NOT TARGET tern_text)
    return()
  endif()
  install(TARGETS tern_text EXPORT ${prefix}tern-text-targets
          LIBRARY DESTINATION ${libraries} COMPONENT ${prefix}${runtime}
                  NAMELINK_COMPONENT ${prefix}${development} ${ARGN}
          ARCHIVE DESTINATION ${libraries} COMPONENT ${prefix}${development} ${ARGN})
  set(development COMPONENT ${prefix}${development} ${ARGN})
  if(TARGET tern_sentencepiece)
    install(TARGETS tern_sentencepiece LIBRARY DESTINATION ${plugins} COMPONENT ${prefix}${plugin} ${ARGN})
  endif()
  install(EXPORT ${prefix}tern-text-targets FILE tern-text-targets.cmake NAMESPACE tern::
          DESTINATION ${libraries}/cmake/tern ${development})
  foreach(folder IN ITEMS text text/generation)
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
    install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tern/${folder} ${development})
  endforeach()
  file(RELATIVE_PATH tern_pc_up /${libraries}/pkgconfig /)
  string(REGEX REPLACE "/$" "" tern_pc_up ${tern_pc_up})
  if(NOT TERN_SHARED)
    set(tern_text_pc_libs " -lutf8proc")
  endif()
  set(tern_pc_libraries ${libraries})
  configure_file(cmake/pkgconfig/tern-text.pc.in ${PROJECT_BINARY_DIR}/${prefix}install/tern-text.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${prefix}install/tern-text.pc DESTINATION ${libraries}/pkgconfig ${development})
endfunction()

tern_install_text("" text text text ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_LIBDIR})
include(cmake/package.cmake)
