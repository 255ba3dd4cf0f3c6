#include "command_line.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>
#include <vector>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/core/base/error.h>
#include <CLI/CLI.hpp>

namespace support {
namespace {

/// A Check that accepts cpu, cuda or cuda:N.
std::string device_name(const std::string& text) {
  try {
    if (!tern::Device(text).is_meta()) return {};
  } catch (const tern::Error&) {
  }
  return "should be cpu, cuda or cuda:N, got " + text;
}

}  // namespace

Option Option::check(const Check& check) const { return Option(option_->check(check)); }

Option Option::required() const { return Option(option_->required()); }

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : program_(std::make_shared<CLI::App>(description, name)), app_(program_.get()) {}

CommandLine::CommandLine(std::shared_ptr<CLI::App> program, CLI::App* app)
    : program_(std::move(program)), app_(app) {}

template <class T>
Option CommandLine::option(const std::string& name, T& variable, const std::string& help) {
  return Option(app_->add_option(name, variable, help));
}

template Option CommandLine::option(const std::string&, int&, const std::string&);
template Option CommandLine::option(const std::string&, std::int64_t&, const std::string&);
template Option CommandLine::option(const std::string&, std::uint64_t&, const std::string&);
template Option CommandLine::option(const std::string&, double&, const std::string&);
template Option CommandLine::option(const std::string&, std::string&, const std::string&);
template Option CommandLine::option(const std::string&, std::vector<std::string>&,
                                    const std::string&);

Option CommandLine::flag(const std::string& name, bool& variable, const std::string& help) {
  return Option(app_->add_flag(name, variable, help));
}

void CommandLine::device(tern::Device& device) {
  const auto* named =
      app_->add_option_function<std::string>(
              "--device", [&device](const std::string& name) { device = tern::Device(name); },
              "cpu, cuda or cuda:N; by default cuda if available")
          ->check(device_name);
  const auto* disabled = app_->add_flag_callback(
      "--disable-cuda", [&device] { device = tern::kCPU; }, "use the cpu");
  app_->get_option("--disable-cuda")->excludes("--device");
  app_->final_callback([&device, named, disabled] {
    if (*named || *disabled) return;
    device = tern::cuda::is_available() ? tern::kCUDA : tern::kCPU;
  });
}

CommandLine CommandLine::command(const std::string& name, const std::string& help) {
  app_->require_subcommand(1);
  return {program_, app_->add_subcommand(name, help)};
}

bool CommandLine::is_given() const { return app_->parsed(); }

int CommandLine::run(int argc, char** argv, const std::function<void()>& body) {
  try {
    app_->parse(argc, argv);
    body();
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", app_->get_name().c_str(), error.what());
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

Check state_file() {
  return [](const std::string& text) -> std::string {
    const std::filesystem::path folder = std::filesystem::path(text).parent_path();
    const bool is_known =
        text.ends_with(".json") || text.ends_with(".safetensors") || text.ends_with(".pt");
    if (!is_known) {
      return "the name should end in .json, .safetensors or .pt, got " + text;
    }
    if (folder.empty() || std::filesystem::is_directory(folder)) return {};
    return "the folder does not exist: " + folder.string();
  };
}

Check one_of(const std::vector<std::string>& words) {
  return [words](const std::string& text) -> std::string {
    std::string list;
    for (const std::string& word : words) {
      if (word == text) return {};
      list += (list.empty() ? "" : " or ") + word;
    }
    return "should be " + list + ", got " + text;
  };
}

}  // namespace support
