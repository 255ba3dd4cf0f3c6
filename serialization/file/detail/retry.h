#pragma once

#include <cerrno>

namespace tern::detail {

/// Makes a system call until it is not interrupted.
template <class Call>
auto retry(const Call& call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result == -1 && errno == EINTR);
  return result;
}

}  // namespace tern::detail
