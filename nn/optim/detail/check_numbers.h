#pragma once

#include <cstdint>

#include <tern/core/tensor/state.h>

// Checks of numbers, of optimizers in options.h and of learning rate schedulers.

namespace tern::optim::detail {

/// Throw Error unless the number is at least 1 (check_positive) or at least 0 (check_not_negative,
/// which refuses NaN, too). The text names the scheduler and the argument.
void check_positive(const char* scheduler, const char* name, std::int64_t number);
void check_not_negative(const char* scheduler, const char* name, double number);

/// Returns a saved number. PyTorch may have stored it as a tensor of one element.
double saved_number(const State& value, const char* name);

}  // namespace tern::optim::detail
