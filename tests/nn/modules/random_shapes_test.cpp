#include <cmath>

#include "nn/modules/recurrent/networks.h"

// What PyTorch computes with ten random shapes for each option of recurrent layers, attention and
// Transformer layers. The cases, and the order in which numbers are drawn, are those of
// golden/modules/random_shapes.py.

namespace tern {
namespace {

using Json = nlohmann::json;
using testing::NetworkOptions;
using testing::Tensors;
using Sizes = std::vector<std::int64_t>;

/// A case and the dtype in which it runs. All numbers are drawn in float64.
struct ShapeCase {
  std::string kind, name;
  Json options;
  Sizes sizes;
  std::vector<double> want;
  ScalarType dtype;

  bool has(const std::string& part) const { return name.find(part) != std::string::npos; }
  bool flag(const char* key, bool otherwise = false) const { return options.value(key, otherwise); }
};

void draw_parameters(nn::Module& module, ScalarType dtype) {
  const NoGradGuard no_grad;
  for (Tensor parameter : module.parameters()) {
    parameter.copy_(randn(parameter.sizes(), kDouble) * 0.3);
  }
  module.to(dtype);
}

Tensor drawn(const ShapeCase& c, IntArrayRef sizes) {
  return parameter_of(randn(sizes, kDouble).to(c.dtype));
}

/// Adds the weighted sum, as large as an element, and some elements.
void add_figures(std::vector<double>& found, const Tensor& tensor, std::int64_t elements = 1) {
  const std::int64_t count = tensor.numel();
  const Tensor flat = tensor.detach().flatten().to(kDouble);
  found.push_back(testing::weighted(flat).item<double>() / std::sqrt(count));
  for (std::int64_t i = 1; i <= elements; ++i) {
    found.push_back(flat[count * i / (elements + 1)].item<double>());
  }
}

void expect_figures(const ShapeCase& c, const nn::Module& module, const Tensors& inputs,
                    const Tensors& results) {
  Tensor loss = zeros({}, c.dtype);
  for (const Tensor& result : results) loss = loss + testing::weighted(result);
  loss.backward();
  Tensors gradients;
  for (const Tensor& parameter : module.parameters()) {
    gradients.push_back(parameter.grad().flatten());
  }
  std::vector<double> found;
  add_figures(found, results[0], 2);
  add_figures(found, cat(gradients));
  for (std::size_t i = 1; i < results.size(); ++i) add_figures(found, results[i]);
  for (const Tensor& input : inputs) add_figures(found, input.grad());
  ASSERT_EQ(found.size(), c.want.size());
  const double tolerance = c.dtype == kDouble ? 1e-10 : 1e-5;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], c.want[i], tolerance * (1 + std::abs(c.want[i]))) << i;
  }
}

/// Calls `run` for all cases of a part, in float64 and in float32, after the seed of the case.
template <class Run>
void for_each_case(const std::string& part, Run run) {
  for (const Json& group : testing::golden("modules/random_shapes").at(part)) {
    std::uint64_t seed = group.at("seed");
    for (const Json& recorded : group.at("cases")) {
      for (const ScalarType dtype : {kDouble, kFloat}) {
        const ShapeCase c{group.at("kind"), group.at("name"), group.at("options"),
                          recorded.at(0),   recorded.at(1),   dtype};
        SCOPED_TRACE(::testing::Message()
                     << c.kind << ", " << c.name << ": " << IntArrayRef(c.sizes) << ' ' << dtype);
        manual_seed(seed);
        run(c);
      }
      ++seed;
    }
  }
}

void run_layer(const ShapeCase& c) {
  const std::int64_t t = c.sizes[0], b = c.sizes[1], i = c.sizes[2], h = c.sizes[3];
  const Sizes lengths(c.sizes.begin() + 4, c.sizes.end());
  const NetworkOptions options{.layers = c.options.value("num_layers", std::int64_t{1}),
                               .bias = c.flag("bias", true),
                               .batch_first = c.flag("batch_first"),
                               .bidirectional = c.flag("bidirectional"),
                               .projection = c.options.value("proj_size", std::int64_t{0})};
  const testing::Network net = testing::make_network(c.kind, options, i, h);
  draw_parameters(*net.module, c.dtype);
  const bool is_single = c.has("unbatched");
  Tensors inputs = {drawn(c, is_single             ? Sizes{t, i}
                             : options.batch_first ? Sizes{b, t, i}
                                                   : Sizes{t, b, i})};
  const std::int64_t rows = options.layers * (options.bidirectional ? 2 : 1);
  const auto add_state = [&](std::int64_t size) {
    inputs.push_back(drawn(c, is_single ? Sizes{rows, size} : Sizes{rows, b, size}));
  };
  add_state(options.projection > 0 ? options.projection : h);
  if (c.kind == "LSTM") add_state(h);
  const Tensors states(inputs.begin() + 1, inputs.end());
  const auto packed = [&] {
    return nn::utils::rnn::pack_padded_sequence(inputs[0], tensor(lengths), /*batch_first=*/false,
                                                /*enforce_sorted=*/false);
  };
  expect_figures(c, *net.module, inputs,
                 lengths.empty() ? net.run(inputs[0], states) : net.run_packed(packed(), states));
}

template <class Holder, class Options>
void run_cell(const ShapeCase& c, const Options& options) {
  const Holder cell(Options(options).bias(c.flag("bias", true)).dtype(kDouble));
  draw_parameters(*cell, c.dtype);
  const auto sizes = [&](std::int64_t size) {
    return c.has("unbatched") ? Sizes{size} : Sizes{c.sizes[0], size};
  };
  Tensors inputs = {drawn(c, sizes(c.sizes[1])), drawn(c, sizes(c.sizes[2]))};
  if constexpr (std::is_same_v<Holder, nn::LSTMCell>) {
    inputs.push_back(drawn(c, sizes(c.sizes[2])));
    const auto [h, last] = cell(inputs[0], std::tuple(inputs[1], inputs[2]));
    expect_figures(c, *cell, inputs, {h, last});
  } else {
    expect_figures(c, *cell, inputs, {cell(inputs[0], inputs[1])});
  }
}

/// The masks that the name of a case has: of scores, and of keys. True is forbidden.
struct Masks {
  Tensor of_scores, of_keys;
};

Masks draw_masks(const ShapeCase& c, std::int64_t batch, std::int64_t heads, std::int64_t queries,
                 std::int64_t keys) {
  const auto flags = [](const Sizes& sizes) {
    const Tensor mask = rand(sizes, kDouble) < 0.3;
    mask.select(-1, 0).fill_(false);  // each query has a key
    return mask;
  };
  const auto numbers = [&](const Sizes& sizes) { return randn(sizes, kDouble).to(c.dtype); };
  const Sizes scores =
      c.has("of heads") ? Sizes{batch * heads, queries, keys} : Sizes{queries, keys};
  Masks masks;
  if (c.has("bool mask")) {
    masks.of_scores = flags(scores);
  } else if (c.has("float mask")) {
    masks.of_scores = numbers(scores);
  } else if (c.has("causal")) {
    masks.of_scores = ones({queries, keys}, kBool).triu(1);
  }
  if (c.has("bool padding")) {
    masks.of_keys = flags({batch, keys});
  } else if (c.has("float padding")) {
    masks.of_keys = numbers({batch, keys});
  }
  return masks;
}

Sizes shape_of(const ShapeCase& c, std::int64_t rows, std::int64_t batch, std::int64_t size) {
  if (c.has("unbatched")) return {rows, size};
  return c.has("batch first") ? Sizes{batch, rows, size} : Sizes{rows, batch, size};
}

void run_attention(const ShapeCase& c) {
  const std::int64_t queries = c.sizes[0], keys = c.sizes[1], b = c.sizes[2], heads = c.sizes[3];
  const std::int64_t width = heads * c.sizes[4];
  const std::int64_t of_key = c.options.contains("kdim") ? c.sizes[5] : width;
  const std::int64_t of_value = c.options.contains("vdim") ? c.sizes[6] : width;
  nn::MultiheadAttention net(nn::MultiheadAttentionOptions(width, heads)
                                 .bias(c.flag("bias", true))
                                 .add_bias_kv(c.flag("add_bias_kv"))
                                 .add_zero_attn(c.flag("add_zero_attn"))
                                 .batch_first(c.flag("batch_first"))
                                 .kdim(of_key)
                                 .vdim(of_value)
                                 .dtype(kDouble));
  draw_parameters(*net, c.dtype);
  const Tensor q = drawn(c, shape_of(c, queries, b, width));
  const Tensor k = drawn(c, shape_of(c, keys, b, of_key));
  const Tensor v = drawn(c, shape_of(c, keys, b, of_value));
  const Masks masks = draw_masks(c, b, heads, queries, keys);
  const bool is_causal = c.has("causal"), need_weights = !c.has("without weights") && !is_causal;
  const auto [out, weights] = net(q, k, v, masks.of_keys, need_weights, masks.of_scores,
                                  /*average_attn_weights=*/c.name != "weights of heads", is_causal);
  ASSERT_EQ(weights.defined(), need_weights);
  expect_figures(c, *net, {q, k, v}, need_weights ? Tensors{out, weights} : Tensors{out});
}

void run_transformer(const ShapeCase& c) {
  const std::int64_t rows = c.sizes[0], of_memory = c.sizes[1], b = c.sizes[2], heads = c.sizes[3];
  const std::int64_t width = heads * c.sizes[4];
  nn::TransformerEncoderLayerOptions options(width, heads);
  options.dim_feedforward(c.sizes[5]).dropout(0).bias(c.flag("bias", true)).dtype(kDouble);
  options.norm_first(c.flag("norm_first")).batch_first(c.flag("batch_first"));
  if (c.options.contains("activation")) options.activation(kGELU);
  const bool is_causal = c.has("causal");
  const auto input = [&](std::int64_t length) { return drawn(c, shape_of(c, length, b, width)); };
  if (c.kind == "encoder") {
    nn::TransformerEncoderLayer net(options);
    draw_parameters(*net, c.dtype);
    const Tensor x = input(rows);
    const Masks masks = draw_masks(c, b, heads, rows, rows);
    expect_figures(c, *net, {x}, {net(x, masks.of_scores, masks.of_keys, is_causal)});
  } else {
    nn::TransformerDecoderLayer net(options);
    draw_parameters(*net, c.dtype);
    const Tensor x = input(rows), memory = input(of_memory);
    const Masks masks = draw_masks(c, b, heads, rows, rows);
    const Masks others = draw_masks(c, b, heads, rows, of_memory);
    expect_figures(c, *net, {x, memory},
                   {net(x, memory, masks.of_scores, others.of_scores, masks.of_keys, others.of_keys,
                        is_causal, is_causal)});
  }
}

TEST(RandomShapes, OfRecurrentLayersGiveThePyTorchNumbers) { for_each_case("layers", run_layer); }

TEST(RandomShapes, OfCellsGiveThePyTorchNumbers) {
  for_each_case("cells", [](const ShapeCase& c) {
    const std::int64_t input = c.sizes[1], hidden = c.sizes[2];
    if (c.kind == "LSTM") {
      run_cell<nn::LSTMCell>(c, nn::LSTMCellOptions(input, hidden));
    } else if (c.kind == "GRU") {
      run_cell<nn::GRUCell>(c, nn::GRUCellOptions(input, hidden));
    } else {
      nn::RNNCellOptions options(input, hidden);
      if (c.kind == "RNN relu") options.nonlinearity(kReLU);
      run_cell<nn::RNNCell>(c, options);
    }
  });
}

TEST(RandomShapes, OfAttentionGiveThePyTorchNumbers) { for_each_case("attention", run_attention); }

TEST(RandomShapes, OfTransformerLayersGiveThePyTorchNumbers) {
  for_each_case("transformer", run_transformer);
}

}  // namespace
}  // namespace tern
