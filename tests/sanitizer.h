#pragma once

#include <dlfcn.h>

namespace tern::testing {

/// Returns whether the process runs under the address or the thread sanitizer. Asked at run time,
/// since a test program may run with the library of another build (TERN_TEST_PROGRAMS).
inline bool has_sanitizer() {
  static const bool is_loaded = ::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr ||
                                ::dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
  return is_loaded;
}

}  // namespace tern::testing
