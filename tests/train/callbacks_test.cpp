#include "train/train_test.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "train/tensorboard/read_events.h"

namespace tern {
namespace {

/// Trains with callbacks on epochs whose "val_loss" is given.
train::History run_with(std::vector<double> values, std::vector<train::AnyCallback> callbacks,
                        nn::Linear net = nn::Linear(4, 3)) {
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = ordered_loader();
  callbacks.insert(callbacks.begin(), [&](train::Run& run) {
    run.log("val_loss", values.at(static_cast<std::size_t>(run.epoch() - 1)));
  });
  return train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
                    {.epochs = std::ssize(values), .callbacks = std::move(callbacks)});
}

TEST(Callbacks, RunInOrder) {
  struct Events : train::Callback {
    void on_fit_begin(train::Run& /*run*/) override { text += "fit"; }
    void on_epoch_begin(train::Run& run) override { text += " e" + std::to_string(run.epoch()); }
    void on_step_end(train::Run& /*run*/) override { text += "."; }
    void on_epoch_end(train::Run& run) override {
      text += std::to_string(run.history().size());
      run.log("twice", 2 * run.numbers()["loss"]);
    }
    void on_fit_end(train::Run& /*run*/) override { text += " end"; }
    std::string text;
  };
  Events events;
  const train::History history = run_with({1, 1}, {events});
  EXPECT_EQ(events.text, "fit e1.......1 e2.......2 end");
  EXPECT_EQ(history.back()["twice"], 2 * history.back()["loss"]);
  EXPECT_EQ(history.stop_reason(), "");
}

TEST(Callbacks, StopTheTraining) {
  const train::History at_end = run_with({3, 2, 1}, {[](train::Run& run) {
                                           if (run.numbers()["val_loss"] < 2.5) run.stop("done");
                                         }});
  EXPECT_EQ(at_end.size(), 2u);
  EXPECT_EQ(at_end.stop_reason(), "done");
  std::int64_t steps = 0;
  const train::History within = run_with({3, 2, 1}, {AfterStep([&](train::Run& run) {
                                           steps = run.step();
                                           if (steps == 10) run.stop();
                                         })});
  EXPECT_EQ(steps, 10);
  EXPECT_EQ(within.size(), 1u);
  EXPECT_EQ(within.stop_reason(), "stop() was called");
  EXPECT_EQ(run_with({1, 1}, {train::TimeLimit(1e-9)}).stop_reason(), "the time limit was reached");
  EXPECT_EQ(run_with({1, 1}, {train::TimeLimit(1000)}).size(), 2u);
}

TEST(EarlyStop, WaitsForItsPatience) {
  const auto epochs = [](std::vector<double> values, train::EarlyStopOptions options) {
    return run_with(std::move(values), {train::EarlyStop(std::move(options))}).size();
  };
  EXPECT_EQ(epochs({5, 4, 4, 4, 4, 4}, {.patience = 2}), 4u);
  EXPECT_EQ(epochs({5, 4, 4, 3, 4, 4, 1}, {.patience = 2}), 6u);
  EXPECT_EQ(epochs({5, 4, 3, 2}, {.patience = 1}), 4u);
  EXPECT_EQ(epochs({1, 2, 3, 3, 4}, {.mode = train::Mode::kMax, .patience = 1}), 4u);
  EXPECT_EQ(epochs({5, 4.5, 4.2, 3}, {.patience = 2, .min_delta = 0.9}), 3u);
  EXPECT_EQ(epochs({NAN, NAN, 1, 2}, {.patience = 2}), 2u);
  const train::History history = run_with({2, 1, 1}, {train::EarlyStop({.patience = 1})});
  EXPECT_EQ(history.stop_reason(), "val_loss has not improved since epoch 2");
}

TEST(EarlyStop, RestoresTheBestWeights) {
  nn::Linear net(4, 3);
  State best;
  run_with({3, 1, 2, 2, 0},
           {train::EarlyStop({.patience = 2, .restore_best = true}),
            [&](train::Run& run) {
              if (run.epoch() == 2) best = net.clone()->state_dict();
            }},
           net);
  EXPECT_TRUE(identical(net->state_dict(), best));
}

TEST(EarlyStop, StaysStoppedAfterAResume) {
  const Scratch scratch;
  nn::Linear net(4, 3);
  const auto run = [&](std::vector<double> values) {
    return run_with(std::move(values),
                    {train::EarlyStop({.patience = 1, .restore_best = true}),
                     train::Checkpoint(scratch.path(), {.resume = true})},
                    net);
  };
  run({2, 1, 3, 0, 0});
  const State best = net.clone()->state_dict();
  const train::History again = run({2, 1, 3, 0, 0});
  EXPECT_EQ(again.size(), 3u);
  EXPECT_EQ(again.stop_reason(), "val_loss has not improved since epoch 2");
  EXPECT_TRUE(identical(net->state_dict(), best));
}

TEST(EarlyStop, AsksForTheMode) {
  EXPECT_EQ(error_of([] { train::EarlyStop({.monitor = "val_f1"}); }),
            "EarlyStop: is a smaller or a larger 'val_f1' better? Set the option mode to "
            "train::Mode::kMin or "
            "train::Mode::kMax");
  EXPECT_EQ(error_of([] { train::EarlyStop({.patience = 0}); }),
            "EarlyStop: patience should be positive, got 0");
  EXPECT_EQ(
      error_of<IndexError>([] { run_with({1}, {train::EarlyStop({.monitor = "loss_of_test"})}); }),
      "EarlyStop: there is no number 'loss_of_test'; there are: loss, lr, val_loss");
}

// The best epoch of a training that continues may lie before the checkpoint.
TEST(Checkpoint, KeepsTheBestAcrossAResume) {
  const Scratch scratch;
  nn::Linear net(4, 3);
  const auto best_after = [&](std::vector<double> values) {
    run_with(std::move(values),
             {train::Checkpoint(scratch.path("last.json"),
                                {.best = scratch.path("best.json"), .resume = true})},
             net);
    return read_file(scratch.path("best.json"));
  };
  const std::string best = best_after({3, 1});
  EXPECT_EQ(best_after({3, 1, 2, 2}), best);
  EXPECT_NE(best_after({3, 1, 2, 2, 0.5}), best);
}

TEST(Schedule, StepsByEpochStepAndMetric) {
  nn::Linear net(4, 3);
  optim::SGD sgd(net->parameters(), 1.0);
  auto loader = ordered_loader();
  const auto lrs = [&](train::AnyCallback callback) {
    sgd.param_groups()[0].options().set_lr(1.0);
    sgd.param_groups()[0].schedule() = State();
    std::vector<double> values = {1, 1, 1, 1};
    return train::fit(
        net, loader, sgd, nn::CrossEntropyLoss(),
        {.epochs = 4,
         .callbacks = {[&](train::Run& run) { run.log("m", 1); }, std::move(callback)}})["lr"];
  };
  EXPECT_EQ(lrs(train::Schedule(optim::StepLR(sgd, 1, 0.5))),
            (std::vector<double>{1, 0.5, 0.25, 0.125}));
  EXPECT_EQ(lrs(train::Schedule(optim::StepLR(sgd, 7, 0.5), train::Every::kStep)),
            (std::vector<double>{0.5, 0.25, 0.125, 0.0625}));
  optim::ReduceLROnPlateau plateau(sgd, optim::ReduceLROnPlateau::min, 0.5, /*patience=*/1);
  EXPECT_EQ(lrs(train::Schedule(plateau, "m")), (std::vector<double>{1, 1, 1, 0.5}));
}

TEST(Print, WritesALineForEachEpoch) {
  std::ostringstream out;
  run_with({0.5, 0.25}, {train::Print(out)});
  const std::string text = out.str();
  EXPECT_EQ(text.rfind("epoch 1/2  loss ", 0), 0u) << text;
  EXPECT_NE(text.find("  lr 0.1  val_loss 0.25  ("), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), " s)\n");
}

TEST(LogCsv, ContinuesTheFileAfterAResume) {
  const Scratch scratch;
  const std::string csv = scratch.path("log.csv"), last = scratch.path("last.json");
  const auto run = [&](std::vector<double> values) {
    run_with(std::move(values), {train::LogCsv(csv), train::Checkpoint(last, {.resume = true})});
    std::vector<std::string> lines;
    std::istringstream in(read_file(csv));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  };
  const auto two = run({0.5, 0.25});
  ASSERT_EQ(two.size(), 3u);
  EXPECT_EQ(two[0], "epoch,loss,lr,val_loss");
  const auto three = run({0.5, 0.25, 0.125});
  ASSERT_EQ(three.size(), 4u);
  EXPECT_EQ(std::vector(three.begin(), three.begin() + 3), two);
  EXPECT_EQ(three[3].substr(0, 2), "3,");
  EXPECT_EQ(three[3].substr(three[3].size() - 10), ",0.1,0.125");
}

TEST(TensorBoard, WritesEpochsAndSteps) {
  const Scratch scratch;
  train::TensorBoard board(scratch.path("runs"), {.every_steps = 3, .histograms = true});
  const train::History history = run_with({0.5, 0.25}, {board});
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path("runs"))) {
    path = entry.path();
  }
  std::map<std::string, std::map<std::int64_t, float>> values;
  for (const auto& event : testing::read_events(read_file(path))) {
    if (event.count(5) == 0) continue;
    const auto value = event.message(5).message(1);
    values[value.text(1)][event.integer(2)] = value.count(2) > 0 ? value.real32(2) : NAN;
  }
  EXPECT_EQ(values["val_loss"], (std::map<std::int64_t, float>{{1, 0.5f}, {2, 0.25f}}));
  EXPECT_EQ(values["loss"][2], static_cast<float>(history[1]["loss"]));
  EXPECT_EQ(values["step/lr"].size(), 4u);  // of steps 3, 6, 9 and 12
  EXPECT_EQ(values["step/loss"].count(9), 1u);
  EXPECT_EQ(values["weight"].size(), 2u);
  EXPECT_EQ(error_of([] { train::TensorBoard(""); }),
            "TensorBoard: the name of the folder is empty");
  EXPECT_EQ(error_of([] { train::TensorBoard("runs", {.every_steps = -1}); }),
            "TensorBoard: every_steps should not be negative, got -1");
}

TEST(Callbacks, LookForTheirFolderFirst) {
  const auto text = [](train::AnyCallback callback) {
    return error_of<FileError>([&] { run_with({1}, {std::move(callback)}); });
  };
  EXPECT_EQ(text(train::Checkpoint("nowhere/last.json")),
            "Checkpoint: there is no folder nowhere for the file 'nowhere/last.json'");
  EXPECT_EQ(text(train::LogCsv("nowhere/log.csv")),
            "LogCsv: there is no folder nowhere for the file 'nowhere/log.csv'");
}

TEST(Callbacks, RefuseANullPointer) {
  EXPECT_EQ(error_of([] { train::AnyCallback(std::shared_ptr<train::Callback>()); }),
            "fit: a callback is a null pointer");
  EXPECT_EQ(error_of([] { train::TimeLimit(0); }), "TimeLimit: seconds should be positive, got 0");
}

}  // namespace
}  // namespace tern
