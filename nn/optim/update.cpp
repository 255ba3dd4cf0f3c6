#include <utility>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/creation.h>
#include <tern/nn/optim/update.h>

namespace tern::optim::detail {

namespace {

Tensor contiguous_of(const Tensor& tensor) {
  return tensor.is_contiguous() ? tensor : tensor.detach().contiguous();
}

}  // namespace

Update::Update(const char* op, const Tensor& parameter_)
    : parameter(parameter_),
      values(contiguous_of(parameter_)),
      grad(contiguous_of(parameter_.grad())) {
  TERN_CHECK(grad.sizes() == parameter.sizes(), ShapeError, op, ": the gradient of size ",
             grad.sizes(), " does not fit its parameter of size ", parameter.sizes());
  TERN_CHECK(grad.dtype() == parameter.dtype(), DTypeError, op, ": the gradient of dtype ",
             grad.dtype(), " does not fit its parameter of dtype ", parameter.dtype());
  TERN_CHECK(grad.device() == parameter.device(), DeviceError, op, ": the gradient is on ",
             grad.device(), ", its parameter on ", parameter.device());
}

void Update::finish() {
  if (parameter.is_contiguous()) {
    parameter.self().storage->bump_version();
  } else {
    parameter.copy_(values);
  }
}

void follow(Tensor& state, const Tensor& parameter) {
  if (state.defined() && same_kind(state, parameter)) return;
  TERN_CHECK(
      !kernels::is_capturing(parameter.device()), Error,
      "the first step of a parameter cannot be captured: every replay would start from zeros "
      "again. Take a step before the capture");
  if (!state.defined()) {
    state = zeros(parameter.sizes(), parameter.options());
  } else {
    state = state.to(parameter.device(), parameter.dtype());
  }
}

const double* graph_lr(std::weak_ptr<Optimizer*> optimizer, std::size_t group, double lr,
                       Device device, std::function<void(const Optimizer&)> check) {
  kernels::GraphCapture* const capture = kernels::capture_on(device);
  if (capture == nullptr) return nullptr;
  const auto lr_now = [optimizer = std::move(optimizer), group, lr,
                       check = std::move(check)]() mutable {
    if (const auto alive = optimizer.lock()) {
      if (check) check(**alive);
      lr = (*alive)->param_groups().at(group).options().get_lr();
    }
    return lr;
  };
  return capture->graph_number(device.index(), lr_now);
}

Tensor run_closure(const Optimizer::LossClosure& closure) {
  if (!closure) return Tensor();
  const AutoGradMode enable_grad(true);
  return closure();
}

}  // namespace tern::optim::detail
