#include "command_line.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
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

/// Returns true if the whole text is a number, which it writes to `value`.
template <class T>
bool reads(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

template <class T>
std::string check_whole(const std::string& text, T least, T most) {
  T value{};
  if (reads(text, value) && value >= least && value <= most) return {};
  return "should be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
         ", got " + text;
}

/// Checks that files can be made in the folder.
std::string check_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder, ignored)) {
    return "the folder does not exist: " + folder.string();
  }
  if (!std::filesystem::is_directory(folder, ignored)) return "not a folder: " + folder.string();
  const bool is_open = ::access(folder.c_str(), W_OK | X_OK) == 0;
  return is_open ? "" : "the folder cannot be written: " + folder.string();
}

/// Returns what is wrong with the name of the command, or an empty text. CLI11 only says that a
/// command is missing.
std::string unknown_command(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining();
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App*) { return true; });
  if (rest.empty() || rest[0].starts_with('-') || commands.empty() ||
      !app.get_subcommands().empty())
    return {};
  std::string names;
  for (const CLI::App* command : commands)
    names += (names.empty() ? "" : ", ") + command->get_name();
  return "should be one of " + names + ", got " + rest[0];
}

}  // namespace

// A transform runs before the checks of the type, whose texts say less.
Option Option::check(const Check& check) const {
  return Option(
      option_->transform(CLI::Validator([check](std::string& text) { return check(text); }, "")));
}

Option Option::required() const { return Option(option_->required()); }

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : program_(std::make_shared<CLI::App>(description, name)), app_(program_.get()) {
  app_->failure_message([](const CLI::App* app, const CLI::Error& error) {
    const std::string& program = app->get_name();
    return program + ": " + error.what() + " (see " + program + " --help)\n";
  });
}

CommandLine::CommandLine(std::shared_ptr<CLI::App> program, CLI::App* app)
    : program_(std::move(program)), app_(app) {}

template <class T>
Option CommandLine::option(const std::string& name, T& variable, const std::string& help) {
  CLI::Option* const added = app_->add_option(name, variable, help);
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    added->check(
        [](const std::string& text) { return check_whole<T>(text, Limits::min(), Limits::max()); });
  } else if constexpr (std::is_same_v<T, std::string>) {
    // An empty variable of the shell would pass for an option that was not given.
    added->check([](const std::string& text) {
      return text.empty() ? std::string("is empty") : std::string();
    });
  }
  return Option(added);
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
    const std::string text = unknown_command(*app_);
    if (!text.empty()) return app_->exit(CLI::ParseError(text, 2));
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
    double value = 0;
    if (reads(text, value) && value > 0 && std::isfinite(value)) return {};
    return "should be a number above 0, got " + text;
  };
}

Check not_negative() {
  return [](const std::string& text) -> std::string {
    double value = 0;
    if (reads(text, value) && value >= 0 && std::isfinite(value)) return {};
    return "should be a number of at least 0, got " + text;
  };
}

Check whole(std::int64_t least, std::int64_t most) {
  return [=](const std::string& text) { return check_whole(text, least, most); };
}

Check thread_count(int least) {
  const int most = 4 * std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return [=](const std::string& text) {
    const std::string problem = check_whole(text, least, most);
    return problem.empty() ? problem : problem + "; 4 threads for each processor are the most";
  };
}

Check output_file(const std::vector<std::string>& suffixes) {
  return [suffixes](const std::string& text) -> std::string {
    std::string list;
    for (const std::string& suffix : suffixes) {
      list += (list.empty() ? "" : &suffix == &suffixes.back() ? " or " : ", ") + suffix;
    }
    const std::filesystem::path path = text;
    if (std::ranges::none_of(suffixes,
                             [&](const auto& suffix) { return text.ends_with(suffix); })) {
      return "the name should end in " + list + ", got " + text;
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return "is a folder: " + text;
    return check_folder(path.has_parent_path() ? path.parent_path() : ".");
  };
}

Check state_file() { return output_file({".json", ".safetensors", ".pt"}); }

Check output_folder() {
  return [](const std::string& text) -> std::string {
    if (text.empty()) return "should be the name of a folder";
    // The folders that do not exist are made in the first one that does.
    std::filesystem::path folder = std::filesystem::absolute(text);
    std::error_code ignored;
    while (!std::filesystem::exists(folder, ignored) && folder != folder.parent_path()) {
      folder = folder.parent_path();
    }
    return check_folder(folder);
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
