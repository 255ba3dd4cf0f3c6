#include "train/train_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

// A training that is stopped or killed goes on from its checkpoint to the bit.

namespace tern {
namespace {

struct Session {
  Session() : net(points_net()), adam(net->parameters(), 1e-2) {}

  train::History fit(std::int64_t epochs, const std::string& path,
                     std::vector<train::AnyCallback> more = {}, std::int64_t every_steps = 0) {
    std::vector<train::AnyCallback> callbacks = {
        train::Checkpoint(
            path, {.best = path + ".best.json", .every_steps = every_steps, .resume = true}),
        train::Schedule(optim::warmup_cosine(adam, 5, 80), train::Every::kStep),
        train::EarlyStop({.patience = 100, .restore_best = false})};
    callbacks.insert(callbacks.end(), more.begin(), more.end());
    return train::fit(net, loader, adam, nn::CrossEntropyLoss(),
                      {.epochs = epochs,
                       .validation = test,
                       .metrics = {{"accuracy", metrics::Accuracy()}},
                       .accumulate = 2,
                       .callbacks = callbacks});
  }

  nn::Sequential net;
  optim::AdamW adam;
  decltype(points_loader()) loader =
      points_loader(data::DataLoaderOptions(8).workers(2));  // shuffles
  decltype(points_loader()) test = points_loader();
};

class ResumeFit : public ::testing::Test {
 protected:
  /// Trains six epochs without a stop.
  void SetUp() override {
    manual_seed(1);
    Session session;
    history_ = session.fit(6, whole_);
    net_ = session.net->state_dict();
    adam_ = session.adam.state_dict();
  }
  void expect_same(Session& session, const train::History& history, const std::string& path) {
    EXPECT_TRUE(identical(session.net->state_dict(), net_));
    EXPECT_TRUE(identical(session.adam.state_dict(), adam_));
    EXPECT_TRUE(identical(history.state_dict(), history_.state_dict()));
    State last = load_state(path), whole = load_state(whole_);
    for (State* state : {&last, &whole}) {  // a child process has no generators of CUDA
      state->set("generators", (*state)["generators"]["cpu"]);
    }
    EXPECT_TRUE(identical(last, whole));
    EXPECT_TRUE(identical(load_state(path + ".best.json"), load_state(whole_ + ".best.json")));
  }

  const Scratch scratch_;
  const std::string whole_ = scratch_.path("whole.safetensors");
  train::History history_;
  State net_, adam_;
};

TEST_F(ResumeFit, AfterThreeEpochsAndAKill) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer starts no thread in a forked child";
#endif
  const std::string path = scratch_.path("last.safetensors");
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      manual_seed(1);
      Session().fit(6, path, {AfterStep([](train::Run& run) {
                      if (run.epoch() == 4 && run.batch() == 4) ::raise(SIGKILL);
                    })});
    } catch (const std::exception&) {
    }
    ::_exit(1);
  }
  int status = 0;
  ASSERT_GT(::waitpid(child, &status, 0), 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;

  manual_seed(99);
  Session session;
  const train::History history = session.fit(6, path);
  expect_same(session, history, path);
}

TEST_F(ResumeFit, InAnotherProcessOfThreeEpochs) {
  const std::string path = scratch_.path("last.json");
  manual_seed(1);
  EXPECT_EQ(Session().fit(3, path).size(), 3u);
  manual_seed(99);
  Session session;
  const train::History history = session.fit(6, path);
  expect_same(session, history, path);
}

TEST_F(ResumeFit, AfterAStopAtAnyStep) {
  for (const std::int64_t stop : {1, 3, 4, 5, 10, 13}) {  // four steps an epoch
    const std::string path = scratch_.path("stop" + std::to_string(stop) + ".safetensors");
    manual_seed(1);
    Session().fit(6, path, {AfterStep([&](train::Run& run) {
                    if (run.step() == stop) run.stop();
                  })});
    manual_seed(99);
    Session session;
    const train::History history = session.fit(6, path);
    expect_same(session, history, path);
  }
}

// All that an epoch counts goes on within it: batches that were skipped, the weights of the mean.
TEST_F(ResumeFit, CountsSkippedBatchesOfTheWholeEpoch) {
  const auto run = [&](const std::string& path, std::int64_t stop) {
    manual_seed(3);
    nn::Linear net(4, 3);
    optim::SGD sgd(net->parameters(), 0.1);
    auto loader = ordered_loader();
    std::int64_t calls = 0;
    const auto loss = [&](data::Example<>& batch) {
      const Tensor value = nn::functional::cross_entropy(net(batch.data), batch.target);
      return ++calls % 2 == 1 && calls < 6 ? value / 0 : value;  // batches 1, 3 and 5
    };
    const auto fit = [&] {
      return train::fit(net, loader, sgd, loss,
                        {.epochs = 1,
                         .skip_nonfinite = true,
                         .callbacks = {train::Checkpoint(path, {.every_steps = 1, .resume = true}),
                                       AfterStep([&](train::Run& r) {
                                         if (r.step() == stop) r.stop();
                                       })}});
    };
    const train::History history = fit();
    return stop == 0 ? history : fit();
  };
  const train::History whole = run(scratch_.path("skip.json"), 0);
  EXPECT_EQ(whole[0]["skipped"], 3);
  const train::History resumed = run(scratch_.path("skip_stop.json"), 2);
  EXPECT_TRUE(identical(resumed.state_dict(), whole.state_dict()));
}

TEST_F(ResumeFit, SavesTheLastEpochOfAll) {
  for (const std::int64_t every : {1, 2, 3, 7}) {
    const std::string path = scratch_.path("every" + std::to_string(every) + ".json");
    nn::Linear net(4, 3);
    optim::SGD sgd(net->parameters(), 0.1);
    auto loader = ordered_loader();
    std::vector<std::int64_t> saved;
    train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
               {.epochs = 5, .callbacks = {train::Checkpoint(path, {.every_epochs = every})}});
    EXPECT_EQ(load_state(path)["progress"].get<std::int64_t>("epoch"), 5) << every;
  }
}

TEST_F(ResumeFit, ChangesNothingIfSomethingDoesNotFit) {
  manual_seed(5);
  nn::Sequential net = points_net();
  optim::SGD sgd(net->parameters(), 0.1);
  auto loader = points_loader();
  const State before = net.clone()->state_dict(), random = generator_states();
  const auto resumes = [&](const std::string& path) {
    return error_of([&] {
      train::fit(net, loader, sgd, nn::CrossEntropyLoss(), {.epochs = 9, .resume = path});
    });
  };
  const std::string optimizer = resumes(whole_);
  EXPECT_EQ(
      optimizer.rfind("load: '" + whole_ + "': the optimizer of the checkpoint does not fit: ", 0),
      0u)
      << optimizer;
  EXPECT_TRUE(identical(net->state_dict(), before));
  EXPECT_TRUE(identical(generator_states(), random));

  const std::string weights = resumes(whole_ + ".best.json");
  EXPECT_NE(weights.find("this is no checkpoint of a training; load the weights of a model by "
                         "tern::load(model, path)"),
            std::string::npos)
      << weights;
  EXPECT_NE(resumes(scratch_.path("missing.json")).find("missing.json"), std::string::npos);

  optim::AdamW adam(net->parameters(), 1e-2);
  const std::string callbacks = error_of([&] {
    train::fit(net, loader, adam, nn::CrossEntropyLoss(), {.epochs = 9, .resume = whole_});
  });
  EXPECT_NE(callbacks.find("the callbacks of the checkpoint does not fit: it has 3 callbacks with "
                           "a state, the options of fit() have 0"),
            std::string::npos)
      << callbacks;
  EXPECT_TRUE(identical(net->state_dict(), before));
  EXPECT_TRUE(adam.state().empty());
}

TEST_F(ResumeFit, NeedsALoaderWithAStateWithinAnEpoch) {
  nn::Linear net(4, 3);
  optim::SGD sgd(net->parameters(), 0.1);
  const std::vector<data::Example<>> batches = {{randn({2, 4}), tensor({0, 1})},
                                                {randn({2, 4}), tensor({2, 1})}};
  const auto fit = [&](train::Options options) {
    return train::fit(net, batches, sgd, nn::CrossEntropyLoss(), options);
  };
  const std::string path = scratch_.path("vector.json");
  EXPECT_EQ(error_of([&] { fit({.steps = 3, .callbacks = {train::Checkpoint(path)}}); }),
            "Checkpoint: saving within an epoch (every_steps, or Options::steps) needs a loader "
            "with state_dict(), such as a DataLoader");
  fit({.epochs = 2, .callbacks = {train::Checkpoint(path)}});
  EXPECT_EQ(fit({.epochs = 3, .callbacks = {train::Checkpoint(path, {.resume = true})}}).size(),
            3u);
  EXPECT_EQ(fit({.epochs = 4, .resume = path}).size(), 4u) << "without a Checkpoint";
  EXPECT_EQ(error_of([] { train::Checkpoint(""); }), "Checkpoint: the path is empty");
}

/// Examples with noise from the generator of the worker.
struct NoisyPoints : data::Dataset<NoisyPoints> {
  explicit NoisyPoints(std::size_t count) : count_(count) {}
  data::Example<> get(std::size_t i) override {
    return {randn({4}, data::worker_generator()), tensor(static_cast<std::int64_t>(i % 3))};
  }
  std::optional<std::size_t> size() const override { return count_; }

 private:
  std::size_t count_;
};

TEST_F(ResumeFit, ValidatesWithTheSameDraws) {
  const auto train_to = [&](int epochs, const std::string& path, std::size_t count = 9,
                            const data::DataLoaderOptions& options = 4) {
    manual_seed(2);
    nn::Linear net(4, 3);
    optim::SGD sgd(net->parameters(), 0.1);
    auto loader = data::make_data_loader(NoisyPoints(12).map(data::transforms::Stack<>()), 4);
    auto test = data::make_data_loader<data::samplers::SequentialSampler>(
        NoisyPoints(count).map(data::transforms::Stack<>()), options);
    return train::fit(net, loader, sgd, nn::CrossEntropyLoss(),
                      {.epochs = epochs,
                       .validation = test,
                       .callbacks = {train::Checkpoint(path, {.resume = true})}});
  };
  const std::string path = scratch_.path("noisy.json"), whole = scratch_.path("noisy_whole.json");
  train_to(2, path);
  EXPECT_TRUE(identical(train_to(4, path).state_dict(), train_to(4, whole).state_dict()));
  // Another validation set, and one whose order nobody knows, begin afresh.
  EXPECT_EQ(train_to(5, path, 7).size(), 5u);
  const auto unordered = data::DataLoaderOptions(4).workers(1).enforce_ordering(false);
  EXPECT_EQ(train_to(6, path, 7, unordered).size(), 6u);
  EXPECT_EQ(train_to(7, path, 7, unordered).size(), 7u);
  State old = load_state(path);
  old.erase("validation");
  save_state(old, path);
  EXPECT_EQ(train_to(8, path).size(), 8u);
}

}  // namespace
}  // namespace tern
