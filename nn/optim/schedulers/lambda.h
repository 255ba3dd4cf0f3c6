#pragma once

#include <functional>

#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

/// A factor as a function of the epoch.
using LRLambda = std::function<double(std::int64_t)>;

/// Sets each learning rate to its initial one times a function of the epoch.
///
/// Example:
///   optim::LambdaLR scheduler(optimizer, [](std::int64_t epoch) { return std::pow(0.95, epoch);
///   });
class TERN_API LambdaLR : public LRScheduler {
 public:
  /// Uses one function for all groups, or a function for each group. Throws Error if the number of
  /// functions differs from the number of groups.
  LambdaLR(Optimizer& optimizer, const LRLambda& lr_lambda, std::int64_t last_epoch = -1);
  LambdaLR(Optimizer& optimizer, std::vector<LRLambda> lr_lambdas, std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The functions, one for each group. They are not saved.
  std::vector<LRLambda> lr_lambdas_;
};

/// Multiplies each learning rate by a function of the epoch. Epoch 0 keeps the learning rates.
class TERN_API MultiplicativeLR : public LRScheduler {
 public:
  /// Uses one function for all groups, or a function for each group. Throws Error if the number of
  /// functions differs from the number of groups.
  MultiplicativeLR(Optimizer& optimizer, const LRLambda& lr_lambda, std::int64_t last_epoch = -1);
  MultiplicativeLR(Optimizer& optimizer, std::vector<LRLambda> lr_lambdas,
                   std::int64_t last_epoch = -1);

 protected:
  std::vector<double> get_lrs() override;
  void fields(SchedulerFields& visit) override;

  /// The functions, one for each group. They are not saved.
  std::vector<LRLambda> lr_lambdas_;
};

}  // namespace tern::optim
