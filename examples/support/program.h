#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace support {

/// Parses the arguments, then runs `body`. Returns the exit code: 0, 1 when `body` threw (the text
/// goes to standard error), 2 when the arguments are wrong.
int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& body);

/// Checks for options: each returns what is wrong with the text, if anything.
using Check = std::function<std::string(const std::string&)>;
/// A number above 0.
Check positive();
/// cpu, cuda or cuda:N.
Check device_name();
/// A state file that can be written: the suffix is known and the folder is there.
Check state_file();

}  // namespace support
