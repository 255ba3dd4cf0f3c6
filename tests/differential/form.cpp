#include "differential/form.h"

#include <regex>
#include <stdexcept>

namespace tern::testing::differential {

namespace {

std::vector<Form>& added_forms() {
  static auto* const forms = new std::vector<Form>;
  return *forms;
}

}  // namespace

bool add_forms(const std::vector<Form>& forms) {
  added_forms().insert(added_forms().end(), forms.begin(), forms.end());
  return true;
}

const std::map<std::string, Form>& all_forms() {
  static const std::map<std::string, Form> all = [] {
    std::map<std::string, Form> by_python;
    for (const Form& form : added_forms()) {
      if (!by_python.emplace(form.python, form).second) {
        throw std::logic_error("two forms are called " + form.python);
      }
    }
    return by_python;
  }();
  return all;
}

std::string op_name(const Form& form) {
  static const std::regex call("(?:copies\\(autograd::)?(\\w+)(?:\\(|$)");
  std::smatch match;
  return std::regex_search(form.cpp, match, call) ? match[1].str() : form.cpp;
}

}  // namespace tern::testing::differential
