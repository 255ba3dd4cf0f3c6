#include <tern/core/autograd/autocast.h>
#include <tern/core/base/thread_pool.h>

#include "nn/modules/recurrent/networks.h"

namespace tern {
namespace {

using testing::kNetworkKinds;
using testing::make_network;
using testing::Network;
using testing::NetworkOptions;
using testing::Tensors;
using testing::weighted;

/// The cases of golden/modules/recurrent.py, in its order.
struct NetworkCase {
  std::string name;
  NetworkOptions options;
  bool is_packed = false;
};
std::vector<NetworkCase> network_cases() {
  return {{"plain", {}},
          {"deep", {.layers = 2, .bidirectional = true}},
          {"without bias", {.bias = false}},
          {"batch first", {.batch_first = true, .bidirectional = true}},
          {"dropout", {.layers = 2, .dropout = 0.5}},
          {"packed", {.layers = 2, .bidirectional = true}, true},
          {"packed dropout", {.layers = 2, .dropout = 0.5}, true},
          {"projected", {.layers = 2, .bidirectional = true, .projection = 2}},
          {"projected packed", {.bidirectional = true, .projection = 2}, true}};
}

/// Compares results, gradients of the inputs, and one number for the gradient of each parameter
/// with an entry of recurrent.json.
void expect_golden(const std::string& name, const nn::Module& module, const Tensors& results,
                   const std::vector<std::string>& result_names, const Tensor& x,
                   const Tensors& states, double tolerance) {
  SCOPED_TRACE(name);
  const auto& entry = testing::golden("modules/recurrent").at(name);
  const auto golden_of = [&](const std::string& key) {
    return testing::golden_tensor(entry.at(key)).to(x.dtype());
  };
  Tensor loss = zeros({}, x.dtype());
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(close(results[i], golden_of(result_names[i]), tolerance)) << result_names[i];
    loss = loss + weighted(results[i]);
  }
  loss.backward();
  EXPECT_TRUE(close(x.grad(), golden_of("gradient of x"), tolerance));
  const char* const state_names[] = {"h", "c"};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string key = std::string("gradient of ") + state_names[i];
    EXPECT_TRUE(close(states[i].grad(), golden_of(key), tolerance)) << key;
  }
  const Tensor want = testing::golden_tensor(entry.at("gradients"), x.dtype());
  std::int64_t index = 0;
  for (const auto& item : module.named_parameters()) {
    EXPECT_TRUE(close(weighted(item.value().grad()), want[index++], 10 * tolerance)) << item.key();
  }
  EXPECT_EQ(index, want.numel());
}

void check_network(const std::string& kind, const NetworkCase& c, ScalarType dtype,
                   double tolerance) {
  manual_seed(5);
  const Network net = make_network(kind, c.options);
  Tensor x = randn({4, 3, 3}, kDouble);
  const std::int64_t batch = c.options.batch_first ? 4 : 3;
  Tensors states = testing::drawn_states(kind, c.options, batch);
  net.module->to(dtype);
  x = parameter_of(x.to(dtype));
  for (Tensor& state : states) state = parameter_of(state.to(dtype));
  const Tensors results =
      c.is_packed ? net.run_packed(nn::utils::rnn::pack_padded_sequence(x, tensor({2, 4, 1}), false,
                                                                        /*enforce_sorted=*/false),
                                   states)
                  : net.run(x, states);
  expect_golden(kind + ", " + c.name, *net.module, results, {"out", "last h", "last c"}, x, states,
                tolerance);
}

TEST(Recurrent, LayersComputeThePyTorchNumbers) {
  for (const std::string kind : kNetworkKinds) {
    for (const NetworkCase& c : network_cases()) {
      if (c.options.projection > 0 && kind != "LSTM") continue;
      check_network(kind, c, kDouble, 1e-10);
      // A mask of float32 is not that of float64.
      if (c.options.dropout == 0) check_network(kind, c, kFloat, 1e-5);
    }
  }
}

TEST(Recurrent, DrawsThePyTorchParameters) {
  for (const std::string kind : {"LSTM", "GRU"}) {
    manual_seed(0);
    const Network net = make_network(kind, {.layers = 2, .bidirectional = true, .dtype = kFloat});
    const Tensors results = net.run(randn({5, 2, 3}), {});
    const auto& entry = testing::golden("modules/recurrent").at(kind + " drawn");
    EXPECT_TRUE(close(results[0], testing::golden_tensor(entry.at("out")), 1e-6));
    EXPECT_TRUE(close(results[1], testing::golden_tensor(entry.at("last h")), 1e-6));
  }
}

template <class Holder, class Options>
void check_cell(const std::string& name, const Options& options) {
  for (const bool bias : {true, false}) {
    manual_seed(6);
    const Holder cell(Options(options).bias(bias).dtype(kDouble));
    const Tensor x = randn({2, 3}, kDouble).requires_grad_();
    Tensors states = {randn({2, 4}, kDouble).requires_grad_()}, results;
    if constexpr (std::is_same_v<Holder, nn::LSTMCell>) {
      states.push_back(randn({2, 4}, kDouble).requires_grad_());
      const auto [h, c] = cell(x, std::tuple(states[0], states[1]));
      results = {h, c};
    } else {
      results = {cell(x, states[0])};
    }
    expect_golden(name + (bias ? "" : ", without bias"), *cell, results, {"last h", "last c"}, x,
                  states, 1e-10);
  }
}

TEST(Recurrent, CellsComputeThePyTorchNumbers) {
  check_cell<nn::RNNCell>("RNNCell", nn::RNNCellOptions(3, 4));
  check_cell<nn::RNNCell>("RNNCell relu", nn::RNNCellOptions(3, 4).nonlinearity(kReLU));
  check_cell<nn::LSTMCell>("LSTMCell", nn::LSTMCellOptions(3, 4));
  check_cell<nn::GRUCell>("GRUCell", nn::GRUCellOptions(3, 4));
}

TEST(Recurrent, ASequenceWithoutBatchIsABatchOfOne) {
  for (const std::string kind : kNetworkKinds) {
    for (const bool batch_first : {false, true}) {
      SCOPED_TRACE(kind);
      const NetworkOptions options{.batch_first = batch_first, .bidirectional = true};
      const Network net = make_network(kind, options);
      const Tensor x = randn({5, 3}, kDouble);
      const Tensors states = testing::drawn_states(kind, options, 1);
      Tensors single;
      for (const Tensor& state : states) single.push_back(state.squeeze(1));
      const Tensors batched = net.run(x.unsqueeze(batch_first ? 0 : 1), states);
      const Tensors alone = net.run(x, single);
      EXPECT_TRUE(same_bits(alone[0], batched[0].squeeze(batch_first ? 0 : 1)));
      for (std::size_t i = 1; i < alone.size(); ++i) {
        EXPECT_TRUE(same_bits(alone[i], batched[i].squeeze(1)));
      }
    }
  }
  const nn::LSTMCell cell(3, 4);
  const Tensor x = randn({3});
  const auto [h, c] = cell(x);
  const auto [batched_h, batched_c] = cell(x.unsqueeze(0));
  EXPECT_TRUE(same_bits(h, batched_h.squeeze(0)));
  EXPECT_TRUE(same_bits(c, batched_c.squeeze(0)));
  EXPECT_EQ(nn::GRUCell(3, 4)(x, zeros({4})).sizes(), IntArrayRef({4}));
}

TEST(Recurrent, BatchFirstTurnsInputAndOutputAlone) {
  manual_seed(1);
  const Network turned = make_network("GRU", {.batch_first = true});
  manual_seed(1);
  const Network net = make_network("GRU", {});
  const Tensor x = randn({2, 5, 3}, kDouble);
  const Tensors a = turned.run(x, {}), b = net.run(x.transpose(0, 1), {});
  EXPECT_TRUE(same_bits(a[0], b[0].transpose(0, 1)));
  EXPECT_TRUE(same_bits(a[1], b[1]));
  EXPECT_EQ(a[0].strides(), IntArrayRef({4, 8, 1}));
  EXPECT_EQ(a[1].sizes(), IntArrayRef({1, 2, 4}));
}

TEST(Recurrent, EmptyBatchesAndSingleStepsWork) {
  for (const std::string kind : kNetworkKinds) {
    SCOPED_TRACE(kind);
    const Network net = make_network(kind, {.layers = 2, .bidirectional = true});
    const Tensors empty_batch = net.run(zeros({3, 0, 3}, kDouble).requires_grad_(), {});
    EXPECT_EQ(empty_batch[0].sizes(), IntArrayRef({3, 0, 8}));
    EXPECT_EQ(empty_batch[1].sizes(), IntArrayRef({4, 0, 4}));
    empty_batch[0].sum().backward();
    for (const Tensor& parameter : net.module->parameters()) {
      EXPECT_TRUE(same_bits(parameter.grad(), zeros_like(parameter)));
    }
    const Tensors one = net.run(randn({1, 2, 3}, kDouble), {});
    EXPECT_EQ(one[0].sizes(), IntArrayRef({1, 2, 8}));
    const Tensors narrow = make_network(kind, {}, 1, 1).run(randn({3, 2, 1}, kDouble), {});
    EXPECT_EQ(narrow[0].sizes(), IntArrayRef({3, 2, 1}));
  }
  EXPECT_EQ(nn::GRUCell(3, 4)(zeros({0, 3})).sizes(), IntArrayRef({0, 4}));
}

TEST(Recurrent, NarrowDtypesAreCloseToFloat32) {
  for (const std::string kind : kNetworkKinds) {
    for (const ScalarType dtype : {kHalf, kBFloat16}) {
      SCOPED_TRACE(kind);
      manual_seed(2);
      const Network net = make_network(kind, {.layers = 2, .dtype = kFloat});
      const Tensor x = randn({6, 3, 3}).to(dtype);
      net.module->to(dtype);
      const Tensors narrow = net.run(x, {});
      weighted(narrow[0]).backward();
      Tensors gradients;
      for (const Tensor& parameter : net.module->parameters()) {
        EXPECT_EQ(parameter.grad().dtype(), dtype);
        gradients.push_back(parameter.grad().to(kFloat));
      }
      net.module->to(kFloat);
      net.module->zero_grad();
      const Tensors wide = net.run(x.to(kFloat), {});
      weighted(wide[0]).backward();
      const double tolerance = dtype == kHalf ? 4e-3 : 3e-2;
      EXPECT_EQ(narrow[0].dtype(), dtype);
      EXPECT_TRUE(close(narrow[0].to(kFloat), wide[0], tolerance));
      std::size_t next = 0;
      for (const Tensor& parameter : net.module->parameters()) {
        EXPECT_TRUE(close(gradients[next++], parameter.grad(), 4 * tolerance));
      }
    }
  }
}

TEST(Recurrent, AutocastLowersTheLstmAlone) {
  const amp::Autocast region(kCPU);
  const Tensor x = randn({3, 2, 3}, kBFloat16);
  for (const std::string kind : kNetworkKinds) {
    const Tensor out = make_network(kind, {.dtype = kFloat}).run(x, {})[0];
    EXPECT_EQ(out.dtype(), kind == "LSTM" ? kBFloat16 : kFloat) << kind;
  }
  EXPECT_EQ(std::get<0>(nn::LSTMCell(3, 4)(x[0])).dtype(), kFloat);
}

/// Output, states and all gradients of a layer, in one list.
Tensors everything(const Network& net, const Tensor& x, const Tensors& states) {
  net.module->zero_grad();
  const Tensor input = parameter_of(x);
  Tensors all = net.run(input, states);
  Tensor loss = weighted(all[0]) + weighted(all[1]);
  loss.backward();
  all.push_back(input.grad());
  for (const Tensor& parameter : net.module->parameters()) all.push_back(parameter.grad().clone());
  return all;
}

TEST(Recurrent, TheBitsDoNotDependOnTheNumberOfThreads) {
  const int threads = get_num_threads();
  for (const std::string kind : kNetworkKinds) {
    for (const std::int64_t batch : {3, 37}) {  // without and with packed weights
      SCOPED_TRACE(kind);
      const NetworkOptions options{.bidirectional = true, .dtype = kFloat};
      const Network net = make_network(kind, options, 20, 70);
      const Tensor x = randn({9, batch, 20});
      const Tensors states = testing::drawn_states(kind, options, batch, 70);
      set_num_threads(1);
      const Tensors one = everything(net, x, states);
      for (int count = 2; count <= 4; ++count) {
        set_num_threads(count);
        const Tensors many = everything(net, x, states);
        for (std::size_t i = 0; i < one.size(); ++i) {
          EXPECT_TRUE(same_bits(many[i], one[i])) << i << ", " << count << " threads";
        }
      }
      set_num_threads(threads);
    }
  }
}

TEST(Recurrent, DevicesComputeTheSame) {
  for (const std::string kind : kNetworkKinds) {
    for (const bool is_packed : {false, true}) {
      SCOPED_TRACE(kind + (is_packed ? ", packed" : ""));
      const NetworkOptions options{.layers = 2, .bidirectional = true};
      const Network net = make_network(kind, options);
      const Tensor x = randn({4, 3, 3}, kDouble);
      const Tensors states = testing::drawn_states(kind, options, 3);
      Tensors results[2];
      for (const int place : {0, 1}) {
        const Device device = place == 0 ? Device(kCPU) : Device(1);
        net.module->zero_grad();
        net.module->to(device);
        const Tensor input = parameter_of(x.to(device));
        Tensors first;
        for (const Tensor& state : states) first.push_back(state.to(device));
        const auto pack = [&] {
          return nn::utils::rnn::pack_padded_sequence(input, tensor({2, 4, 1}), false, false);
        };
        results[place] = is_packed ? net.run_packed(pack(), first) : net.run(input, first);
        Tensor loss = weighted(results[place][0]) + weighted(results[place][1]);
        loss.backward();
        EXPECT_EQ(results[place][0].device(), device);
        results[place].push_back(input.grad());
        for (const Tensor& p : net.module->parameters()) results[place].push_back(p.grad().clone());
      }
      for (std::size_t i = 0; i < results[0].size(); ++i) {
        EXPECT_TRUE(close(results[0][i], results[1][i], 1e-9)) << i;
      }
    }
  }
}

TEST(Recurrent, StatesHaveThePyTorchKeys) {
  const nn::LSTM lstm(nn::LSTMOptions(3, 4).num_layers(2).bidirectional(true).proj_size(2));
  std::vector<std::string> keys;
  for (const auto& item : lstm->named_parameters()) keys.push_back(item.key());
  std::vector<std::string> expected;
  for (const std::string suffix : {"_l0", "_l0_reverse", "_l1", "_l1_reverse"}) {
    for (const std::string name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"}) {
      expected.push_back(name + suffix);
    }
  }
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(lstm->get_parameter("weight_ih_l1").sizes(), IntArrayRef({16, 4}));
  EXPECT_EQ(lstm->get_parameter("weight_hh_l1").sizes(), IntArrayRef({16, 2}));
  EXPECT_EQ(lstm->all_weights().size(), 20U);

  const nn::LSTM same(lstm->options);
  same->load_state_dict(lstm->state_dict(), /*strict=*/true);
  const Tensor x = randn({5, 2, 3});
  EXPECT_TRUE(same_bits(std::get<0>(same(x)), std::get<0>(lstm(x))));
  const auto copy = std::dynamic_pointer_cast<nn::LSTMImpl>(lstm->clone());
  ASSERT_TRUE(copy);
  {
    const NoGradGuard no_grad;
    copy->get_parameter("weight_hr_l0").zero_();
  }
  EXPECT_TRUE(same_bits(std::get<0>(same(x)), std::get<0>(lstm(x))));
  EXPECT_FALSE(same_bits(std::get<0>(copy->forward(x)), std::get<0>(lstm(x))));
  lstm->flatten_parameters();

  const nn::GRUCell cell(nn::GRUCellOptions(3, 4).bias(false));
  EXPECT_EQ(cell->parameters().size(), 2U);
  EXPECT_EQ(cell->weight_ih.sizes(), IntArrayRef({12, 3}));
}

TEST(Recurrent, PrintsAsLibtorch) {
  EXPECT_EQ(printed(nn::LSTM(3, 4)),
            "tern::nn::LSTM(input_size=3, hidden_size=4, num_layers=1, bias=true, "
            "batch_first=false, dropout=0, bidirectional=false)");
  EXPECT_EQ(printed(nn::LSTM(nn::LSTMOptions(3, 4).num_layers(2).dropout(0.5).proj_size(2))),
            "tern::nn::LSTM(input_size=3, hidden_size=4, num_layers=2, bias=true, "
            "batch_first=false, dropout=0.5, bidirectional=false, proj_size=2)");
  EXPECT_EQ(printed(nn::RNN(nn::RNNOptions(3, 4).nonlinearity(kReLU))),
            "tern::nn::RNN(input_size=3, hidden_size=4, num_layers=1, bias=true, "
            "batch_first=false, dropout=0, bidirectional=false)");
  EXPECT_EQ(printed(nn::GRU(nn::GRUOptions(3, 4).batch_first(true).bidirectional(true))),
            "tern::nn::GRU(input_size=3, hidden_size=4, num_layers=1, bias=true, "
            "batch_first=true, dropout=0, bidirectional=true)");
  EXPECT_EQ(printed(nn::RNNCell(3, 4)), "tern::nn::RNNCell(3, 4)");
  EXPECT_EQ(printed(nn::RNNCell(nn::RNNCellOptions(3, 4).bias(false).nonlinearity(kReLU))),
            "tern::nn::RNNCell(3, 4, bias=false, nonlinearity=kReLU)");
  EXPECT_EQ(printed(nn::LSTMCell(nn::LSTMCellOptions(3, 4).bias(false))),
            "tern::nn::LSTMCell(3, 4, bias=false)");
  EXPECT_EQ(printed(nn::GRUCell(3, 4)), "tern::nn::GRUCell(3, 4)");
}

TEST(Recurrent, EndASequential) {
  nn::Sequential net{nn::Linear(5, 3), nn::GRU(3, 4)};
  const Tensor x = randn({6, 2, 5});
  const auto [out, h] = net->forward<std::tuple<Tensor, Tensor>>(x);
  EXPECT_EQ(out.sizes(), IntArrayRef({6, 2, 4}));
  EXPECT_EQ(h.sizes(), IntArrayRef({1, 2, 4}));
}

}  // namespace
}  // namespace tern
