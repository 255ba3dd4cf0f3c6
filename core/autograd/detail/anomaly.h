#pragma once

#include <string>

#include <tern/core/autograd/node.h>

namespace tern::autograd {

/// Returns what runs on this thread: "op mul in module 'fc1' (Linear)"; empty outside of ops.
std::string running_text();

/// Throws Error, in anomaly mode, if one of the results of `node` has a NaN.
void check_results(const Node& node, const Tensor* results);

}  // namespace tern::autograd
