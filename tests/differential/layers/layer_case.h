#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "differential/form.h"

// Layers as modules, beside those of PyTorch. A case is an object:
//
//   {"layer": "LSTM", "sizes": [3, 4], "options": {"bias": false}, "dtype": "float64", "seed": 5,
//    "training": true, "state": "parameters.pt", "inputs": {"input": {"d": "float64", "s": [2, 3],
//    "x": [..], "g": true}, "h0": null}, "call": {}, "draw": 6, "record": true, "weights": [..]}
//
// "seed" is set before the layer is made, "draw" before it is called. "state" is a file with other
// parameters, or an object of tensors. The tensors of "inputs" are arguments by name; the name of
// an earlier one stands for the same tensor, and "g" asks for a gradient. The loss is the sum of
// the floating-point results times "weights", one tensor for each; without "record" no gradients
// are computed.

namespace tern::testing::differential {

struct LayerCase {
  const Json& json;
  const Json& options;
  ScalarType dtype;
  std::map<std::string, Tensor> inputs = {};

  explicit LayerCase(const Json& given);
  std::int64_t size(std::size_t i) const { return json.at("sizes").at(i).get<std::int64_t>(); }
  /// Returns an argument of the call; undefined unless it is given.
  Tensor operator[](const std::string& name) const;
  /// Returns an argument of the call that is no tensor.
  bool flag(const char* name, bool otherwise = false) const {
    return json.at("call").value(name, otherwise);
  }
};

/// A layer and its call, which returns all results; some may be undefined.
struct Network {
  std::shared_ptr<nn::Module> module;
  std::function<Tensors(const LayerCase&)> call;
};

/// Make the layer of a case; without a module if it has another name.
Network make_attention(const LayerCase& c);
Network make_transformer(const LayerCase& c);
Network make_recurrent(const LayerCase& c);

/// Returns {"drawn": [[name, tensor], ..], "values": [[name, tensor], ..]}: the parameters before
/// those of "state", and all results and gradients. Returns {"e": text} for an error.
Json run_layer(const Json& layer_case);

/// Sets an option that a case gives; the others keep their defaults.
#define TERN_GIVEN(name, type) \
  if (c.options.contains(#name)) options.name(c.options.at(#name).get<type>())

}  // namespace tern::testing::differential
