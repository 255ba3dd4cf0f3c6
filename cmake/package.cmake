# `make package`: Debian packages with Debian's folders, made by CPack of the files of this build. Without
# RUNPATH: the loader knows the folder of libtern, and CUDA's where it is installed.

if(NOT PROJECT_IS_TOP_LEVEL OR NOT CMAKE_LIBRARY_ARCHITECTURE OR NOT TERN_SHARED OR TERN_SANITIZE)
  return()
endif()
set(TERN_PACKAGE_MAINTAINER "tern maintainers <maintainers@tern.invalid>" CACHE STRING
    "Name and address in the Debian packages")

set(tern_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(libraries lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(plugins ${libraries}/tern-${tern_soversion})
tern_install(deb_ ${libraries} ${plugins} EXCLUDE_FROM_ALL)

# tern_deb(COMPONENT NAME SECTION DESCRIPTION): a package. In Debian's names a library has the numbers of its soname.
function(tern_deb component name section description)
  string(TOUPPER deb_${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
  if(NOT component STREQUAL library)
    set(CPACK_COMPONENT_${upper}_DEPENDS deb_library PARENT_SCOPE)
  endif()
  list(APPEND CPACK_COMPONENTS_ALL deb_${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  install(FILES cmake/package/copyright DESTINATION share/doc/${name} COMPONENT deb_${component} EXCLUDE_FROM_ALL)
  install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND
    \"${PROJECT_SOURCE_DIR}/cmake/package/documents.sh\" ${PROJECT_VERSION} \"${TERN_PACKAGE_MAINTAINER}\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc/${name}\")"
    COMPONENT deb_${component} EXCLUDE_FROM_ALL)
endfunction()

# tern_deb_without_runpath(COMPONENT TARGET FOLDER): removes the RUNPATH of the file of TARGET, which tern_install() has
# installed in FOLDER.
function(tern_deb_without_runpath component target folder)
  install(CODE "file(RPATH_REMOVE FILE
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\")"
    COMPONENT deb_${component} EXCLUDE_FROM_ALL)
endfunction()

set(CPACK_COMPONENTS_ALL)
tern_deb(library libtern${tern_soversion} libs "The shared library, and the plugin that simulates CUDA devices.")
tern_deb_without_runpath(library tern ${libraries})
if(TARGET tern_sim)
  tern_deb_without_runpath(library tern_sim ${plugins})
endif()
tern_deb(development libtern-dev libdevel "The headers, and the files of CMake and pkg-config.")
if(TARGET tern-state)
  tern_deb(tools tern-tools science "The program tern-state, which shows, converts and compares state files.")
  tern_deb_without_runpath(tools tern-state bin)
endif()
if(TARGET tern_cuda)
  # The plugin is linked with cuBLASLt; ops of linear algebra and convolution open the other libraries. Suggested only:
  # they are packages of NVIDIA, not of Debian.
  tern_deb(cuda libtern${tern_soversion}-cuda libs "The plugin that computes on NVIDIA GPUs.")
  tern_deb_without_runpath(cuda tern_cuda ${plugins})
  set(cuda ${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR})
  set(CPACK_DEBIAN_DEB_CUDA_PACKAGE_SUGGESTS
      "libcublas-${cuda}, libcusolver-${cuda}, libcudnn9-cuda-${CUDAToolkit_VERSION_MAJOR}")
endif()

if(TARGET tern_mpi)
  # Programs start by mpirun, which is in openmpi-bin; dpkg-shlibdeps finds the library.
  tern_deb(mpi libtern${tern_soversion}-mpi libs "The plugin that connects processes started by mpirun of OpenMPI.")
  tern_deb_without_runpath(mpi tern_mpi ${plugins})
  set(CPACK_DEBIAN_DEB_MPI_PACKAGE_RECOMMENDS openmpi-bin)
endif()

if(TARGET tern_text)
  # Packages of their own: libtern needs no libutf8proc, and libtern_text no SentencePiece.
  tern_install_text(deb_ text textdevelopment sentencepiece ${libraries} ${plugins} EXCLUDE_FROM_ALL)
  set(text libtern-text${tern_soversion})
  tern_deb(text ${text} libs "The shared library of tokenizers, language models' files and generation.")
  tern_deb_without_runpath(text tern_text ${libraries})
  tern_deb(textdevelopment libtern-text-dev libdevel "Headers of tokenizers and generation, and their files of CMake and pkg-config.")
  set(CPACK_COMPONENT_DEB_TEXTDEVELOPMENT_DEPENDS deb_development deb_text)
  if(TARGET tern_sentencepiece)
    tern_deb(sentencepiece ${text}-sentencepiece libs "The plugin that reads tokenizers of SentencePiece.")
    tern_deb_without_runpath(sentencepiece tern_sentencepiece ${plugins})
    set(CPACK_COMPONENT_DEB_SENTENCEPIECE_DEPENDS deb_text)
    set(CPACK_DEBIAN_DEB_TEXT_PACKAGE_SUGGESTS ${text}-sentencepiece)
  endif()
endif()

if(TERN_HAS_PACKED_RELOCATIONS)
  set(CPACK_DEBIAN_DEB_LIBRARY_PACKAGE_DEPENDS "libc6 (>= 2.36)")  # dpkg-shlibdeps looks at symbols alone
endif()

# A program that was linked with this libtern needs no older one. The dynamic linker's cache follows by a trigger.
set(control ${PROJECT_BINARY_DIR}/deb_install)
file(WRITE ${control}/shlibs
     "libtern ${tern_soversion} libtern${tern_soversion} (>= ${PROJECT_VERSION})\n")
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_DEB_LIBRARY_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)
file(WRITE ${control}/text/shlibs
     "libtern_text ${tern_soversion} libtern-text${tern_soversion} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_DEB_TEXT_PACKAGE_CONTROL_EXTRA ${control}/text/shlibs ${control}/triggers)

set(CPACK_GENERATOR DEB)
set(CPACK_SOURCE_GENERATOR "")
set(CPACK_CMAKE_GENERATOR Ninja)  # for which CPack builds nothing itself
set(CPACK_PACKAGE_NAME tern)
set(CPACK_PACKAGE_CONTACT "${TERN_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
if(NOT DEFINED CPACK_DEBIAN_COMPRESSION_TYPE)
  set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
endif()
include(CPack)
