#include <algorithm>
#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/optim/detail/captured_step.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/strong_wolfe.h>
#include <tern/nn/optim/lbfgs.h>

namespace tern::optim {

LBFGSOptions::LBFGSOptions() = default;
LBFGSOptions::LBFGSOptions(double lr_value) { lr(lr_value); }

template class OptimizerCloneableOptions<LBFGSOptions>;
template class OptimizerCloneableParamState<LBFGSParamState>;

void LBFGSOptions::check() const {
  OptimizerOptions::check();
  TERN_CHECK(!line_search_fn() || *line_search_fn() == "strong_wolfe", Error,
             "only 'strong_wolfe' is supported, got '", *line_search_fn(), "'");
}

// --- State ---------------------------------------------------------------------------------------

namespace {

Tensor flat_copy(const State& state, const char* name, const Tensor& parameter) {
  return state.to<Tensor>(name).detach().to(parameter.device(), parameter.dtype(),
                                            /*non_blocking=*/false, /*copy=*/true);
}

}  // namespace

State LBFGSParamState::save() const {
  const auto list = [](const std::vector<Tensor>& tensors) {
    return State::list({tensors.begin(), tensors.end()});
  };
  State state, factors = State::list();
  state.insert("func_evals", func_evals_);
  state.insert("n_iter", n_iter_);
  if (!d_.defined()) return state;
  for (const double factor : ro_) factors.push_back(full({}, factor, d_.options()));
  state.insert("d", d_);
  state.insert("t", t_);
  state.insert("old_dirs", list(old_dirs_));
  state.insert("old_stps", list(old_stps_));
  state.insert("ro", std::move(factors));
  state.insert("H_diag", full({}, H_diag_, d_.options()));
  state.insert("prev_flat_grad", prev_flat_grad_);
  state.insert("prev_loss", prev_loss_);
  return state;
}

void LBFGSParamState::load(const State& state, const Tensor& parameter) {
  func_evals_ = state.get<std::int64_t>("func_evals");
  n_iter_ = state.get<std::int64_t>("n_iter");
  const State* direction = state.find("d");
  if (direction == nullptr || direction->is_null()) return;
  const auto list = [&](const char* name, std::vector<Tensor>& tensors) {
    tensors.clear();
    for (const State& tensor : state[name].elements()) {
      tensors.push_back(flat_copy(tensor, name, parameter));
    }
  };
  d_ = flat_copy(*direction, "d", parameter);
  t_ = detail::saved_number(state["t"], "t");
  list("old_dirs", old_dirs_);
  list("old_stps", old_stps_);
  ro_.clear();
  for (const State& factor : state["ro"].elements())
    ro_.push_back(detail::saved_number(factor, "ro"));
  H_diag_ = detail::saved_number(state["H_diag"], "H_diag");
  prev_flat_grad_ = flat_copy(state["prev_flat_grad"], "prev_flat_grad", parameter);
  prev_loss_ = detail::saved_number(state["prev_loss"], "prev_loss");
}

void LBFGSParamState::check() const {
  TERN_CHECK(n_iter_ == 0 || d_.defined(), Error, "loaded state dict has no d after ", n_iter_,
             " iterations");
  TERN_CHECK(old_dirs_.size() == old_stps_.size() && old_dirs_.size() == ro_.size(), Error,
             "loaded state dict has ", old_dirs_.size(), " old_dirs, ", old_stps_.size(),
             " old_stps and ", ro_.size(), " ro");
  if (!d_.defined()) return;
  const std::int64_t expected = numel_.value_or(d_.numel());
  const auto check_size = [&](const char* name, const Tensor& tensor) {
    TERN_CHECK(tensor.sizes() == IntArrayRef{expected}, ShapeError, "loaded state dict has ", name,
               " of size ", tensor.sizes(), ", expected [", expected,
               "], one number for each element of the parameters");
  };
  check_size("d", d_);
  check_size("prev_flat_grad", prev_flat_grad_);
  for (const Tensor& change : old_dirs_) check_size("old_dirs", change);
  for (const Tensor& change : old_stps_) check_size("old_stps", change);
}

// --- Step ----------------------------------------------------------------------------------------

// A step of its own instead of take_step(): one step evaluates the closure several times and
// changes all parameters as one vector.

namespace {

/// The parameters as one vector.
class FlatProblem {
 public:
  FlatProblem(const OptimizerParamGroup& group, const Optimizer::LossClosure& closure)
      : parameters_(group.params()),
        sign_(static_cast<const LBFGSOptions&>(group.options()).maximize() ? -1 : 1),
        closure_(closure) {}

  Tensor compute_loss() const {
    const AutoGradMode enable_grad(true);
    Tensor loss = closure_();
    TERN_CHECK(loss.defined(), Error,
               "LBFGS: the closure must return the loss, but it returned an undefined Tensor");
    TERN_CHECK(loss.numel() == 1, ShapeError,
               "LBFGS: the closure must return the loss, a Tensor of one element, but it returned "
               "one of sizes ",
               loss.sizes());
    return loss;
  }
  /// Returns the number to minimize.
  double value_of(const Tensor& loss) const { return sign_ * loss.item<double>(); }

  Tensor gradient() const {
    std::vector<Tensor> parts;
    for (const Tensor& parameter : parameters_) {
      const Tensor& grad = parameter.grad();
      parts.push_back(grad.defined() ? grad.detach().reshape({-1})
                                     : zeros({parameter.numel()}, parameter.options()));
    }
    Tensor all = cat(parts, 0);
    if (sign_ < 0) all.neg_();
    return all;
  }

  void move(double t, const Tensor& direction) const {
    std::int64_t offset = 0;
    for (const Tensor& parameter : parameters_) {
      const std::int64_t count = parameter.numel();
      parameter.add_(direction.narrow(0, offset, count).view_as(parameter), t);
      offset += count;
    }
  }

  std::vector<Tensor> values() const {
    std::vector<Tensor> copies;
    for (const Tensor& parameter : parameters_) copies.push_back(parameter.detach().clone());
    return copies;
  }
  void set_values(const std::vector<Tensor>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) Tensor(parameters_[i]).copy_(values[i]);
  }

 private:
  const std::vector<Tensor>& parameters_;
  const double sign_;
  const Optimizer::LossClosure& closure_;
};

double product(const Tensor& a, const Tensor& b) { return a.dot(b).item<double>(); }
double largest(const Tensor& x) { return x.abs().max().item<double>(); }

/// Stores the changes since the last iteration and returns the next direction.
Tensor next_direction(LBFGSParamState& state, const Tensor& gradient, std::int64_t history) {
  const Tensor y = gradient - state.prev_flat_grad(), s = state.d() * state.t();
  const double ys = product(y, s);
  if (ys > 1e-10) {
    if (static_cast<std::int64_t>(state.old_dirs().size()) >= history) {
      state.old_dirs().erase(state.old_dirs().begin());
      state.old_stps().erase(state.old_stps().begin());
      state.ro().erase(state.ro().begin());
    }
    state.old_dirs().push_back(y);
    state.old_stps().push_back(s);
    state.ro().push_back(1.0 / ys);
    state.H_diag(ys / product(y, y));
  }
  const std::size_t count = state.old_dirs().size();
  std::vector<double> factors(count);
  Tensor direction = gradient.neg();
  for (std::size_t i = count; i-- > 0;) {
    factors[i] = product(state.old_stps()[i], direction) * state.ro()[i];
    direction.add_(state.old_dirs()[i], -factors[i]);
  }
  direction.mul_(state.H_diag());
  for (std::size_t i = 0; i < count; ++i) {
    const double factor = product(state.old_dirs()[i], direction) * state.ro()[i];
    direction.add_(state.old_stps()[i], factors[i] - factor);
  }
  return direction;
}

void check_one_group(const Optimizer& optimizer) {
  TERN_CHECK(optimizer.param_groups().size() == 1, Error,
             "LBFGS doesn't support per-parameter options (parameter groups)");
}

}  // namespace

LBFGS::LBFGS(std::vector<OptimizerParamGroup> param_groups, const LBFGSOptions& defaults)
    : OptimizerOf(std::move(param_groups), defaults) {
  check_one_group(*this);
}
LBFGS::LBFGS(std::vector<Tensor> params, const LBFGSOptions& defaults)
    : OptimizerOf(std::move(params), defaults) {}

std::unique_ptr<OptimizerParamState> LBFGS::make_param_state() const {
  std::int64_t count = 0;
  for (const OptimizerParamGroup& group : param_groups_) {
    for (const Tensor& parameter : group.params()) count += parameter.numel();
  }
  return std::make_unique<LBFGSParamState>(LBFGSParamState().numel(count));
}

Tensor LBFGS::step(LossClosure closure) {
  TERN_CHECK(closure != nullptr, Error, "LBFGS requires a closure function");
  check_one_group(*this);
  // The host reads the loss to decide what to do next.
  detail::check_capturable({.name = "LBFGS"}, *this);
  const tern::detail::ProfileScope profile(tern::detail::ProfileKind::kRange,
                                           "Optimizer.step#LBFGS.step");
  const NoGradGuard no_grad;
  const OptimizerParamGroup& group = param_groups_[0];
  const auto& options = static_cast<const LBFGSOptions&>(group.options());
  const std::int64_t max_eval = options.max_eval().value_or(options.max_iter() * 5 / 4);
  const FlatProblem problem(group, closure);
  Tensor first_loss = problem.compute_loss();
  auto& state = static_cast<LBFGSParamState&>(state_of(group.params()[0]));
  double loss = problem.value_of(first_loss);
  std::int64_t evaluations = 1;
  state.func_evals(state.func_evals() + 1);
  Tensor gradient = problem.gradient();
  if (largest(gradient) <= options.tolerance_grad()) return first_loss;

  for (std::int64_t iteration = 1; iteration <= options.max_iter(); ++iteration) {
    state.n_iter(state.n_iter() + 1);
    const bool is_first = state.n_iter() == 1;
    state.d(is_first ? gradient.neg() : next_direction(state, gradient, options.history_size()));
    state.prev_flat_grad(gradient.clone());
    state.prev_loss(loss);
    const double whole = is_first ? gradient.abs().sum().item<double>() : 1;
    state.t(std::min(1.0, 1.0 / whole) * options.lr());
    const double slope = product(gradient, state.d());
    if (slope > -options.tolerance_change()) break;
    std::int64_t calls = 0;
    if (options.line_search_fn()) {
      const std::vector<Tensor> start = problem.values();
      const auto evaluate = [&](double t) {
        problem.move(t, state.d());
        const double value = problem.value_of(problem.compute_loss());
        const Tensor grad = problem.gradient();
        problem.set_values(start);
        return detail::LinePoint{t, value, grad, product(grad, state.d())};
      };
      const auto found = detail::strong_wolfe(evaluate, {0, loss, gradient, slope}, state.t(),
                                              largest(state.d()), max_eval - evaluations);
      loss = found.point.value;
      gradient = found.point.gradient;
      state.t(found.point.t);
      calls = found.evaluations;
      problem.move(state.t(), state.d());
    } else {
      problem.move(state.t(), state.d());
      if (iteration < options.max_iter()) {  // the next step() computes the loss again
        loss = problem.value_of(problem.compute_loss());
        gradient = problem.gradient();
        calls = 1;
      }
    }
    evaluations += calls;
    state.func_evals(state.func_evals() + calls);
    if (evaluations >= max_eval || largest(gradient) <= options.tolerance_grad() ||
        largest(state.d()) * std::abs(state.t()) <= options.tolerance_change() ||
        std::abs(loss - state.prev_loss()) < options.tolerance_change()) {
      break;
    }
  }
  return first_loss;
}

}  // namespace tern::optim
