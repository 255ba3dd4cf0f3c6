#include "program.h"

#include <cstdio>
#include <exception>

#include <tern/core/base/error.h>
#include <tern/core/tensor/device.h>
#include <CLI/CLI.hpp>

namespace support {

int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    body();
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    return 1;
  }
  return 0;
}

std::function<std::string(const std::string&)> device_name() {
  return [](const std::string& text) -> std::string {
    try {
      tern::Device{text};
    } catch (const tern::Error& error) {
      return error.what();
    }
    return {};
  };
}

}  // namespace support
