#pragma once

#include <string>
#include <vector>

#include <tern/core/kernels/families/elementwise.h>

#include "compare.h"

namespace tern::slots {

/// Puts a function before each kernel of the CPU: while a slot is watched, each of its calls is
/// compared with `device` before the CPU runs it.
void set_up(Device device);

/// Watches the calls of a slot in this scope. `label` names them where they are wrong. With a
/// mistake, it is planted in the first call that writes something, and the others are not compared.
class Watch {
 public:
  Watch(kernels::Slot slot, std::string label, Mistake mistake = Mistake::kNone);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

/// Watches nothing in this scope, in which a case makes its inputs.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  kernels::Slot before_;
};

/// Names the calls that follow in the watched scope.
void label(std::string text);

/// Compares a call that no op makes.
void compare(const kernels::ElementwiseArgs& args);

Outcome& outcome_of(kernels::Slot slot);

/// Clears the outcome of a slot.
void forget(kernels::Slot slot);

}  // namespace tern::slots
