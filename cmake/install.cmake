# What `cmake --install` copies, and how find_package(tern) and pkg-config find it.

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

# The public headers: those in no folder detail. tests/install compares them with what tern.h reaches.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/tern)
install(FILES tern.h DESTINATION ${headers})
install(DIRECTORY core nn serialization compat DESTINATION ${headers}
        FILES_MATCHING PATTERN *.h PATTERN *.def PATTERN *.inc
        PATTERN detail EXCLUDE PATTERN core/kernels EXCLUDE)
foreach(header IN ITEMS cuda graph graphed_step stream)
  install(FILES backends/cuda/host/${header}.h DESTINATION ${headers}/backends/cuda/host)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tern)
install(EXPORT tern-targets NAMESPACE tern:: DESTINATION ${package})
configure_package_config_file(cmake/tern-config.cmake.in tern-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(tern-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tern-config.cmake
              ${PROJECT_BINARY_DIR}/tern-config-version.cmake
        DESTINATION ${package})

configure_file(cmake/tern.pc.in tern.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tern.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
