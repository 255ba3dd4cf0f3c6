#pragma once

#include <cstdint>
#include <tuple>

#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>

// Checks of numbers and states that several optimizers have.

namespace tern::optim::detail {

/// Throw Error for a number that is negative, infinite or NaN. The texts are PyTorch's: most
/// optimizers have the first, newer ones the second.
void check_option(const char* name, double value);
void check_newer_option(const char* name, double value);
/// Throw Error for a learning rate, epsilon or weight decay that is negative, infinite or NaN.
void check_lr(double lr);
void check_eps(double eps);
void check_weight_decay(double weight_decay);
/// Throws Error unless both are at least 0 and below 1.
void check_betas(const std::tuple<double, double>& betas);

/// Throw Error unless the number is at least 1 (check_positive) or at least 0 (check_not_negative,
/// which refuses NaN, too). The text names the scheduler and the argument.
void check_positive(const char* scheduler, const char* name, std::int64_t number);
void check_not_negative(const char* scheduler, const char* name, double number);

/// Returns a saved number. PyTorch may have stored it as a tensor of one element.
double saved_number(const State& value, const char* name);

/// Throws Error if a state after a step lacks the tensor `name`.
void check_saved(std::int64_t step, const char* name, const Tensor& tensor);

}  // namespace tern::optim::detail
