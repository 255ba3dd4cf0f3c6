#include "differential/form.h"

#include <regex>
#include <stdexcept>

namespace tern::testing::differential {

const std::map<std::string, Form>& all_forms() {
  static const std::map<std::string, Form> forms = [] {
    std::map<std::string, Form> all;
    for (auto* family : {&elementwise_forms, &reduce_forms, &view_forms, &layer_forms,
                         &creation_forms, &autograd_forms}) {
      for (Form& form : family()) {
        const std::string key = form.python;
        if (!all.emplace(key, std::move(form)).second) {
          throw std::logic_error("two forms are called " + key);
        }
      }
    }
    return all;
  }();
  return forms;
}

std::string op_name(const Form& form) {
  static const std::regex call("(?:copies\\(autograd::)?(\\w+)(?:\\(|$)");
  std::smatch match;
  return std::regex_search(form.cpp, match, call) ? match[1].str() : form.cpp;
}

}  // namespace tern::testing::differential
