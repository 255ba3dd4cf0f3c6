# The CPU kernels are compiled once per instruction set, and one set is chosen at start. The linker must never
# merge inline functions and templates of two sets (it could put AVX-512 code behind the baseline's name), so
# each set becomes one relocatable object in which only tern_cpu_register_<set> is global.

if(TERN_NATIVE)
  set(TERN_CPU_SETS native)
elseif(NOT DEFINED TERN_CPU_SETS)
  set(TERN_CPU_SETS baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND TERN_CPU_SETS avx2 avx512 avx512_bf16 amx)
  endif()
endif()

set(TERN_CPU_FLAGS_baseline "")  # the compiler's default, which runs on every machine
set(optimizes_with_gnu "$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>")
# Half the code, a few percent slower: for loops of many kinds of which none is hot.
set(small_code "$<${optimizes_with_gnu}:-O2;-fvect-cost-model=dynamic>")
# Where AVX2 is built, only processors from before 2013 use the baseline: half of that again, without vectors. Not
# for the kernels that the newer sets take from it.
set(is_rarely_used $<STREQUAL:$<TARGET_PROPERTY:NAME>,tern_cpu_baseline>)
if(avx2 IN_LIST TERN_CPU_SETS)
  set(TERN_CPU_FLAGS_baseline "$<${optimizes_with_gnu}:-Os>")
else()
  set(is_rarely_used 0)
endif()
set(TERN_CPU_FLAGS_avx2 -march=x86-64-v3)
set(TERN_CPU_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
set(TERN_CPU_FLAGS_avx512_bf16 ${TERN_CPU_FLAGS_avx512} -mavx512bf16)
set(TERN_CPU_FLAGS_amx ${TERN_CPU_FLAGS_avx512_bf16} -mamx-tile -mamx-bf16)
set(TERN_CPU_FLAGS_native -march=native)

# A file of kernels without a mark (marks.cmake) is compiled for these sets. Marks leave out sets that speed a file up by
# less than a tenth: its loops wait for memory, take one element after the other, or are Eigen's factorizations (600 KB).
# The newest sets have only products in pairs of bfloat16.
set(TERN_CPU_DEFAULT_SETS "baseline avx2 avx512")

# With Clang, CMAKE_LINKER may be LLVM's linker, which cannot merge groups.
find_program(TERN_LD NAMES ld.bfd ld REQUIRED)
mark_as_advanced(TERN_LD)

# tern_seal_cpu_set(SET OBJECTS): compiles OBJECTS for SET and merges them into tern_cpu_<set>.o.
function(tern_seal_cpu_set set objects)
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  tern_own_code(${objects})
  target_compile_features(${objects} PRIVATE cxx_std_20)
  target_include_directories(${objects} PRIVATE ${PROJECT_BINARY_DIR}/include)
  target_compile_options(${objects} PRIVATE
    $<$<NOT:$<CONFIG:Debug>>:-O3> ${TERN_CPU_FLAGS_${set}}
    -fno-trapping-math -fno-math-errno -ffp-contract=off ${TERN_NO_ALIGNMENT}
    # Unique symbols stay global despite objcopy. Threaded jumps make chains of selects longer: without, these vectorise
    # better and the library is smaller. GCC 12 warns about its own AVX-512 header.
    "$<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique;-fno-thread-jumps;-Wno-maybe-uninitialized;-Wno-uninitialized>"
    # Clang reports loops that it does not vectorize.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
  set(merged ${PROJECT_BINARY_DIR}/tern_cpu_${set}.o)
  add_custom_command(
    OUTPUT ${merged}
    COMMAND ${TERN_LD} -r --force-group-allocation -o ${merged}
            "$<FILTER:$<TARGET_OBJECTS:${objects}>,EXCLUDE,\\.[gp]ch$>"
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=tern_cpu_register_${set} ${merged}
    DEPENDS ${objects} $<TARGET_OBJECTS:${objects}>
    COMMENT "Sealing the ${set} kernels"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${merged} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()

function(tern_add_cpu_sets library)
  set(kernels ${PROJECT_SOURCE_DIR}/backends/cpu/kernels)
  file(GLOB_RECURSE all_sources CONFIGURE_DEPENDS ${kernels}/*.cpp)
  foreach(source IN LISTS all_sources)
    tern_mark(sets_of_${source} ${source} "Instruction sets")
    if(NOT sets_of_${source})
      set(sets_of_${source} ${TERN_CPU_DEFAULT_SETS})
    endif()
    tern_mark(small ${source} "Compiled for size")
    set(options "")
    if(sets_of_${source} STREQUAL "baseline")
      set(options "${small_code}")
    elseif(small)
      set(options "$<$<NOT:${is_rarely_used}>:${small_code}>")
    endif()
    if(options)
      # Files with options of their own do without the precompiled header: its options would hold for them.
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  set(base "")
  foreach(set IN ITEMS native baseline avx2 avx512 avx512_bf16 amx)
    if(NOT set IN_LIST TERN_CPU_SETS)
      continue()
    endif()
    set(sources "")
    foreach(source IN LISTS all_sources)
      # The first set has all.
      if(NOT base OR " ${sets_of_${source}} " MATCHES " ${set} ")
        list(APPEND sources ${source})
      endif()
    endforeach()
    set(objects tern_cpu_${set})
    add_library(${objects} OBJECT ${sources})
    tern_list_families(${objects} ${sources})
    target_link_libraries(${objects} PRIVATE Eigen3::Eigen)
    target_compile_definitions(${objects} PRIVATE TERN_CPU_SET=${set}
      TERN_CPU_FAMILIES="tern/generated/${objects}_families.def"
      $<$<BOOL:${base}>:TERN_CPU_BASE_SET=${base}>
      $<$<AND:$<BOOL:${base}>,$<IN_LIST:${set},avx512_bf16;amx>>:TERN_CPU_PAIRS_ONLY=1>)
    tern_seal_cpu_set(${set} ${objects})
    list(LENGTH sources count)
    if(count GREATER 10)
      target_precompile_headers(${objects} PRIVATE <algorithm> <tern/backends/cpu/kernels/support/loop_table.h>
        <tern/backends/cpu/kernels/support/strided.h> <tern/backends/cpu/kernels/support/widen.h> <tern/core/base/thread_pool.h>
        <tern/core/kernels/backend.h> <tern/core/kernels/by_size.h> <tern/core/kernels/math/math_dtype.h>)
    endif()
    target_sources(${library} PRIVATE ${PROJECT_BINARY_DIR}/tern_cpu_${set}.o)
    string(TOUPPER TERN_CPU_HAS_${set} has_set)
    list(APPEND has_sets ${has_set}=1)
    set(base ${set})
  endforeach()
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/backends/cpu/capability.cpp
               APPEND PROPERTY COMPILE_DEFINITIONS ${has_sets})
endfunction()
