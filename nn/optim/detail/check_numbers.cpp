#include <cmath>

#include <tern/core/base/error.h>
#include <tern/nn/optim/detail/check_numbers.h>

namespace tern::optim::detail {

namespace {

bool is_magnitude(double value) { return value >= 0 && std::isfinite(value); }

}  // namespace

void check_option(const char* name, double value) {
  TERN_CHECK(is_magnitude(value), Error, "Invalid ", name, " value: ", value);
}

void check_newer_option(const char* name, double value) {
  TERN_CHECK(is_magnitude(value), Error, name, " should be >= 0",
             std::isinf(value) ? " and finite" : "", " but is: ", value);
}

void check_lr(double lr) { TERN_CHECK(is_magnitude(lr), Error, "Invalid learning rate: ", lr); }

void check_eps(double eps) { check_option("epsilon", eps); }

void check_weight_decay(double weight_decay) { check_option("weight_decay", weight_decay); }

void check_betas(const std::tuple<double, double>& betas) {
  const auto [first, second] = betas;
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

void check_saved(std::int64_t step, const char* name, const Tensor& tensor) {
  TERN_CHECK(step == 0 || tensor.defined(), Error, "loaded state dict has no ", name,
             " for a parameter at step ", step);
}

}  // namespace tern::optim::detail
