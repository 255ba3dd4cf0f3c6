#include <tern/backends/cuda/device/cudnn/library.h>
#include <tern/backends/cuda/device/cudnn/recurrent_library.h>

#include <tern/backends/cuda/device/runtime/shared_library.h>

#ifndef TERN_CUDNN_LIBRARY  // the emulator names its own
#define TERN_CUDNN_LIBRARY "libcudnn.so.9"
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#if CUDNN_MAJOR == 9
#define TERN_CUDNN_NUMBER(Enum, name, theirs, number) \
  static_assert(static_cast<int>(theirs) == (number), "cuDNN has another number for " #theirs);
TERN_CUDNN_NUMBERS(TERN_CUDNN_NUMBER)
TERN_CUDNN_LAYER_NUMBERS(TERN_CUDNN_NUMBER)
#undef TERN_CUDNN_NUMBER
#endif
#endif
#endif

namespace tern::cuda::device::cudnn {

bool open_library(const char* file, Library* library) {
  SharedLibrary opened(file);
#define TERN_CUDNN_FUNCTION(function, Result, parameters) opened.find(#function, library->function);
  TERN_CUDNN_FUNCTIONS(TERN_CUDNN_FUNCTION)
#undef TERN_CUDNN_FUNCTION
  return opened.is_complete();
}

const Library* library() {
  static Library functions;
  static const bool found = open_library(TERN_CUDNN_LIBRARY, &functions);
  return found ? &functions : nullptr;
}

const LayerLibrary* layer_library() {
  static LayerLibrary functions;
  static const bool found = [] {
    if (library() == nullptr) return false;
    SharedLibrary opened(TERN_CUDNN_LIBRARY);
#define TERN_CUDNN_FUNCTION(function, parameters) opened.find(#function, functions.function);
    TERN_CUDNN_LAYER_FUNCTIONS(TERN_CUDNN_FUNCTION)
#undef TERN_CUDNN_FUNCTION
    return opened.is_complete();
  }();
  return found ? &functions : nullptr;
}

}  // namespace tern::cuda::device::cudnn
