# Unity builds compile several files of one folder as one unit, so that headers are parsed and shared
# templates instantiated once. Names in anonymous namespaces must therefore be unique within a folder. Units
# are small enough that a change to one file compiles in seconds.

option(TERN_UNITY "Compile several files of a folder as one unit" ON)
set(TERN_UNITY_FILES 5)  # the largest number of files in one unit

function(tern_unity target)
  if(NOT TERN_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.(cpp|cu)$")
  list(SORT sources)
  set(folders "")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} ABSOLUTE)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    get_filename_component(folder ${folder} DIRECTORY)
    string(REPLACE "/" "-" id "${folder}")
    list(APPEND folders ${id})
    list(APPEND files_${id} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(id IN LISTS folders)
    list(LENGTH files_${id} count)
    math(EXPR units "(${count} + ${TERN_UNITY_FILES} - 1) / ${TERN_UNITY_FILES}")
    set(index 0)
    foreach(source IN LISTS files_${id})
      math(EXPR unit "${index} * ${units} / ${count}")  # units of equal size
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${id}-${unit}")
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
