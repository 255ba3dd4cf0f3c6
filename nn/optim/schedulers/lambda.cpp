#include <utility>

#include <tern/nn/optim/schedulers/lambda.h>

namespace tern::optim {

namespace {

void check_lambdas(const char* scheduler, const std::vector<LRLambda>& lambdas,
                   const Optimizer& optimizer) {
  const std::size_t groups = optimizer.param_groups().size();
  TERN_CHECK(lambdas.size() == groups, Error, scheduler, ": Expected ", groups,
             " lr_lambdas, but got ", lambdas.size());
  for (const LRLambda& lambda : lambdas) {
    TERN_CHECK(lambda != nullptr, Error, scheduler,
               ": lr_lambda should be a function, but got an empty one");
  }
}

std::vector<LRLambda> lambda_per_group(const LRLambda& lambda, const Optimizer& optimizer) {
  return std::vector<LRLambda>(optimizer.param_groups().size(), lambda);
}

std::vector<double> lambda_lrs(std::vector<double> lrs, const std::vector<LRLambda>& lambdas,
                               std::int64_t epoch) {
  for (std::size_t i = 0; i < lrs.size(); ++i) lrs[i] *= lambdas[i](epoch);
  return lrs;
}

/// Python saves null for a function.
void visit_lambdas(SchedulerFields& visit, std::size_t count) {
  if (visit.mode() != SchedulerFields::Mode::Save) return;
  visit.state().set("lr_lambdas", State::list(std::vector<State>(count, State(nullptr))));
}

}  // namespace

LambdaLR::LambdaLR(Optimizer& optimizer, const LRLambda& lr_lambda, std::int64_t last_epoch)
    : LambdaLR(optimizer, lambda_per_group(lr_lambda, optimizer), last_epoch) {}
LambdaLR::LambdaLR(Optimizer& optimizer, std::vector<LRLambda> lr_lambdas, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), lr_lambdas_(std::move(lr_lambdas)) {
  check_lambdas("LambdaLR", lr_lambdas_, optimizer);
  initial_step();
}
std::vector<double> LambdaLR::get_lrs() { return lambda_lrs(base_lrs_, lr_lambdas_, last_epoch_); }
void LambdaLR::fields(SchedulerFields& visit) {
  LRScheduler::fields(visit);
  visit_lambdas(visit, lr_lambdas_.size());
}

MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, const LRLambda& lr_lambda,
                                   std::int64_t last_epoch)
    : MultiplicativeLR(optimizer, lambda_per_group(lr_lambda, optimizer), last_epoch) {}
MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, std::vector<LRLambda> lr_lambdas,
                                   std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), lr_lambdas_(std::move(lr_lambdas)) {
  check_lambdas("MultiplicativeLR", lr_lambdas_, optimizer);
  initial_step();
}
std::vector<double> MultiplicativeLR::get_lrs() {
  return is_initial_ ? get_current_lrs() : lambda_lrs(get_current_lrs(), lr_lambdas_, last_epoch_);
}
void MultiplicativeLR::fields(SchedulerFields& visit) {
  LRScheduler::fields(visit);
  visit_lambdas(visit, lr_lambdas_.size());
}

}  // namespace tern::optim
