#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "ops/op_case.h"
#include "source_folder.h"

namespace tern::testing {
namespace {

const std::filesystem::path kOps = source_folder() + "/core/ops";

/// Adds what `pattern` captures in the lines of `file`, outside of namespace detail and macros.
void add_names(const std::filesystem::path& file, const std::regex& pattern,
               std::set<std::string>* names) {
  std::ifstream in(file);
  bool in_detail = false, in_macro = false;
  std::smatch match;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("namespace ") && line.ends_with("detail {")) in_detail = true;
    if (line.starts_with("}  // namespace") && line.ends_with("detail")) in_detail = false;
    const bool continues = line.ends_with("\\");
    if (!in_detail && !in_macro && !continues && std::regex_search(line, match, pattern)) {
      names->insert(match[1]);
    }
    in_macro = continues;
  }
}

}  // namespace

const std::set<std::string>& public_ops() {
  const std::string result = "(?:Tensor&?|std::vector<Tensor>|std::tuple<Tensor(?:, Tensor)+>)";
  const std::regex function("^TERN_API " + result + " (\\w+)\\(");
  const std::regex method("^  " + result + " (\\w+)\\(");
  static const std::set<std::string> ops = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kOps)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".h") add_names(entry.path(), function, &names);
      if (extension == ".inc") add_names(entry.path(), method, &names);
    }
    return names;
  }();
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
