#include <fstream>
#include <set>
#include <string>

#include "ops/op_case.h"
#include "source_folder.h"

namespace tern::testing {

const std::set<std::string>& public_ops() {
  static const std::set<std::string> ops = {
#include "ops/generated/public_ops.inc"
  };
  return ops;
}

std::map<std::string, std::string> exceptions_in(const std::string& file) {
  std::ifstream in(source_folder() + "/tests/" + file);
  std::map<std::string, std::string> reasons;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(": ");
    reasons[line.substr(0, colon)] = colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return reasons;
}

}  // namespace tern::testing
