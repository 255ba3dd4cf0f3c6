#pragma once

#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "error_of.h"

namespace tern {

/// A call and the text of the Error that it throws.
struct WrongCall {
  const char* text;
  std::function<void()> call;
};

inline void expect_texts(const std::vector<WrongCall>& calls) {
  for (const WrongCall& wrong : calls) EXPECT_EQ(error_of(wrong.call), wrong.text);
}

}  // namespace tern
