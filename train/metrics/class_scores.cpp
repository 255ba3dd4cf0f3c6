#include <tern/train/metrics/class_scores.h>

namespace tern::metrics {

ClassScore::ClassScore(StrictInt num_classes, Average average,
                       const ConfusionMatrixOptions& options)
    : matrix_(num_classes, options), average_(average) {
  TERN_CHECK(average != Average::Binary || num_classes == 2, Error,
             "ConfusionMatrix: Average::Binary needs 2 classes, got ", matrix_.num_classes());
}

void ClassScore::update(const Tensor& input, const Tensor& target) {
  matrix_.update(input, target);
}
void ClassScore::reset() { matrix_.reset(); }
State ClassScore::state_dict() const { return matrix_.state_dict(); }
void ClassScore::load_state_dict(const State& state) { matrix_.load_state_dict(state); }

Tensor Precision::compute() const { return matrix().precision(average()); }
Tensor Recall::compute() const { return matrix().recall(average()); }
Tensor F1::compute() const { return matrix().f1(average()); }
Tensor IoU::compute() const { return matrix().iou(average()); }

}  // namespace tern::metrics
