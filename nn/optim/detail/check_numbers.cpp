#include <cmath>
#include <string_view>

#include <tern/core/base/error.h>
#include <tern/core/base/text.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/options.h>

namespace tern::optim::detail {

namespace {

template <class T>
void check_range(const OptionTraits& option, T value) {
  const auto number = static_cast<double>(value);
  if (option.unchecked || (number >= option.least && number <= option.most)) return;
  if (option.newer != nullptr) {
    const bool has_least = std::isfinite(option.least);
    const bool names_finite = has_least && std::isinf(number) && std::isfinite(option.most);
    tern::detail::raise<Error>(option.newer, " should be ",
                               has_least ? ">= " : "<= ", has_least ? option.least : option.most,
                               names_finite ? " and finite" : "", " but is: ", value);
  }
  const std::string_view name = option.key;
  tern::detail::raise<Error>("Invalid ",
                             name == "lr"    ? "learning rate"
                             : name == "eps" ? "epsilon value"
                                             : tern::detail::text_of(name, " value"),
                             ": ", value);
}

}  // namespace

void check_option(const OptionTraits& traits, double value) { check_range(traits, value); }

void check_option(const OptionTraits& traits, std::int64_t value) { check_range(traits, value); }

void check_option(const OptionTraits& traits, const std::tuple<double, double>& value) {
  if (traits.unchecked) return;
  const auto [first, second] = value;
  TERN_CHECK(first >= 0 && first < 1, Error, "Invalid beta parameter at index 0: ", first);
  TERN_CHECK(second >= 0 && second < 1, Error, "Invalid beta parameter at index 1: ", second);
}

void check_positive(const char* scheduler, const char* name, std::int64_t number) {
  TERN_CHECK(number > 0, Error, scheduler, ": Expected positive integer ", name, ", but got ",
             number);
}

void check_not_negative(const char* scheduler, const char* name, double number) {
  TERN_CHECK(number >= 0, Error, scheduler, ": ", name, " must not be negative, got ", number);
}

double saved_number(const State& value, const char* name) {
  return value.is_tensor() ? value.tensor().item<double>() : value.to<double>(name);
}

}  // namespace tern::optim::detail
