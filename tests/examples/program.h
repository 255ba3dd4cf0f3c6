#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace tern {

/// How a program ended.
struct ProgramResult {
  int code;
  std::string text;  // of both streams
};

/// Runs a command line of the shell.
inline ProgramResult run_program(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

}  // namespace tern
