#include <cmath>
#include <cstdio>
#include <map>

#include "commands.h"
#include "leaves.h"

namespace {

/// How two tensors of one shape and dtype differ.
struct Difference {
  std::int64_t count = 0;  // of elements
  double largest = 0;      // NaN against a number: infinite
};

double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  const double result = std::abs(a - b);
  return std::isnan(result) && a != b ? INFINITY : a == b ? 0 : result;
}
double distance(std::int64_t a, std::int64_t b) {
  // Exact before it is rounded: two integers of 64 bits may be one double.
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<double>(a > b ? x - y : y - x);
}

template <class T>
Difference compare_as(const tern::Tensor& a, const tern::Tensor& b) {
  const std::vector<T> left = a.to(tern::dtype_of<T>()).template to_vector<T>();
  const std::vector<T> right = b.to(tern::dtype_of<T>()).template to_vector<T>();
  Difference difference;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double found = distance(left[i], right[i]);
    difference.count += found != 0;
    difference.largest = std::max(difference.largest, found);
  }
  return difference;
}

Difference compare(const tern::Tensor& a, const tern::Tensor& b) {
  return a.is_floating_point() ? compare_as<double>(a, b) : compare_as<std::int64_t>(a, b);
}

/// What to say about two leaves of one name; empty when they hold the same.
std::string describe(const tern::State& a, const tern::State& b, double tolerance) {
  if (tern::identical(a, b)) return "";
  if (a.kind() != b.kind()) {
    return std::string(tern::kind_name(a.kind())) + " and " + tern::kind_name(b.kind());
  }
  if (!a.is_tensor()) return text_of_leaf(a) + " and " + text_of_leaf(b);
  const tern::Tensor left = a, right = b;
  if (left.dtype() != right.dtype()) {
    return std::string("dtype ") + dtype_name(left) + " and " + dtype_name(right);
  }
  if (!(left.sizes() == right.sizes())) {
    return "shape " + text_of_sizes(left.sizes()) + " and " + text_of_sizes(right.sizes());
  }
  const Difference difference = compare(left, right);
  if (difference.count == 0) return "equal numbers of different bits (-0, NaN)";
  if (difference.largest <= tolerance) return "";
  char text[128];
  std::snprintf(text, sizeof text, "%lld of %lld elements differ, by at most %.9g",
                static_cast<long long>(difference.count), static_cast<long long>(left.numel()),
                difference.largest);
  return text;
}

}  // namespace

bool show_difference(const std::string& a, const std::string& b, double tolerance) {
  const std::vector<Leaf> left = leaves_of(tern::load_state(a));
  const std::vector<Leaf> right = leaves_of(tern::load_state(b));
  std::map<std::string, tern::State> others(right.begin(), right.end());
  bool is_same = true;
  const auto say = [&is_same](const std::string& name, const std::string& what) {
    std::printf("%s: %s\n", printable(name).c_str(), printable(what).c_str());
    is_same = false;
  };
  for (const auto& [name, leaf] : left) {
    const auto other = others.find(name);
    if (other == others.end()) {
      say(name, "only in " + a);
      continue;
    }
    const std::string what = describe(leaf, other->second, tolerance);
    if (!what.empty()) say(name, what);
    others.erase(other);
  }
  for (const auto& [name, leaf] : right) {
    if (others.contains(name)) say(name, "only in " + b);
  }
  return is_same;
}
