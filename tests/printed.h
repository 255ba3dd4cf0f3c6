#pragma once

#include <sstream>
#include <string>

namespace tern {

/// What operator<< writes for a value.
template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace tern
