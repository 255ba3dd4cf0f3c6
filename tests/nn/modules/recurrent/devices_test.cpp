#include <gtest/gtest.h>

#include <tern/tern.h>

// Networks of sequences on simulated devices: one that moves, and one that two devices share.

namespace tern {
namespace {

namespace rnn = nn::utils::rnn;

constexpr std::int64_t kWords = 9, kClasses = 3;

/// Packs its sequences, and makes the first states of its LSTM where the words are.
struct ReaderImpl : nn::Cloneable<ReaderImpl> {
  ReaderImpl() { reset(); }
  void reset() override {
    embedding = register_module("embedding", nn::Embedding(kWords, 4));
    lstm = register_module(
        "lstm",
        nn::LSTM(nn::LSTMOptions(4, 5).num_layers(2).bidirectional(true).batch_first(true)));
    head = register_module("head", nn::Linear(10, kClasses));
  }
  Tensor forward(const Tensor& words, const Tensor& lengths) {
    const Tensor x = embedding(words), first = x.new_zeros({4, words.size(0), 5});
    const auto packed = rnn::pack_padded_sequence(x, lengths.cpu(), /*batch_first=*/true,
                                                  /*enforce_sorted=*/false);
    const auto [out, last] =
        lstm->forward_with_packed_input(packed, std::tuple(first, zeros_like(first)));
    const Tensor& h = std::get<0>(last);
    return head(cat({h.select(0, -2), h.select(0, -1)}, 1));
  }
  nn::Embedding embedding{nullptr};
  nn::LSTM lstm{nullptr};
  nn::Linear head{nullptr};
};
TERN_MODULE(Reader);

/// Attends to the words of each sequence, and not to its padding.
struct AttentiveImpl : nn::Cloneable<AttentiveImpl> {
  AttentiveImpl() { reset(); }
  void reset() override {
    embedding = register_module("embedding", nn::Embedding(kWords, 8));
    layer = register_module(
        "layer", nn::TransformerEncoderLayer(
                     nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).dropout(0)));
    head = register_module("head", nn::Linear(8, kClasses));
  }
  Tensor forward(const Tensor& words, const Tensor& lengths) {
    const Tensor padding =
        arange(words.size(1), words.options()).unsqueeze(0) >= lengths.unsqueeze(1);
    return head(layer(embedding(words).transpose(0, 1), Tensor(), padding)[0]);
  }
  nn::Embedding embedding{nullptr};
  nn::TransformerEncoderLayer layer{nullptr};
  nn::Linear head{nullptr};
};
TERN_MODULE(Attentive);

/// Trains `net` on the CPU and `other`, which has the same parameters, with words on `device`.
template <class Net, class Other>
void expect_equal_training(Net& net, Other& other, const std::vector<Tensor>& parameters,
                           Device device) {
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(1e-2));
  optim::Adam there(parameters, optim::AdamOptions(1e-2));
  for (int step = 0; step < 4; ++step) {
    const Tensor words = randint(0, kWords, {6, 7}, kLong), lengths = randint(1, 8, {6}, kLong);
    const Tensor targets = randint(0, kClasses, {6}, kLong);
    optimizer.zero_grad();
    there.zero_grad();
    const Tensor loss = nn::functional::cross_entropy(net(words, lengths), targets);
    const Tensor its_loss = nn::functional::cross_entropy(
        other(words.to(device), lengths.to(device)), targets.to(device));
    EXPECT_EQ(its_loss.device(), device);
    EXPECT_NEAR(its_loss.item<double>(), loss.item<double>(), 1e-9);
    loss.backward();
    its_loss.backward();
    optimizer.step();
    there.step();
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i].device(), device);
    EXPECT_TRUE(allclose(parameters[i].cpu(), net->parameters()[i], 1e-8, 1e-8)) << i;
  }
}

template <class Net>
class SequencesOnDevices : public ::testing::Test {
 protected:
  SequencesOnDevices() {
    manual_seed(5);
    net = Net();
    net->to(kDouble);
    other = net.clone();
  }
  Net net{nullptr}, other{nullptr};
};
using Networks = ::testing::Types<Reader, Attentive>;
TYPED_TEST_SUITE(SequencesOnDevices, Networks);

TYPED_TEST(SequencesOnDevices, TrainAsOnTheCpu) {
  this->other->to("cuda:1");
  expect_equal_training(this->net, this->other, this->other->parameters(), "cuda:1");
}

TYPED_TEST(SequencesOnDevices, TrainSharedByTwo) {
  this->other->to("cuda:0");
  nn::DataParallel parallel(this->other, {0, 1});
  expect_equal_training(this->net, parallel, this->other->parameters(), "cuda:0");
}

}  // namespace
}  // namespace tern
