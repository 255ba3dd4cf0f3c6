#pragma once

#include <optional>
#include <string>

#include "differential/form.h"

// Runs a program and compares its results with PyTorch's answers, which are part of the program:
//
//   {"steps": [{"f": "a.add(b)", "a": [0, 1], "o": [2], "r": [{...}]}, ..], "end": {"0": {..}, ..}}
//
// f is the form, a its arguments (tensors by number), o the numbers of the results. PyTorch's
// answer is r, a description of every result, or e, the kind of its error. "tol" of a description
// is the error that an element may have, "rel" the error relative to the element. "end" has the
// values and gradients of all tensors after the last step.

namespace tern::testing::differential {

struct Difference {
  std::size_t step;  // the number of steps, for a difference at the end
  std::string what;  // "dtype", "values", "error", ..: groups similar differences
  std::string text;  // both answers
};

struct RunOptions {
  bool names = false;  // compare the names of gradients, too
};

/// Returns the first difference. Tensors are made on the default device.
std::optional<Difference> run_program(const Json& program, const RunOptions& options = {});

}  // namespace tern::testing::differential
