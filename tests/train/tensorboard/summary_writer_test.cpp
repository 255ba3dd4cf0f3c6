#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <thread>

#include <tern/core/ops/ops.h>
#include <tern/nn/nn.h>
#include <tern/train/tensorboard/summary_writer.h>

#include "error_of.h"
#include "examples/program.h"
#include "golden/golden.h"
#include "serialization/scratch.h"
#include "train/file_size_limit.h"
#include "train/picture/read_png.h"
#include "train/tensorboard/read_events.h"

namespace tern::train {
namespace {

using testing::read_events;
using testing::WireMessage;

/// A net with a skip connection and ops between its layers.
struct GraphNetImpl : nn::Module {
  GraphNetImpl() {
    first = nn::Linear(3, 4);
    second = nn::Dropout(0.5);
    body = register_module("body", nn::Sequential(first, second));
    head = register_module("head", nn::Linear(4, 2));
  }
  Tensor forward(const Tensor& x) {
    const Tensor a = first(x);
    return head(relu(second(a * 2)) + a);
  }
  nn::Linear first{nullptr}, head{nullptr};
  nn::Dropout second{nullptr};
  nn::Sequential body{nullptr};
};
TERN_MODULE(GraphNet);

class SummaryWriterTest : public ::testing::Test {
 protected:
  /// Returns the events behind the first one, which names the version.
  static std::vector<WireMessage> events_of(const std::string& path) {
    std::vector<WireMessage> events = read_events(read_file(path));
    EXPECT_EQ(events.at(0).text(3), "brain.Event:2");
    EXPECT_GT(events.at(0).real(1), 1.6e9);
    events.erase(events.begin());
    return events;
  }
  static WireMessage value_of(const WireMessage& event) { return event.message(5).message(1); }
  /// Returns the path of the only file in a folder.
  std::string only_file(const std::string& folder) const {
    std::string path;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) path = entry.path();
    return path;
  }

  const Scratch scratch_;
  const std::string folder_ = scratch_.path("runs/one");
};

TEST_F(SummaryWriterTest, WritesScalars) {
  SummaryWriter writer(folder_, ".tern");
  writer.add_scalar("loss", 0.5, 3, 12.25);
  writer.add_scalar("loss", tensor({0.25}), -1);
  writer.add_scalar("other", NAN);
  const std::vector<WireMessage> events = events_of(writer.path());
  ASSERT_EQ(events.size(), 3u) << "each event is in the file at once";
  EXPECT_EQ(events[0].real(1), 12.25);
  EXPECT_EQ(events[0].integer(2), 3);
  EXPECT_EQ(value_of(events[0]).text(1), "loss");
  EXPECT_EQ(value_of(events[0]).real32(2), 0.5F);
  EXPECT_EQ(events[1].integer(2), -1);
  EXPECT_EQ(value_of(events[1]).real32(2), 0.25F);
  EXPECT_TRUE(std::isnan(value_of(events[2]).real32(2)));
  const std::string name = std::filesystem::path(writer.path()).filename();
  EXPECT_TRUE(name.starts_with("events.out.tfevents.1") && name.ends_with(".tern")) << name;
  EXPECT_EQ(writer.log_dir(), folder_);
  EXPECT_NE(SummaryWriter(folder_).path(), SummaryWriter(folder_).path());
}

TEST_F(SummaryWriterTest, WritesImages) {
  SummaryWriter writer(folder_);
  const Tensor image = randint(0, 256, {3, 4, 5}, kByte);
  writer.add_image("a", image);
  writer.add_image("b", image.permute({1, 2, 0}), 0, {}, "HWC");
  writer.add_image("c", image[0], 0, {}, "HW");
  writer.add_images("d", rand({10, 1, 4, 5}));
  writer.add_images("e", zeros({2, 4, 5, 3}), 0, {}, "NHWC");
  const std::vector<WireMessage> events = events_of(writer.path());
  const auto picture = [&](std::size_t i) { return value_of(events.at(i)).message(4); };
  const auto size = [&](std::size_t i) {
    return std::vector{picture(i).integer(1), picture(i).integer(2), picture(i).integer(3)};
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(size(0), (Sizes{4, 5, 3}));
  EXPECT_TRUE(equal(testing::read_png(picture(0).text(4)), image));
  EXPECT_EQ(picture(1).text(4), picture(0).text(4));
  EXPECT_TRUE(equal(testing::read_png(picture(2).text(4))[0], image[0]));
  EXPECT_EQ(size(3), (Sizes{8, 40, 3}));
  EXPECT_EQ(size(4), (Sizes{4, 10, 3}));
}

TEST_F(SummaryWriterTest, HistogramsArePyTorchs) {
  SummaryWriter writer(folder_);
  for (const nlohmann::json& entry : testing::golden("train/histograms").at("histograms")) {
    writer.add_histogram(entry.at("name"), testing::golden_tensor(entry.at("values")));
  }
  std::size_t i = 0;
  const std::vector<WireMessage> events = events_of(writer.path());
  for (const nlohmann::json& entry : testing::golden("train/histograms").at("histograms")) {
    const std::string name = entry.at("name");
    const WireMessage value = value_of(events.at(i++)), histogram = value.message(5);
    EXPECT_EQ(value.text(1), name);
    EXPECT_EQ(histogram.real(1), entry.at("min").get<double>()) << name;
    EXPECT_EQ(histogram.real(2), entry.at("max").get<double>()) << name;
    EXPECT_EQ(histogram.real(3), entry.at("num").get<double>()) << name;
    EXPECT_NEAR(histogram.real(4), entry.at("sum").get<double>(), 1e-12) << name;
    const double squares = entry.at("sum_squares");
    EXPECT_NEAR(histogram.real(5), squares, 1e-12 * squares) << name;
    const std::vector<double> limits = histogram.reals(6), buckets = histogram.reals(7);
    ASSERT_EQ(limits.size(), entry.at("bins").get<std::size_t>()) << name;
    ASSERT_EQ(buckets.size(), limits.size()) << name;
    EXPECT_EQ(limits.front(), entry.at("first").get<double>()) << name;
    EXPECT_EQ(limits.back(), entry.at("last").get<double>()) << name;
    std::vector<double> counts(buckets.size());
    for (const nlohmann::json& pair : entry.at("counts")) counts[pair[0]] = pair[1];
    EXPECT_EQ(buckets, counts) << name;
  }
  writer.add_histogram("odd", tensor({1e30, -1e30, NAN, INFINITY, 1.0}));
  const WireMessage odd = value_of(events_of(writer.path()).back()).message(5);
  EXPECT_EQ(odd.real(3), 3.0);
  double sum = 0;
  for (const double count : odd.reals(7)) sum += count;
  EXPECT_EQ(sum, 3.0) << "numbers beyond the bins count";
}

TEST_F(SummaryWriterTest, WritesTextsAndHParams) {
  SummaryWriter writer(folder_);
  writer.add_text("note", "a\nb", 2);
  writer.add_hparams({{"lr", 0.1}, {"name", "sgd"}, {"flag", false}, {"count", 3}},
                     {{"accuracy", 0.75}}, "trial");
  const WireMessage text = value_of(events_of(writer.path()).at(0));
  EXPECT_EQ(text.text(1), "note/text_summary");
  EXPECT_EQ(text.message(9).message(1).text(1), "text");
  EXPECT_EQ(text.message(8).text(8), "a\nb");
  const std::vector<WireMessage> events = events_of(only_file(folder_ + "/trial"));
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(value_of(events[0]).text(1), "_hparams_/experiment");
  const WireMessage start(value_of(events[1]).message(9).message(1).text(2));
  ASSERT_EQ(start.message(3).count(1), 4u);
  EXPECT_EQ(start.message(3).message(1, 3).text(1), "count");
  EXPECT_EQ(start.message(3).message(1, 3).message(2).real(2), 3.0);
  EXPECT_EQ(value_of(events[3]).real32(2), 0.75F);
}

TEST_F(SummaryWriterTest, WritesAGraphWithItsEdges) {
  GraphNet net;
  net->train();
  net->second->eval();
  manual_seed(4);
  const auto state = default_generator(kCPU).state_bytes();
  SummaryWriter writer(folder_);
  writer.add_graph(net, rand({5, 3}));
  EXPECT_TRUE(net->is_training() && net->head->is_training() && !net->second->is_training());
  EXPECT_FALSE(net->head->has_forward_hooks());
  EXPECT_FALSE(net->head->weight.grad().defined());
  EXPECT_NE(default_generator(kCPU).state_bytes(), state) << "rand() itself drew";
  const WireMessage graph(events_of(writer.path()).at(0).text(4));
  const auto node = [&](std::size_t i) { return graph.message(1, i); };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.count(1); ++i) names.push_back(node(i).text(1));
  EXPECT_EQ(names, (std::vector<std::string>{"input", "body/0", "body/1", "head", "output"}));
  EXPECT_EQ(node(1).text(2), "Linear");
  EXPECT_EQ(node(1).text(3), "input");
  EXPECT_EQ(node(2).text(3), "body/0");
  ASSERT_EQ(node(3).count(3), 2u) << "through relu, add and the skip connection";
  EXPECT_EQ(node(3).text(3, 0) + node(3).text(3, 1), "body/0body/1");
  EXPECT_EQ(node(4).text(3), "head");
  const WireMessage shape = node(3).message(5, 0).message(2).message(1).message(7);
  EXPECT_EQ(shape.message(2, 0).integer(1), 5);
  EXPECT_EQ(shape.message(2, 1).integer(1), 2);
}

TEST_F(SummaryWriterTest, AGraphWithoutGradientsIsAChain) {
  nn::Sequential net(nn::Embedding(4, 3), nn::Linear(3, 2));
  for (const Tensor& parameter : net->parameters()) parameter.set_requires_grad(false);
  SummaryWriter writer(folder_);
  writer.add_graph(net, zeros({2}, kLong));
  nn::Linear one(3, 2);
  writer.add_graph(one, zeros({3}));
  const std::vector<WireMessage> events = events_of(writer.path());
  const WireMessage chain(events.at(0).text(4)), single(events.at(1).text(4));
  ASSERT_EQ(chain.count(1), 4u);
  EXPECT_EQ(chain.message(1, 1).text(3), "input");
  EXPECT_EQ(chain.message(1, 2).text(3), "0");
  ASSERT_EQ(single.count(1), 3u);
  EXPECT_EQ(single.message(1, 1).text(1), "Linear");
  EXPECT_THROW(writer.add_graph(one, zeros({4})), ShapeError);
  EXPECT_FALSE(one->has_forward_hooks());
  EXPECT_TRUE(one->is_training());
}

TEST_F(SummaryWriterTest, SeveralThreadsWriteWholeEvents) {
  SummaryWriter writer(folder_);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&writer, thread] {
      for (int step = 0; step < 50; ++step) {
        writer.add_scalar("loss" + std::to_string(thread), step, step);
        writer.add_scalars("both", {{"a", 1.0}}, step);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(events_of(writer.path()).size(), 200u);
  EXPECT_EQ(events_of(only_file(folder_ + "/both_a")).size(), 200u);
}

TEST_F(SummaryWriterTest, NamesTheFileAndTheRuleInErrors) {
  SummaryWriter writer(folder_);
  writer.add_scalar("a", 1);
  const std::string before = read_file(writer.path());
  const auto text = [&](const auto& call) { return error_of(call); };
  EXPECT_NE(text([&] { writer.add_scalar("", 1); }).find("expected a tag"), std::string::npos);
  EXPECT_NE(text([&] { writer.add_scalar("a", zeros({2})); }).find("got sizes [2]"),
            std::string::npos);
  EXPECT_NE(text([&] {
              writer.add_image("a", zeros({2, 2}));
            }).find("dimensions CHW"),
            std::string::npos);
  EXPECT_NE(text([&] {
              writer.add_image("a", zeros({3, 2, 2}), 0, {}, "ABC");
            }).find("got ABC"),
            std::string::npos);
  EXPECT_NE(text([&] { writer.add_histogram("a", tensor({NAN})); }).find("no finite value"),
            std::string::npos);
  EXPECT_EQ(read_file(writer.path()), before);
  {
    const testing::FileSizeLimit limit(before.size() + 20);
    const std::string full = error_of<FileError>([&] { writer.add_scalar("a", 2); });
    EXPECT_NE(full.find(writer.path()), std::string::npos) << full;
    EXPECT_EQ(read_file(writer.path()), before) << "no part of an event stays";
  }
  writer.add_scalar("a", 3);
  EXPECT_EQ(events_of(writer.path()).size(), 2u);
  writer.flush();
  writer.close();
  writer.close();
  EXPECT_EQ(text([&] { writer.add_scalar("a", 1); }),
            "SummaryWriter: '" + writer.path() + "' is closed");
  EXPECT_EQ(text([&] { writer.flush(); }), "SummaryWriter: '" + writer.path() + "' is closed");

  const std::string file = scratch_.path("file");
  write_file(file, "x");
  const std::string refused = error_of<FileError>([&] { SummaryWriter(file + "/runs"); });
  EXPECT_NE(refused.find(file), std::string::npos) << refused;
  EXPECT_NE(text([] { SummaryWriter(""); }).find("got an empty text"), std::string::npos);
}

/// Returns a Python with tensorboard: TERN_TENSORBOARD_PYTHON, else python3; "" if it has none.
std::string python_with_tensorboard() {
  const char* const chosen = std::getenv("TERN_TENSORBOARD_PYTHON");
  const std::string python = chosen != nullptr ? chosen : "python3";
  return run_program(python + " -c 'import tensorboard'").code == 0 ? python : "";
}

TEST_F(SummaryWriterTest, PythonsTensorBoardReadsTheFiles) {
  const std::string python = python_with_tensorboard();
  if (python.empty()) {
    GTEST_SKIP() << "needs a Python with the package tensorboard; name it in "
                    "TERN_TENSORBOARD_PYTHON";
  }
  SummaryWriter writer(folder_);
  writer.add_scalar("loss", 0.5, 0, 12.5);
  writer.add_scalar("loss", 0.25, 7, 13.5);
  writer.add_image("image", rand({3, 4, 5}), 1);
  writer.add_images("images", rand({4, 3, 4, 5}), 1);
  writer.add_histogram("weights", tensor({-1.0, 0.0, 0.5, 0.5, 3.0}), 2);
  writer.add_text("note", "**bold** é", 2);
  writer.add_graph(GraphNet(), rand({2, 3}));
  writer.add_scalars("both", {{"train", 1.0}, {"test", 2.0}}, 3);
  writer.add_hparams({{"lr", 0.1}, {"optimizer", "sgd"}, {"nesterov", true}}, {{"accuracy", 0.5}},
                     "trial");
  const ProgramResult result = run_program(
      python + " " TERN_SOURCE_DIR "/tests/train/tensorboard/against_tensorboard.py " + folder_);
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_NE(result.text.find("tensorboard reads all of it"), std::string::npos) << result.text;
}

}  // namespace
}  // namespace tern::train
