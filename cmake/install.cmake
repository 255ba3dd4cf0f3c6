# Defines what `cmake --install` copies, and how find_package(tern) and pkg-config find it.

include(CMakePackageConfigHelpers)

set_target_properties(tern_torch_compat PROPERTIES EXPORT_NAME torch_compat)
install(TARGETS tern tern_torch_compat EXPORT tern-targets)
foreach(plugin IN ITEMS tern_sim tern_cuda)
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET tern-state)
  install(TARGETS tern-state)
endif()

# The public headers: the headers of these folders outside of private folders. tests/install compares them with
# the headers that tern.h includes. Installed one by one: install(DIRECTORY) would also create folders without a
# public header.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/tern)
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     core/*.h core/*.def core/*.inc nn/*.h serialization/*.h train/*.h compat/*.h)
list(FILTER public_headers EXCLUDE REGEX "/detail/|^core/kernels/")
foreach(header IN ITEMS cuda graph graphed_step stream)
  list(APPEND public_headers backends/cuda/host/${header}.h)
endforeach()
foreach(header IN LISTS public_headers ITEMS tern.h)
  get_filename_component(above ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${headers}/${above})
endforeach()
install(FILES ${tern_method_declarations} ${tern_generated}/op_forms.h
        ${tern_generated}/op_names.h DESTINATION ${headers}/generated)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tern)
install(EXPORT tern-targets NAMESPACE tern:: DESTINATION ${package})
configure_package_config_file(cmake/tern-config.cmake.in tern-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(tern-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tern-config.cmake
              ${PROJECT_BINARY_DIR}/tern-config-version.cmake
        DESTINATION ${package})

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
configure_file(cmake/tern.pc.in tern.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tern.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
