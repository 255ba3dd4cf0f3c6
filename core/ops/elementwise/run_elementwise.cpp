#include <algorithm>
#include <string>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/running_module.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::detail {
namespace {

using kernels::ElementwiseArgs;
using kernels::kMaxDims;

constexpr std::size_t kMaxInputs = 3;

// The broadcast sizes, and the strides of all operands, before dimensions are merged. Index 0 is
// the output; the inputs follow.
struct Plan {
  DimVector sizes;
  DimVector strides[kMaxInputs + 1];
};

// Copies the plan to the kernel's arguments. Leaves out dimensions of size 1 and merges neighbours
// that every operand walks with a single stride.
void store_plan(const Plan& plan, std::size_t operands, ElementwiseArgs& args) {
  int ndim = 0;
  const auto stride_of = [&args](std::size_t k) {
    return k == 0 ? args.out_strides : args.in_strides[k - 1];
  };
  for (std::size_t d = 0; d < plan.sizes.size(); ++d) {
    if (plan.sizes[d] == 1) continue;
    bool merges = ndim > 0;
    for (std::size_t k = 0; merges && k < operands; ++k) {
      merges = stride_of(k)[ndim - 1] == plan.strides[k][d] * plan.sizes[d];
    }
    if (!merges) ++ndim;
    args.sizes[ndim - 1] = merges ? args.sizes[ndim - 1] * plan.sizes[d] : plan.sizes[d];
    for (std::size_t k = 0; k < operands; ++k) stride_of(k)[ndim - 1] = plan.strides[k][d];
  }
  args.ndim = ndim;
}

// Sorts the dimensions of the plan by the output's strides, the fastest last, so that a transposed
// operand is walked along its own rows.
void sort_by_output(Plan& plan, std::size_t operands) {
  const std::size_t ndim = plan.sizes.size();
  for (std::size_t i = 1; i < ndim; ++i) {
    for (std::size_t j = i; j > 0 && plan.strides[0][j - 1] < plan.strides[0][j]; --j) {
      std::swap(plan.sizes[j - 1], plan.sizes[j]);
      for (std::size_t k = 0; k < operands; ++k) {
        std::swap(plan.strides[k][j - 1], plan.strides[k][j]);
      }
    }
  }
}

// Returns the strides that PyTorch gives a new result. `tensors` are null for numbers.
DimVector result_strides(const Plan& plan, const Tensor* const* tensors, std::size_t count) {
  const IntArrayRef sizes = plan.sizes;
  bool same_sizes = true, contiguous = true, channels_last = true;
  IntArrayRef strides[kMaxInputs];
  for (std::size_t k = 0; k < count; ++k) {
    strides[k] = plan.strides[k + 1];
    same_sizes = same_sizes && tensors[k] != nullptr && tensors[k]->sizes() == sizes;
    contiguous = contiguous && is_contiguous(sizes, strides[k]);
    channels_last = channels_last && has_format(sizes, strides[k], MemoryFormat::ChannelsLast);
  }
  if (same_sizes && contiguous) return contiguous_strides(sizes);
  if (same_sizes && channels_last) return format_strides(sizes, MemoryFormat::ChannelsLast);
  const DimVector order = order_of_dims(sizes, ArrayRef<IntArrayRef>(strides, count));
  return strides_in_order(sizes, order);
}

bool overlaps_partly(const Tensor& a, const Tensor& out) {
  if (!a.is_alias_of(out)) return false;
  return a.storage_offset() != out.storage_offset() || a.sizes() != out.sizes() ||
         a.strides() != out.strides();
}

void check_output(const Tensor& out, IntArrayRef sizes, ScalarType dtype) {
  TERN_CHECK(out.sizes() == sizes, ShapeError, "output with shape ", out.sizes(),
             " doesn't match the broadcast shape ", sizes);
  TERN_CHECK(can_cast(dtype, out.dtype()), DTypeError, "result type ", dtype,
             " can't be cast to the desired output type ", out.scalar_type());
}

}  // namespace

kernels::Immediate to_immediate(const Scalar& scalar) {
  return scalar.is_floating_point()
             ? kernels::Immediate{scalar.toDouble(), static_cast<std::int64_t>(scalar.toDouble())}
             : kernels::Immediate{static_cast<double>(scalar.toLong()), scalar.toLong()};
}

namespace {

void check_scale(const ElementwiseCall& call) {
  const bool exact = is_floating_point(call.dtype) && !kernels::rounds_numbers(call.op);
  check_representable(call.scale, exact ? kernels::math_dtype(call.dtype) : call.dtype);
}

constexpr std::size_t kScale = kMaxInputs;  // the position of the scale among the arguments

// Returns a number argument of the call, rounded to the dtype where the op does so.
kernels::Immediate argument(const ElementwiseCall& call, std::size_t position,
                            const Scalar& scalar) {
  const kernels::Immediate exact = to_immediate(scalar);
  const bool rounds = position == 0 || kernels::rounds_numbers(call.op);
  if (!kernels::is_narrow(call.dtype) || !rounds) return exact;
  return visit_dtype(call.dtype, [&](auto tag) -> kernels::Immediate {
    const auto rounded = kernels::immediate_value<typename decltype(tag)::type>(exact);
    return {static_cast<double>(rounded), static_cast<std::int64_t>(rounded)};
  });
}

}  // namespace

void require_all(const char* name, kernels::RequireOp op, const Tensor& values) {
  if (values.numel() == 0) return;
  const Tensor dense = values.detach().to(kernels::math_dtype(values.dtype())).contiguous();
  const kernels::RequireArgs args{op, dense.dtype(), dense.numel(), dense.data_ptr()};
  kernels::run(name, dense.device(), dense.dtype(), args);
}

void check_representable(const Scalar& value, ScalarType dtype) {
  if (value.is_floating_point() != is_floating_point(dtype) || dtype == kBool) return;
  check_fits(value, dtype);
}

void check_fits(const Scalar& value, ScalarType dtype) {
  visit_dtype(dtype,
              [&value](auto tag) { static_cast<void>(value.to<typename decltype(tag)::type>()); });
}

Tensor as_element_of(const Tensor& self, const Tensor& value) {
  if (value.dtype() != self.dtype() && value.is_cpu()) check_fits(value.item(), self.dtype());
  const NoGradGuard no_grad;
  return value.detach().to(self.device(), self.dtype());
}

namespace {

// `argument` of the CUDA kernel `method` is to blame, if known.
[[noreturn]] __attribute__((cold)) void throw_two_devices(Device a, Device b,
                                                          const char* method = nullptr,
                                                          const char* argument = nullptr) {
  const std::string blamed = method == nullptr
                                 ? ""
                                 : text_of(" (when checking argument for argument ", argument,
                                           " in method wrapper_CUDA_", method, ")");
  const char* hint =
      running_modules_may_hold_plain_tensors()
          ? "\n  (inputs are moved with to(device); a tensor that is a plain member does not move "
            "with its module, one given to register_buffer does)"
          : "";
  raise<DeviceError>(
      "Expected all tensors to be on the same device, but found at least two devices, ", a, " and ",
      b, "!", blamed, hint);
}

// Names the first two devices in the order of the arguments. The argument that differs from all
// others is to blame; of two arguments the second, as in PyTorch.
[[noreturn]] __attribute__((cold)) void throw_two_devices(
    const char* method, std::initializer_list<const Tensor*> tensors,
    std::initializer_list<const char*> names) {
  std::vector<std::pair<Device, const char*>> present;
  auto name = names.begin();
  for (const Tensor* tensor : tensors) {
    if (tensor->defined()) present.emplace_back(tensor->device(), *name);
    ++name;
  }
  const auto is_elsewhere = [home = present[0].first](const auto& argument) {
    return !(argument.first == home);
  };
  const auto other = std::find_if(present.begin(), present.end(), is_elsewhere);
  const bool first_is_alone = present.size() > 2 && other == present.begin() + 1 &&
                              std::all_of(other, present.end(), is_elsewhere);
  throw_two_devices(present[0].first, other->first, method,
                    first_is_alone ? present[0].second : other->second);
}

}  // namespace

Device common_device(std::initializer_list<Operand> operands) {
  const Tensor* first = nullptr;
  for (const Operand& operand : operands) {
    if (!operand.is_tensor()) continue;
    const Tensor& tensor = operand.tensor();
    if (first == nullptr) {
      first = &tensor;
    } else if (!(tensor.device() == first->device())) {
      const bool first_is_free = first->dim() == 0 && first->is_cpu();
      const bool this_is_free = tensor.dim() == 0 && tensor.is_cpu();
      if (!first_is_free && !this_is_free) throw_two_devices(first->device(), tensor.device());
      if (first_is_free) first = &tensor;
    }
  }
  TERN_ASSERT(first != nullptr);
  return first->device();
}

void throw_not_implemented(const char* name, ScalarType dtype,
                           std::initializer_list<Operand> operands) {
  raise<NotImplementedError>('"', name, '_', common_device(operands).type(),
                             "\" not implemented for '", dtype, '\'');
}

void check_same_device(const char* method, std::initializer_list<const Tensor*> tensors,
                       std::initializer_list<const char*> names) {
  const Tensor* first = nullptr;
  for (const Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    if (first == nullptr) first = tensor;
    if (!(tensor->device() == first->device())) throw_two_devices(method, tensors, names);
  }
}

namespace {

ScalarType wanted_dtype(const ElementwiseCall& call, std::size_t k) {
  return call.op == kernels::ElementwiseOp::where_op && k == 0 ? kBool : call.dtype;
}

// Returns the operand that gives the result its shape if nothing must be cast, moved, broadcast or
// reordered; otherwise null.
const Tensor* plain_shape(const ElementwiseCall& call, std::initializer_list<Operand> operands,
                          const Tensor& out) {
  const Tensor* shape = out.defined() ? &out : nullptr;
  if (shape != nullptr && (!out.is_contiguous() || out.dtype() != call.out_dtype())) return nullptr;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands.begin()[k];
    if (!operand.is_tensor()) continue;
    const Tensor& tensor = operand.tensor();
    if (!tensor.is_contiguous() || tensor.dtype() != wanted_dtype(call, k)) return nullptr;
    if (shape == nullptr) {
      shape = &tensor;
    } else if (!(tensor.device() == shape->device()) || tensor.sizes() != shape->sizes()) {
      return nullptr;
    }
    if (out.defined() && tensor.is_alias_of(out) &&
        tensor.storage_offset() != out.storage_offset()) {
      return nullptr;
    }
  }
  return shape;
}

bool all_tensors(std::initializer_list<Operand> operands) {
  return std::all_of(operands.begin(), operands.end(),
                     [](const Operand& operand) { return operand.is_tensor(); });
}

Tensor run_plain(const ElementwiseCall& call, std::initializer_list<Operand> operands,
                 const Tensor& shape, const Tensor& out) {
  const Device device = shape.device();
  Tensor result = out.defined() ? out : make_like(shape, call.out_dtype(), device);
  // Strides of a channels-last image that is also row-major stay only beside numbers, as in
  // PyTorch.
  if (!out.defined() && shape.dim() >= 4 && all_tensors(operands)) {
    result.self().strides = contiguous_strides(shape.sizes());
  }
  ElementwiseArgs args;
  args.ndim = 1;
  args.sizes[0] = result.numel();
  if (args.sizes[0] == 0) return result;
  args.op = call.op;
  args.dtype = call.dtype;
  args.inputs = static_cast<std::int32_t>(operands.size());
  check_scale(call);
  args.scale = argument(call, kScale, call.scale);
  args.out = result.data_ptr();
  args.out_strides[0] = 1;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands.begin()[k];
    const bool is_tensor = operand.is_tensor();
    args.in[k] = is_tensor ? operand.tensor().data_ptr() : nullptr;
    args.in_strides[k][0] = is_tensor ? 1 : 0;
    if (!is_tensor) args.immediate[k] = argument(call, k, operand.scalar());
  }
  kernels::run(call.name, device, call.dtype, args);
  return result;
}

}  // namespace

Tensor run_elementwise(const ElementwiseCall& call, std::initializer_list<Operand> operands,
                       const Tensor& out) {
  if (const Tensor* shape = plain_shape(call, operands, out)) {
    return run_plain(call, operands, *shape, out);
  }
  const Operand* inputs = operands.begin();
  const std::size_t count = operands.size();
  const Device device = common_device(operands);
  if (out.defined() && !(out.device() == device)) {
    throw_two_devices(out.device(), device);  // a 0-d host tensor cannot hold a GPU result
  }
  const ScalarType out_dtype = call.out_dtype();

  ElementwiseArgs args;
  args.op = call.op;
  args.dtype = call.dtype;
  args.inputs = static_cast<std::int32_t>(count);
  check_scale(call);
  args.scale = argument(call, kScale, call.scale);

  // Operands in the common dtype; casts and 0-d CPU tensors become temporaries or immediates.
  Tensor casts[kMaxInputs];
  const Tensor* tensors[kMaxInputs];
  for (std::size_t k = 0; k < count; ++k) {
    tensors[k] = nullptr;
    args.in[k] = nullptr;
    if (!inputs[k].is_tensor()) {
      args.immediate[k] = argument(call, k, inputs[k].scalar());
      continue;
    }
    const Tensor* tensor = &inputs[k].tensor();
    const ScalarType wanted = wanted_dtype(call, k);
    if (tensor->dim() == 0 && tensor->is_cpu() && (!device.is_cpu() || tensor->dtype() != wanted)) {
      args.immediate[k] = argument(call, k, tensor->item());
      continue;
    }
    if (tensor->dtype() != wanted || (out.defined() && overlaps_partly(*tensor, out))) {
      const AutoGradMode no_grad(false);
      casts[k] = tensor->to(wanted, /*non_blocking=*/false, /*copy=*/true);
      tensor = &casts[k];
    }
    tensors[k] = tensor;
  }

  // A result whose dtype is not that of `out` goes through a temporary.
  if (out.defined() && out.dtype() != out_dtype) {
    const Tensor result = run_elementwise(call, operands);
    check_output(out, result.sizes(), out_dtype);
    out.detach().copy_(result);
    return out;
  }

  Plan plan;
  for (std::size_t k = 0; k < count; ++k) {
    if (!inputs[k].is_tensor()) continue;
    plan.sizes = broadcast_sizes(plan.sizes, inputs[k].tensor().sizes());
  }
  if (out.defined()) check_output(out, plan.sizes, out_dtype);
  for (std::size_t k = 0; k < count; ++k) {
    if (tensors[k] == nullptr) {
      plan.strides[k + 1].resize(plan.sizes.size(), 0);
      continue;
    }
    plan.strides[k + 1] = broadcast_strides(tensors[k]->sizes(), tensors[k]->strides(), plan.sizes);
  }
  Tensor result = out.defined() ? out
                                : make_tensor(plan.sizes, result_strides(plan, tensors, count),
                                              out_dtype, device);
  if (result.numel() == 0) return result;
  TERN_CHECK(plan.sizes.size() <= static_cast<std::size_t>(kMaxDims), ShapeError,
             "tensors may have up to ", kMaxDims, " dimensions, got ", plan.sizes.size());

  plan.strides[0] = result.self().strides;
  args.out = result.data_ptr();
  for (std::size_t k = 0; k < count; ++k) {
    if (tensors[k] != nullptr) args.in[k] = tensors[k]->data_ptr();
  }
  sort_by_output(plan, count + 1);
  store_plan(plan, count + 1, args);
  kernels::run(call.name, device, call.dtype, args);
  return result;
}

}  // namespace tern::detail
