# Makes the methods of Tensor from the functions in the headers of core/ops that have a tensor parameter `self`, and the functions that
# core/ops/aliases.txt and core/ops/out_forms.txt name:
#
#   tern/generated/tensor_methods.inc   declarations of methods, for the body of the class; installed
#   tern/generated/op_forms.h           declarations of these functions; installed
#   tern/generated/op_names.h           the namespaces linalg and special; installed
#   tensor_methods.cpp                  definitions of both

find_program(TERN_AWK awk REQUIRED)
file(GLOB_RECURSE op_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/ops/*.h)
list(FILTER op_headers EXCLUDE REGEX "/detail/")
list(APPEND op_headers ${PROJECT_SOURCE_DIR}/core/ops/aliases.txt ${PROJECT_SOURCE_DIR}/core/ops/out_forms.txt)
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
tern_make_methods(functions ${tern_generated}/op_forms.h)
tern_make_methods(names ${tern_generated}/op_names.h)
tern_make_methods(definitions ${tern_method_definitions})
