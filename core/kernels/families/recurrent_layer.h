#pragma once

#include <tern/core/kernels/families/recurrent.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class RecurrentLayerOp : std::int32_t { kAsk, kForward, kBackward };

/// Runs a whole recurrent layer forward in time, with the products of its input and the gradients
/// of its parameters, by a library that knows such layers. A backend without one has no kernel
/// here: the slot `recurrent` and matrix products compute every layer.
///
/// float32 or float64; everything is contiguous. The steps and rows are those of RecurrentArgs;
/// `starts` is in device memory, host_starts has the same numbers in memory of the host, which the
/// caller keeps for the length of the call. Weights and biases have PyTorch's order of gates: LSTM
/// i, f, g, o; GRU r, z, n.
///
///   kAsk: sets *answer to the bytes of the reserve, or to -1 if the library does not take this
///   layer, also where it has refused one since. Reads no memory of the device and waits for
///   nothing.
///   kForward: writes `out` [rows, hidden] and the last states h and c [batch, hidden]; with
///   is_training also the reserve, which belongs to the library.
///   kBackward: reads what the forward pass read, wrote (saved_out) and left in the reserve, which
///   it overwrites. grad_out is that of `out`; grad_h and grad_c are those of the last states, null
///   for zeros. Writes grad_input, grad_first_h and grad_first_c, and, unless grad_w_ih is null,
///   the gradients of all parameters.
///
/// kForward and kBackward report kUnsupportedDtype for a layer that the library turns out not to
/// take, and kOutOfMemory if there is no memory for its work; what they write is then undefined.
struct RecurrentLayerArgs {
  RecurrentLayerOp op;
  RecurrentCell cell;
  ScalarType dtype;
  std::int32_t may_round_to_tf32, is_training;
  std::int64_t steps, batch, rows, inputs, hidden;
  std::int64_t reserve_bytes;
  std::int64_t* answer;
  const std::int64_t* host_starts;  // null unless packed
  const std::int64_t* starts;       // null unless packed
  const void* input;
  const void* first_h;
  const void* first_c;
  const void* w_ih;
  const void* w_hh;
  const void* b_ih;  // null without biases
  const void* b_hh;
  void* out;
  void* h;
  void* c;
  void* reserve;
  const void* saved_out;
  const void* grad_out;
  const void* grad_h;
  const void* grad_c;
  void* grad_input;
  void* grad_first_h;
  void* grad_first_c;
  void* grad_w_ih;
  void* grad_w_hh;
  void* grad_b_ih;
  void* grad_b_hh;
};

TERN_KERNEL_SLOT(recurrent_layer, RecurrentLayerArgs)

/// Returns how many gates have a weight.
constexpr std::int64_t weighted_gates(RecurrentCell cell) {
  return gate_columns(cell) - input_only_columns(cell);
}

inline Operands operands(RecurrentLayerArgs& args) {
  const std::int64_t state = args.batch * args.hidden, all = args.rows * args.hidden;
  const std::int64_t bias = weighted_gates(args.cell) * args.hidden;
  const std::int64_t w_ih = bias * args.inputs, w_hh = bias * args.hidden;
  return Operands()
      .add("the starts", args.starts, kLong, args.steps + 1)
      .add("the input", args.input, args.dtype, args.rows * args.inputs)
      .add("the first h", args.first_h, args.dtype, state)
      .add("the first c", args.first_c, args.dtype, state)
      .add("the weight of the input", args.w_ih, args.dtype, w_ih)
      .add("the weight of the state", args.w_hh, args.dtype, w_hh)
      .add("the bias of the input", args.b_ih, args.dtype, bias)
      .add("the bias of the state", args.b_hh, args.dtype, bias)
      .add("the output", args.out, args.dtype, all)
      .add("the state h", args.h, args.dtype, state)
      .add("the state c", args.c, args.dtype, state)
      .add("the reserve", args.reserve, kByte, args.reserve_bytes)
      .add("the saved output", args.saved_out, args.dtype, all)
      .add("the gradient of the output", args.grad_out, args.dtype, all)
      .add("the gradient of h", args.grad_h, args.dtype, state)
      .add("the gradient of c", args.grad_c, args.dtype, state)
      .add("the input's gradient", args.grad_input, args.dtype, args.rows * args.inputs)
      .add("the first h's gradient", args.grad_first_h, args.dtype, state)
      .add("the first c's gradient", args.grad_first_c, args.dtype, state)
      .add("the gradient of w_ih", args.grad_w_ih, args.dtype, w_ih)
      .add("the gradient of w_hh", args.grad_w_hh, args.dtype, w_hh)
      .add("the gradient of b_ih", args.grad_b_ih, args.dtype, bias)
      .add("the gradient of b_hh", args.grad_b_hh, args.dtype, bias);
}

/// Returns true for a question, which the host answers when it is asked.
inline bool is_question(const RecurrentLayerArgs& args) {
  return args.op == RecurrentLayerOp::kAsk;
}

/// Numbers in memory of the host to which arguments point.
struct HostNumbers {
  const std::int64_t** field;
  std::int64_t count;
};
/// What whoever queues the arguments must copy.
inline HostNumbers host_numbers(RecurrentLayerArgs& args) {
  return {&args.host_starts, args.host_starts != nullptr ? args.steps + 1 : 0};
}

}  // namespace tern::kernels
