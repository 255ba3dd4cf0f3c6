# Reads the project's version from core/base/version.h.

set(TERN_VERSION "")
foreach(part IN ITEMS MAJOR MINOR PATCH)
  file(STRINGS core/base/version.h line REGEX "^#define TERN_VERSION_${part} [0-9]+$")
  string(REGEX MATCH "[0-9]+$" number "${line}")
  list(APPEND TERN_VERSION ${number})
endforeach()
list(JOIN TERN_VERSION "." TERN_VERSION)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS core/base/version.h)
