#pragma once

#include <dlfcn.h>

namespace tern::cuda::device {

/// A library that is opened at run time and stays open. After a failure dlerror() has the reason.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* file) : library_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

  /// Finds a function, if nothing was missing so far.
  template <class Function>
  SharedLibrary& find(const char* name, Function& function) {
    if (library_ == nullptr) return *this;
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) library_ = nullptr;
    return *this;
  }

  /// Returns true if the library was opened and has all functions.
  bool is_complete() const { return library_ != nullptr; }

 private:
  void* library_;
};

}  // namespace tern::cuda::device
