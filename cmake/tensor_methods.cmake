# Makes the methods of Tensor from the functions in core/ops/*.h that have a tensor parameter `self`:
#
#   tern/generated/tensor_methods.inc   declarations, for the body of the class; installed
#   tensor_methods.cpp                  definitions, which call the functions

find_program(TERN_AWK awk REQUIRED)
file(GLOB op_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/ops/*.h)
set(methods_script ${PROJECT_SOURCE_DIR}/cmake/tensor_methods.awk)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${op_headers} ${methods_script})

set(tern_method_declarations ${tern_generated}/tensor_methods.inc)
set(tern_method_definitions ${PROJECT_BINARY_DIR}/tensor_methods.cpp)

function(tern_make_methods part output)
  execute_process(COMMAND ${TERN_AWK} -v part=${part} -f ${methods_script} ${op_headers}
                  OUTPUT_FILE ${output}.new COMMAND_ERROR_IS_FATAL ANY)
  file(COPY_FILE ${output}.new ${output} ONLY_IF_DIFFERENT)
endfunction()
tern_make_methods(declarations ${tern_method_declarations})
tern_make_methods(definitions ${tern_method_definitions})
