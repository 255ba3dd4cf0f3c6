# Compiler flags of tern's own code: hidden symbols, all warnings, no fast-math in any form.

function(tern_own_code target)
  set(warnings -Wall -Wextra -Wshadow -Wconversion $<$<BOOL:${TERN_WERROR}>:-Werror>)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
    # Thread-locals without a call; a program that opens libtern or a plug-in late has room for their few hundred
    # bytes. GCC 12's leak checker reads wrong addresses around blocks that are allocated late.
    $<$<COMPILE_LANGUAGE:CXX>:-ftls-model=initial-exec>
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;$<$<BOOL:${TERN_WERROR}>:-Werror=all-warnings>>"
    # Conditions in loops are joined by & to keep the loops free of branches. GCC's -Wconversion does not
    # include sign conversions.
    "$<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical;-Wno-sign-conversion>")
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
