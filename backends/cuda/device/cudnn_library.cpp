#include <tern/backends/cuda/device/cudnn_library.h>

#include <dlfcn.h>

#ifndef TERN_CUDNN_LIBRARY  // the emulator names its own
#define TERN_CUDNN_LIBRARY "libcudnn.so.9"
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#if CUDNN_MAJOR == 9
#define TERN_CUDNN_NUMBER(Enum, name, theirs, number) \
  static_assert(static_cast<int>(theirs) == (number), "cuDNN has another number for " #theirs);
TERN_CUDNN_NUMBERS(TERN_CUDNN_NUMBER)
#undef TERN_CUDNN_NUMBER
#endif
#endif
#endif

namespace tern::cuda::device::cudnn {

bool open_library(const char* file, Library* library) {
  void* const opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  bool found = opened != nullptr;
#define TERN_CUDNN_FUNCTION(function, Result, parameters)                                        \
  if (found) {                                                                                   \
    library->function = reinterpret_cast<decltype(library->function)>(dlsym(opened, #function)); \
    found = library->function != nullptr;                                                        \
  }
  TERN_CUDNN_FUNCTIONS(TERN_CUDNN_FUNCTION)
#undef TERN_CUDNN_FUNCTION
  if (!found && opened != nullptr) dlclose(opened);
  return found;
}

const Library* library() {
  static Library functions;
  static const bool found = open_library(TERN_CUDNN_LIBRARY, &functions);
  return found ? &functions : nullptr;
}

}  // namespace tern::cuda::device::cudnn
