#pragma once

#include <exception>
#include <string>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>

namespace tern {

/// The text of the E that `fn` throws; a failure of the test when it throws nothing or something
/// else.
template <class E = Error, class Fn>
std::string error_of(const Fn& fn) {
  try {
    fn();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
  }
  return {};
}

}  // namespace tern
