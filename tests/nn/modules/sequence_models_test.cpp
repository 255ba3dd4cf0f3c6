#include <cmath>

#include <tern/nn/optim/optim.h>

#include "nn/modules/recurrent/networks.h"

// Layers of sequences of many shapes, and as parts of a model that is trained on a device.

namespace tern {
namespace {

using testing::make_network;
using testing::Network;
using testing::NetworkOptions;
using testing::Tensors;

/// One step of a layer by its formula, with gates in PyTorch's order. Changes the states.
Tensor step_of(const std::string& kind, const Tensor& x, Tensors& states, const Tensors& weights) {
  const Tensor of_x = x.mm(weights[0].t()) + weights[2];
  const Tensor of_h = states[0].mm(weights[1].t()) + weights[3];
  if (kind == "LSTM") {
    const std::vector<Tensor> gates = (of_x + of_h).chunk(4, 1);
    states[1] = gates[1].sigmoid() * states[1] + gates[0].sigmoid() * gates[2].tanh();
    states[0] = gates[3].sigmoid() * states[1].tanh();
    if (weights.size() > 4) states[0] = states[0].mm(weights[4].t());
  } else if (kind == "GRU") {
    const std::vector<Tensor> of_inputs = of_x.chunk(3, 1), of_states = of_h.chunk(3, 1);
    const Tensor reset = (of_inputs[0] + of_states[0]).sigmoid();
    const Tensor update = (of_inputs[1] + of_states[1]).sigmoid();
    const Tensor fresh = (of_inputs[2] + reset * of_states[2]).tanh();
    states[0] = (1 - update) * fresh + update * states[0];
  } else {
    states[0] = kind == "RNN" ? (of_x + of_h).tanh() : (of_x + of_h).relu();
  }
  return states[0];
}

/// The output of a layer with biases and without dropout, step by step.
Tensor composed(const std::string& kind, const NetworkOptions& set, Tensor x, const Tensors& first,
                const Tensors& parameters) {
  if (set.batch_first) x = x.transpose(0, 1);
  const std::int64_t directions = set.bidirectional ? 2 : 1, each = set.projection > 0 ? 5 : 4;
  for (std::int64_t layer = 0; layer < set.layers; ++layer) {
    Tensors outputs;
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const std::int64_t row = layer * directions + direction;
      const auto begin = parameters.begin() + row * each;
      const Tensors weights(begin, begin + each);
      Tensors states, steps(static_cast<std::size_t>(x.size(0)));
      for (const Tensor& state : first) states.push_back(state[row]);
      for (std::int64_t i = 0; i < x.size(0); ++i) {
        const std::int64_t t = direction == 0 ? i : x.size(0) - 1 - i;
        steps[static_cast<std::size_t>(t)] = step_of(kind, x[t], states, weights);
      }
      outputs.push_back(stack(steps));
    }
    x = cat(outputs, -1);
  }
  return set.batch_first ? x.transpose(0, 1) : x;
}

TEST(SequenceModels, LayersOfRandomShapesAreTheirFormulas) {
  const NetworkOptions options[] = {{},
                                    {.layers = 3},
                                    {.batch_first = true},
                                    {.bidirectional = true},
                                    {.layers = 2, .batch_first = true, .bidirectional = true},
                                    {.layers = 2, .bidirectional = true, .projection = 2}};
  manual_seed(3);
  for (const std::string kind : testing::kNetworkKinds) {
    for (NetworkOptions set : options) {
      if (set.projection > 0 && kind != "LSTM") continue;
      for (int trial = 0; trial < 10; ++trial) {
        const auto drawn = [](std::int64_t most) { return randint(1, most, {1}).item<int>(); };
        const std::int64_t length = drawn(9), batch = drawn(20), input = drawn(30);
        const std::int64_t hidden = drawn(40) + set.projection;
        SCOPED_TRACE(::testing::Message() << kind << ": " << length << ' ' << batch << ' ' << input
                                          << ' ' << hidden << ", layers " << set.layers);
        const Network net = make_network(kind, set, input, hidden);
        const Tensor x = parameter_of(set.batch_first ? randn({batch, length, input}, kDouble)
                                                      : randn({length, batch, input}, kDouble));
        const Tensors first = testing::drawn_states(kind, set, batch, hidden);
        const Tensors parameters = net.module->parameters();
        const Tensor got = net.run(x, first)[0];
        const Tensor want = composed(kind, set, x, first, parameters);
        EXPECT_TRUE(close(got, want, 1e-10));
        Tensors wrt = parameters;
        wrt.push_back(x);
        const Tensor weights = randn_like(want);
        const auto gradients = autograd::grad({got}, wrt, {weights});
        const auto expected = autograd::grad({want}, wrt, {weights});
        for (std::size_t i = 0; i < wrt.size(); ++i) {
          EXPECT_TRUE(close(gradients[i], expected[i], 1e-9)) << i;
        }
      }
    }
  }
}

TEST(SequenceModels, AttentionOfRandomShapesIsItsFormula) {
  manual_seed(4);
  for (const std::string option :
       {"plain", "causal", "bool mask", "float mask", "scale", "groups"}) {
    for (int trial = 0; trial < 10; ++trial) {
      const auto drawn = [](std::int64_t most) { return randint(1, most, {1}).item<int>(); };
      const std::int64_t batch = drawn(4), heads = drawn(5), queries = drawn(150),
                         keys = drawn(150);
      const std::int64_t size = drawn(40), value_size = drawn(40);
      const std::int64_t groups = option == "groups" ? drawn(4) : 1;
      SCOPED_TRACE(::testing::Message() << option << ": " << batch << ' ' << heads << ' ' << queries
                                        << ' ' << keys << ' ' << size << ' ' << value_size);
      const Tensor q = parameter_of(randn({batch, heads * groups, queries, size}, kDouble));
      const Tensor k = parameter_of(randn({batch, heads, keys, size}, kDouble));
      const Tensor v = parameter_of(randn({batch, heads, keys, value_size}, kDouble));
      Tensor mask, added = zeros({queries, keys}, kDouble);
      if (option == "bool mask") {
        mask = rand({batch, 1, queries, keys}) < 0.7;
        mask.select(-1, 0).fill_(true);  // each row has a key
        added = zeros(mask.sizes(), kDouble).masked_fill(mask.logical_not(), -INFINITY);
      } else if (option == "float mask") {
        added = mask = randn({1, heads, queries, keys}, kDouble);
      } else if (option == "causal") {
        added = added.masked_fill(ones({queries, keys}, kBool).tril().logical_not(), -INFINITY);
      }
      const std::optional<double> scale =
          option == "scale" ? std::optional<double>(0.3) : std::nullopt;
      const Tensor got = scaled_dot_product_attention(q, k, v, mask, 0.0, option == "causal", scale,
                                                      /*enable_gqa=*/groups > 1);
      const Tensor scores = q.matmul(k.repeat_interleave(groups, 1).transpose(-2, -1));
      const Tensor want =
          (scores * scale.value_or(1 / std::sqrt(static_cast<double>(size))) + added)
              .softmax(-1)
              .matmul(v.repeat_interleave(groups, 1));
      EXPECT_TRUE(close(got, want, 1e-10));
      const Tensor weights = randn_like(want);
      const auto gradients = autograd::grad({got}, {q, k, v}, {weights});
      const auto expected = autograd::grad({want}, {q, k, v}, {weights});
      for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(close(gradients[i], expected[i], 1e-9)) << i;
    }
  }
}

struct TaggerImpl : nn::Module {
  Tensor forward(const Tensor& tokens) {
    const Tensor x = encoder(embedding(tokens));
    const Tensor h = x.new_zeros({1, x.size(1), 6}), c = zeros_like(h);
    return head(std::get<0>(lstm(x, std::tuple(h, c))));
  }
  nn::Embedding embedding = register_module("embedding", nn::Embedding(9, 8));
  nn::TransformerEncoder encoder = register_module(
      "encoder", nn::TransformerEncoder(
                     nn::TransformerEncoderLayer(
                         nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(12).dropout(0)),
                     2));
  nn::LSTM lstm = register_module("lstm", nn::LSTM(8, 6));
  nn::Linear head = register_module("head", nn::Linear(6, 9));
};
TERN_MODULE(Tagger);

TEST(SequenceModels, TrainOnADeviceAsOnTheCpu) {
  const auto trained = [](Device device) {
    manual_seed(7);
    Tagger net;
    const Tensor tokens = randint(0, 9, {5, 4}), targets = randint(0, 9, {20});
    net->to(kDouble);
    net->to(device);
    optim::Adam optimizer(net->parameters(), 1e-2);
    for (int i = 0; i < 5; ++i) {
      optimizer.zero_grad();
      const Tensor scores = net(tokens.to(device));
      EXPECT_EQ(scores.device(), device);
      nn::functional::cross_entropy(scores.flatten(0, 1), targets.to(device)).backward();
      optimizer.step();
    }
    return net->parameters();
  };
  const std::vector<Tensor> here = trained(kCPU), there = trained(Device("cuda:1"));
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_TRUE(close(there[i], here[i], 1e-7)) << i;
  }
}

}  // namespace
}  // namespace tern
