#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>
#include <tern/core/tensor/device.h>

// Runs one call of a kernel twice, on the CPU and on a device, and compares what both wrote.

namespace tern::slots {

/// What is known about one slot so far.
struct Outcome {
  std::int64_t calls = 0, elements = 0, wrong = 0;
  double largest = 0;                 // difference, in units of the dtype's epsilon
  double limit = 0;                   // the largest limit of a call
  std::vector<std::string> examples;  // of what is wrong
};

/// What a written operand is compared by.
enum class Check { kValues, kMagnitudes, kNothing };

/// One call: its arguments, and what only their type knows.
struct Call {
  kernels::Slot slot;
  const void* args;
  std::size_t size;  // of the arguments
  kernels::KernelFn reference;
  kernels::Operands (*operands)(void* args);
  void (*adapt)(void* args);  // sets what differs between CPU and device
  bool (*reads)(const void* args, const kernels::Operand& written);
  Check (*check)(const void* args, std::string_view operand);
  double limit;
};

/// Mistakes that a comparison must find. Apart from kNone, what a wrong kernel does: it changes one
/// element, writes nothing, or writes before or behind an operand.
enum class Mistake { kNone, kOneElement, kNothingWritten, kBefore, kBehind, kCount };

/// Compares with `device`, which has the kernels; prefixes what is wrong with `label`.
class Comparer {
 public:
  Comparer(Device device, Outcome& outcome, std::string label, Mistake mistake = Mistake::kNone);
  void compare(const Call& call);

 private:
  struct Piece;
  void add_wrong(const std::string& what);
  void plant_mistake(const Call& call, std::vector<Piece>& pieces) const;
  void run_on_device(const Call& call, std::vector<Piece>& pieces, int pass);
  void compare_written(const Call& call, const std::vector<Piece>& pieces, int pass);

  Device device_;
  Outcome& outcome_;
  std::string label_;
  Mistake mistake_;
};

}  // namespace tern::slots
