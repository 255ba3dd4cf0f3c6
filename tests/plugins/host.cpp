#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <thread>

// host [--thread] LIBRARY...: opens the libraries, with --thread in a second thread, and calls
// tell() of the program itself or of the last library that has it.

extern "C" [[gnu::weak]] int tell();

namespace {

int open_and_tell(char** paths) {
  int (*ask)() = tell;
  for (; *paths != nullptr; ++paths) {
    void* const library = dlopen(*paths, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::printf("%s\n", dlerror());
      return 10;
    }
    void* const found = dlsym(library, "tell");
    if (found != nullptr) ask = reinterpret_cast<int (*)()>(found);
  }
  return ask != nullptr ? ask() : 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || std::strcmp(arguments[1], "--thread") != 0) return open_and_tell(arguments + 1);
  int result = 1;
  std::thread([&] { result = open_and_tell(arguments + 2); }).join();
  return result;
}
