// Compiled for size.

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/recurrent_layer.h>
#include <tern/core/ops/common/detail/host_copy.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/nn/detail/normalize_backward.h>
#include <tern/core/ops/nn/detail/recurrent_library.h>
#include <tern/core/ops/ops.h>

// cuDNN has no layer that runs backward in time alone, but such layers are one half of every
// network with two directions. Reordering the rows before and after the call, so that each sequence
// begins with its last row, costs two copies; the own kernels would need several launches for each
// step.

namespace tern::detail {
namespace {

using kernels::RecurrentLayerArgs;
using kernels::RecurrentLayerOp;
using kernels::StatusCode;

/// A call of the library, and the tensors to which its arguments point.
class LibraryCall {
 public:
  LibraryCall(const RecurrentLayer& layer, const std::vector<Tensor>& saved, bool is_training)
      : layer_(layer),
        device_(saved[kInput].device()),
        backend_(kernels::backend_of(device_.type())),
        kernel_(backend_.kernels()[kSlot]) {
    const RecurrentSteps& steps = layer.steps;
    args.cell = layer.cell;
    args.dtype = saved[kInput].dtype();
    args.may_round_to_tf32 = backends::cudnn.allow_tf32 ? 1 : 0;
    args.is_training = is_training ? 1 : 0;
    args.steps = steps.count();
    args.batch = steps.batch();
    args.rows = steps.rows();
    args.inputs = saved[kInput].size(1);
    args.hidden = saved[kFirstH].size(1);
    args.host_starts = steps.host_starts();
    args.b_ih = data_or_null(saved[kBIh]);  // ask() reads whether there are biases
  }

  /// Returns the bytes of the reserve, or -1 if the library does not take the layer.
  std::int64_t ask() {
    std::int64_t answer = -1;
    if (kernel_ == nullptr || args.rows == 0) return answer;
    kernels::KernelContext context = make_context();
    args.op = RecurrentLayerOp::kAsk;
    args.answer = &answer;
    kernel_(&args, &context);
    args.answer = nullptr;
    args.reserve_bytes = answer;
    return answer;
  }

  /// Returns false if the library lacks memory or turns out not to take the layer.
  bool run(RecurrentLayerOp op, const std::vector<Tensor>& saved) {
    args.op = op;
    args.starts = static_cast<const std::int64_t*>(read(layer_.steps.starts_on(device_)));
    args.input = read(in_time(saved[kInput]));
    args.first_h = read(saved[kFirstH]);
    args.first_c = read(saved[kFirstC]);
    args.w_ih = read(saved[kWIh]);
    args.w_hh = read(saved[kWHh]);
    args.b_ih = read(saved[kBIh]);
    args.b_hh = read(saved[kBHh]);
    kernels::KernelContext context = make_context();
    if (is_profiled()) {
      kernels::detail::run_profiled(backend_, kernel_, kSlot, device_.type(), &args, &context);
    } else {
      kernel_(&args, &context);
    }
    if (context.status == StatusCode::kOk) return true;
    if (context.status == StatusCode::kOutOfMemory) {
      note_shortage();
    } else if (context.status != StatusCode::kUnsupportedDtype) {
      kernels::detail::throw_status("recurrent", kSlot, args.dtype, device_.type(), context);
    }
    return false;
  }

  /// Returns memory for the reserve; undefined if there is none.
  Tensor make_reserve() const {
    try {
      return make_tensor({args.reserve_bytes}, kByte, device_);
    } catch (const OutOfMemoryError&) {
      note_shortage();
      return {};
    }
  }

  /// Returns the address of a tensor that the call reads, or null.
  const void* read(const Tensor& tensor) {
    kept_.push_back(contiguous_or_undefined(tensor));
    return data_or_null(kept_.back());
  }

  /// Reverses the rows of each sequence if the layer runs backward in time. Reverts itself.
  Tensor in_time(const Tensor& rows) {
    const RecurrentSteps& steps = layer_.steps;
    if (!layer_.reverse) return rows;
    if (!steps.is_packed()) {
      return flip(rows.reshape({steps.count(), steps.batch(), rows.size(1)}), 0)
          .reshape(rows.sizes());
    }
    if (!order_.defined()) {
      order_ = make_tensor({steps.rows()}, kLong, kCPU);
      auto* const at = static_cast<std::int64_t*>(order_.data_ptr());
      for (std::int64_t b = 0, length = steps.count(); b < steps.batch(); ++b) {
        while (steps.size(length - 1) <= b) --length;
        for (std::int64_t t = 0; t < length; ++t) {
          at[steps.start(t) + b] = steps.start(length - 1 - t) + b;
        }
      }
      order_ = copy_of_host(order_, device_);
    }
    return index_select(rows, 0, order_);
  }

  RecurrentLayerArgs args{};

 private:
  static constexpr kernels::Slot kSlot = kernels::Slot::recurrent_layer;

  static void note_shortage() {
    const ProfileScope point(ProfileKind::kRange,
                             "recurrent layer without cuDNN: no memory for its workspace");
  }

  kernels::KernelContext make_context() const {
    kernels::KernelContext context;
    context.device = device_.index();
    context.stream = backend_.stream(device_.index());
    return context;
  }

  const RecurrentLayer& layer_;
  Device device_;
  kernels::Backend& backend_;
  kernels::KernelFn kernel_;
  Tensor order_;  // of the rows of a packed batch
  std::vector<Tensor> kept_;
};

Tensor new_like(const Tensor& tensor) {
  return tensor.defined() ? make_tensor(tensor.sizes(), tensor.dtype(), tensor.device()) : tensor;
}

}  // namespace

bool run_in_library(const RecurrentLayer& layer, const std::vector<Tensor>& saved, bool is_training,
                    RecurrentResult& result, Tensor& reserve) {
  const backends::CudnnSettings& settings = backends::cudnn;
  const Device device = saved[kInput].device();
  // cuDNN's sums for these layers may depend on what else runs on the GPU.
  if (!device.is_cuda() || !settings.enabled || settings.deterministic ||
      are_deterministic_algorithms_enabled()) {
    return false;
  }
  LibraryCall call(layer, saved, is_training);
  if (call.ask() < 0) return false;
  const Tensor kept = is_training ? call.make_reserve() : Tensor();
  if (is_training && !kept.defined()) return false;
  const Tensor h = new_like(saved[kFirstH]), c = new_like(saved[kFirstC]);
  const Tensor out = make_tensor({layer.steps.rows(), h.size(1)}, h.dtype(), device);
  call.args.out = out.data_ptr();
  call.args.h = h.data_ptr();
  call.args.c = data_or_null(c);
  call.args.reserve = data_or_null(kept);
  if (!call.run(RecurrentLayerOp::kForward, saved)) return false;
  result = {call.in_time(out), h, c};
  reserve = kept;
  return true;
}

bool differentiate_in_library(const RecurrentLayer& layer, const std::vector<Tensor>& saved,
                              const std::vector<Tensor>& gradients, bool wants_parameters,
                              std::vector<Tensor>& results) {
  LibraryCall call(layer, saved, true);
  const Tensor& reserve = saved[kReserve];
  call.args.reserve_bytes = reserve.numel();
  // The library overwrites the reserve, and backward() may run again.
  const Tensor own = call.make_reserve();
  if (!own.defined()) return false;
  copy_elements(own, reserve);
  Tensor grad_out = gradients[0];
  if (!grad_out.defined()) grad_out = new_like(saved[kOut]).fill_(0);
  void* addresses[kInputsOfLayer] = {};
  for (std::size_t i = 0; i < kInputsOfLayer; ++i) {
    if (i >= kWIh && !wants_parameters) break;
    results[i] = new_like(saved[i]);
    addresses[i] = data_or_null(results[i]);
  }
  RecurrentLayerArgs& args = call.args;
  args.reserve = own.data_ptr();
  args.saved_out = call.read(call.in_time(saved[kOut]));
  args.grad_out = call.read(call.in_time(grad_out));
  args.grad_h = call.read(gradients[1]);
  if (gradients.size() > 2) args.grad_c = call.read(gradients[2]);
  args.grad_input = addresses[kInput];
  args.grad_first_h = addresses[kFirstH];
  args.grad_first_c = addresses[kFirstC];
  args.grad_w_ih = addresses[kWIh];
  args.grad_w_hh = addresses[kWHh];
  args.grad_b_ih = addresses[kBIh];
  args.grad_b_hh = addresses[kBHh];
  if (!call.run(RecurrentLayerOp::kBackward, saved)) return false;
  results[kInput] = call.in_time(results[kInput]);
  return true;
}

}  // namespace tern::detail
