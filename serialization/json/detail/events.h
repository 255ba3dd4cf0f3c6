#pragma once

#include <locale.h>

#include <utility>

#include <nlohmann/json.hpp>

namespace tern::detail {

using Json = nlohmann::json;

/// Receives the parts of a JSON text in their order. nlohmann's parser checks the grammar and calls
/// the functions, but builds no tree. Every function returns true or throws.
using JsonEvents = nlohmann::json_sax<Json>;

/// Numbers have the point of the C locale in this thread until the end of the scope. nlohmann's
/// parser reads them with strtod() and takes every decimal point for one byte, but some locales
/// have two.
class CNumbers {
 public:
  CNumbers() : locale_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(locale_)) {}
  CNumbers(const CNumbers&) = delete;
  CNumbers& operator=(const CNumbers&) = delete;
  ~CNumbers() {
    uselocale(before_);
    freelocale(locale_);
  }

 private:
  locale_t locale_, before_;
};

/// Parses the JSON text [first, last); with `to_end`, nothing may follow the first value. Like
/// Json::sax_parse(), which would also compile the readers of four binary formats (160 KB).
template <class Iterator>
void parse_json(Iterator first, Iterator last, JsonEvents& events, bool to_end = true) {
  const CNumbers c_numbers;
  auto input = nlohmann::detail::input_adapter(std::move(first), std::move(last));
  nlohmann::detail::parser<Json, decltype(input)>(std::move(input)).sax_parse(&events, to_end);
}

}  // namespace tern::detail
