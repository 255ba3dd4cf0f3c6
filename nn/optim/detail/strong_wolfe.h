#pragma once

#include <cstdint>
#include <functional>

#include <tern/core/tensor/tensor.h>

namespace tern::optim::detail {

/// A point on the line of a search.
struct LinePoint {
  double t = 0;      // the distance from the start, in units of the direction
  double value = 0;  // the function
  Tensor gradient;   // the gradient of the function
  double slope = 0;  // its product with the direction
};

/// The result of a search.
struct LineSearchResult {
  LinePoint point;
  std::int64_t evaluations = 0;
};

/// Finds a point that satisfies the strong Wolfe conditions, in PyTorch's way: brackets it, then
/// interpolates by cubic polynomials (Nocedal and Wright, Numerical Optimization, 3.5).
/// `start` is the point at 0, `t` the first trial, `largest` the largest element of the direction.
/// `evaluate(t)` computes a point. Stops after `most` iterations.
LineSearchResult strong_wolfe(const std::function<LinePoint(double)>& evaluate,
                              const LinePoint& start, double t, double largest, std::int64_t most);

}  // namespace tern::optim::detail
