#include "program.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

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

Check positive() {
  return [](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end == '\0' && value > 0 && std::isfinite(value)) return {};
    return "should be a number above 0, got " + text;
  };
}

Check device_name() {
  return [](const std::string& text) -> std::string {
    try {
      if (!tern::Device(text).is_meta()) return {};
    } catch (const tern::Error&) {
    }
    return "should be cpu, cuda or cuda:N, got " + text;
  };
}

Check state_file() {
  return [](const std::string& text) -> std::string {
    const std::filesystem::path folder = std::filesystem::path(text).parent_path();
    const bool is_known =
        text.ends_with(".json") || text.ends_with(".safetensors") || text.ends_with(".pt");
    if (!is_known) {
      return "the name should end in .json, .safetensors or .pt, got " + text;
    }
    if (folder.empty() || std::filesystem::is_directory(folder)) return {};
    return "there is no folder " + folder.string();
  };
}

}  // namespace support
