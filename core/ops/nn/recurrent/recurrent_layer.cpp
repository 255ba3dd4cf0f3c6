// Compiled for size.

#include <tern/core/autograd/autograd.h>
#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/gemm.h>
#include <tern/core/ops/common/detail/host_copy.h>
#include <tern/core/ops/common/detail/record_outputs.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/normalize_backward.h>
#include <tern/core/ops/nn/detail/recurrent_library.h>
#include <tern/core/ops/ops.h>

// The inputs of all steps are multiplied at once, before the kernel walks over the steps. The
// backward kernel walks back and leaves the gradients of the gates, of which one product per
// parameter, over all steps, makes the gradients. Where the device's library takes the whole layer,
// it computes all of this.

namespace tern::detail {
namespace {

using kernels::gate_columns;
using kernels::input_only_columns;
using kernels::RecurrentArgs;
using kernels::RecurrentOp;

constexpr const char* kLayerNodes[] = {"RnnTanhBackward0", "RnnReluBackward0", "LstmBackward0",
                                       "GruBackward0"};

constexpr std::size_t kInputs = kInputsOfLayer;

/// What the rule of a recorded layer knows besides the saved tensors.
struct RecurrentRule {
  RecurrentLayer layer;
  bool wants[kInputs];  // which inputs require a gradient
};

/// c = a x b + bias, for matrices with any strides; the rows of c are contiguous.
void multiply_matrices(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& bias = {}) {
  if (c.numel() == 0) return;
  kernels::GemmArgs args{};
  args.dtype = c.dtype();
  args.precision = float32_matmul_precision();
  args.batch = 1;
  args.m = c.size(0);
  args.n = c.size(1);
  args.k = a.size(1);
  args.a = a.data_ptr();
  args.a_row_stride = a.stride(0);
  args.a_col_stride = a.stride(1);
  args.b = b.data_ptr();
  args.b_row_stride = b.stride(0);
  args.b_col_stride = b.stride(1);
  args.c = c.data_ptr();
  args.c_row_stride = c.stride(0);
  args.bias = data_or_null(bias);
  args.bias_stride = 1;
  args.alpha = 1;
  kernels::run("addmm", c.device(), c.dtype(), args);
}

/// Returns a x b.
Tensor product_of(const Tensor& a, const Tensor& b) {
  Tensor c = make_tensor({a.size(0), b.size(1)}, a.dtype(), a.device());
  multiply_matrices(a, b, c);
  return c;
}

/// Returns rows in the order of the kernel's gates: of a GRU n, r, z instead of r, z, n.
Tensor in_kernel_order(RecurrentCell cell, const Tensor& rows) {
  if (cell != RecurrentCell::kGru || !rows.defined()) return rows;
  const std::int64_t n = rows.size(0) / 3;
  return cat({rows.narrow(0, 2 * n, n), rows.narrow(0, 0, 2 * n)});
}
/// Reverts in_kernel_order().
Tensor in_public_order(RecurrentCell cell, const Tensor& rows) {
  if (cell != RecurrentCell::kGru) return rows;
  const std::int64_t n = rows.size(0) / 3;
  return cat({rows.narrow(0, n, 2 * n), rows.narrow(0, 0, n)});
}

/// Returns a contiguous copy; zeros of `sizes` for an undefined tensor.
Tensor fresh_copy(const Tensor& source, const Tensor& like) {
  Tensor copy = make_tensor(like.sizes(), like.dtype(), like.device());
  if (source.defined()) {
    copy_elements(copy, source);
  } else {
    copy.fill_(0);
  }
  return copy;
}

/// Runs the kernel on contiguous tensors; does nothing without rows.
void run_recurrent(const RecurrentLayer& layer, RecurrentArgs args, const Tensor& w_hh,
                   const Tensor& h, const Tensor& c) {
  const RecurrentSteps& steps = layer.steps;
  if (steps.rows() == 0 || h.numel() == 0) return;
  const Tensor starts = steps.starts_on(h.device());
  args.cell = layer.cell;
  args.dtype = h.dtype();
  args.reverse = layer.reverse ? 1 : 0;
  args.steps = steps.count();
  args.batch = steps.batch();
  args.rows = steps.rows();
  args.hidden = h.size(1);
  args.starts = static_cast<const std::int64_t*>(data_or_null(starts));
  args.weight = w_hh.data_ptr();
  args.h = h.data_ptr();
  args.c = data_or_null(c);
  kernels::run("recurrent", h.device(), h.dtype(), args);
}

/// Returns the product of the input with all biases, the gates before their activation.
Tensor gates_of_input(RecurrentCell cell, const std::vector<Tensor>& saved) {
  const Tensor &input = saved[kInput], &b_ih = saved[kBIh], &b_hh = saved[kBHh];
  const std::int64_t columns = gate_columns(cell), own = input_only_columns(cell);
  const std::int64_t hidden = saved[kFirstH].size(1);
  Tensor gates = make_tensor({input.size(0), columns * hidden}, input.dtype(), input.device());
  Tensor bias;
  if (b_ih.defined()) {
    bias = b_ih + b_hh;
    if (own != 0) {
      bias = cat({b_ih.narrow(0, 2 * hidden, hidden), bias.narrow(0, 0, 2 * hidden)});
    }
  }
  if (own != 0) {  // the state's part of n, which r multiplies
    Tensor part = gates.narrow(1, 3 * hidden, hidden);
    if (bias.defined()) {
      copy_elements(part, b_hh.narrow(0, 2 * hidden, hidden));
    } else {
      part.fill_(0);
    }
  }
  multiply_matrices(input, in_kernel_order(cell, saved[kWIh]).t(),
                    gates.narrow(1, 0, (columns - own) * hidden), bias);
  return gates;
}

/// Returns, for each row, the state from which its step began.
Tensor states_before(const RecurrentLayer& layer, const Tensor& first, const Tensor& out) {
  const RecurrentSteps& steps = layer.steps;
  const std::int64_t batch = steps.batch(), rows = steps.rows();
  if (rows == batch) return first;  // one step
  if (!steps.is_packed()) {
    return layer.reverse ? cat({out.narrow(0, batch, rows - batch), first})
                         : cat({first, out.narrow(0, 0, rows - batch)});
  }
  const Tensor index = make_tensor({rows}, kLong, kCPU);  // whatever the default device is
  auto* const at = static_cast<std::int64_t*>(index.data_ptr());
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t before = layer.reverse ? t + 1 : t - 1;
    const bool exists = before >= 0 && before < steps.count();
    for (std::int64_t b = 0; b < steps.size(t); ++b) {
      const bool continues = exists && b < steps.size(before);
      at[steps.start(t) + b] = continues ? batch + steps.start(before) + b : b;
    }
  }
  return index_select(cat({first, out}), 0, copy_of_host(index, out.device()));
}

/// Runs a layer on the tensors kInput .. kBHh of `saved`, and sets kGates, kOut and, if wanted,
/// kCells.
RecurrentResult run_kernel(const RecurrentLayer& layer, std::vector<Tensor>& saved,
                           bool keeps_cells) {
  const bool is_lstm = layer.cell == RecurrentCell::kLstm;
  const Tensor& first_h = saved[kFirstH];
  const std::int64_t hidden = first_h.size(1);
  RecurrentResult result;
  result.h = fresh_copy(first_h, first_h);
  if (is_lstm) result.c = fresh_copy(saved[kFirstC], first_h);
  saved[kGates] = gates_of_input(layer.cell, saved);
  saved[kOut] = result.out =
      make_tensor({layer.steps.rows(), hidden}, first_h.dtype(), first_h.device());
  if (is_lstm && keeps_cells) {
    saved[kCells] = make_tensor(result.out.sizes(), first_h.dtype(), first_h.device());
  }
  RecurrentArgs args{};
  args.op = RecurrentOp::kForward;
  args.gates = saved[kGates].data_ptr();
  args.out = result.out.data_ptr();
  args.cells = data_or_null(saved[kCells]);
  run_recurrent(layer, args, saved[kWHh].contiguous(), result.h, result.c);
  return result;
}

std::vector<Tensor> gradients_of_kernel(const RecurrentRule& rule,
                                        const std::vector<Tensor>& gradients,
                                        std::vector<Tensor> saved) {
  const NoGradGuard no_grad;
  const RecurrentLayer& layer = rule.layer;
  std::vector<Tensor> results(kInputs);
  if (saved[kReserve].defined()) {
    const bool wants_parameters =
        rule.wants[kWIh] || rule.wants[kWHh] || rule.wants[kBIh] || rule.wants[kBHh];
    if (differentiate_in_library(layer, saved, gradients, wants_parameters, results)) {
      return results;
    }
    run_kernel(layer, saved, true);  // which leaves what the kernel reads
  }
  const bool is_lstm = layer.cell == RecurrentCell::kLstm;
  const Tensor &gates = saved[kGates], &out = saved[kOut], &first_h = saved[kFirstH];
  const std::int64_t hidden = out.size(1), own = input_only_columns(layer.cell) * hidden;
  const Tensor grad_out = contiguous_or_undefined(gradients[0]);
  results[kFirstH] = fresh_copy(gradients[1], first_h);
  if (is_lstm) results[kFirstC] = fresh_copy(gradients[2], first_h);
  const Tensor grad_gates = make_tensor(gates.sizes(), gates.dtype(), gates.device());
  const Tensor dense_h = first_h.contiguous(), dense_c = contiguous_or_undefined(saved[kFirstC]);
  RecurrentArgs args{};
  args.op = RecurrentOp::kBackward;
  args.saved_gates = gates.data_ptr();
  args.saved_out = out.data_ptr();
  args.saved_cells = data_or_null(saved[kCells]);
  args.first_h = dense_h.data_ptr();
  args.first_c = data_or_null(dense_c);
  args.grad_out = data_or_null(grad_out);
  args.grad_gates = grad_gates.data_ptr();
  run_recurrent(layer, args, saved[kWHh].contiguous(), results[kFirstH], results[kFirstC]);

  const std::int64_t columns = gates.size(1) - own;
  const Tensor of_input = grad_gates.narrow(1, 0, columns);
  const Tensor of_state = grad_gates.narrow(1, own, columns);
  if (rule.wants[kInput]) {
    results[kInput] = product_of(of_input, in_kernel_order(layer.cell, saved[kWIh]));
  }
  if (rule.wants[kWIh]) {
    results[kWIh] = in_public_order(layer.cell, product_of(of_input.t(), saved[kInput]));
  }
  if (rule.wants[kWHh]) {
    results[kWHh] = product_of(of_state.t(), states_before(layer, dense_h, out));
  }
  if (rule.wants[kBIh] || rule.wants[kBHh]) {
    results[kBHh] = of_state.sum(0);
    results[kBIh] = own == 0 ? results[kBHh] : in_public_order(layer.cell, of_input.sum(0));
  }
  return results;
}

/// Returns gradients that can be differentiated again: those of the composed layer.
std::vector<Tensor> gradients_of_composed(const RecurrentLayer& layer,
                                          const std::vector<Tensor>& gradients,
                                          const std::vector<Tensor>& saved) {
  // Another tensor in place of each input: one input may depend on another, which must not count.
  std::vector<Tensor> inputs(saved.begin(), saved.begin() + kInputs), wanted;
  for (Tensor& input : inputs) {
    if (!input.defined() || !input.requires_grad()) continue;
    input = input.view_as(input);
    wanted.push_back(input);
  }
  const RecurrentResult result =
      compose_recurrent_layer(layer, inputs[kInput], inputs[kFirstH], inputs[kFirstC],
                              {inputs[kWIh], inputs[kWHh], inputs[kBIh], inputs[kBHh], Tensor()});
  std::vector<Tensor> outputs, arrived;
  const Tensor* const all[] = {&result.out, &result.h, &result.c};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined() || !all[i]->requires_grad()) continue;
    outputs.push_back(*all[i]);
    arrived.push_back(gradients[i]);
  }
  std::vector<Tensor> results(kInputs);
  if (outputs.empty() || wanted.empty()) return results;
  const std::vector<Tensor> computed =
      autograd::grad(outputs, wanted, arrived, /*retain_graph=*/true, /*create_graph=*/true,
                     /*allow_unused=*/true);
  std::size_t next = 0;
  for (std::size_t i = 0; i < kInputs; ++i) {
    if (inputs[i].defined() && inputs[i].requires_grad()) results[i] = computed[next++];
  }
  return results;
}

std::vector<Tensor> recurrent_gradients(const RecurrentRule& rule,
                                        const std::vector<Tensor>& gradients,
                                        const std::vector<Tensor>& saved) {
  bool is_recorded = false;
  for (const Tensor& g : gradients) is_recorded |= autograd::needs_grad(g);
  for (std::size_t i = 0; i < kInputs; ++i) is_recorded |= autograd::needs_grad(saved[i]);
  return is_recorded ? gradients_of_composed(rule.layer, gradients, saved)
                     : gradients_of_kernel(rule, gradients, saved);
}

Tensor to_dtype_if_defined(const Tensor& tensor, ScalarType dtype) {
  return tensor.defined() ? tensor.to(dtype) : tensor;
}

/// Computes a layer of float16 or bfloat16 in float32, which keeps the states of all steps exact.
RecurrentResult run_narrow_layer(const RecurrentLayer& layer, const Tensor& input, const Tensor& h,
                                 const Tensor& c, const RecurrentWeights& w) {
  const ScalarType narrow = input.dtype();
  const auto wide = [](const Tensor& tensor) { return to_dtype_if_defined(tensor, kFloat); };
  const RecurrentResult result =
      run_recurrent_layer(layer, wide(input), wide(h), wide(c),
                          {wide(w.w_ih), wide(w.w_hh), wide(w.b_ih), wide(w.b_hh), wide(w.w_hr)});
  return {result.out.to(narrow), result.h.to(narrow), to_dtype_if_defined(result.c, narrow)};
}

}  // namespace

std::vector<std::int64_t> checked_batch_sizes(const Tensor& data, const Tensor& batch_sizes) {
  TERN_CHECK(batch_sizes.dtype() == kLong && batch_sizes.dim() == 1 && batch_sizes.numel() > 0,
             ShapeError, "batch_sizes must be a 1-d int64 tensor that is not empty, got ",
             batch_sizes.scalar_type(), " of sizes ", batch_sizes.sizes());
  const Tensor dense = batch_sizes.contiguous();
  const auto* const first = static_cast<const std::int64_t*>(dense.data_ptr());
  std::vector<std::int64_t> sizes(first, first + dense.numel());
  std::int64_t total = 0;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    TERN_CHECK(sizes[t] > 0 && (t == 0 || sizes[t] <= sizes[t - 1]), ShapeError,
               "batch_sizes must be positive and must not grow, got ", sizes[t], " at step ", t);
    if (__builtin_add_overflow(total, sizes[t], &total)) total = INT64_MAX;
  }
  TERN_CHECK(total == data.size(0), ShapeError, "batch_sizes add up to ", total,
             ", but the packed data has ", data.size(0), " rows");
  return sizes;
}

RecurrentSteps::RecurrentSteps(ArrayRef<std::int64_t> sizes)
    : count_(static_cast<std::int64_t>(sizes.size())), batch_(sizes[0]), starts_{0} {
  for (const std::int64_t size : sizes) starts_.push_back(starts_.back() + size);
}

Tensor RecurrentSteps::starts_on(Device device) const {
  if (starts_.empty()) return {};
  return copy_of_host(tensor(starts_, TensorOptions(kLong).device(kCPU)), device);
}

RecurrentResult run_recurrent_layer(const RecurrentLayer& layer, const Tensor& input,
                                    const Tensor& first_h, const Tensor& first_c,
                                    const RecurrentWeights& weights) {
  if (input.dtype() == kHalf || input.dtype() == kBFloat16) {
    return run_narrow_layer(layer, input, first_h, first_c, weights);
  }
  // A kernel with projections would have a second product in each step and one more matrix to keep:
  // few programs use them.
  if (weights.w_hr.defined()) {
    return compose_recurrent_layer(layer, input, first_h, first_c, weights);
  }
  const bool recorded = autograd::needs_grad(input, first_h, first_c, weights.w_ih, weights.w_hh,
                                             weights.b_ih, weights.b_hh);
  std::vector<Tensor> saved = {input,        first_h,      first_c,     weights.w_ih,
                               weights.w_hh, weights.b_ih, weights.b_hh};
  saved.resize(kSavedOfLayer);
  RecurrentResult result;
  {
    const NoGradGuard no_grad;
    if (!run_in_library(layer, saved, recorded, result, saved[kReserve])) {
      result = run_kernel(layer, saved, recorded);
    }
  }
  if (recorded) {
    const std::initializer_list<const Tensor*> inputs = {
        &input, &first_h, &first_c, &weights.w_ih, &weights.w_hh, &weights.b_ih, &weights.b_hh};
    RecurrentRule rule{layer, {}};
    for (std::size_t i = 0; i < kInputs; ++i) {
      rule.wants[i] = autograd::needs_grad(**(inputs.begin() + i));
    }
    const auto record_all = [&](std::initializer_list<const Tensor*> outputs) {
      record_outputs(kLayerNodes[static_cast<std::size_t>(layer.cell)], outputs, inputs,
                     {&input, &first_h, &first_c, &weights.w_ih, &weights.w_hh, &weights.b_ih,
                      &weights.b_hh, &saved[kGates], &result.out, &saved[kCells], &saved[kReserve]},
                     [rule](const std::vector<Tensor>& gradients, const std::vector<Tensor>& kept) {
                       return recurrent_gradients(rule, gradients, kept);
                     });
    };
    if (layer.cell == RecurrentCell::kLstm) {
      record_all({&result.out, &result.h, &result.c});
    } else {
      record_all({&result.out, &result.h});
    }
  }
  return result;
}

}  // namespace tern::detail
