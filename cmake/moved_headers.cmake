# Public headers that moved: moved_headers.txt names them, "old: new new ..". A program that includes the old path gets
# a header that includes the new ones, before and after installation.

set(moved_list ${CMAKE_CURRENT_LIST_DIR}/moved_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${moved_list})
set(TERN_MOVED_HEADERS ${PROJECT_BINARY_DIR}/moved)
file(STRINGS ${moved_list} rows REGEX "^[^#]")
foreach(row IN LISTS rows)
  string(REGEX MATCHALL "[^: ]+" headers "${row}")
  list(POP_FRONT headers old)
  list(TRANSFORM headers REPLACE "(.+)" "#include <tern/\\1>\n")
  list(JOIN headers "" includes)
  file(CONFIGURE OUTPUT ${TERN_MOVED_HEADERS}/tern/${old} @ONLY
       CONTENT "#pragma once\n\n// Moved; this header goes in the next version.\n\n${includes}")
endforeach()

# Headers of libtorch that programs include beside torch/torch.h.
set(forwarded_list ${PROJECT_SOURCE_DIR}/compat/headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${forwarded_list})
file(STRINGS ${forwarded_list} rows REGEX "^[^#]")
string(REGEX MATCHALL "[^; ]+" headers "${rows}")
foreach(header IN LISTS headers)
  set(more "")
  if(header MATCHES "c10d/")
    set(more "#include <tern/compat/names/c10d.h>\n")
  endif()
  file(CONFIGURE OUTPUT ${TERN_MOVED_HEADERS}/tern/compat/${header} @ONLY
       CONTENT "#pragma once\n\n#include <tern/compat/torch/torch.h>  // has all of libtorch's names\n${more}")
endforeach()
