#include <tern/train/picture/detail/axis.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tern/core/base/detail/plain_text.h>

namespace tern::train::detail {
namespace {

/// Returns the smallest step of 1, 2 or 5 times a power of ten that divides `span` into at most
/// seven parts.
double round_step(double span) {
  const double power = std::pow(10, std::floor(std::log10(span / 7)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (span / (factor * power) <= 7) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Axis::Axis(const std::vector<double>& values, bool logarithmic, double from, double to)
    : logarithmic_(logarithmic), from_(from), to_(to) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!shows(value)) continue;
    low = std::min(low, scaled(value));
    high = std::max(high, scaled(value));
  }
  if (low > high) return;
  // A range of a few units in the last place would give ticks that cannot be told apart.
  const double size = std::max(std::abs(high), std::abs(low));
  const bool is_range = high - low > 1e-12 * size;
  const double margin = is_range ? 0.04 * (high - low) : std::max(0.5 * size, 0.5);
  low_ = low - margin;
  high_ = high + margin;
}

bool Axis::shows(double value) const {
  constexpr double kLargest = 1e300;  // differences and margins stay finite
  return std::abs(value) <= kLargest && (!logarithmic_ || value > 0);
}

double Axis::scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

double Axis::position(double value) const {
  return from_ + (scaled(value) - low_) / (high_ - low_) * (to_ - from_);
}

std::vector<Axis::Tick> Axis::ticks() const {
  std::vector<Tick> ticks;
  const auto add = [&](double value) {
    if (scaled(value) >= low_ && scaled(value) <= high_) {
      ticks.push_back({position(value), tern::detail::number_text(value, 'g', 6)});
    }
  };
  const double span = high_ - low_;
  if (!logarithmic_) {
    const double step = round_step(span);
    for (double k = std::ceil(low_ / step); k * step <= high_; ++k) add(k * step + 0.0);  // no -0
    return ticks;
  }
  const int every = span > 7 ? static_cast<int>(std::ceil(span / 7)) : 1;
  for (int power = static_cast<int>(std::floor(low_)); power <= high_; power += every) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor == 1.0 || span < 2.5) add(factor * std::pow(10, power));
    }
  }
  return ticks;
}

}  // namespace tern::train::detail
