#include "train/train_test.h"

#include <cmath>
#include <limits>
#include <sstream>

// fit() is the loop by hand: the same losses and the same weights to the bit.

namespace tern {
namespace {

TEST(Fit, IsTheLoopByHand) {
  for (const std::int64_t accumulate : {1, 3}) {
    manual_seed(1);
    nn::Sequential by_hand = points_net();
    optim::AdamW hand_adam(by_hand->parameters(), 1e-2);
    auto hand_loader = points_loader();
    optim::OneCycleLR hand_cycle(hand_adam, optim::OneCycleLROptions(1e-2).total_steps(60));
    std::vector<double> losses;
    for (int epoch = 0; epoch < 3; ++epoch) {
      double total = 0;
      std::int64_t waiting = 0;
      const auto step = [&] {
        nn::utils::clip_grad_norm_(by_hand->parameters(), 0.5);
        hand_adam.step();
        hand_cycle.step();
        hand_adam.zero_grad();
        waiting = 0;
      };
      for (auto& batch : *hand_loader) {
        const Tensor loss =
            nn::functional::cross_entropy(by_hand->forward(batch.data), batch.target);
        (accumulate > 1 ? loss / accumulate : loss).backward();
        total += loss.item<double>() * static_cast<double>(batch.data.size(0));
        if (++waiting == accumulate) step();
      }
      if (waiting > 0) step();
      losses.push_back(total / 50);
    }

    manual_seed(1);
    nn::Sequential net = points_net();
    optim::AdamW adam(net->parameters(), 1e-2);
    auto loader = points_loader();
    optim::OneCycleLR cycle(adam, optim::OneCycleLROptions(1e-2).total_steps(60));
    const train::History history =
        train::fit(net, loader, adam, nn::CrossEntropyLoss(),
                   {.epochs = 3,
                    .accumulate = accumulate,
                    .clip_norm = 0.5,
                    .callbacks = {train::Schedule(cycle, train::Every::kStep)}});
    EXPECT_EQ(history["loss"], losses);
    EXPECT_TRUE(identical(net->state_dict(), by_hand->state_dict()));
    EXPECT_LT(losses[2], losses[0]);
  }
}

TEST(Fit, UsesAutocastAndAScaler) {
  const auto losses = [](const std::string& stop_and_resume) {
    manual_seed(1);
    nn::Sequential net = points_net();
    optim::AdamW adam(net->parameters(), 1e-2);
    auto loader = points_loader();
    amp::GradScaler scaler(kCPU, amp::GradScalerOptions().init_scale(1024).growth_interval(5));
    const auto fit = [&](std::int64_t epochs) {
      return train::fit(net, loader, adam, nn::CrossEntropyLoss(),
                        {.epochs = epochs,
                         .clip_norm = 0.5,
                         .autocast = kHalf,
                         .scaler = &scaler,
                         .resume = epochs == 2 ? stop_and_resume : ""});
    };
    if (stop_and_resume.empty()) return fit(2)["loss"];
    train::fit(net, loader, adam, nn::CrossEntropyLoss(),
               {.epochs = 1,
                .clip_norm = 0.5,
                .autocast = kHalf,
                .scaler = &scaler,
                .callbacks = {train::Checkpoint(stop_and_resume)}});
    scaler.update(1.0);  // is loaded with the rest
    return fit(2)["loss"];
  };
  std::vector<double> by_hand;
  manual_seed(1);
  nn::Sequential net = points_net();
  optim::AdamW adam(net->parameters(), 1e-2);
  auto loader = points_loader();
  amp::GradScaler scaler(kCPU, amp::GradScalerOptions().init_scale(1024).growth_interval(5));
  for (int epoch = 0; epoch < 2; ++epoch) {
    double total = 0;
    for (auto& batch : *loader) {
      adam.zero_grad();
      Tensor loss;
      {
        const amp::Autocast region(kCPU, kHalf);
        loss = nn::functional::cross_entropy(net->forward(batch.data), batch.target);
      }
      scaler.scale(loss).backward();
      scaler.unscale_(adam);
      nn::utils::clip_grad_norm_(net->parameters(), 0.5);
      scaler.step(adam);
      scaler.update();
      total += loss.item<double>() * static_cast<double>(batch.data.size(0));
    }
    by_hand.push_back(total / 50);
  }
  EXPECT_EQ(losses(""), by_hand);
  EXPECT_GT(scaler.get_scale(), 1024);
  const Scratch scratch;
  EXPECT_EQ(losses(scratch.path()), by_hand);
}

TEST(Fit, TakesHoldersPointersAndAnyModules) {
  const auto trained = [](auto wrap) {
    manual_seed(1);
    nn::Sequential net = points_net();
    optim::SGD sgd(net->parameters(), 0.1);
    auto loader = points_loader();
    return train::fit(wrap(net), *loader, sgd, nn::CrossEntropyLoss(), {.epochs = 1})["loss"];
  };
  const auto expected = trained([](nn::Sequential net) { return net; });
  EXPECT_EQ(trained([](nn::Sequential net) { return net.ptr(); }), expected);
  EXPECT_EQ(trained([](nn::Sequential net) { return nn::AnyModule(net); }), expected);
}

TEST(Fit, TakesAnyLoaderAndAFunctionOfABatch) {
  manual_seed(1);
  nn::Linear net(4, 1);
  optim::SGD sgd(net->parameters(), 0.1);
  const Tensor x = randn({6, 4}), y = x.sum(1, /*keepdim=*/true);
  const std::vector<data::Example<>> batches = {{x.slice(0, 0, 3), y.slice(0, 0, 3)},
                                                {x.slice(0, 3), y.slice(0, 3)}};
  const train::History history =
      train::fit(net, batches, sgd, nn::MSELoss(), {.epochs = 20, .validation = batches});
  EXPECT_LT(history.back()["val_loss"], 0.5 * history[0]["val_loss"]);

  // Batches of a type that fit() does not know; the loss needs no target.
  std::vector<std::pair<Tensor, std::vector<Tensor>>> pairs = {{x, {y}}, {x, {y}}};
  std::int64_t calls = 0;
  const auto step = [&](std::pair<Tensor, std::vector<Tensor>>& batch) {
    ++calls;
    return (net(batch.first) - batch.second[0]).square().mean();
  };
  const train::History more = train::fit(net, pairs, sgd, step, {.epochs = 2, .validation = pairs});
  EXPECT_EQ(calls, 8);
  EXPECT_LT(more.back()["val_loss"], history.back()["val_loss"]);
  EXPECT_EQ(train::evaluate(net, pairs, step)["loss"], more.back()["val_loss"]);

  const std::vector<Tensor> inputs = {x, x};
  EXPECT_EQ(train::predict(net, inputs).sizes(), IntArrayRef({12, 1}));
  EXPECT_TRUE(train::predict(net, batches).equal(net(x)));
  EXPECT_FALSE(train::predict(net, batches).requires_grad());
}

TEST(Fit, MovesBatchesToTheModel) {
  manual_seed(1);
  const Device device(kCUDA, 1);
  nn::Sequential net = points_net();
  net->to(device);
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = points_loader(data::DataLoaderOptions(8).pin_memory(true));
  auto test = ordered_loader();
  train::fit(net, loader, sgd, nn::CrossEntropyLoss(), {.epochs = 1, .validation = test});
  EXPECT_EQ(train::predict(net, test).device(), device);
  train::fit(net, loader, sgd,
             [&](auto& batch) {
               EXPECT_EQ(batch.target.device(), device);
               return nn::functional::cross_entropy(net->forward(batch.data), batch.target);
             },
             {.steps = 2});
}

TEST(Evaluate, WeighsBatchesByTheirExamples) {
  manual_seed(1);
  nn::Linear net(4, 3);
  auto whole = ordered_loader(50), parts = ordered_loader(16);  // 16, 16, 16 and 2
  const auto numbers = [&](auto& loader) {
    return train::evaluate(net, loader, nn::CrossEntropyLoss(),
                           {{"accuracy", metrics::Accuracy()}});
  };
  const train::Numbers all = numbers(whole), some = numbers(parts);
  EXPECT_NEAR(some["loss"], all["loss"], 1e-6);
  EXPECT_EQ(some["accuracy"], all["accuracy"]);
  double mean_of_batches = 0;
  for (auto& batch : *parts) {
    mean_of_batches +=
        nn::functional::cross_entropy(net(batch.data), batch.target).item<double>() / 4;
  }
  EXPECT_GT(std::abs(mean_of_batches - all["loss"]), 1e-3) << "the last batch is no different";
}

TEST(Fit, CountsEpochsAndSteps) {
  nn::Sequential net = points_net();
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = points_loader();
  std::vector<std::int64_t> seen;
  const AfterStep note([&](train::Run& run) {
    seen.push_back(run.epoch());
    seen.push_back(run.step());
    seen.push_back(run.batch());
  });
  const auto run = [&](train::Options options) {
    seen.clear();
    options.callbacks = {AfterStep(note)};
    return train::fit(net, loader, sgd, nn::CrossEntropyLoss(), options).size();
  };
  EXPECT_EQ(run({.epochs = 2, .accumulate = 4}), 2u);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 1, 4, 1, 2, 7, 2, 3, 4, 2, 4, 7}));
  EXPECT_EQ(run({.steps = 9}), 2u) << "the second epoch is not complete, but the training is";
  EXPECT_EQ(seen.size(), 27u);
  EXPECT_EQ(run({.epochs = 1, .steps = 100}), 1u);
  EXPECT_EQ(run({.epochs = 10, .steps = 7}), 1u);
  EXPECT_EQ(seen.size(), 21u);
}

TEST(Fit, RestoresTheModes) {
  const auto modes = [](nn::Sequential& net) {
    std::vector<bool> result;
    for (const auto& module : net->modules()) result.push_back(module->is_training());
    return result;
  };
  std::vector<bool> in_training, in_validation;
  nn::Sequential net = points_net();
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = points_loader();
  const auto step = [&](auto& batch) {
    (GradMode::is_enabled() ? in_training : in_validation) = modes(net);
    return nn::functional::cross_entropy(net->forward(batch.data), batch.target);
  };
  const train::Options options{.epochs = 2, .validation = loader};
  net->eval();
  train::fit(net, loader, sgd, step, options);
  EXPECT_EQ(in_training, std::vector<bool>(6, true));
  EXPECT_EQ(in_validation, std::vector<bool>(6, false));
  EXPECT_EQ(modes(net), std::vector<bool>(6, false));

  // A part that stays in evaluation mode.
  net->train();
  net->children()[1]->eval();
  const std::vector<bool> before = modes(net);
  train::fit(net, loader, sgd, step, options);
  EXPECT_EQ(in_training, before);
  EXPECT_EQ(modes(net), before);
  train::predict(net, loader);
  EXPECT_EQ(modes(net), before);

  // Also after an exception in the evaluation.
  const auto fails = [&](auto& batch) {
    TERN_CHECK(GradMode::is_enabled(), Error, "stop here");
    return step(batch);
  };
  EXPECT_EQ(error_of([&] { train::fit(net, loader, sgd, fails, options); }), "stop here");
  EXPECT_EQ(modes(net), before);
}

TEST(Fit, HasMetricsOfTrainingAndValidation) {
  manual_seed(1);
  nn::Sequential net = points_net();
  optim::Adam adam(net->parameters(), 1e-2);
  auto loader = points_loader();
  auto test = ordered_loader();
  const train::History history = train::fit(
      net, loader, adam, nn::CrossEntropyLoss(),
      {.epochs = 30, .validation = test, .metrics = {{"accuracy", metrics::Accuracy()}}});
  EXPECT_EQ(history.names(),
            (std::vector<std::string>{"loss", "accuracy", "lr", "val_loss", "val_accuracy"}));
  const train::Numbers result =
      train::evaluate(net, test, nn::CrossEntropyLoss(), {{"accuracy", metrics::Accuracy()}});
  EXPECT_EQ(result["loss"], history.back()["val_loss"]);
  EXPECT_EQ(result["accuracy"], history.back()["val_accuracy"]);
  const Tensor right = train::predict(net, test).argmax(1).eq(points().targets());
  EXPECT_EQ(result["accuracy"], right.to(kDouble).mean().item<double>());
  EXPECT_GT(result["accuracy"], 0.9);
}

TEST(Fit, NamesStepAndValueOfALossThatIsNotFinite) {
  nn::Linear net(4, 3);
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = ordered_loader();
  int calls = 0;
  const auto step = [&](auto& batch) {
    const double factor = ++calls % 7 == 3 ? std::numeric_limits<double>::quiet_NaN() : 1;
    return factor * nn::functional::cross_entropy(net(batch.data), batch.target);
  };
  EXPECT_EQ(error_of([&] { train::fit(net, loader, sgd, step, {.epochs = 1}); }),
            "fit: the loss is nan in epoch 1, batch 3, before step 3; a smaller learning rate or "
            "clip_norm may help, autograd::DetectAnomalyGuard finds the op, skip_nonfinite skips "
            "such batches");
  calls = 0;
  const train::History history =
      train::fit(net, loader, sgd, step, {.epochs = 2, .skip_nonfinite = true});
  EXPECT_EQ(history["skipped"], (std::vector<double>{1, 1}));
  EXPECT_TRUE(std::isfinite(history.back()["loss"]));
  EXPECT_TRUE(net->weight.isfinite().all().item<bool>());
}

TEST(Fit, RefusesWhatCannotBeMeant) {
  nn::Linear net(4, 3);
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = points_loader();
  const nn::CrossEntropyLoss loss;
  const auto text = [&](const train::Options& options) {
    return error_of([&] { train::fit(net, loader, sgd, loss, options); });
  };
  EXPECT_EQ(text({}),
            "fit: set the option epochs or steps to a positive number, got epochs 0 and steps 0");
  EXPECT_EQ(text({.epochs = 1, .accumulate = 0}), "fit: accumulate should be positive, got 0");
  EXPECT_EQ(text({.epochs = 1, .clip_norm = -1}),
            "fit: clip_norm and clip_value should not be negative, got -1 and 0");
  EXPECT_EQ(text({.epochs = 1, .validation = std::vector<Tensor>{ones({1, 4})}}),
            "fit: the batches of the validation loader have another type than those of the "
            "training loader");
  const auto error = [&](auto step) {
    return error_of([&] { train::fit(net, loader, sgd, step, {.epochs = 1}); });
  };
  EXPECT_EQ(error([&](auto& batch) { return net(batch.data); }),
            "fit: the loss should be a single number, got sizes [8, 3]; reduce it with mean() or "
            "sum()");
  EXPECT_EQ(error([&](auto& /*batch*/) { return Tensor(); }),
            "fit: the loss is an undefined tensor");
  auto empty = points_loader(data::DataLoaderOptions(100).drop_last(true));
  EXPECT_EQ(error_of([&] { train::fit(net, empty, sgd, loss, {.epochs = 1}); }),
            "fit: the loader gave no batch in epoch 1; the dataset is empty, or smaller than a "
            "batch with drop_last");
  EXPECT_EQ(error_of([&] {
              train::fit(net, loader, sgd, [&](auto& batch) { return net(batch.data).sum(); },
                         {.epochs = 1, .metrics = {{"accuracy", metrics::Accuracy()}}});
            }),
            "the metric 'accuracy' needs a loss of output and target, such as nn::MSELoss(), "
            "instead of a function of a batch");
}

TEST(Fit, RefusesNullPointers) {
  nn::Linear net(4, 3);
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = points_loader();
  const nn::CrossEntropyLoss loss;
  const std::shared_ptr<nn::LinearImpl> none;
  EXPECT_EQ(error_of([&] { train::fit(none, loader, sgd, loss, {.epochs = 1}); }),
            "fit: the model is a null pointer");
  EXPECT_EQ(error_of([&] { train::evaluate(none, loader, loss); }),
            "evaluate: the model is a null pointer");
  EXPECT_EQ(error_of([&] { train::predict(none, loader); }),
            "predict: the model is a null pointer");
  decltype(loader) missing;
  EXPECT_EQ(error_of([&] { train::fit(net, missing, sgd, loss, {.epochs = 1}); }),
            "the loader is a null pointer");
}

TEST(History, PrintsATable) {
  train::History history;
  train::Numbers numbers;
  numbers.set("loss", 0.51239);
  history.add(numbers);
  numbers.set("loss", 12);
  numbers.set("val_accuracy", 0.5);
  history.add(numbers);
  std::ostringstream out;
  out << history << numbers;
  EXPECT_EQ(out.str(),
            "epoch       loss  val_accuracy\n"
            "    1     0.5124             -\n"
            "    2         12           0.5\n"
            "loss 12  val_accuracy 0.5");
  EXPECT_EQ(history.back()["val_accuracy"], 0.5);
  EXPECT_TRUE(std::isnan(history["val_accuracy"][0]));
  EXPECT_EQ(error_of<IndexError>([&] { history["acc"]; }),
            "History: no epoch has 'acc'; there are: loss, val_accuracy");
  EXPECT_EQ(error_of<IndexError>([&] { numbers["acc"]; }),
            "there is no number 'acc'; there are: loss, val_accuracy");
  EXPECT_EQ(error_of<IndexError>([&] { history[2]; }),
            "History: the index 2 is out of range, there are 2 epochs");
}

}  // namespace
}  // namespace tern
