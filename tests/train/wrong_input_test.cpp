#include "train/train_test.h"

#include <filesystem>
#include <functional>
#include <limits>

#include "nn/nn_test.h"

// Wrong arguments of training: each is refused before the first step, by name, and changes nothing.

namespace tern {
namespace {

using Metrics = std::vector<train::NamedMetric>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class WrongFit : public ::testing::Test {
 protected:
  /// Returns the error of a fit() that takes no step and changes no callback.
  std::string refusal(train::Options options) {
    if (options.epochs == 0) options.epochs = 2;
    std::int64_t events = 0;
    struct Events : train::Callback {
      explicit Events(std::int64_t& its_count) : count(&its_count) {}
      void on_fit_begin(train::Run& /*run*/) override { ++*count; }
      std::int64_t* count;
    };
    if (watches) options.callbacks.insert(options.callbacks.begin(), Events(events));
    const State before = copy_of(net->state_dict());
    std::string text =
        error_of([&] { train::fit(net, loader, sgd, nn::CrossEntropyLoss(), options); });
    EXPECT_TRUE(identical(net->state_dict(), before)) << text;
    EXPECT_EQ(events, 0) << text;
    return text;
  }
  std::string metric_refusal(Metrics metrics, bool validates = false) {
    return refusal({.validation = validates ? train::Loader(loader) : train::Loader(),
                    .metrics = std::move(metrics)});
  }

  nn::Linear net{4, 3};
  optim::SGD sgd{net->parameters(), 0.1}, other{net->parameters(), 0.1};
  decltype(ordered_loader()) loader = ordered_loader();
  bool watches = true;
};

TEST_F(WrongFit, HasAMetricWithTheNameOfAnotherNumber) {
  const auto text = [](const std::string& metric, const std::string& name) {
    return "fit: the metric '" + metric + "' needs another name, because '" + name +
           "' is the name of another number";
  };
  for (const char* name : {"loss", "lr", "skipped", "epoch"}) {
    EXPECT_EQ(metric_refusal({{name, metrics::Accuracy()}}), text(name, name));
  }
  EXPECT_EQ(metric_refusal({{"a", metrics::Accuracy()}, {"a", metrics::F1(3)}}), text("a", "a"));
  EXPECT_EQ(metric_refusal({{"val_loss", metrics::Accuracy()}}, true),
            text("val_loss", "val_loss"));
  EXPECT_EQ(metric_refusal({{"a", metrics::Accuracy()}, {"val_a", metrics::F1(3)}}, true),
            text("val_a", "val_a"));
  EXPECT_EQ(error_of([&] {
              train::evaluate(net, loader, nn::CrossEntropyLoss(), {{"loss", metrics::Accuracy()}});
            }).find("evaluate: the metric 'loss' needs another name"),
            0u);
  const std::string empty = ": the name of a metric is empty, expected a text such as \"accuracy\"";
  EXPECT_EQ(metric_refusal({{"", metrics::Accuracy()}}), "fit" + empty);
  EXPECT_EQ(error_of([&] {
              train::evaluate(net, loader, nn::CrossEntropyLoss(), {{"", metrics::Accuracy()}});
            }),
            "evaluate" + empty);
  // Without validation nothing else has the name.
  EXPECT_EQ(train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
                       {.epochs = 1, .metrics = {{"val_loss", metrics::Accuracy()}}})
                .back()
                .size(),
            3u);
}

TEST_F(WrongFit, HasAMetricWithManyNumbers) {
  EXPECT_EQ(metric_refusal({{"confusion", metrics::ConfusionMatrix(3)}}),
            "fit: the metric 'confusion' has a value of sizes [3, 3], expected a single number, "
            "such as that of metrics::F1 with Average::Macro");
  EXPECT_EQ(metric_refusal({{"good", metrics::Accuracy()},
                            {"each", metrics::Recall(3, metrics::Average::None)}})
                .find("fit: the metric 'each' has a value of sizes [3], "),
            0u);
  Metrics null = {{"none", metrics::Accuracy()}};
  null[0].metric = nullptr;
  EXPECT_EQ(metric_refusal(null), "fit: the metric 'none' is a null pointer");
  EXPECT_EQ(error_of([&] {
              train::fit(net, loader, sgd,
                         [&](auto& batch) {
                           return nn::functional::cross_entropy(net(batch.data), batch.target);
                         },
                         {.epochs = 1, .metrics = {{"right", metrics::Accuracy()}}});
            }),
            "the metric 'right' needs a loss of output and target, such as nn::MSELoss(), instead "
            "of a function of a batch");
  EXPECT_FALSE(net->weight.grad().defined());
}

/// A metric without a value before the first batch, whose value becomes a list.
class Growing : public metrics::TargetMetric {
 public:
  void update(const Tensor& input, const Tensor& /*target*/) override {
    sums_ = sums_.defined() ? cat({sums_, zeros({1})}) : input.sum().reshape({1});
  }
  Tensor compute() const override { return sums_ * 1; }
  void reset() override { sums_.reset(); }
  State state_dict() const override { return {}; }
  void load_state_dict(const State& /*state*/) override {}

 private:
  Tensor sums_;
};

TEST_F(WrongFit, NamesAMetricThatGrows) {
  EXPECT_EQ(error_of([&] {
              train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
                         {.epochs = 1, .metrics = {{"growing", Growing()}}});
            }).find("fit: the metric 'growing' has a value of sizes [7], expected a single number"),
            0u);
}

TEST_F(WrongFit, HasAForeignScheduler) {
  const std::string text = " has another optimizer than fit()";
  optim::StepLR steps(other, 3);
  EXPECT_EQ(refusal({.callbacks = {train::Schedule(steps)}}),
            "Schedule: the tern::optim::StepLR" + text);
  optim::ReduceLROnPlateau plateau(other);
  EXPECT_EQ(refusal({.callbacks = {train::Schedule(plateau, "loss")}}),
            "Schedule: the tern::optim::ReduceLROnPlateau" + text);
  EXPECT_EQ(steps.last_epoch(), 0);
}

TEST_F(WrongFit, HasSomethingTwice) {
  optim::StepLR steps(sgd, 3), more(sgd, 2);
  EXPECT_EQ(refusal({.callbacks = {train::Schedule(steps), train::Schedule(more),
                                   train::Schedule(steps, train::Every::kStep)}}),
            "Schedule: the tern::optim::StepLR is in two callbacks, which would step it twice");
  optim::ReduceLROnPlateau plateau(sgd);
  EXPECT_EQ(
      refusal({.callbacks = {train::Schedule(plateau, "loss"), train::Schedule(plateau, "loss")}}),
      "Schedule: the tern::optim::ReduceLROnPlateau is in two callbacks, which would step it "
      "twice");
  train::EarlyStop stop({.monitor = "loss"});
  EXPECT_EQ(refusal({.callbacks = {stop, stop}}),
            "fit: the callback tern::train::EarlyStop is in the options twice");
  train::Schedule schedule(steps);
  EXPECT_EQ(refusal({.callbacks = {schedule, schedule}}),
            "fit: the callback tern::train::Schedule is in the options twice");
}

TEST_F(WrongFit, MonitorsWhatNoEpochHas) {
  const Scratch scratch;
  optim::ReduceLROnPlateau plateau(sgd);
  watches = false;  // a callback of a program may log any number
  const std::string text = "there is no number 'val_loss'; there are: loss, accuracy, lr";
  const Metrics accuracy = {{"accuracy", metrics::Accuracy()}};
  const auto refused = [&](train::AnyCallback callback) {
    return refusal({.metrics = accuracy, .callbacks = {std::move(callback)}});
  };
  EXPECT_EQ(refused(train::EarlyStop()), "EarlyStop: " + text);
  EXPECT_EQ(refused(train::Schedule(plateau)), "Schedule: " + text);
  EXPECT_EQ(
      refused(train::Checkpoint(scratch.path("last.json"), {.best = scratch.path("best.json")})),
      "Checkpoint: " + text);
  EXPECT_EQ(
      refusal(
          {.validation = loader,
           .metrics = accuracy,
           .callbacks = {train::EarlyStop({.monitor = "val_acuracy", .mode = train::Mode::kMax})}}),
      "EarlyStop: there is no number 'val_acuracy'; there are: loss, accuracy, lr, val_loss, "
      "val_accuracy");
  // What a program logs is known after an epoch.
  std::int64_t epochs = 0;
  EXPECT_EQ(error_of<IndexError>([&] {
              train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
                         {.epochs = 3,
                          .callbacks = {[&](train::Run&) { ++epochs; },
                                        train::Schedule(plateau, "mine")}});
            }),
            "Schedule: there is no number 'mine'; there are: loss, lr");
  EXPECT_EQ(epochs, 1);
}

struct Wrong {
  const char* text;
  std::function<void()> call;
};

void expect_refused(const std::vector<Wrong>& calls) {
  for (const Wrong& wrong : calls) EXPECT_EQ(error_of(wrong.call), wrong.text);
}

TEST_F(WrongFit, HasOptionsOutOfRange) {
  const auto fit = [this](train::Options options) {
    return [=, this] { train::fit(net, loader, sgd, nn::CrossEntropyLoss(), options); };
  };
  const std::string epochs =
      "fit: set the option epochs or steps to a positive number, got epochs ";
  const std::string clips = "fit: clip_norm and clip_value should not be negative, got ";
  const std::string none = epochs + "0 and steps 0", first = epochs + "-1 and steps 0",
                    second = epochs + "0 and steps -1", norm = clips + "-1 and 0",
                    value = clips + "0 and nan";
  using Loss = std::function<Tensor(const Tensor&, const Tensor&)>;
  using Step = std::function<Tensor(data::Example<>&)>;
  expect_refused({
      {none.c_str(), fit({})},
      {first.c_str(), fit({.epochs = -1})},
      {second.c_str(), fit({.steps = -1})},
      {"fit: accumulate should be positive, got 0", fit({.epochs = 1, .accumulate = 0})},
      {norm.c_str(), fit({.epochs = 1, .clip_norm = -1})},
      {value.c_str(), fit({.epochs = 1, .clip_value = kNaN})},
      {"fit: autocast should be kHalf or kBFloat16, got Float",
       fit({.epochs = 1, .autocast = kFloat})},
      {"fit: autocast should be kHalf or kBFloat16, got Long",
       fit({.epochs = 1, .autocast = kLong})},
      {"load: cannot open 'missing.json': No such file or directory",
       fit({.epochs = 1, .resume = "missing.json"})},
      {"fit: the loss is an empty function",
       [&] { train::fit(net, loader, sgd, Loss(), {.epochs = 1}); }},
      {"fit: the loss is an empty function",
       [&] { train::fit(net, loader, sgd, Step(), {.epochs = 1}); }},
      {"fit: a callback is an empty function",
       [&] { train::AnyCallback(std::function<void(train::Run&)>()); }},
      {"Run::log: the name of a number is empty",
       fit({.epochs = 1, .callbacks = {[](train::Run& run) { run.log("", 1); }}})},
  });
}

TEST(WrongCallbacks, AreRefused) {
  using train::EarlyStop, train::Checkpoint;
  expect_refused({
      {"EarlyStop: patience should be positive, got 0", [] { EarlyStop({.patience = 0}); }},
      {"EarlyStop: min_delta should not be negative, got -1", [] { EarlyStop({.min_delta = -1}); }},
      {"EarlyStop: min_delta should not be negative, got nan",
       [] { EarlyStop({.min_delta = kNaN}); }},
      {"EarlyStop: the monitor is empty, expected the name of a number, such as \"val_loss\"",
       [] { EarlyStop({.monitor = ""}); }},
      {"Checkpoint: the path is empty", [] { Checkpoint(""); }},
      {"Checkpoint: every_epochs should be positive and every_steps not negative, got 0 and 0",
       [] { Checkpoint("a.json", {.every_epochs = 0}); }},
      {"Checkpoint: every_epochs should be positive and every_steps not negative, got 1 and -1",
       [] { Checkpoint("a.json", {.every_steps = -1}); }},
      {"Checkpoint: the training and the weights of the best epoch have the same file 'a.json'",
       [] { Checkpoint("a.json", {.best = "a.json"}); }},
      {"Checkpoint: is a smaller or a larger 'f1' better? Set the option mode to "
       "train::Mode::kMin or train::Mode::kMax",
       [] { Checkpoint("a.json", {.best = "b.json", .monitor = "f1"}); }},
      {"TimeLimit: seconds should be positive, got nan", [] { train::TimeLimit{kNaN}; }},
      {"LogCsv: the path is empty", [] { train::LogCsv(""); }},
  });
}

TEST_F(WrongFit, WritesIntoAFolder) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("last.json"));
  for (const bool is_log : {true, false}) {
    const std::string path = scratch.path("last.json");
    EXPECT_EQ(error_of<FileError>([&] {
                train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
                           {.epochs = 1,
                            .callbacks = {is_log ? train::AnyCallback(train::LogCsv(path))
                                                 : train::AnyCallback(train::Checkpoint(path))}});
              }),
              (is_log ? "LogCsv: '" : "Checkpoint: '") + path + "' is a folder");
  }
}

TEST(WrongMetrics, AreRefused) {
  using namespace metrics;
  expect_refused({
      {"Accuracy: top_k must be positive, got 0", [] { Accuracy(AccuracyOptions().top_k(0)); }},
      {"Accuracy: the threshold is NaN", [] { Accuracy(AccuracyOptions().threshold(kNaN)); }},
      {"ConfusionMatrix: the number of classes must be 2 to 1048576, got 1", [] { IoU(1); }},
      {"ConfusionMatrix: the threshold is NaN",
       [] { F1(2, Average::Macro, ConfusionMatrixOptions().threshold(kNaN)); }},
      {"ConfusionMatrix: Average::Binary needs 2 classes, got 3", [] { Dice(3, Average::Binary); }},
      {"AUROC: the number of classes must be at least 2, got 1", [] { AUROC(1); }},
      {"Mean: a weight must be at least 0, got -1", [] { Mean().update(1, -1); }},
      {"Mean: a weight must be at least 0, got nan", [] { Mean().update(1, kNaN); }},
  });
}

}  // namespace
}  // namespace tern
