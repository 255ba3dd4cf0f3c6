#include "differential/layers/layer_case.h"

#include <cmath>
#include <limits>

namespace tern::testing::differential {
namespace {

Tensor read_tensor(const Json& json) {
  const NoGradGuard no_grad;
  const ScalarType dtype = read_dtype(json.at("d"));
  std::vector<double> elements;
  for (const Json& element : json.at("x")) {
    elements.push_back(element.is_boolean() ? element.get<bool>() : read_double(element));
  }
  const auto sizes = json.at("s").get<std::vector<std::int64_t>>();
  return tensor(elements, TensorOptions(kDouble).device(kCPU))
      .to(get_default_device(), dtype)
      .reshape(sizes);
}

Json shown(const Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  Json elements = Json::array();
  for (const double x : tensor.detach().cpu().to(kDouble).contiguous().to_vector<double>()) {
    elements.push_back(std::isfinite(x) ? Json(x) : Json(std::to_string(x)));  // "inf", "nan"
  }
  return {{"d", dtype_info(tensor.dtype()).python_name},
          {"s", tensor.sizes().vec()},
          {"x", std::move(elements)}};
}

Json named(const std::string& name, const Tensor& tensor) {
  return Json::array({name, shown(tensor)});
}

void set_state(nn::Module& module, const Json& state) {
  const NoGradGuard no_grad;
  for (Tensor parameter : module.parameters()) {
    parameter.fill_(std::numeric_limits<double>::quiet_NaN());
  }
  if (state.is_string()) {
    tern::load(module, state.get<std::string>());
    return;
  }
  State tensors;
  for (const auto& [name, values] : state.items()) tensors.set(name, read_tensor(values));
  module.load_state_dict(tensors);
}

void read_inputs(LayerCase& c) {
  for (const Json& input : c.json.at("inputs")) {
    const auto name = input.at(0).get<std::string>();
    const Json& value = input.at(1);
    if (value.is_null()) continue;
    c.inputs[name] = value.is_string() ? c.inputs.at(value.get<std::string>()) : read_tensor(value);
    if (value.is_object() && value.value("g", false)) c.inputs[name].requires_grad_();
  }
}

Tensor loss_of(const Tensors& results, const Json& weights) {
  Tensor loss = zeros({}, results.at(0).dtype());
  std::size_t i = 0;
  for (const Tensor& result : results) {
    if (!result.defined() || !result.is_floating_point()) continue;
    loss = loss + (result * read_tensor(weights.at(i++))).sum();
  }
  return loss;
}

Json run(const Json& json) {
  LayerCase c(json);
  manual_seed(json.at("seed").get<std::uint64_t>());
  Network network = make_attention(c);
  if (!network.module) network = make_transformer(c);
  if (!network.module) network = make_recurrent(c);
  if (!network.module) throw std::invalid_argument("no layer: " + json.at("layer").dump());
  nn::Module& module = *network.module;
  Json drawn = Json::array(), values = Json::array();
  if (json.value("compare_drawn", false)) {
    for (const auto& item : module.named_parameters()) {
      drawn.push_back(named(item.key(), item.value()));
    }
  }
  set_state(module, json.at("state"));
  module.train(json.at("training").get<bool>());
  read_inputs(c);
  const bool records = json.at("record").get<bool>();
  const AutoGradMode grad_mode(records);
  manual_seed(json.at("draw").get<std::uint64_t>());
  const Tensors results = network.call(c);
  for (std::size_t i = 0; i < results.size(); ++i) {
    values.push_back(named("result " + std::to_string(i), results[i]));
  }
  if (records) {
    loss_of(results, json.at("weights")).backward();
    for (const Json& input : json.at("inputs")) {
      if (!input.at(1).is_object() || !input.at(1).value("g", false)) continue;
      const auto name = input.at(0).get<std::string>();
      values.push_back(named("gradient of " + name, c.inputs.at(name).grad()));
    }
    for (const auto& item : module.named_parameters()) {
      values.push_back(named("gradient of " + item.key(), item.value().grad()));
    }
  }
  return {{"drawn", std::move(drawn)}, {"values", std::move(values)}};
}

}  // namespace

LayerCase::LayerCase(const Json& given)
    : json(given), options(given.at("options")), dtype(read_dtype(given.at("dtype"))) {}

Tensor LayerCase::operator[](const std::string& name) const {
  const auto found = inputs.find(name);
  return found == inputs.end() ? Tensor() : found->second;
}

Json run_layer(const Json& layer_case) {
  try {
    return run(layer_case);
  } catch (const Error& error) {
    return {{"e", error.what()}};
  }
}

}  // namespace tern::testing::differential
