# Makes <tern/nn/linear.h> mean nn/linear.h before installation, too: the build has a folder include/tern with
# one link per top-level folder. (One link to the root would loop through build/.)

set(TERN_INCLUDED_FOLDERS core backends nn serialization train compat text)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/tern)
foreach(entry IN ITEMS ${TERN_INCLUDED_FOLDERS} tern.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${PROJECT_BINARY_DIR}/include/tern/${entry} SYMBOLIC)
endforeach()

function(tern_public_includes target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<BUILD_INTERFACE:${TERN_MOVED_HEADERS}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()
