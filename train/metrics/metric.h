#pragma once

#include <tern/core/distributed/process_group.h>
#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>

namespace tern::metrics {

/// A value of all batches since the last reset(). Each class has an update() of its own.
///
/// update() queues its work on the device of its arguments and does not wait for the device. The
/// sums move when a batch comes from another device. compute() waits. Copies of a metric are
/// independent. An update() that throws leaves the metric unchanged.
class TERN_API Metric {
 public:
  virtual ~Metric();

  /// Returns the value of all batches as a tensor on the CPU, float64 unless the class says
  /// otherwise. NaN before the first batch.
  virtual Tensor compute() const = 0;
  /// Returns compute() as a number. Throws Error if the metric has several numbers.
  double value() const;
  /// Forgets all batches.
  virtual void reset() = 0;

  /// Returns the sums over all batches. Together with the constructor's arguments they determine
  /// compute().
  virtual State state_dict() const = 0;
  /// Replaces the sums by those of a metric with the same constructor's arguments.
  ///
  /// Throws: IndexError for a missing key, Error for a value of another kind, ShapeError and
  /// DTypeError for a tensor of other sizes or another dtype. The metric is then unchanged.
  virtual void load_state_dict(const State& state) = 0;

  /// Adds the batches of all ranks, so that compute() is the value over all of them. Every rank
  /// must call it, on a metric with the same constructor's arguments. Adds the tensors of
  /// state_dict(); a metric whose state is no sums overrides it.
  virtual void all_reduce(const distributed::ProcessGroup& group);

 protected:
  Metric() = default;
  /// Copies share sums that are never changed in place.
  Metric(const Metric&) = default;
  /// Copies share sums that are never changed in place.
  Metric& operator=(const Metric&) = default;
};

/// A metric that compares the outputs of a model with targets.
class TERN_API TargetMetric : public Metric {
 public:
  /// Adds a batch. Both tensors are on the same device. Records no gradient.
  virtual void update(const Tensor& input, const Tensor& target) = 0;
};

}  // namespace tern::metrics
