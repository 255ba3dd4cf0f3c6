#pragma once

#include <clocale>
#include <cstdlib>
#include <locale>
#include <stdexcept>
#include <string>

namespace tern::testing {

/// Writes 1.234.567,5, as many locales do.
struct Grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

/// Sets the locale of the process: "C", "grouping" (a C++ locale), or one of the C locales that
/// tests/locale/make.sh makes: "tern_comma", "tern_two_bytes".
inline void set_locale(const std::string& name) {
  std::locale::global(std::locale::classic());  // sets the C locale, too
  if (name == "grouping") {
    std::locale::global(std::locale(std::locale::classic(), new Grouping));
    return;
  }
  ::setenv("LOCPATH", TERN_BUILD_DIR "/tests/locales", 1);
  if (std::setlocale(LC_ALL, name.c_str()) == nullptr) {
    throw std::runtime_error("there is no locale " + name + " in " TERN_BUILD_DIR "/tests/locales");
  }
}

}  // namespace tern::testing
