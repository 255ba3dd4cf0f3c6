# Compiler flags of tern's own code: hidden symbols, all warnings, no fast-math in any form.

function(tern_own_code target)
  # Static thread-locals are reached without a call, but a program has only 1.6 KB of them for all libraries that it
  # opens late (dlopen). libtern needs less than 600 bytes. A plugin has none: the flag would apply to the whole block
  # of the plugin, of which cudart has 4 KB, and dlopen would fail. Nor has a static libtern, which may become a part
  # of a plugin.
  # Sanitizers (CUDA's plugin is never built with them) need the flag, because GCC 12's leak checker reads wrong
  # addresses around blocks that are allocated late.
  set(tls_model $<$<COMPILE_LANGUAGE:CXX>:-ftls-model=initial-exec>)
  get_target_property(type ${target} TYPE)
  if(NOT TERN_SANITIZE AND (type STREQUAL "MODULE_LIBRARY" OR NOT TERN_SHARED))
    set(tls_model "")
  endif()
  set(warnings -Wall -Wextra -Wshadow -Wconversion $<$<BOOL:${TERN_WERROR}>:-Werror>)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
    ${tls_model}
    # GCC looks for free memory when it holds 500 MB, not 128: a tenth of the time of a large unit.
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-expand=200;--param=ggc-min-heapsize=500000>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;$<$<BOOL:${TERN_WERROR}>:-Werror=all-warnings>>"
    # GCC 13 and later take a reference to what a function keeps for one to the function's arguments.
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>"
    # Conditions in loops are joined by & to keep the loops free of branches. GCC's -Wconversion does not
    # include sign conversions. typeid(*pointer) asks for the class of the object.
    "$<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical;-Wno-sign-conversion;-Wno-potentially-evaluated-expression>")
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
