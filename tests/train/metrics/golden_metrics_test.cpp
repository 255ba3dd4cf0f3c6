#include <gtest/gtest.h>

#include <string>

#include <tern/core/ops/ops.h>
#include <tern/train/metrics/metrics.h>

#include "golden/golden.h"

// Metrics of the batches in golden/train/metrics.json, whose values scikit-learn and PyTorch
// computed, on the CPU and on a simulated device.

namespace tern::metrics {
namespace {

using nlohmann::json;
using testing::golden;
using testing::golden_numbers;
using testing::golden_tensor;

const std::pair<const char*, Average> kAverages[] = {{"none", Average::None},
                                                     {"micro", Average::Micro},
                                                     {"macro", Average::Macro},
                                                     {"weighted", Average::Weighted},
                                                     {"binary", Average::Binary}};

void expect_numbers(const Tensor& actual, const json& expected, const std::string& what,
                    double tolerance = 1e-12) {
  const std::vector<double> numbers = golden_numbers(expected);
  const std::vector<double> values = actual.reshape({-1}).to(kDouble).to_vector<double>();
  ASSERT_EQ(values.size(), numbers.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], numbers[i], tolerance) << what;
  }
}

std::optional<std::int64_t> ignored(const json& entry) {
  const json& index = entry.at("ignore_index");
  return index.is_null() ? std::nullopt : std::optional(index.get<std::int64_t>());
}

class GoldenMetrics : public ::testing::TestWithParam<const char*> {
 protected:
  /// Updates the metric with three parts of the batch.
  static void update(TargetMetric& metric, const json& input, const json& target) {
    const Device device = GetParam();
    const Tensor inputs = golden_tensor(input).to(device),
                 targets = golden_tensor(target).to(device);
    const std::int64_t rows = inputs.size(0);
    for (const auto& [from, to] :
         {std::pair{0L, rows / 3}, {rows / 3, rows / 3}, {rows / 3, rows}}) {
      metric.update(inputs.slice(0, from, to), targets.slice(0, from, to));
    }
  }
};

INSTANTIATE_TEST_SUITE_P(, GoldenMetrics, ::testing::Values("cpu", "cuda:1"), [](const auto& test) {
  return std::string(test.param).substr(0, std::string(test.param).find(':'));
});

TEST_P(GoldenMetrics, Accuracy) {
  for (const json& entry : golden("train/metrics").at("accuracy")) {
    Accuracy accuracy(
        AccuracyOptions().top_k(entry.at("top_k").get<int>()).ignore_index(ignored(entry)));
    update(accuracy, entry.at("scores"), entry.at("target"));
    EXPECT_NEAR(accuracy.value(), entry.at("value").get<double>(), 1e-12) << entry.at("name");
  }
}

TEST_P(GoldenMetrics, ConfusionMatrixAndItsScores) {
  for (const json& entry : golden("train/metrics").at("confusion")) {
    const std::string name = entry.at("name");
    ConfusionMatrix matrix(entry.at("classes").get<int>());
    update(matrix, entry.at("prediction"), entry.at("target"));
    EXPECT_EQ(matrix.compute().dtype(), kLong);
    expect_numbers(matrix.compute(), entry.at("matrix"), name);
    EXPECT_NEAR(matrix.accuracy().item<double>(), entry.at("accuracy").get<double>(), 1e-12);
    expect_numbers(matrix.normalized(Normalize::Target), entry.at("normalized true"), name);
    expect_numbers(matrix.normalized(Normalize::Prediction), entry.at("normalized pred"), name);
    expect_numbers(matrix.normalized(Normalize::All), entry.at("normalized all"), name);
    for (const auto& [key, average] : kAverages) {
      if (!entry.contains(std::string("f1 ") + key)) continue;
      const std::string what = name + ", " + key;
      expect_numbers(matrix.precision(average), entry.at(std::string("precision ") + key), what);
      expect_numbers(matrix.recall(average), entry.at(std::string("recall ") + key), what);
      expect_numbers(matrix.f1(average), entry.at(std::string("f1 ") + key), what);
    }
  }
}

TEST_P(GoldenMetrics, PrecisionRecallAndF1) {
  const json& entry = golden("train/metrics").at("confusion").at(0);
  Precision precision(5);
  Recall recall(5, Average::Weighted);
  F1 f1(5, Average::None);
  for (TargetMetric* metric :
       {static_cast<TargetMetric*>(&precision), static_cast<TargetMetric*>(&recall),
        static_cast<TargetMetric*>(&f1)}) {
    update(*metric, entry.at("prediction"), entry.at("target"));
  }
  expect_numbers(precision.compute(), entry.at("precision macro"), "precision");
  expect_numbers(recall.compute(), entry.at("recall weighted"), "recall");
  expect_numbers(f1.compute(), entry.at("f1 none"), "f1");
}

TEST_P(GoldenMetrics, IoUAndDice) {
  for (const json& entry : golden("train/iou").at("segmentation")) {
    const int classes = entry.at("classes").get<int>();
    const auto options = ConfusionMatrixOptions().ignore_index(ignored(entry));
    for (const auto& [key, average] : kAverages) {
      if (!entry.contains(std::string("iou ") + key)) continue;
      const std::string what = entry.at("name").get<std::string>() + ", " + key;
      IoU iou(classes, average, options);
      update(iou, entry.at("prediction"), entry.at("target"));
      expect_numbers(iou.compute(), entry.at(std::string("iou ") + key), what, 1e-7);
      if (!entry.contains(std::string("dice ") + key)) continue;
      Dice dice(classes, average, options);
      update(dice, entry.at("prediction"), entry.at("target"));
      expect_numbers(dice.compute(), entry.at(std::string("dice ") + key), what, 1e-7);
    }
  }
}

// One-hot scores of pixels are the same as their classes.
TEST_P(GoldenMetrics, IoUOfScores) {
  const json& entry = golden("train/iou").at("segmentation").at(0);
  const Tensor classes = golden_tensor(entry.at("prediction")).to(Device(GetParam()));
  IoU iou(4);
  iou.update(one_hot(classes, 4).permute({0, 3, 1, 2}).to(kFloat),
             golden_tensor(entry.at("target")).to(Device(GetParam())));
  expect_numbers(iou.compute(), entry.at("iou macro"), "scores", 1e-7);
}

TEST_P(GoldenMetrics, Auroc) {
  for (const json& entry : golden("train/metrics").at("auroc")) {
    for (const auto& [key, average] : kAverages) {
      if (!entry.contains(key)) continue;
      AUROC area = std::string(key) == "binary" ? AUROC() : AUROC(5, average);
      update(area, entry.at("scores"), entry.at("target"));
      expect_numbers(area.compute(), entry.at(key), entry.at("name").get<std::string>() + key);
    }
  }
}

TEST_P(GoldenMetrics, Perplexity) {
  for (const json& entry : golden("train/metrics").at("perplexity")) {
    Perplexity perplexity(PerplexityOptions().ignore_index(ignored(entry)));
    update(perplexity, entry.at("logits"), entry.at("target"));
    const double expected = entry.at("value");
    EXPECT_NEAR(perplexity.value(), expected, 1e-6 * expected) << entry.at("name");
  }
}

TEST_P(GoldenMetrics, Mean) {
  for (const json& entry : golden("train/metrics").at("mean")) {
    Mean mean;
    mean.update(golden_tensor(entry.at("values")).to(Device(GetParam())),
                golden_tensor(entry.at("weights")).to(Device(GetParam())));
    EXPECT_NEAR(mean.value(), entry.at("value").get<double>(), 1e-12) << entry.at("name");
  }
}

}  // namespace
}  // namespace tern::metrics
