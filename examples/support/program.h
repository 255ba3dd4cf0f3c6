#pragma once

#include <functional>

namespace CLI {
class App;
}  // namespace CLI

namespace support {

/// Parses the arguments, then runs `body`. Returns the exit code: 0, 1 when `body` threw (the text
/// goes to standard error), 2 when the arguments are wrong.
int run_program(CLI::App& app, int argc, char** argv, const std::function<void()>& body);

}  // namespace support
