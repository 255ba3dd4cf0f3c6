#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class RecurrentOp : std::int32_t { kForward, kBackward };
enum class RecurrentCell : std::int32_t { kTanh, kRelu, kLstm, kGru };

/// Returns how many columns of `hidden` elements a row of gates has. GRU: the input's part of n, r,
/// z, the state's part of n. LSTM: i, f, g, o.
constexpr std::int64_t gate_columns(RecurrentCell cell) {
  return cell == RecurrentCell::kLstm || cell == RecurrentCell::kGru ? 4 : 1;
}
/// Returns how many of these columns, at the front, the product of the state does not reach. As
/// many at the back are not reached by the product of the input.
constexpr std::int64_t input_only_columns(RecurrentCell cell) {
  return cell == RecurrentCell::kGru ? 1 : 0;
}

/// Runs one layer of a recurrent network over all steps in one direction. float32 or float64;
/// everything is contiguous. The rows of step t are starts[t] .. starts[t + 1], or, if `starts` is
/// null, `batch` rows from t * batch on. The number of rows per step never grows; `batch` is that
/// of the first step. With `reverse` the last step is computed first. Row b of a step continues row
/// b of the step before it in this order; if that step has no row b, the initial state.
///
/// weight is [columns * hidden, hidden], with columns = gate_columns() - input_only_columns().
///   kForward: gates [rows, gate_columns() * hidden] hold the product of the input with all biases.
///   Adds the product of the state, activates the gates in place (the last column of a GRU is not
///   activated), and writes the new states to `out` [rows, hidden] and, of an LSTM, to `cells`,
///   which may be null. h [batch, hidden], and c of an LSTM, are the first states before and the
///   last states after the call.
///   kBackward: reads what the forward pass wrote (saved_gates, saved_out, saved_cells), the first
///   states first_h and first_c, and the gradient of `out`, which may be null. Writes the gradients
///   of the gates before their activation to grad_gates. h and c are the gradients of the last
///   states before and of the first states after the call.
struct RecurrentArgs {
  RecurrentOp op;
  RecurrentCell cell;
  ScalarType dtype;
  std::int32_t reverse;
  std::int64_t steps, batch, rows, hidden;
  const std::int64_t* starts;
  const void* weight;
  void* h;
  void* c;
  void* gates;
  void* out;
  void* cells;
  const void* saved_gates;
  const void* saved_out;
  const void* saved_cells;
  const void* first_h;
  const void* first_c;
  const void* grad_out;
  void* grad_gates;
};

TERN_KERNEL_SLOT(recurrent, RecurrentArgs)

inline Operands operands(RecurrentArgs& args) {
  const std::int64_t state = args.batch * args.hidden, all = args.rows * args.hidden;
  const std::int64_t columns = gate_columns(args.cell);
  const std::int64_t weight_rows = (columns - input_only_columns(args.cell)) * args.hidden;
  return Operands()
      .add("the starts", args.starts, kLong, args.steps + 1)
      .add("the weight", args.weight, args.dtype, weight_rows * args.hidden)
      .add("the state h", args.h, args.dtype, state)
      .add("the state c", args.c, args.dtype, state)
      .add("the gates", args.gates, args.dtype, all * columns)
      .add("the output", args.out, args.dtype, all)
      .add("the cells", args.cells, args.dtype, all)
      .add("the saved gates", args.saved_gates, args.dtype, all * columns)
      .add("the saved output", args.saved_out, args.dtype, all)
      .add("the saved cells", args.saved_cells, args.dtype, all)
      .add("the first h", args.first_h, args.dtype, state)
      .add("the first c", args.first_c, args.dtype, state)
      .add("the gradient", args.grad_out, args.dtype, all)
      .add("the gates' gradient", args.grad_gates, args.dtype, all * columns);
}

}  // namespace tern::kernels
