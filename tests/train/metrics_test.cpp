#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <sstream>

#include <tern/backends/cuda/host/graph.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>
#include <tern/train/metrics/metrics.h>

#include "error_of.h"
#include "serialization/scratch.h"

// What the golden numbers do not show: forms of arguments, refusals, states, texts.

namespace tern::metrics {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Tensor classes(std::initializer_list<std::int64_t> values) {
  return tensor(std::vector<std::int64_t>(values), kLong);
}

TEST(Metrics, AreNanBeforeTheFirstBatch) {
  EXPECT_TRUE(std::isnan(Accuracy().value()));
  EXPECT_TRUE(std::isnan(Mean().value()));
  EXPECT_TRUE(std::isnan(Perplexity().value()));
  EXPECT_TRUE(std::isnan(AUROC().value()));
  EXPECT_TRUE(std::isnan(F1(3).value()));
  EXPECT_TRUE(std::isnan(Recall(2, Average::Binary).value()));
  EXPECT_EQ(ConfusionMatrix(2).compute().sum().item<int>(), 0);
}

TEST(Metrics, AccuracyTakesClassesAndProbabilities) {
  Accuracy accuracy;
  accuracy.update(classes({1, 0, 7}), classes({1, 0, 2}));
  EXPECT_DOUBLE_EQ(accuracy.value(), 2.0 / 3);
  accuracy.reset();
  accuracy.update(tensor({0.5, 0.49, NAN}), tensor({1.0, 1.0, 0.0}));
  EXPECT_DOUBLE_EQ(accuracy.value(), 2.0 / 3) << "NaN is below the threshold";
  accuracy = Accuracy(AccuracyOptions().threshold(0));
  accuracy.update(tensor({0.1, -0.1}), tensor({true, true}));
  EXPECT_DOUBLE_EQ(accuracy.value(), 0.5);
  accuracy.reset();
  accuracy.update(tensor({0.1F, 0.9F, 0.0F}), tensor(1));  // one sample
  EXPECT_DOUBLE_EQ(accuracy.value(), 1.0);
  accuracy.reset();
  const Tensor pixels = zeros({2, 3, 4, 5});
  pixels.select(1, 2).fill_(1);
  accuracy.update(pixels, full({2, 4, 5}, 2, kLong));
  EXPECT_DOUBLE_EQ(accuracy.value(), 1.0);
}

TEST(Metrics, ANanScoreIsNeverAmongTheLargest) {
  Accuracy accuracy(AccuracyOptions().top_k(2));
  accuracy.update(tensor({{NAN, 1.0, 0.0}, {NAN, 1.0, 0.0}, {NAN, 1.0, 0.0}}), classes({0, 1, 2}));
  EXPECT_DOUBLE_EQ(accuracy.value(), 1.0 / 3);
}

TEST(Metrics, RecordNoGradientAndCopyWhatTheyKeep) {
  const Tensor scores = tensor({0.9, 0.2}).requires_grad_();
  AUROC area;
  area.update(scores, classes({1, 0}));
  scores.detach().fill_(0.5);
  EXPECT_DOUBLE_EQ(area.value(), 1.0);
  EXPECT_FALSE(area.state_dict()["scores"].tensor().requires_grad());
  Mean mean;
  mean.update((scores * 2).sum());
  EXPECT_FALSE(mean.state_dict()["sums"].tensor().requires_grad());
}

TEST(Metrics, FollowTheBatchToAnotherDevice) {
  Accuracy accuracy;
  Mean mean;
  for (const char* device : {"cuda:1", "cpu", "cuda:0"}) {
    accuracy.update(classes({1, 2}).to(Device(device)), classes({1, 1}).to(Device(device)));
    mean.update(tensor({1.0, 3.0}).to(Device(device)));
  }
  mean.update(8.0, 2);
  EXPECT_DOUBLE_EQ(accuracy.value(), 0.5);
  EXPECT_DOUBLE_EQ(mean.value(), 28.0 / 8);
}

TEST(Metrics, MeanIgnoresWeightZero) {
  Mean mean;
  mean.update(INFINITY, 0);
  mean.update(tensor({INFINITY, 2.0}), tensor({0.0, 1.0}));
  mean.update(tensor({NAN}), 0);
  EXPECT_DOUBLE_EQ(mean.value(), 2.0);
}

TEST(Metrics, RefuseWrongArgumentsAndStayUnchanged) {
  Accuracy accuracy(AccuracyOptions().ignore_index(-1));
  accuracy.update(classes({1}), classes({1}));
  const auto refused = [&]<class E>(const Tensor& input, const Tensor& target, E*) {
    return error_of<E>([&] { accuracy.update(input, target); });
  };
  ShapeError* const shape = nullptr;
  DTypeError* const dtype = nullptr;
  IndexError* const index = nullptr;
  EXPECT_EQ(
      refused(zeros({4, 3}), classes({1, 2}), shape),
      "Accuracy: expected scores [N, C] or [N, C, d1, ..] with targets [N] or [N, d1, ..], or "
      "two tensors of equal sizes, got [4, 3] and [2]");
  EXPECT_TRUE(contains(refused(zeros({2, 1}), classes({1, 0}), shape), "fewer than 2 classes"));
  EXPECT_TRUE(contains(refused(zeros({2, 3}), tensor({1.0, 0.0}), dtype),
                       "must be classes of an integer dtype, got Float"));
  EXPECT_EQ(
      refused(zeros({3, 3}), classes({-1, 3, 0}), index),
      "Accuracy: target 3 is out of bounds. A class is at least 0 and less than 3, the number "
      "of classes.");
  EXPECT_TRUE(contains(error_of([&] { accuracy.update({}, classes({1})); }), "undefined input"));
  EXPECT_DOUBLE_EQ(accuracy.value(), 1.0);

  EXPECT_TRUE(contains(error_of([] { Accuracy(AccuracyOptions().top_k(0)); }), "got 0"));
  Accuracy top(AccuracyOptions().top_k(4));
  EXPECT_TRUE(contains(error_of<ShapeError>([&] {
                         top.update(zeros({2, 3}), classes({1, 2}));
                       }),
                       "top_k 4 is more than the number of classes, 3"));
  EXPECT_TRUE(contains(error_of([] { ConfusionMatrix(1); }), "got 1"));
  ConfusionMatrix matrix(3);
  EXPECT_TRUE(contains(error_of<ShapeError>([&] {
                         matrix.update(zeros({2, 4}), classes({1, 2}));
                       }),
                       "expected scores of 3 classes, got 4"));
  EXPECT_TRUE(contains(error_of<IndexError>([&] { matrix.update(classes({5}), classes({1})); }),
                       "prediction 5 is out of bounds"));
  EXPECT_TRUE(contains(error_of([&] { matrix.f1(Average::Binary); }), "needs 2 classes, got 3"));
  EXPECT_TRUE(contains(error_of([] { F1(3, Average::Binary); }), "needs 2 classes, got 3"));
  EXPECT_TRUE(contains(error_of([&] { (void)matrix.str({"a"}); }), "expected 3 labels, got 1"));
  EXPECT_TRUE(contains(error_of([] { AUROC(3, Average::Micro); }), "Macro, Weighted or None"));
  AUROC area;
  EXPECT_TRUE(contains(error_of<ShapeError>([&] {
                         area.update(zeros({2, 1}), classes({1, 0}));
                       }),
                       "equal sizes, got [2, 1] and [2]"));
  area.update(tensor({NAN, 1.0}), classes({0, 1}));
  EXPECT_EQ(error_of([&] { area.compute(); }), "AUROC: 1 of 2 scores are NaN");
  Mean mean;
  EXPECT_TRUE(contains(error_of([&] { mean.update(1.0, -1); }), "got -1"));
  EXPECT_TRUE(contains(error_of<ShapeError>([&] { mean.update(zeros({3}), zeros({2})); }),
                       "weights [2] do not broadcast"));
  Perplexity perplexity;
  EXPECT_TRUE(contains(error_of<ShapeError>([&] {
                         perplexity.update(zeros({2, 5, 3}), classes({1, 2}));
                       }),
                       "got [2, 5, 3] and [2]"));
}

TEST(Metrics, ReportAClassOutOfRangeOnADeviceLater) {
  const Device device("cuda:0");
  Accuracy accuracy;
  ConfusionMatrix matrix(2);
  Perplexity perplexity;
  AUROC area;
  accuracy.update(zeros({2, 3}).to(device), classes({0, 3}).to(device));
  matrix.update(classes({0, -1}).to(device), classes({0, 1}).to(device));
  perplexity.update(zeros({2, 3}).to(device), classes({0, -100}).to(device));
  area.update(zeros({2}).to(device), classes({0, 2}).to(device));
  for (const Metric* metric :
       {static_cast<const Metric*>(&accuracy), static_cast<const Metric*>(&matrix),
        static_cast<const Metric*>(&perplexity), static_cast<const Metric*>(&area)}) {
    EXPECT_TRUE(contains(error_of<IndexError>([&] { metric->compute(); }),
                         ": 1 targets or predictions were out of bounds"));
  }
}

TEST(Metrics, UpdatesDoNotWaitForTheDevice) {
  const Device device("cuda:0");
  const Tensor scores = rand({8, 3}).to(device), target = randint(0, 3, {8}, kLong).to(device);
  const Tensor weights = rand({8, 1}).to(device);
  Accuracy accuracy(AccuracyOptions().ignore_index(1)), top(AccuracyOptions().top_k(2));
  ConfusionMatrix matrix(3);
  Perplexity perplexity;
  AUROC area(3);
  Mean mean;
  // A capture refuses every wait and every copy between host and device.
  const auto update = [&] {
    for (int i = 0; i < 2; ++i) {
      for (TargetMetric* metric :
           std::initializer_list<TargetMetric*>{&accuracy, &top, &matrix, &perplexity, &area}) {
        metric->update(scores, target);
      }
      mean.update(scores, weights);
      mean.update(scores.sum(), 2);
    }
  };
  cuda::CUDAGraph graph;
  EXPECT_NO_THROW(graph.capture(update));
}

TEST(Metrics, ContinueFromASavedState) {
  const Scratch scratch;
  manual_seed(1);
  const Tensor scores = rand({20, 3}), target = randint(0, 3, {20}, kLong);
  const auto check = [&]<class M>(const M& start) {
    M all = start, first = start, second = start;
    all.update(scores, target);
    first.update(scores.slice(0, 0, 7), target.slice(0, 0, 7));
    save(first, scratch.path());
    second.update(scores, target);  // replaced
    load(second, scratch.path());
    second.update(scores.slice(0, 7, 20), target.slice(0, 7, 20));
    EXPECT_TRUE(equal(all.compute(), second.compute()));
    M copy = second;
    copy.reset();
    EXPECT_TRUE(equal(all.compute(), second.compute())) << "a copy is independent";
    const std::string text = error_of([&] { second.load_state_dict(State()); });
    EXPECT_TRUE(contains(text, "' is not defined")) << text;
    EXPECT_TRUE(equal(all.compute(), second.compute()));
  };
  check(Accuracy(AccuracyOptions().top_k(2)));
  check(ConfusionMatrix(3));
  check(F1(3, Average::None));
  check(AUROC(3));
  check(Perplexity());
  Mean mean, loaded;
  mean.update(3.0, 2);
  mean.update(tensor({1.0, 2.0}));
  save(mean, scratch.path());
  loaded.update(100.0);
  load(loaded, scratch.path());
  EXPECT_DOUBLE_EQ(loaded.value(), 9.0 / 4);
  EXPECT_TRUE(contains(error_of<ShapeError>([] {
                         ConfusionMatrix(4).load_state_dict(ConfusionMatrix(3).state_dict());
                       }),
                       "expected 'sums' of sizes [17], got [10]"));
}

TEST(Metrics, AurocOfAClassWithoutSamplesIsNan) {
  AUROC each(3, Average::None), macro(3);
  for (AUROC* area : {&each, &macro}) {
    area->update(tensor({{0.7, 0.2, 0.1}, {0.2, 0.6, 0.2}, {0.5, 0.4, 0.1}}), classes({0, 1, 1}));
  }
  const std::vector<double> areas = each.compute().to_vector<double>();
  EXPECT_DOUBLE_EQ(areas[0], 1.0);
  EXPECT_DOUBLE_EQ(areas[1], 1.0);
  EXPECT_TRUE(std::isnan(areas[2]));
  EXPECT_DOUBLE_EQ(macro.value(), 1.0);
}

TEST(Metrics, ConfusionMatrixPrintsATable) {
  ConfusionMatrix matrix(3);
  matrix.update(classes({0, 1, 1, 0, 2, 1}), classes({0, 1, 2, 1, 2, 1}));
  EXPECT_EQ(matrix.str({"cat", "dog", "übel"}),
            "target \\ predicted    cat    dog   übel  recall\n"
            "cat                     1      0      0   1.000\n"
            "dog                     1      2      0   0.667\n"
            "übel                    0      1      1   0.500\n"
            "precision           0.500  0.667  1.000\n"
            "F1                  0.667  0.667  0.667\n");
  std::ostringstream out;
  out << matrix;
  EXPECT_EQ(out.str(), matrix.str());
}

}  // namespace
}  // namespace tern::metrics
