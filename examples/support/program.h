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

/// A check for options that name a device: returns what is wrong with the name, if anything.
std::function<std::string(const std::string&)> device_name();

}  // namespace support
