#include <algorithm>
#include <cmath>
#include <utility>

#include <tern/nn/optim/detail/strong_wolfe.h>

namespace tern::optim::detail {

namespace {

// The conditions: value <= start + kDecrease * t * slope, and |slope| <= kCurvature * |first
// slope|.
constexpr double kDecrease = 1e-4, kCurvature = 0.9, kSmallestBracket = 1e-9;

/// Returns the minimum between `low` and `high` of the cubic through two points with their slopes.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double low, double high) {
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const LinePoint &left = a.t <= b.t ? a : b, &right = a.t <= b.t ? b : a;
  const double t = right.t - (right.t - left.t) *
                                 ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2));
  return std::min(std::max(t, low), high);
}

/// A search in progress.
class LineSearch {
 public:
  LineSearch(const std::function<LinePoint(double)>& evaluate, const LinePoint& start,
             double largest, std::int64_t most)
      : evaluate_(evaluate), start_(start), largest_(largest), most_(most) {}

  LineSearchResult run(double t) {
    bracket(t);
    if (!done_) zoom();
    return {bracket_[low_], evaluations_};
  }

 private:
  LinePoint at(double t) {
    ++evaluations_;
    return evaluate_(t);
  }
  bool is_too_high(const LinePoint& point) const {
    return point.value > start_.value + kDecrease * point.t * start_.slope;
  }
  bool is_flat(const LinePoint& point) const {
    return std::abs(point.slope) <= -kCurvature * start_.slope;
  }
  void set_bracket(const LinePoint& a, const LinePoint& b) {
    bracket_[0] = a;
    bracket_[1] = b;
    low_ = a.value <= b.value ? 0 : 1;
  }

  /// Grows the interval from the start until it contains a point.
  void bracket(double t) {
    LinePoint before = start_, now = at(t);
    for (; iteration_ < most_; ++iteration_) {
      if (is_too_high(now) || (iteration_ > 1 && now.value >= before.value)) {
        return set_bracket(before, now);
      }
      if (is_flat(now)) {
        done_ = true;
        return set_bracket(now, now);
      }
      if (now.slope >= 0) return set_bracket(before, now);
      t = cubic_minimum(before, now, now.t + 0.01 * (now.t - before.t), now.t * 10);
      before = std::exchange(now, at(t));
    }
    set_bracket(start_, now);
  }

  /// Returns the next trial inside the bracket, at some distance from its ends.
  double next_trial() {
    const auto [low, high] = std::minmax(bracket_[0].t, bracket_[1].t);
    const double t = cubic_minimum(bracket_[0], bracket_[1], low, high);
    const double margin = 0.1 * (high - low);
    const bool is_close = std::min(high - t, t - low) < margin;
    if (is_close && (was_close_ || t >= high || t <= low)) {
      was_close_ = false;
      return std::abs(t - high) < std::abs(t - low) ? high - margin : low + margin;
    }
    was_close_ = is_close;
    return t;
  }

  /// Shrinks the bracket until its low end is a point.
  void zoom() {
    for (; iteration_ < most_ && !done_; ++iteration_) {
      if (std::abs(bracket_[1].t - bracket_[0].t) * largest_ < kSmallestBracket) return;
      const LinePoint now = at(next_trial());
      LinePoint &low = bracket_[low_], &high = bracket_[1 - low_];
      if (is_too_high(now) || now.value >= low.value) {
        high = now;
        low_ = bracket_[0].value <= bracket_[1].value ? 0 : 1;
        continue;
      }
      if (is_flat(now)) {
        done_ = true;
      } else if (now.slope * (high.t - low.t) >= 0) {
        high = low;
      }
      low = now;
    }
  }

  const std::function<LinePoint(double)>& evaluate_;
  const LinePoint& start_;
  const double largest_;
  const std::int64_t most_;
  LinePoint bracket_[2];
  int low_ = 0;  // index of the end with the smaller value
  std::int64_t iteration_ = 0, evaluations_ = 0;
  bool done_ = false, was_close_ = false;
};

}  // namespace

LineSearchResult strong_wolfe(const std::function<LinePoint(double)>& evaluate,
                              const LinePoint& start, double t, double largest, std::int64_t most) {
  return LineSearch(evaluate, start, largest, most).run(t);
}

}  // namespace tern::optim::detail
