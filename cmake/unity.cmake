# Unity builds compile several files of one folder as one unit, so that headers are parsed and shared
# templates instantiated once. Names in anonymous namespaces must therefore be unique within a folder.
#
# unity_groups.txt names the files of each unit, chosen by CPU-seconds: "core/ops: fill flip fold". A file that is in
# no line is a unit of its own, so that a new file changes no other unit. `make unity-groups` chooses again.

option(TERN_UNITY "Compile several files of a folder as one unit" ON)
set(TERN_UNITY_JOIN 1 CACHE STRING "How many groups of a folder are one unit: more parse fewer headers")
mark_as_advanced(TERN_UNITY_JOIN)

# Gives each file of the groups the number of its unit in its folder: tern_unit_core/ops/fill.
function(tern_read_unity_groups list)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} groups REGEX "^[^#]")
  foreach(group IN LISTS groups)
    string(REGEX MATCHALL "[^: ]+" files "${group}")
    list(POP_FRONT files folder)
    list(APPEND groups_of_${folder} x)
    list(LENGTH groups_of_${folder} unit)
    math(EXPR unit "(${unit} - 1) / ${TERN_UNITY_JOIN}")
    foreach(file IN LISTS files)
      set(tern_unit_${folder}/${file} ${unit} PARENT_SCOPE)
    endforeach()
  endforeach()
endfunction()
tern_read_unity_groups(${CMAKE_CURRENT_LIST_DIR}/unity_groups.txt)

function(tern_unity target)
  if(NOT TERN_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.(cpp|cu)$")
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    string(REPLACE "${PROJECT_BINARY_DIR}/" "build/" path ${path})  # generated
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" path ${path})
    string(REGEX REPLACE "\\.cpp$" "" path ${path})
    if(DEFINED tern_unit_${path})
      get_filename_component(folder ${path} DIRECTORY)
      string(REPLACE "/" "-" folder ${folder})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}-${tern_unit_${path}}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
