#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <tern/core/tensor/device.h>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace support {

/// Checks the text of an option. Returns an error text, or an empty string if the text is valid.
using Check = std::function<std::string(const std::string&)>;
/// Accepts a finite number above 0.
Check positive();
/// Accepts a finite number of at least 0.
Check not_negative();
/// Accepts a whole number from `least` to `most`.
Check whole(std::int64_t least, std::int64_t most = std::numeric_limits<int>::max());
/// Accepts a number of threads of at least `least`: not more than four for each processor.
Check thread_count(int least);
/// Accepts the path of a file that can be written: the name ends in one of `suffixes`, and the
/// folder exists.
Check output_file(const std::vector<std::string>& suffixes);
/// Accepts the path of a state file that can be written.
Check state_file();
/// Accepts a folder that can be written or made.
Check output_folder();
/// Accepts one of these words.
Check one_of(const std::vector<std::string>& words);

/// An option of a CommandLine, for adding its constraints.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option check(const Check& check) const;
  Option required() const;

 private:
  CLI::Option* option_;
};

/// The options and commands of a program. CLI11 parses them. Its header takes ten seconds to
/// compile, so only command_line.cpp includes it.
///
/// Example:
///   double lr = 0.1;
///   support::CommandLine line("Fits a line.", "fit");
///   line.option("--lr", lr, "learning rate, 0.1 by default").check(support::positive());
///   return line.run(argc, argv, [&] { fit(lr); });
class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& name);

  /// Adds an option that sets `variable`: an integer, a double, a string or a vector of strings. A
  /// name without dashes is a positional argument. Integers must be in the range of their type, and
  /// a string must not be empty.
  template <class T>
  Option option(const std::string& name, T& variable, const std::string& help = "");
  /// Adds an option without a value that sets `variable` to true.
  Option flag(const std::string& name, bool& variable, const std::string& help);
  /// Adds --device and --disable-cuda, which are the same in every program, and sets `device`. The
  /// default is CUDA's current device if CUDA is available, else the CPU.
  void device(tern::Device& device);
  /// Adds a command with its own options. The program then requires one command.
  CommandLine command(const std::string& name, const std::string& help);
  /// Returns true for the command that the user gave.
  bool is_given() const;

  /// Parses the arguments, then runs `body`. Returns the exit code: 0 on success, 1 if `body`
  /// threw, 2 for wrong arguments. The text of an error goes to standard error.
  int run(int argc, char** argv, const std::function<void()>& body);

 private:
  CommandLine(std::shared_ptr<CLI::App> program, CLI::App* app);

  std::shared_ptr<CLI::App> program_;  // owns its commands
  CLI::App* app_;
};

}  // namespace support
