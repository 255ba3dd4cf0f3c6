# How a source file is compiled stands in the file itself, in comments above its first #include:
#
#   // Compiled for size.                     in core/ops: with -Os; in backends/cpu/kernels: with fewer copies of loops
#   // Instruction sets: baseline avx2.       in backends/cpu/kernels: others take the kernels of the set before them
#   // Spills registers.                      in backends/cuda/device: nvcc may spill registers
#
# A changed mark takes effect when CMake runs again.

# tern_mark(RESULT FILE MARK): the text of a line "// MARK: text." or "// MARK.", or "" if the file has no such line.
function(tern_mark result file mark)
  file(STRINGS ${file} line REGEX "^// ${mark}[:.]" LIMIT_COUNT 1)
  string(REGEX REPLACE "^// (${mark}: )?|\\.$" "" line "${line}")
  set(${result} "${line}" PARENT_SCOPE)
endfunction()

# tern_keep_marked(LIST MARK): removes the files without that mark from the list.
function(tern_keep_marked list mark)
  set(kept "")
  foreach(file IN LISTS ${list})
    tern_mark(text ${file} ${mark})
    if(text)
      list(APPEND kept ${file})
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()
