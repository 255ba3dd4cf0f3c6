#include <limits>
#include <memory>

#include <tern/nn/optim/optim.h>

#include "error_of.h"
#include "nn/nn_test.h"

namespace tern {
namespace {

using namespace optim;

SGD one_group_sgd() { return SGD({parameter_of(ones({1}))}, SGDOptions(0.1)); }
double lr_of(const Optimizer& optimizer) { return optimizer.param_groups()[0].options().get_lr(); }

TEST(Scheduler, SharesTheInitialLearningRate) {
  SGD optimizer = one_group_sgd();
  optimizer.param_groups()[0].options().set_lr(0.4);
  StepLR first(optimizer, 1, 0.5);
  first.step();
  EXPECT_EQ(lr_of(optimizer), 0.2);
  LambdaLR second(optimizer, [](std::int64_t) { return 0.25; });
  EXPECT_EQ(lr_of(optimizer), 0.1);  // of 0.4, which was there first
  const State group = optimizer.state_dict()["param_groups"][std::size_t{0}];
  EXPECT_EQ(group.get<double>("initial_lr"), 0.4);
}

TEST(Scheduler, FollowsAnOptimizerThatMoves) {
  SGD optimizer = one_group_sgd();
  ExponentialLR scheduler(optimizer, 0.5);
  SGD moved = std::move(optimizer);
  scheduler.step();
  EXPECT_EQ(lr_of(moved), 0.05);
  EXPECT_EQ(&scheduler.optimizer(), &moved);
  ExponentialLR later = std::move(scheduler);
  later.step();
  EXPECT_EQ(lr_of(moved), 0.025);
}

TEST(Scheduler, NamesAnOptimizerThatIsGone) {
  auto optimizer = std::make_unique<SGD>(std::vector{parameter_of(ones({1}))}, SGDOptions(0.1));
  StepLR scheduler(*optimizer, 30, 0.1);
  ReduceLROnPlateau plateau(*optimizer);
  optimizer.reset();
  const char* const text = "the optimizer of this learning rate scheduler was destroyed";
  EXPECT_EQ(error_of([&] { scheduler.step(); }), text);
  EXPECT_EQ(error_of([&] { plateau.step(1); }), text);
  EXPECT_EQ(scheduler.last_epoch(), 0);
}

TEST(Scheduler, RefusesGroupsThatWereAddedLater) {
  SGD optimizer = one_group_sgd();
  StepLR scheduler(optimizer, 30, 0.1);
  ReduceLROnPlateau plateau(optimizer),
      of_list(optimizer, ReduceLROnPlateau::min, 0.1, 10, 1e-4, ReduceLROnPlateau::rel, 0, {0.5});
  optimizer.add_parameters({parameter_of(ones({1}))});
  EXPECT_EQ(error_of([&] { scheduler.step(); }),
            "the learning rate scheduler has learning rates for 1 parameter groups, the optimizer "
            "has 2; make the scheduler after add_param_group()");
  plateau.step(1);
  EXPECT_EQ(plateau.get_last_lr().size(), 2);
  EXPECT_NE(error_of([&] { of_list.step(1); }).find("(2) differs"), std::string::npos);
}

TEST(Scheduler, ChangesNothingWhenAStepFails) {
  SGD optimizer = one_group_sgd();
  OneCycleLR scheduler(optimizer, OneCycleLROptions(1.0).total_steps(2).cycle_momentum(false));
  scheduler.step();
  scheduler.step();
  const State before = scheduler.state_dict();
  const double lr = lr_of(optimizer);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(error_of([&] { scheduler.step(); }),
              "OneCycleLR: Tried to step 3 times. The specified number of total steps is 2");
  }
  EXPECT_TRUE(identical(scheduler.state_dict(), before));
  EXPECT_EQ(lr_of(optimizer), lr);
}

TEST(Scheduler, ContinuesAfterAnEpoch) {
  SGD optimizer = one_group_sgd();
  EXPECT_NE(error_of([&] {
              StepLR(optimizer, 10, 0.5, 9);
            }).find("param 'initial_lr' is not specified in param_groups[0]"),
            std::string::npos);
  StepLR(optimizer, 10, 0.5);
  StepLR scheduler(optimizer, 10, 0.5, 9);  // the next epoch is 10
  EXPECT_EQ(scheduler.last_epoch(), 10);
  EXPECT_EQ(lr_of(optimizer), 0.05);
}

TEST(Scheduler, RestartsAtAnyEpoch) {
  SGD optimizer = one_group_sgd();
  CosineAnnealingWarmRestarts scheduler(optimizer, 4);
  scheduler.step(6.0);
  EXPECT_NEAR(lr_of(optimizer), 0.05, 1e-15);
  scheduler.step(5.0);
  scheduler.step();
  EXPECT_NEAR(lr_of(optimizer), 0.05, 1e-15);
  CosineAnnealingWarmRestarts growing(optimizer, 2, 3);
  growing.step(2 + 6 + 9.0);  // the middle of the third run
  EXPECT_NEAR(lr_of(optimizer), 0.05, 1e-15);
  EXPECT_EQ(error_of([&] { scheduler.step(-1.0); }),
            "CosineAnnealingWarmRestarts: Expected non-negative epoch, but got -1");
}

TEST(Scheduler, CountsARepeatedMilestoneInTheClosedForm) {
  SGD optimizer = one_group_sgd();
  SequentialLR scheduler(
      optimizer,
      {std::make_shared<ConstantLR>(optimizer, 0.5, 9),
       std::make_shared<MultiStepLR>(optimizer, std::vector<std::int64_t>{0, 0, 2, 2, 2}, 0.5)},
      {2});
  for (const double lr : {0.05, 0.025, 0.025, 0.003125}) {
    scheduler.step();
    EXPECT_NEAR(lr_of(optimizer), lr, 1e-15);
  }
}

TEST(Scheduler, LoadsAllOrNothing) {
  SGD optimizer = one_group_sgd();
  MultiStepLR scheduler(optimizer, {3, 5}, 0.5);
  const State before = scheduler.state_dict();
  const auto refused = [&](const char* key, const State& value) {
    State state = before;
    state.set("gamma", 0.9);
    state.set(key, value);
    const std::string text = error_of([&] { scheduler.load_state_dict(state); });
    EXPECT_TRUE(identical(scheduler.state_dict(), before)) << key;
    return text;
  };
  EXPECT_NE(refused("base_lrs", State::list({0.1, 0.2})).find("2 numbers in base_lrs"),
            std::string::npos);
  EXPECT_NE(refused("_step_count", "x").find("_step_count"), std::string::npos);
  State milestones;
  milestones.insert("3x", 1);
  EXPECT_NE(refused("milestones", milestones).find("'3x'"), std::string::npos);
  StepLR step(optimizer, 3);
  State state = step.state_dict();
  state.set("step_size", 0);
  EXPECT_NE(error_of([&] { step.load_state_dict(state); }).find("step_size 0, expected at least 1"),
            std::string::npos);
  SWALR swa(optimizer, 0.05);
  state = swa.state_dict();
  state.set("_anneal_strategy", "sin");
  EXPECT_NE(error_of([&] {
              swa.load_state_dict(state);
            }).find("_anneal_strategy 'sin', expected one of 'cos', 'linear'"),
            std::string::npos);
  ReduceLROnPlateau plateau(optimizer);
  state = plateau.state_dict();
  state.set("mode", "most");
  EXPECT_NE(error_of([&] { plateau.load_state_dict(state); }).find("'most'"), std::string::npos);
}

TEST(Scheduler, RefusesOptionsThatMakeNoSense) {
  SGD o = one_group_sgd(), other = one_group_sgd();
  EXPECT_EQ(error_of([&] { StepLR(o, 0); }),
            "StepLR: Expected positive integer step_size, but got 0");
  EXPECT_EQ(error_of([&] { CosineAnnealingLR(o, 0); }),
            "CosineAnnealingLR: Expected positive integer T_max, but got 0");
  EXPECT_EQ(error_of([&] { CosineAnnealingWarmRestarts(o, -3); }),
            "CosineAnnealingWarmRestarts: Expected positive integer T_0, but got -3");
  EXPECT_EQ(error_of([&] { CosineAnnealingWarmRestarts(o, 3, 0); }),
            "CosineAnnealingWarmRestarts: Expected integer T_mult >= 1, but got 0");
  EXPECT_EQ(error_of([&] { ConstantLR(o, 1.5); }),
            "ConstantLR: Constant multiplicative factor expected to be between 0 and 1. Got 1.5");
  EXPECT_EQ(error_of([&] { LinearLR(o, 0); }),
            "LinearLR: Starting multiplicative factor expected to be greater than 0 and less or "
            "equal to 1. "
            "Got 0");
  EXPECT_EQ(error_of([&] { LinearLR(o, 0.5, -1); }),
            "LinearLR: Ending multiplicative factor expected to be between 0 and 1. Got -1");
  EXPECT_EQ(error_of([&] { LambdaLR(o, std::vector<LRLambda>(3)); }),
            "LambdaLR: Expected 1 lr_lambdas, but got 3");
  EXPECT_EQ(error_of([&] { ReduceLROnPlateau(o, ReduceLROnPlateau::min, 1.0); }),
            "ReduceLROnPlateau: Factor should be < 1.0. Got 1");
  EXPECT_EQ(error_of([&] {
              CyclicLR(o, CyclicLROptions({0.1, 0.2}, 1));
            }),
            "CyclicLR: base_lr must have the same length as optimizer.param_groups. base_lr has 2 "
            "values, "
            "param_groups has 1.");
  EXPECT_NE(error_of([&] {
              CyclicLR(o, CyclicLROptions(0.1, 1).mode("square"));
            }).find("mode is invalid and scale_fn is None"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { OneCycleLR(o, OneCycleLROptions(1).epochs(3)); }),
            "OneCycleLR: You must define either total_steps OR (epochs AND steps_per_epoch)");
  EXPECT_EQ(error_of([&] { OneCycleLR(o, OneCycleLROptions(1).total_steps(0)); }),
            "OneCycleLR: Expected positive integer total_steps, but got 0");
  const State groups = o.state_dict();
  EXPECT_EQ(
      error_of([&] {
        SWALR(o, {0.1, 0.2});
      }),
      "SWALR: swa_lr must have the same length as optimizer.param_groups. swa_lr has 2 values, "
      "param_groups has 1.");
  EXPECT_EQ(error_of([&] { SWALR(o, 0.1, 10, "sin"); }),
            "SWALR: anneal_strategy must be one of 'cos' or 'linear', instead got sin");
  EXPECT_EQ(error_of([&] { SWALR(o, 0.1, -1); }),
            "SWALR: anneal_epochs must be equal or greater than 0, got -1");
  EXPECT_TRUE(identical(o.state_dict(), groups));
  Adagrad no_momentum({parameter_of(ones({1}))});
  EXPECT_EQ(
      error_of([&] { OneCycleLR(no_momentum, OneCycleLROptions(1).total_steps(9)); }),
      "OneCycleLR: optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
  EXPECT_EQ(error_of([&] { SequentialLR(o, {}, {}); }),
            "SequentialLR expects at least one scheduler, but got no scheduler.");
  const auto own = std::make_shared<StepLR>(o, 3), foreign = std::make_shared<StepLR>(other, 3);
  EXPECT_NE(error_of([&] {
              SequentialLR(o, {own, foreign}, {3});
            }).find("the same optimizer"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              ChainedScheduler({own, foreign});
            }).find("the same optimizer"),
            std::string::npos);
  EXPECT_NE(error_of([&] { SequentialLR(o, {own}, {3}); }).find("one more than the number"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              SequentialLR(o, {own, std::make_shared<ChainedScheduler>(LRSchedulerList{own})}, {3});
            }).find("must be the first scheduler, but is at index 1"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { warmup_cosine(o, 5, 5); }),
            "warmup_cosine expects warmup_steps from 0 to below total_steps, but got 5 and 5");
}

TEST(Scheduler, WarmsUpInOneLine) {
  for (const int warmup : {0, 1, 4}) {
    SGD optimizer = one_group_sgd();
    SequentialLR scheduler = warmup_cosine(optimizer, warmup, 10);
    for (int t = 0; t < warmup; ++t, scheduler.step()) {
      EXPECT_NEAR(lr_of(optimizer), 0.1 * (t + 1) / warmup, 1e-15);
    }
    for (int t = warmup; t < 10; ++t) scheduler.step();
    EXPECT_NEAR(lr_of(optimizer), 0, 1e-15);
  }
}

TEST(Scheduler, AnnealsFromTheLearningRateOfAnotherScheduler) {
  SGD optimizer = one_group_sgd();
  ExponentialLR decay(optimizer, 0.5);
  SWALR swa(optimizer, 0.5, 4, "linear");
  decay.step();  // 0.05
  for (const double lr : {0.1625, 0.275, 0.3875, 0.5, 0.5}) {
    swa.step();
    EXPECT_NEAR(lr_of(optimizer), lr, 1e-15);
  }
}

/// A schedule of a program's own: the learning rate falls to 1 / (1 + epoch).
class InverseLR : public LRScheduler {
 public:
  explicit InverseLR(Optimizer& optimizer) : LRScheduler(optimizer) { initial_step(); }

 protected:
  std::vector<double> get_lrs() override {
    std::vector<double> lrs = base_lrs_;
    for (double& lr : lrs) lr /= 1.0 + static_cast<double>(last_epoch_);
    return lrs;
  }
};

TEST(Scheduler, IsEasyToWrite) {
  SGD optimizer = one_group_sgd();
  InverseLR scheduler(optimizer);
  for (int i = 0; i < 3; ++i) scheduler.step();
  EXPECT_EQ(lr_of(optimizer), 0.1 / 4);
  SGD other = one_group_sgd();
  InverseLR resumed(other);
  resumed.load_state_dict(scheduler.state_dict());
  resumed.step();
  EXPECT_EQ(lr_of(other), 0.1 / 5);
}

}  // namespace
}  // namespace tern
