#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands.h"
#include "leaves.h"

namespace {

/// The difference of two tensors with the same shape and dtype.
struct Difference {
  std::int64_t count = 0;  // number of elements that differ
  double largest = 0;      // infinite if NaN is compared with a number
};

double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  const double result = std::abs(a - b);
  return std::isnan(result) && a != b ? INFINITY : a == b ? 0 : result;
}
double distance(std::int64_t a, std::int64_t b) {
  // Subtracts exactly before rounding: two 64-bit integers may round to one double.
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

/// Returns true if two plain numbers of one kind differ by no more than `tolerance`.
bool is_close(const tern::State& a, const tern::State& b, double tolerance) {
  if (!a.is_int() && !a.is_double()) return false;
  const double found = a.is_int() ? distance(a.to<std::int64_t>(), b.to<std::int64_t>())
                                  : distance(a.to<double>(), b.to<double>());
  return found != 0 && found <= tolerance;
}

/// Returns a description of the difference of two tensors. Empty if the tensors are equal.
std::string describe(const tern::Tensor& a, const tern::Tensor& b, double tolerance) {
  if (a.dtype() != b.dtype()) {
    return std::string("dtype ") + dtype_name(a) + " and " + dtype_name(b);
  }
  if (!(a.sizes() == b.sizes())) {
    return "shape " + text_of_sizes(a.sizes()) + " and " + text_of_sizes(b.sizes());
  }
  if (a.device() != b.device()) return "device " + a.device().str() + " and " + b.device().str();
  if (a.is_meta()) return "";  // has no elements to compare
  const Difference difference = compare(a, b);
  if (difference.count == 0) return "equal numbers of different bits (-0, NaN)";
  if (difference.largest <= tolerance) return "";
  char text[128];
  std::snprintf(text, sizeof text, "%lld of %lld elements differ, by at most %.9g",
                static_cast<long long>(difference.count), static_cast<long long>(a.numel()),
                difference.largest);
  return text;
}

/// Walks over two trees together and prints the differences.
class Walk {
 public:
  Walk(const std::string& a, const std::string& b, double tolerance)
      : only_in_a_("only in " + a), only_in_b_("only in " + b), tolerance_(tolerance) {}

  void compare_states(const std::string& path, const tern::State& a, const tern::State& b) {
    if (a.kind() != b.kind()) {
      say(path, std::string(tern::kind_name(a.kind())) + " and " + tern::kind_name(b.kind()));
    } else if (a.is_dict()) {
      for (const auto& [key, value] : a) {
        const tern::State* other = b.find(key);
        other != nullptr ? compare_states(join_path(path, key), value, *other)
                         : say(join_path(path, key), only_in_a_);
      }
      for (const auto& [key, value] : b) {
        if (!a.contains(key)) say(join_path(path, key), only_in_b_);
      }
    } else if (a.is_list()) {
      for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const std::string item = join_path(path, std::to_string(i));
        i < std::min(a.size(), b.size()) ? compare_states(item, a[i], b[i])
                                         : say(item, i < a.size() ? only_in_a_ : only_in_b_);
      }
    } else if (!tern::identical(a, b) && !is_close(a, b, tolerance_)) {
      const std::string what = a.is_tensor() ? describe(a.tensor(), b.tensor(), tolerance_)
                                             : text_of_leaf(a) + " and " + text_of_leaf(b);
      if (!what.empty()) say(path, what);
    }
  }

  bool is_same() const { return is_same_; }

 private:
  void say(const std::string& path, const std::string& what) {
    std::printf("%s: %s\n", path.empty() ? "the whole state" : printable(path).c_str(),
                printable(what).c_str());
    is_same_ = false;
  }

  const std::string only_in_a_, only_in_b_;
  const double tolerance_;
  bool is_same_ = true;
};

}  // namespace

bool show_difference(const std::string& a, const std::string& b, double tolerance, bool skip) {
  const auto load = [skip](const std::string& path) {
    Skipped skipped;
    const tern::State state = load_file(path, {}, skip, skipped);
    warn_of_skipped(path, skipped);
    return state;
  };
  Walk walk(a, b, tolerance);
  walk.compare_states("", load(a), load(b));
  return walk.is_same();
}
