#include <iostream>

#include "program.h"

// conformance NAME: runs the program of that name.
int main(int argc, char** argv) {
  const auto found = conformance::programs().find(argc == 2 ? argv[1] : "");
  if (found == conformance::programs().end()) {
    std::cerr << "usage: conformance NAME, a program in tests/conformance/programs\n";
    return 2;
  }
  found->second();
}
