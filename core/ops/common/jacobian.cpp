// Compiled for size.

#include <tern/core/ops/common/jacobian.h>
#include <tern/core/ops/shape/join.h>

namespace tern::autograd::functional {
namespace {

// Returns views of the inputs with history, or leaves of their elements.
variable_list independent(const variable_list& inputs, bool create_graph) {
  variable_list result;
  for (const Tensor& input : inputs) {
    result.push_back(create_graph && input.requires_grad() ? input.view_as(input)
                                                           : input.detach().requires_grad_());
  }
  return result;
}

void check_outputs(const variable_list& outputs, bool strict) {
  for (std::size_t i = 0; strict && i < outputs.size(); ++i) {
    TERN_CHECK(outputs[i].requires_grad(), Error, "Output ", i,
               " of the user-provided function does not require gradients. The outputs must be "
               "computed in a differentiable manner from the input when running in strict mode.");
  }
}

// Checks the vectors of a product against the tensors that they belong to. Missing ones are 1.
variable_list vectors_for(const variable_list& tensors, const variable_list& v, const char* what) {
  if (v.empty()) {
    TERN_CHECK(tensors.size() == 1 && tensors[0].numel() == 1, Error,
               "The vector v can only be None if ", what,
               " a single Tensor with a single element.");
    return {tensors[0].detach().new_ones(tensors[0].sizes())};
  }
  TERN_CHECK(v.size() == tensors.size(), Error, "v is a tuple of invalid length: should be ",
             tensors.size(), " but got ", v.size(), ".");
  for (std::size_t i = 0; i < v.size(); ++i) {
    TERN_CHECK(v[i].sizes() == tensors[i].sizes(), ShapeError, "v has invalid size: should be ",
               tensors[i].sizes(), " but got ", v[i].sizes(), ".");
  }
  return v;
}

// Returns the gradients of the outputs that have a history; undefined for inputs that none uses.
variable_list gradients(const variable_list& outputs, const variable_list& inputs,
                        const variable_list& weights, bool create_graph) {
  variable_list used, used_weights;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined() || !outputs[i].requires_grad()) continue;
    used.push_back(outputs[i]);
    used_weights.push_back(weights[i]);
  }
  if (used.empty()) return variable_list(inputs.size());
  return grad(used, inputs, used_weights, /*retain_graph=*/true, create_graph,
              /*allow_unused=*/true);
}

// Replaces missing gradients by zeros.
void fill(variable_list& results, const variable_list& inputs, bool strict, const char* what) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined()) continue;
    TERN_CHECK(!strict, Error, what, " is independent of input ", i,
               ". This is not allowed in strict mode.");
    results[i] = inputs[i].detach().new_zeros(inputs[i].sizes());
  }
}

std::vector<std::int64_t> joined(IntArrayRef a, IntArrayRef b) {
  std::vector<std::int64_t> sizes(a.begin(), a.end());
  sizes.insert(sizes.end(), b.begin(), b.end());
  return sizes;
}

void detach_unless(bool create_graph, variable_list& tensors) {
  for (Tensor& tensor : tensors) {
    if (!create_graph) tensor = tensor.detach();
  }
}

// The Jacobian of one output.
variable_list jacobian_of(const Tensor& output, const variable_list& inputs, bool create_graph,
                          bool strict, const std::string& name) {
  std::vector<variable_list> rows(inputs.size());
  const Tensor flat = output.reshape({-1});
  for (std::int64_t k = 0; k < flat.numel(); ++k) {
    const Tensor element = flat[k];
    variable_list row = gradients({element}, inputs, {element.detach().new_ones({})}, create_graph);
    fill(row, inputs, strict, name.c_str());
    for (std::size_t i = 0; i < inputs.size(); ++i) rows[i].push_back(std::move(row[i]));
  }
  variable_list result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<std::int64_t> sizes = joined(output.sizes(), inputs[i].sizes());
    result.push_back(rows[i].empty() ? inputs[i].detach().new_zeros(sizes)
                                     : stack(rows[i]).reshape(sizes));
  }
  detach_unless(create_graph, result);
  return result;
}

}  // namespace

std::vector<variable_list> jacobian(const TensorFunction& fn, const variable_list& inputs,
                                    StrictBool create_graph, StrictBool strict) {
  const AutoGradMode recorded(true);
  const variable_list x = independent(inputs, create_graph);
  const variable_list outputs = fn(x);
  check_outputs(outputs, strict);
  std::vector<variable_list> result;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    result.push_back(
        jacobian_of(outputs[o], x, create_graph, strict,
                    tern::detail::text_of("Output ", o, " of the user-provided function")));
  }
  return result;
}

std::vector<variable_list> hessian(const TensorFunction& fn, const variable_list& inputs,
                                   StrictBool create_graph, StrictBool strict) {
  const AutoGradMode recorded(true);
  const variable_list x = independent(inputs, create_graph);
  const variable_list outputs = fn(x);
  TERN_CHECK(
      outputs.size() == 1 && outputs[0].numel() == 1, Error,
      "The Tensor returned by the function given to hessian should contain a single element");
  check_outputs(outputs, strict);
  variable_list first = gradients(outputs, x, {outputs[0].detach().new_ones(outputs[0].sizes())},
                                  /*create_graph=*/true);
  fill(first, x, strict, "Output 0 of the user-provided function");
  std::vector<variable_list> result;
  for (std::size_t i = 0; i < first.size(); ++i) {
    result.push_back(
        jacobian_of(first[i], x, create_graph, strict,
                    tern::detail::text_of(
                        "The jacobian of the user-provided function with respect to input ", i)));
  }
  return result;
}

ProductResult vjp(const TensorFunction& fn, const variable_list& inputs, const variable_list& v,
                  StrictBool create_graph, StrictBool strict) {
  const AutoGradMode recorded(true);
  const variable_list x = independent(inputs, create_graph);
  ProductResult result{fn(x), {}};
  check_outputs(result.outputs, strict);
  const variable_list weights =
      vectors_for(result.outputs, v, "the user-provided function returns");
  result.products = gradients(result.outputs, x, weights, create_graph);
  fill(result.products, x, strict, "The output of the user-provided function");
  detach_unless(create_graph, result.outputs);
  detach_unless(create_graph, result.products);
  return result;
}

// The vector-Jacobian product is linear in its vector u, and its derivative by u is the Jacobian.
ProductResult jvp(const TensorFunction& fn, const variable_list& inputs, const variable_list& v,
                  StrictBool create_graph, StrictBool strict) {
  const AutoGradMode recorded(true);
  const variable_list weights =
      vectors_for(inputs, v, "the input to the user-provided function is");
  const variable_list x = independent(inputs, create_graph);
  ProductResult result{fn(x), {}};
  check_outputs(result.outputs, strict);
  variable_list u;
  for (const Tensor& output : result.outputs) {
    u.push_back(output.detach().new_zeros(output.sizes()).requires_grad_());
  }
  variable_list first = gradients(result.outputs, x, u, /*create_graph=*/true);
  fill(first, x, strict, "The output of the user-provided function");
  result.products = gradients(first, u, weights, create_graph);
  fill(result.products, result.outputs, strict, "The product with the Jacobian");
  detach_unless(create_graph, result.outputs);
  detach_unless(create_graph, result.products);
  return result;
}

ProductResult vhp(const TensorFunction& fn, const variable_list& inputs, const variable_list& v,
                  StrictBool create_graph, StrictBool strict) {
  const AutoGradMode recorded(true);
  const variable_list weights =
      vectors_for(inputs, v, "the input to the user-provided function is");
  const variable_list x = independent(inputs, create_graph);
  ProductResult result{fn(x), {}};
  TERN_CHECK(result.outputs.size() == 1 && result.outputs[0].numel() == 1, Error,
             "The Tensor returned by the function given to vhp should contain a single element");
  check_outputs(result.outputs, strict);
  variable_list first =
      gradients(result.outputs, x, {result.outputs[0].detach().new_ones(result.outputs[0].sizes())},
                /*create_graph=*/true);
  fill(first, x, strict, "The output of the user-provided function");
  result.products = gradients(first, x, weights, create_graph);
  fill(result.products, x, strict, "The jacobian of the user-provided function");
  detach_unless(create_graph, result.outputs);
  detach_unless(create_graph, result.products);
  return result;
}

// The Hessian of twice differentiable functions is symmetric.
ProductResult hvp(const TensorFunction& fn, const variable_list& inputs, const variable_list& v,
                  StrictBool create_graph, StrictBool strict) {
  return vhp(fn, inputs, v, create_graph, strict);
}

}  // namespace tern::autograd::functional
