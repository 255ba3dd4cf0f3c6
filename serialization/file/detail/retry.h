#pragma once

#include <cerrno>

namespace tern::detail {

/// Repeats a system call until no signal interrupts it.
template <class Call>
auto retry(const Call& call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result == -1 && errno == EINTR);
  return result;
}

}  // namespace tern::detail
