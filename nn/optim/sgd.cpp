#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/optim.h>
#include <tern/core/ops/creation.h>
#include <tern/nn/optim/sgd.h>
#include <tern/nn/optim/update.h>

namespace tern::optim {

SGDOptions::SGDOptions(double lr_value) { lr(lr_value); }

void SGDOptions::check() const {
  TERN_CHECK(lr() >= 0, Error, "Invalid learning rate: ", lr());
  TERN_CHECK(momentum() >= 0, Error, "Invalid momentum value: ", momentum());
  TERN_CHECK(weight_decay() >= 0, Error, "Invalid weight_decay value: ", weight_decay());
  TERN_CHECK(!nesterov() || (momentum() > 0 && dampening() == 0), Error,
             "Nesterov momentum requires a momentum and zero dampening");
}

SGD::SGD(std::vector<OptimizerParamGroup> param_groups, const SGDOptions& defaults)
    : Optimizer(std::move(param_groups), defaults.clone()) {}
SGD::SGD(std::vector<Tensor> params, const SGDOptions& defaults)
    : Optimizer(std::move(params), defaults.clone()) {}

std::unique_ptr<OptimizerParamState> SGD::make_param_state() const {
  return std::make_unique<SGDParamState>();
}

namespace {

struct SgdUpdate : detail::Update {
  explicit SgdUpdate(const Tensor& param) : Update("SGD", param) {}
  Tensor buffer;  // undefined without momentum
  bool first = false;
};

kernels::SgdArgs args_of(const SGDOptions& options, const Tensor& like) {
  kernels::SgdArgs args{};
  args.dtype = like.dtype();
  args.nesterov = options.nesterov();
  args.maximize = options.maximize();
  args.lr = options.lr();
  args.momentum = options.momentum();
  args.dampening = options.dampening();
  args.weight_decay = options.weight_decay();
  return args;
}

void append(kernels::SgdArgs& args, const SgdUpdate& update) {
  const auto k = static_cast<std::size_t>(args.count++);
  args.param[k] = update.values.data_ptr();
  args.grad[k] = update.grad.data_ptr();
  args.momentum_buffer[k] = update.buffer.defined() ? update.buffer.data_ptr() : nullptr;
  args.first[k] = update.first;
  args.numel[k] = update.parameter.numel();
}

}  // namespace

Tensor SGD::step(LossClosure closure) {
  Tensor loss = detail::run_closure(closure);
  const NoGradGuard no_grad;
  for (std::size_t index = 0; index < param_groups_.size(); ++index) {
    OptimizerParamGroup& group = param_groups_[index];
    const auto& options = static_cast<const SGDOptions&>(group.options());
    const auto buffer_of = [this](const SgdUpdate& update) -> Tensor& {
      return static_cast<SGDParamState&>(state_of(update.parameter)).momentum_buffer();
    };
    std::vector<SgdUpdate> updates;
    for (const Tensor& parameter : group.params()) {
      if (!parameter.grad().defined()) continue;
      SgdUpdate& update = updates.emplace_back(parameter);
      if (options.momentum() == 0) continue;
      update.buffer = buffer_of(update);
      update.first = !update.buffer.defined();
      detail::follow(update.buffer, parameter);
    }
    const auto alike = [](const SgdUpdate& a, const SgdUpdate& b) {
      return detail::same_kind(a.parameter, b.parameter);
    };
    detail::for_each_batch(updates, alike, [&](std::size_t begin, std::size_t end) {
      const Tensor& like = updates[begin].parameter;
      kernels::SgdArgs args = args_of(options, like);
      args.device_lr = detail::graph_lr(handle(), index, args.lr, like.device());
      for (std::size_t i = begin; i < end; ++i) append(args, updates[i]);
      kernels::run("SGD", like.device(), like.dtype(), args);
      for (std::size_t i = begin; i < end; ++i) {
        updates[i].finish();
        if (updates[i].buffer.defined()) buffer_of(updates[i]) = updates[i].buffer;
      }
    });
  }
  return loss;
}

}  // namespace tern::optim
