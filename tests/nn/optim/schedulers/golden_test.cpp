#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "nn/optim/golden.h"

// Every scheduler beside PyTorch's over 500 steps (golden/optim/schedulers.json, made by
// schedulers.py). The sums of all learning rates judge the steps whose numbers are not in the file.

namespace tern {
namespace {

using namespace optim;

using nlohmann::json;
using SchedulerOf = std::function<std::shared_ptr<LRScheduler>(Optimizer&)>;

/// Returns a function that makes a scheduler of class S.
template <class S, class... Args>
SchedulerOf make(Args... args) {
  return [=](Optimizer& o) { return std::make_shared<S>(o, args...); };
}

std::map<std::string, SchedulerOf> scheduler_runs() {
  const auto list = [](Optimizer& o, const std::vector<SchedulerOf>& makers) {
    LRSchedulerList schedulers;
    for (const SchedulerOf& maker : makers) schedulers.push_back(maker(o));
    return schedulers;
  };
  const auto sequence = [=](std::vector<SchedulerOf> makers, std::vector<std::int64_t> milestones) {
    return [=](Optimizer& o) {
      return std::make_shared<SequentialLR>(o, list(o, makers), milestones);
    };
  };
  const auto chain = [=](std::vector<SchedulerOf> makers) {
    return [=](Optimizer& o) { return std::make_shared<ChainedScheduler>(list(o, makers)); };
  };
  const auto power = [](double base) {
    return [=](std::int64_t epoch) { return std::pow(base, epoch); };
  };
  using List = std::vector<std::int64_t>;
  using Warm = CosineAnnealingWarmRestarts;
  return {
      {"LambdaLR", make<LambdaLR>(power(0.99))},
      {"LambdaLR of groups", make<LambdaLR>(std::vector<LRLambda>{
                                 [](std::int64_t e) { return 1 / (1 + static_cast<double>(e)); },
                                 [](std::int64_t e) { return 1 + static_cast<double>(e) / 8; }})},
      {"MultiplicativeLR",
       make<MultiplicativeLR>([](std::int64_t e) { return e % 2 == 1 ? 0.99 : 1.005; })},
      {"StepLR", make<StepLR>(30)},
      {"StepLR gamma", make<StepLR>(7, 0.9)},
      {"MultiStepLR", make<MultiStepLR>(List{20, 100, 100, 333}, 0.3)},
      {"ConstantLR", make<ConstantLR>()},
      {"ConstantLR factor", make<ConstantLR>(0.7, 50)},
      {"LinearLR", make<LinearLR>()},
      {"LinearLR factor", make<LinearLR>(0.9, 0.1, 300)},
      {"ExponentialLR", make<ExponentialLR>(0.97)},
      {"PolynomialLR", make<PolynomialLR>()},
      {"PolynomialLR power", make<PolynomialLR>(400, 1.7)},
      {"CosineAnnealingLR", make<CosineAnnealingLR>(50)},
      {"CosineAnnealingLR min", make<CosineAnnealingLR>(300, 0.005)},
      {"CosineAnnealingWarmRestarts", make<Warm>(30)},
      {"CosineAnnealingWarmRestarts mult", make<Warm>(10, 2, 0.001)},
      {"CyclicLR", make<CyclicLR>(CyclicLROptions(0.01, 0.2).step_size_up(40))},
      {"CyclicLR triangular2", make<CyclicLR>(CyclicLROptions({0.01, 0.02}, {0.2, 0.3})
                                                  .step_size_up(30)
                                                  .step_size_down(20)
                                                  .mode("triangular2")
                                                  .base_momentum({0.5, 0.6})
                                                  .max_momentum({0.7, 0.95}))},
      {"CyclicLR exp_range", make<CyclicLR>(CyclicLROptions(0.01, 0.2)
                                                .step_size_up(20)
                                                .mode("exp_range")
                                                .gamma(0.99)
                                                .cycle_momentum(false))},
      {"CyclicLR scale_fn", make<CyclicLR>(CyclicLROptions(0.01, 0.2).step_size_up(20).scale_fn(
                                [](double x) { return 1 / x; }))},
      {"OneCycleLR", make<OneCycleLR>(OneCycleLROptions(0.5).total_steps(500))},
      {"OneCycleLR three_phase", make<OneCycleLR>(OneCycleLROptions({0.5, 0.3})
                                                      .epochs(10)
                                                      .steps_per_epoch(50)
                                                      .pct_start(0.4)
                                                      .anneal_strategy("linear")
                                                      .base_momentum(0.8)
                                                      .max_momentum({0.9, 0.92})
                                                      .div_factor(10)
                                                      .final_div_factor(100)
                                                      .three_phase(true))},
      {"SequentialLR",
       sequence({make<ConstantLR>(0.1, 20), make<ExponentialLR>(0.99), make<StepLR>(50, 0.5)},
                {20, 300})},
      {"SequentialLR closed",
       sequence({make<LinearLR>(0.2, 0.9, 20), make<LinearLR>(0.3, 0.5, 40),
                 make<PolynomialLR>(60, 2.0), make<Warm>(20), make<MultiStepLR>(List{50, 70}),
                 make<ConstantLR>(0.5, 9), make<LambdaLR>(power(0.9))},
                {50, 100, 200, 300, 400, 450})},
      {"SequentialLR nested",
       sequence({chain({make<ConstantLR>(0.1, 20), make<ExponentialLR>(0.99)}),
                 make<ExponentialLR>(0.98)},
                {150})},
      {"ChainedScheduler",
       chain({make<ConstantLR>(0.1, 20), make<ExponentialLR>(0.99), make<CosineAnnealingLR>(200)})},
      {"SWALR", make<SWALR>(0.05)},
      {"SWALR linear", make<SWALR>(PerGroup{0.3, 0.001}, 300, "linear")},
      {"SWALR at once", make<SWALR>(0.05, 0)},
      {"warmup_cosine",
       [](Optimizer& o) {
         return std::make_shared<SequentialLR>(warmup_cosine(o, 40, 400, 0.001));
       }},
  };
}

std::unique_ptr<Optimizer> golden_optimizer(const std::string& name) {
  if (name == "adam") return std::make_unique<Adam>(std::vector{parameter_of(ones({1}))}, 0.1);
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::vector{parameter_of(ones({1}))});
  groups.emplace_back(std::vector{parameter_of(ones({1}))}, std::make_unique<SGDOptions>(0.02));
  return std::make_unique<SGD>(groups, SGDOptions(0.1).momentum(0.9));
}

void expect_near(const std::vector<double>& got, const json& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto number = want[i].get<double>();
    EXPECT_NEAR(got[i], number, 1e-14 + 1e-12 * std::abs(number)) << what << ", group " << i;
  }
}

std::vector<double> lrs_of(const Optimizer& optimizer) {
  std::vector<double> lrs;
  for (const auto& group : optimizer.param_groups()) lrs.push_back(group.options().get_lr());
  return lrs;
}

constexpr int kSteps = 500, kResumed = 230;

/// Compares the numbers of one step with the file.
void check_step(const Optimizer& optimizer, const json& run, int step) {
  const auto saved = run["saved"].find(std::to_string(step));
  if (saved == run["saved"].end()) return;
  expect_near(lrs_of(optimizer), (*saved)[0], "learning rate of step " + std::to_string(step));
  if (saved->size() == 1) return;
  std::vector<double> momenta;
  for (const auto& group : optimizer.param_groups()) {
    momenta.push_back(group.options().get_momentum().value());
  }
  expect_near(momenta, (*saved)[1], "momentum of step " + std::to_string(step));
}

/// Takes all steps; also continues from PyTorch's state in another scheduler. `step(scheduler, t)`
/// takes step t.
template <class Make, class Step>
void check_run(const json& run, const Make& make_scheduler, const Step& step) {
  const auto optimizer = golden_optimizer(run["optimizer"]),
             other = golden_optimizer(run["optimizer"]);
  const auto scheduler = make_scheduler(*optimizer);
  const auto resumed = make_scheduler(*other);
  std::vector<double> sums(lrs_of(*optimizer).size());
  for (int t = 0; t <= kSteps; ++t) {
    if (t > 0) step(*scheduler, t);
    check_step(*optimizer, run, t);
    EXPECT_EQ(scheduler->get_last_lr(), lrs_of(*optimizer));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += lrs_of(*optimizer)[i];
    if (t == kResumed) {
      const State golden = golden_state(run["state"]), saved = scheduler->state_dict();
      EXPECT_EQ(saved.size(), golden.size());
      for (const auto& [key, value] : golden) EXPECT_TRUE(saved.contains(key)) << key;
      resumed->load_state_dict(golden);
      State groups = other->state_dict(), list = State::list();
      for (std::size_t i = 0; i < run["groups"].size(); ++i) {
        State group = groups["param_groups"][i];
        for (const auto& [key, value] : run["groups"][i].items())
          group.set(key, golden_state(value));
        list.push_back(group);
        // tern saves what Python needs to go on.
        for (const auto& [key, value] : run["groups"][i].items()) {
          EXPECT_TRUE(optimizer->state_dict()["param_groups"][i].contains(key)) << key;
        }
      }
      groups.set("param_groups", list);
      other->load_state_dict(groups);
    } else if (t > kResumed) {
      step(*resumed, t);
      check_step(*other, run, t);
    }
  }
  expect_near(sums, run["sums"], "sum of all learning rates");
}

TEST(Schedulers, AgreeWithPythonOver500Steps) {
  const auto makers = scheduler_runs();
  std::size_t runs = 0;
  for (const json& run : testing::golden("optim/schedulers")["runs"]) {
    SCOPED_TRACE(run["name"].get<std::string>() + " of " + run["optimizer"].get<std::string>());
    check_run(run, makers.at(run["name"]), [](LRScheduler& s, int) { s.step(); });
    runs += run["optimizer"] == "sgd" ? 1 : 0;
  }
  EXPECT_EQ(runs, makers.size());
}

TEST(Schedulers, ReduceOnAPlateauLikePython) {
  using R = ReduceLROnPlateau;
  const std::map<std::string, std::function<std::unique_ptr<R>(Optimizer&)>> makers = {
      {"min", [](Optimizer& o) { return std::make_unique<R>(o); }},
      {"max",
       [](Optimizer& o) {
         return std::make_unique<R>(o, R::max, 0.5, 5, 0.01, R::abs, 3, PerGroup{0.001, 0.002},
                                    1e-4);
       }},
      {"rel max",
       [](Optimizer& o) {
         return std::make_unique<R>(o, R::SchedulerMode::max, 0.7, 3, 0.1, R::rel, 7, 1e-3);
       }},
      {"abs", [](Optimizer& o) { return std::make_unique<R>(o, R::min, 0.3, 8, 0.02, R::abs); }}};
  for (const json& run : testing::golden("optim/schedulers")["plateau"]) {
    const auto name = run["name"].get<std::string>();
    SCOPED_TRACE(name);
    check_run(run, makers.at(name), [&](R& scheduler, int t) {
      const double metric = 3.0 / (1 + t) + (t * 37 % 101) / 512.0;
      scheduler.step(name == "max" || name == "rel max" ? -metric : metric);
    });
  }
}

}  // namespace
}  // namespace tern
