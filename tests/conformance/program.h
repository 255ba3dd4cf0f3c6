#pragma once

#include <functional>
#include <map>
#include <string>

namespace conformance {

/// Returns the programs by name.
inline std::map<std::string, std::function<void()>>& programs() {
  static std::map<std::string, std::function<void()>> all;
  return all;
}

/// Adds a program.
struct Program {
  Program(const char* name, std::function<void()> run) { programs()[name] = std::move(run); }
};

}  // namespace conformance
