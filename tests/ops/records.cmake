# The C++ of the records in ops/cases: <family>_cases.cpp for ops_test, in tern_case_sources, and
# <family>_forms.cpp for random programs, in tern_form_sources. A change of samples or numbers
# compiles nothing: the files are only written if their code changes.

set(folder ${CMAKE_CURRENT_SOURCE_DIR}/ops/cases)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/records)
set(script ${CMAKE_CURRENT_SOURCE_DIR}/ops/records.awk)
set(out_forms ${PROJECT_SOURCE_DIR}/core/ops/out_forms.txt)
file(MAKE_DIRECTORY ${generated})
file(GLOB_RECURSE records CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.json)

set(families)
foreach(record IN LISTS records)
  get_filename_component(family ${record} DIRECTORY)
  list(APPEND families ${family})
  list(APPEND records_of_${family} ${record})
endforeach()
list(REMOVE_DUPLICATES families)

set(tern_case_sources)
set(tern_form_sources)
foreach(family IN LISTS families)
  set(files ${records_of_${family}})
  list(TRANSFORM files PREPEND ${folder}/ OUTPUT_VARIABLE paths)
  foreach(what IN ITEMS cases forms)
    set(code ${generated}/${family}_${what}.cpp)
    add_custom_command(
      OUTPUT ${code} DEPENDS ${script} ${out_forms} ${paths} WORKING_DIRECTORY ${folder} VERBATIM
      COMMAND awk -v what=${what} -v family=${family} -v out_forms=${out_forms} -f ${script} ${files}
              > ${code}.new
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${code}.new ${code})
  endforeach()
  list(APPEND tern_case_sources ${generated}/${family}_cases.cpp)
  list(APPEND tern_form_sources ${generated}/${family}_forms.cpp)
endforeach()
