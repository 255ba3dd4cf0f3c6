# libtern_text.so: tokenizers and generation, a library of its own, so that programs without them need no libutf8proc. Built where there is one.

if(PROJECT_IS_TOP_LEVEL)
  set(tern_text_default AUTO)
else()
  set(tern_text_default OFF)  # as part of another project, build no more than it asked for
endif()
set(TERN_TEXT ${tern_text_default} CACHE STRING "Build the library of tokenizers and generation: ON, OFF, or AUTO where there is libutf8proc")
set_property(CACHE TERN_TEXT PROPERTY STRINGS AUTO ON OFF)

function(tern_add_text)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS text/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/text/sentencepiece/")
  add_library(tern_text ${TERN_LIBRARY_TYPE} ${sources})
  add_library(tern::text ALIAS tern_text)
  tern_own_code(tern_text)
  tern_unity(tern_text)
  tern_public_includes(tern_text)
  target_compile_features(tern_text PUBLIC cxx_std_20)
  target_compile_options(tern_text PRIVATE -fno-semantic-interposition ${TERN_NO_ALIGNMENT})
  target_include_directories(tern_text SYSTEM PRIVATE ${TERN_UTF8PROC_FOLDER})
  # tern-config.cmake adds tern::tern: CMake exports no target that needs one of several other exports.
  target_link_libraries(tern_text PUBLIC $<BUILD_INTERFACE:tern>
    PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> ${TERN_UTF8PROC_LIBRARY})
  target_link_options(tern_text PRIVATE -Wl,-Bsymbolic-functions ${TERN_PACKED_RELOCATIONS})
  set_target_properties(tern_text PROPERTIES
    EXPORT_NAME text
    POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # Reading files: once per tokenizer or model; chat templates: once per turn.
  file(GLOB readers CONFIGURE_DEPENDS text/files/*.cpp text/generation/*_model.cpp text/generation/chat_*.cpp
       text/models/sentence_pieces.cpp)
  set_source_files_properties(${readers} PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-Os>)
  add_dependencies(tern_programs tern_text)
endfunction()

# libtern_sentencepiece.so: the plugin that a tokenizer of SentencePiece opens, so that libtern_text needs no further library.
set(TERN_SENTENCEPIECE ${tern_text_default} CACHE STRING "Build the plugin for tokenizers of SentencePiece: ON, OFF, or AUTO where there is SentencePiece")
set_property(CACHE TERN_SENTENCEPIECE PROPERTY STRINGS AUTO ON OFF)

function(tern_add_sentencepiece)
  file(GLOB sources CONFIGURE_DEPENDS text/sentencepiece/*.cpp)
  add_library(tern_sentencepiece MODULE ${sources})
  tern_own_code(tern_sentencepiece)
  target_include_directories(tern_sentencepiece PRIVATE ${PROJECT_BINARY_DIR}/include)
  target_include_directories(tern_sentencepiece SYSTEM PRIVATE ${TERN_SENTENCEPIECE_FOLDER})
  target_compile_features(tern_sentencepiece PRIVATE cxx_std_20)
  target_link_libraries(tern_sentencepiece PRIVATE ${TERN_SENTENCEPIECE_LIBRARY})
  target_link_options(tern_sentencepiece PRIVATE ${TERN_NO_UNDEFINED}
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/plugin.map)
  set_target_properties(tern_sentencepiece PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/plugin.map)
  add_dependencies(tern_text tern_sentencepiece)
endfunction()

if(TERN_TEXT STREQUAL "AUTO" OR TERN_TEXT)
  # Debian's libutf8proc has no CMake package.
  find_path(TERN_UTF8PROC_FOLDER utf8proc.h)
  find_library(TERN_UTF8PROC_LIBRARY utf8proc)
  mark_as_advanced(TERN_UTF8PROC_FOLDER TERN_UTF8PROC_LIBRARY)
  if(TERN_UTF8PROC_FOLDER AND TERN_UTF8PROC_LIBRARY)
    tern_add_text()
  elseif(TERN_TEXT STREQUAL "AUTO")
    message(STATUS "Without tern::text, the tokenizers: they need libutf8proc (Debian package libutf8proc-dev)")
  else()
    message(FATAL_ERROR "TERN_TEXT=ON needs libutf8proc (Debian package libutf8proc-dev)")
  endif()
endif()

if(TARGET tern_text AND (TERN_SENTENCEPIECE STREQUAL "AUTO" OR TERN_SENTENCEPIECE))
  find_path(TERN_SENTENCEPIECE_FOLDER sentencepiece_processor.h)
  find_library(TERN_SENTENCEPIECE_LIBRARY sentencepiece)
  mark_as_advanced(TERN_SENTENCEPIECE_FOLDER TERN_SENTENCEPIECE_LIBRARY)
  if(TERN_SENTENCEPIECE_FOLDER AND TERN_SENTENCEPIECE_LIBRARY)
    tern_add_sentencepiece()
  elseif(NOT TERN_SENTENCEPIECE STREQUAL "AUTO")
    message(FATAL_ERROR "TERN_SENTENCEPIECE=ON needs SentencePiece (Debian package libsentencepiece-dev)")
  endif()
endif()
