#include <utility>

#include <tern/core/ops/create/creation.h>
#include <tern/nn/optim/detail/captured_step.h>
#include <tern/nn/optim/detail/update.h>

namespace tern::optim::detail {

Update::Update(const char* name, const Tensor& parameter_, Tensor gradient)
    : parameter(parameter_), grad(std::move(gradient)) {
  TERN_CHECK(grad.sizes() == parameter.sizes(), ShapeError, name, ": the gradient of size ",
             grad.sizes(), " does not fit its parameter of size ", parameter.sizes());
  TERN_CHECK(grad.dtype() == parameter.dtype(), DTypeError, name, ": the gradient of dtype ",
             grad.scalar_type(), " does not fit its parameter of dtype ", parameter.scalar_type());
  TERN_CHECK(grad.device() == parameter.device(), DeviceError, name, ": the gradient is on ",
             grad.device(), ", its parameter on ", parameter.device());
  if (!grad.is_contiguous()) grad = grad.detach().contiguous();
  if (!parameter.is_contiguous()) values = parameter.detach().contiguous();
}

void Update::set_state(const char* name, const StateFields& fields, std::uint32_t states,
                       const double* initial) {
  step = fields.step;
  device_step = fields.device_step;
  floats = fields.floats;
  for (std::size_t k = 0; k < kernels::kMaxOptimStates; ++k) {
    if ((states >> k & 1) == 0) continue;
    Tensor& now = *fields.tensors[k];
    const Tensor* used = &now;
    TERN_CHECK(!now.defined() || now.sizes() == parameter.sizes(), ShapeError, name,
               ": the state of size ", now.sizes(),
               " does not fit its parameter, which now has size ", parameter.sizes(),
               ". Make a new optimizer for it");
    if (!now.defined() || !same_kind(now, parameter) || !now.is_contiguous()) {
      refuse_capture_of_first_step(parameter.device());
      fresh.emplace_back(&now, now.defined()
                                   ? now.to(parameter.device(), parameter.dtype()).contiguous()
                                   : full(parameter.sizes(), initial[k], parameter.options()));
      used = &fresh.back().second;
    }
    state_data[k] = used->data_ptr();
  }
}

void Update::append_to(kernels::OptimArgs& args) const {
  const auto i = static_cast<std::size_t>(args.count++);
  args.param[i] = values.defined() ? values.data_ptr() : parameter.data_ptr();
  args.grad[i] = grad.data_ptr();
  for (std::size_t k = 0; k < kernels::kMaxOptimStates; ++k) args.state[k][i] = state_data[k];
  args.numel[i] = parameter.numel();
}

void Update::finish() {
  if (values.defined()) {
    Tensor(parameter).copy_(values);
  } else {
    parameter.self().storage->bump_version();
  }
  for (auto& [tensor, replacement] : fresh) *tensor = std::move(replacement);
}

}  // namespace tern::optim::detail
