#pragma once

#include <string>

#include <gtest/gtest.h>

#include <tern/core/tensor/detail/allocator.h>
#include <tern/tern.h>

#include "error_of.h"

namespace tern::testing {

#define TERN_EXPECT_HAS(text, part)                                \
  do {                                                             \
    const std::string has_text = text;                             \
    EXPECT_NE(has_text.find(part), std::string::npos) << has_text; \
  } while (false)

inline std::int64_t live_bytes() { return detail::allocator_of(kCPU).stats(0).live_bytes; }

/// A leaf that requires grad.
inline Tensor leaf(const Tensor& values) { return values.clone().requires_grad_(); }

#define TERN_EXPECT_EQUAL(actual, expected)                                                \
  do {                                                                                     \
    const Tensor is = actual, should_be = expected;                                        \
    EXPECT_TRUE(is.defined() && is.equal(should_be)) << is << " instead of " << should_be; \
  } while (false)

}  // namespace tern::testing
