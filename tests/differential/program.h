#pragma once

#include <optional>
#include <string>

#include "differential/form.h"

// Runs a program and compares what it does with PyTorch's answers, which the program carries:
//
//   {"steps": [{"f": "a.add(b)", "a": [0, 1], "o": [2], "r": [{...}]}, ..], "end": {"0": {..}, ..}}
//
// f is the form, a its arguments (tensors by number), o the numbers of the results. What PyTorch
// did is r, what it showed of every result, or e, the kind of its error. "end" holds the values and
// gradients of all tensors after the last step.

namespace tern::testing::differential {

struct Difference {
  std::size_t step;  // the number of steps for what shows at the end only
  std::string what;  // "dtype", "values", "error", ..: groups what is alike
  std::string text;  // both answers
};

struct RunOptions {
  bool names = false;  // compare the names of gradients, too
};

/// The first difference. Tensors are made on the default device.
std::optional<Difference> run_program(const Json& program, const RunOptions& options = {});

}  // namespace tern::testing::differential
