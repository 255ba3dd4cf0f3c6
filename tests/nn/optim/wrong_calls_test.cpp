#include <cmath>

#include <tern/nn/optim/optim.h>

#include "nn/nn_test.h"
#include "nn/wrong_calls.h"

// What a newcomer calls wrongly. Each text names the class or the function, the rule and what was
// given.

namespace tern {
namespace {

using namespace optim;

std::vector<Tensor> one(IntArrayRef sizes = {2, 2}) { return {parameter_of(zeros(sizes))}; }

/// Options of a user: one more than there may be.
struct SixteenOptions : public OptimizerCloneableOptions<SixteenOptions> {
  TERN_OPTIM_ARG(double, o1) = 1;
  TERN_OPTIM_ARG(double, o2) = 2;
  TERN_OPTIM_ARG(double, o3) = 3;
  TERN_OPTIM_ARG(double, o4) = 4;
  TERN_OPTIM_ARG(double, o5) = 5;
  TERN_OPTIM_ARG(double, o6) = 6;
  TERN_OPTIM_ARG(double, o7) = 7;
  TERN_OPTIM_ARG(double, o8) = 8;
  TERN_OPTIM_ARG(double, o9) = 9;
  TERN_OPTIM_ARG(double, o10) = 10;
  TERN_OPTIM_ARG(double, o11) = 11;
  TERN_OPTIM_ARG(double, o12) = 12;
  TERN_OPTIM_ARG(double, o13) = 13;
  TERN_OPTIM_ARG(double, o14) = 14;
  TERN_OPTIM_ARG(double, o15) = 15;
  TERN_OPTIM_ARG(double, o16) = 16;
};

/// Options of a user with a large member before an option.
struct FarOptions : public OptimizerCloneableOptions<FarOptions> {
  char large[100'000] = {};
  TERN_OPTIM_ARG(double, lr) = 1;
};

TEST(WrongCalls, OfOptionsOfAUser) {
  expect_texts(
      {{"options and states of an optimizer have at most 15 entries of TERN_OPTIM_ARG or "
        "TERN_OPTIM_STATE",
        [] { SixteenOptions(); }}});
  const std::string text = error_of([] { FarOptions(); });
  EXPECT_TRUE(text.starts_with("an entry of TERN_OPTIM_ARG or TERN_OPTIM_STATE lies 100")) << text;
  EXPECT_TRUE(
      text.ends_with(" bytes behind the start of its object, but at most 65535 are "
                     "possible: declare large members behind it"))
      << text;
}

TEST(WrongCalls, OfOptimizers) {
  LBFGS lbfgs(one());
  Muon(one(), MuonOptions(1).ns_steps(0));
  LBFGS(one(), LBFGSOptions(1).max_iter(0));
  SGD sgd(one(), 0.1);
  expect_texts({
      {"RMSprop: Invalid learning rate: nan", [] { RMSprop(one(), NAN); }},
      {"Muon: Learning rate should be >= 0 but is: -1", [] { Muon(one(), -1); }},
      {"Muon: Learning rate should be >= 0 and finite but is: inf", [] { Muon(one(), INFINITY); }},
      {"Muon: ns_steps should be >= 0 but is: -1",
       [] { Muon(one(), MuonOptions(1).ns_steps(-1)); }},
      {"Muon only supports 2D parameters whereas we found a parameter with size: [2]",
       [] { Muon(one({2}), 1); }},
      {"LBFGS: Invalid max_iter value: -1", [] { LBFGS(one(), LBFGSOptions(1).max_iter(-1)); }},
      {"LBFGS: Invalid history_size value: 0",
       [] { LBFGS(one(), LBFGSOptions(1).history_size(0)); }},
      {"LBFGS: the closure must return the loss, but it returned an undefined Tensor",
       [&] { lbfgs.step([] { return Tensor(); }); }},
      {"LBFGS: the closure must return the loss, a Tensor of one element, but it returned one of "
       "sizes [2]",
       [&] { lbfgs.step([] { return zeros({2}); }); }},
      {"SGD: Nesterov momentum requires a momentum and zero dampening, got 0.9 and 0.5",
       [] { SGD(one(), SGDOptions(1).momentum(0.9).dampening(0.5).nesterov(true)); }},
      {"SGD: can't optimize an undefined Tensor", [&] { sgd.add_param_group({{Tensor()}}); }},
      {"tern::optim::SGD::load_state_dict: Key 'momentum' is not defined; the keys are: 'lr', "
       "'betas', 'eps', 'weight_decay', 'amsgrad', 'maximize', 'capturable', 'params'; is it the "
       "state of another optimizer?",
       [&] { sgd.load_state_dict(Adam(one()).state_dict()); }},
      {"SGD: Invalid learning rate: -1",
       [&] {
         sgd.add_param_group({one(), std::make_unique<SGDOptions>(-1)});
       }},
  });
  EXPECT_EQ(sgd.param_groups().size(), 1u);
}

TEST(WrongCalls, OfSchedulers) {
  SGD o(one(), 0.1);
  Adam a(one(), 0.1);
  using Plateau = ReduceLROnPlateau;
  const auto step_lr = [&] { return std::make_shared<StepLR>(o, 3); };
  const auto cyclic = [] { return CyclicLROptions(0.1, 0.2); };
  const auto one_cycle = [] { return OneCycleLROptions(0.1).total_steps(10); };
  CosineAnnealingWarmRestarts restarts(a, 4);
  MultiStepLR steps(a, {3});
  State milestones = steps.state_dict();
  milestones.set("milestones", [] {
    State counts;
    counts.insert("3", -2);
    return counts;
  }());
  const State before = o.state_dict();
  expect_texts({
      {"LRScheduler: last_epoch must be at least -1, got -7", [&] { StepLR(o, 3, 0.1, -7); }},
      {"StepLR: gamma must not be negative, got -1", [&] { StepLR(o, 3, -1); }},
      {"StepLR: gamma must not be negative, got nan", [&] { StepLR(o, 3, NAN); }},
      {"MultiStepLR: a milestone must not be negative, got -1",
       [&] {
         MultiStepLR(o, {3, -1});
       }},
      {"MultiStepLR: gamma must not be negative, got -1", [&] { MultiStepLR(o, {3}, -1); }},
      {"tern::optim::MultiStepLR::load_state_dict: loaded state dict has the milestone 3 -2 times, "
       "expected at least once",
       [&] { steps.load_state_dict(milestones); }},
      {"ExponentialLR: gamma must not be negative, got -1", [&] { ExponentialLR(o, -1); }},
      {"CosineAnnealingLR: eta_min must not be negative, got -1",
       [&] { CosineAnnealingLR(o, 10, -1); }},
      {"CosineAnnealingWarmRestarts: eta_min must not be negative, got -1",
       [&] { CosineAnnealingWarmRestarts(o, 10, 1, -1); }},
      {"CosineAnnealingWarmRestarts: Expected non-negative epoch, but got -1",
       [&] { restarts.step(-1); }},
      {"ConstantLR: total_iters must not be negative, got -1", [&] { ConstantLR(o, 0.5, -1); }},
      {"LinearLR: total_iters must not be negative, got -1", [&] { LinearLR(o, 0.5, 1, -1); }},
      {"PolynomialLR: total_iters must not be negative, got -1", [&] { PolynomialLR(o, -1); }},
      {"PolynomialLR: power must not be negative, got -1", [&] { PolynomialLR(o, 5, -1); }},
      {"LambdaLR: lr_lambda should be a function, but got an empty one",
       [&] { LambdaLR(o, LRLambda()); }},
      {"MultiplicativeLR: Expected 1 lr_lambdas, but got 0",
       [&] { MultiplicativeLR(o, std::vector<LRLambda>()); }},
      {"CyclicLR: Expected positive step_size_up and step_size_down, but got 0 and 0",
       [&] { CyclicLR(o, cyclic().step_size_up(0)); }},
      {"CyclicLR: mode is invalid and scale_fn is None: 'x', expected 'triangular', 'triangular2' "
       "or 'exp_range'",
       [&] { CyclicLR(o, cyclic().mode("x")); }},
      {"CyclicLR: scale_mode must be 'cycle' or 'iterations', got 'x'",
       [&] { CyclicLR(o, cyclic().scale_mode("x")); }},
      {"CyclicLR: gamma must not be negative, got -1", [&] { CyclicLR(o, cyclic().gamma(-1)); }},
      {"CyclicLR: base_lr must not be negative, got -0.1",
       [&] { CyclicLR(o, CyclicLROptions(-0.1, 0.2)); }},
      {"CyclicLR: max_momentum must not be negative, got -1",
       [&] { CyclicLR(o, cyclic().max_momentum(-1)); }},
      {"OneCycleLR: Expected positive integer steps_per_epoch, but got -1",
       [&] { OneCycleLR(a, OneCycleLROptions(0.1).epochs(3).steps_per_epoch(-1)); }},
      {"OneCycleLR: Expected float between 0 and 1 pct_start, but got 2",
       [&] { OneCycleLR(a, one_cycle().pct_start(2)); }},
      {"OneCycleLR: anneal_strategy must be one of 'cos' or 'linear', instead got x",
       [&] { OneCycleLR(a, one_cycle().anneal_strategy("x")); }},
      {"OneCycleLR: div_factor and final_div_factor must be positive, got 0 and 10000",
       [&] { OneCycleLR(a, one_cycle().div_factor(0)); }},
      {"OneCycleLR: max_lr must not be negative, got -0.1",
       [&] { OneCycleLR(a, OneCycleLROptions(-0.1).total_steps(10)); }},
      {"ReduceLROnPlateau: factor must not be negative, got -1",
       [&] { Plateau(o, Plateau::min, -1); }},
      {"ReduceLROnPlateau: min_lr must not be negative, got -1",
       [&] { Plateau(o, Plateau::min, 0.1, 1, 1, Plateau::rel, 0, -1); }},
      {"ReduceLROnPlateau: expected 1 min_lrs, got 2",
       [&] {
         Plateau(o, Plateau::min, 0.1, 1, 1, Plateau::rel, 0, {0.1, 0.2});
       }},
      {"SequentialLR: the first milestone must not be negative, got -2",
       [&] {
         SequentialLR(o, {step_lr(), step_lr()}, {-2});
       }},
      {"SWALR: swa_lr must not be negative, got -0.1", [&] { SWALR(o, -0.1); }},
  });
  o.param_groups()[0].schedule().erase("initial_lr");  // of step_lr()
  EXPECT_TRUE(identical(o.state_dict(), before));
}

// A refused schedule must not fix the initial learning rate of the next one.
TEST(WrongCalls, OfSchedulersLeaveNoInitialLearningRate) {
  SGD o(one(), 0.1);
  EXPECT_THROW(StepLR(o, 0), Error);
  EXPECT_THROW(LambdaLR(o, [](std::int64_t) -> double { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_FALSE(o.param_groups()[0].schedule().contains("initial_lr"));
  o.param_groups()[0].options().set_lr(0.5);
  CosineAnnealingLR scheduler(o, 2);
  scheduler.step();
  EXPECT_DOUBLE_EQ(scheduler.get_last_lr()[0], 0.25);
}

TEST(WrongCalls, OfUtilities) {
  using namespace nn::utils;
  std::vector<Tensor> w = one();
  w[0].mutable_grad() = ones({2, 2});
  nn::Linear net(2, 2);
  AveragedModel average(net);
  expect_texts({
      {"clip_grad_norm_: max_norm must not be negative, got -1", [&] { clip_grad_norm_(w, -1); }},
      {"clip_grad_norm_: max_norm must not be negative, got nan", [&] { clip_grad_norm_(w, NAN); }},
      {"clip_grad_norm_: norm_type must be a number, got nan", [&] { clip_grad_norm_(w, 1, NAN); }},
      {"clip_grad_value_: clip_value must not be negative, got -1",
       [&] { clip_grad_value_(w, -1); }},
      {"parameters_to_vector: tensor does not have a device: it is undefined",
       [] { parameters_to_vector({Tensor()}); }},
      {"Error(s) in loading state_dict for AveragedModelImpl<tern::nn::LinearImpl>:\n\tMissing "
       "key(s) in state_dict: "
       "\"n_averaged\", \"module.weight\", \"module.bias\". \n\tUnexpected key(s) in state_dict: "
       "\"weight\", \"bias\". \n\tThe module has \"weight\" as \"module.weight\"; did you "
       "mean to load its \"module\"?",
       [&] { average->load_state_dict(net->state_dict()); }},
  });
  EXPECT_TRUE(w[0].grad().equal(ones({2, 2})));
}

}  // namespace
}  // namespace tern
