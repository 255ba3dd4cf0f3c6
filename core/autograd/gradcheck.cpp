#include <cmath>
#include <string>
#include <unordered_set>

#include <tern/core/autograd/autograd.h>
#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/gradcheck.h>

namespace tern::autograd {
namespace {

std::vector<Tensor> differentiable(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) {
    if (tensor.defined() && tensor.requires_grad()) result.push_back(tensor);
  }
  return result;
}

// Returns sum(output * direction), computed in the output's dtype.
double projection(const Tensor& output, const Tensor& direction) {
  return output.numel() == 0 ? 0 : output.detach().mul(direction).sum().item<double>();
}

// Returns each element of a strided tensor as a 0-d view.
std::vector<Tensor> elements_of(const Tensor& tensor) {
  std::vector<Tensor> parts{tensor.detach()};
  for (std::int64_t d = 0; d < tensor.dim(); ++d) {
    std::vector<Tensor> next;
    for (const Tensor& part : parts) {
      for (Tensor& slice : part.unbind(0)) next.push_back(std::move(slice));
    }
    parts = std::move(next);
  }
  return parts;
}

// Returns fixed numbers in [0.5, 1.5), a direction without symmetries that could hide an error.
Tensor direction_for(const Tensor& output) {
  Tensor direction = output.detach().new_empty(output.sizes());
  std::uint64_t state = 0x853c49e6748fea9bULL;
  for (Tensor& element : elements_of(direction)) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    element.fill_(0.5 + static_cast<double>(state >> 40) / static_cast<double>(1 << 24));
  }
  return direction;
}

// Returns what moves together: the whole tensor in fast mode, else each element.
std::vector<Tensor> parts_of(const Tensor& tensor, bool fast_mode) {
  if (!fast_mode) return elements_of(tensor);
  return tensor.numel() == 0 ? std::vector<Tensor>() : std::vector<Tensor>{tensor.detach()};
}

// Returns the way that a part moves: an element by one.
Tensor way_of(const Tensor& part) {
  return part.dim() == 0 ? part.new_ones({}) : direction_for(part);
}

// Returns d sum(output * direction) by a central difference, where a part of an input moves.
double numeric(const GradcheckFunction& fn, const std::vector<Tensor>& inputs, const Tensor& part,
               std::size_t output, const Tensor& direction, double eps) {
  const NoGradGuard no_grad;
  const Tensor before = part.clone(), step = way_of(part).mul(eps);
  // The function may capture the tensor itself, so the part is changed in place and restored.
  part.copy_(before.add(step));
  const double above = projection(fn(inputs)[output], direction);
  part.copy_(before.sub(step));
  const double below = projection(fn(inputs)[output], direction);
  part.copy_(before);
  return (above - below) / (2 * eps);
}

// Returns true if backward() of `output` reaches each of `leaves` and no other leaf.
bool fills_only(const std::vector<Tensor>& leaves, const Tensor& output) {
  std::unordered_set<const Node*> known;
  for (const Tensor& leaf : leaves) {
    if (!leaf.is_leaf()) return false;
    known.insert(gradient_edge(leaf).function.get());
  }
  std::vector<const Node*> open{gradient_edge(output).function.get()};
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    if (!known.insert(node).second) continue;
    if (node->is_accumulator()) return false;
    for (const Edge& edge : node->next_edges()) {
      if (edge.function) open.push_back(edge.function.get());
    }
  }
  return true;
}

// Returns what backward() adds to the grad() of each leaf, and restores grad().
variable_list gradients_of_backward(const Tensor& output, const std::vector<Tensor>& leaves,
                                    const Tensor& direction) {
  variable_list before, gradients;
  for (const Tensor& leaf : leaves) before.push_back(leaf.grad());
  const auto restore = [&] {
    for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i].mutable_grad() = before[i];
  };
  for (const Tensor& leaf : leaves) leaf.mutable_grad().reset();
  try {
    output.backward(direction);
  } catch (...) {
    restore();
    throw;
  }
  for (const Tensor& leaf : leaves) gradients.push_back(leaf.grad());
  restore();
  return gradients;
}

// Returns no parts for an undefined gradient, which stands for zeros.
std::vector<Tensor> parts_of_gradient(const Tensor& gradient, const Tensor& leaf, std::size_t index,
                                      bool fast_mode) {
  if (!gradient.defined()) return {};
  TERN_CHECK(gradient.sizes() == leaf.sizes(), ShapeError, "gradcheck: the gradient for input ",
             index, " has sizes ", gradient.sizes(), ", but the input has sizes ", leaf.sizes());
  return parts_of(gradient, fast_mode);
}

void check_input(const Tensor& tensor, std::size_t index) {
  if (!tensor.defined() || !tensor.requires_grad()) return;
  TERN_CHECK(tensor.dtype() == kDouble, DTypeError, "gradcheck: input ", index,
             " requires gradient and must be float64, got ", tensor.scalar_type());
}

// `constants_too`: also checks that an output without a gradient does not depend on the inputs.
bool check(const GradcheckFunction& fn, const std::vector<Tensor>& inputs,
           const GradcheckOptions& options, bool constants_too) {
  for (std::size_t i = 0; i < inputs.size(); ++i) check_input(inputs[i], i);
  const std::vector<Tensor> leaves = differentiable(inputs);
  TERN_CHECK(!leaves.empty(), Error,
             "gradcheck expects at least one input tensor to require gradient, but none of them "
             "does");
  const std::size_t count = fn(inputs).size();
  for (std::size_t o = 0; o < count; ++o) {
    // Each output gets its own graph, because the numeric part changes the inputs in place.
    const Tensor output = fn(inputs)[o];
    const bool recorded = output.requires_grad();
    if (!recorded && !(constants_too && output.is_floating_point())) continue;
    const Tensor direction = direction_for(output);
    // grad() and backward() run different code of the engine, so both are checked.
    std::vector<variable_list> candidates;
    candidates.push_back(recorded ? grad({output}, leaves, {direction}, /*retain_graph=*/true,
                                         /*create_graph=*/false, /*allow_unused=*/true)
                                  : variable_list(leaves.size()));
    if (recorded && fills_only(leaves, output)) {
      candidates.push_back(gradients_of_backward(output, leaves, direction));
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      std::vector<double> expected;
      for (const Tensor& part : parts_of(leaves[i], options.fast_mode)) {
        expected.push_back(numeric(fn, inputs, part, o, direction, options.eps));
      }
      for (const variable_list& gradients : candidates) {
        const std::vector<Tensor> computed =
            parts_of_gradient(gradients[i], leaves[i], i, options.fast_mode);
        for (std::size_t p = 0; p < expected.size(); ++p) {
          const double actual = computed.empty() ? 0 : projection(computed[p], way_of(computed[p]));
          TERN_CHECK(
              std::abs(actual - expected[p]) <= options.atol + options.rtol * std::abs(expected[p]),
              Error, "gradcheck: gradient mismatch for output ", o, " with respect to input ", i,
              options.fast_mode ? " along a direction" : " at element " + std::to_string(p),
              ": numerical ", expected[p], ", analytical ", actual,
              &gradients == candidates.data() ? "" : " in backward()");
        }
      }
    }
  }
  return true;
}

}  // namespace

bool gradcheck(const GradcheckFunction& fn, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options) {
  return check(fn, inputs, options, /*constants_too=*/false);
}

bool gradgradcheck(const GradcheckFunction& fn, const std::vector<Tensor>& inputs,
                   const GradcheckOptions& options) {
  // The gradient is itself a function: of the inputs and of the directions.
  std::vector<Tensor> all = inputs;
  std::vector<std::size_t> used;
  const std::vector<Tensor> outputs = fn(inputs);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o].requires_grad()) continue;
    used.push_back(o);
    all.push_back(direction_for(outputs[o]).requires_grad_());
  }
  if (used.empty()) return true;
  const std::size_t count = inputs.size();
  const auto gradients_at = [&fn, used, count](const std::vector<Tensor>& arguments,
                                               bool create_graph) {
    const std::vector<Tensor> own(arguments.begin(),
                                  arguments.begin() + static_cast<std::ptrdiff_t>(count));
    const AutoGradMode recorded(true);
    const std::vector<Tensor> results = fn(own);
    variable_list chosen, directions;
    for (std::size_t i = 0; i < used.size(); ++i) {
      chosen.push_back(results[used[i]]);
      directions.push_back(arguments[count + i]);
    }
    variable_list gradients = grad(chosen, differentiable(own), directions, /*retain_graph=*/true,
                                   create_graph, /*allow_unused=*/true);
    std::erase_if(gradients, [](const Tensor& tensor) { return !tensor.defined(); });
    return gradients;
  };
  // A rule may compute differently when it is recorded.
  const variable_list plain = gradients_at(all, false), recorded = gradients_at(all, true);
  TERN_CHECK(plain.size() == recorded.size(), Error, "gradgradcheck: ", plain.size(),
             " gradients are defined without create_graph, but ", recorded.size(),
             " with create_graph");
  for (std::size_t i = 0; i < plain.size(); ++i) {
    TERN_CHECK(recorded[i].allclose(plain[i], options.rtol, options.atol, /*equal_nan=*/true),
               Error, "gradgradcheck: gradient ", i,
               " differs between create_graph=false and create_graph=true by up to ",
               recorded[i].sub(plain[i]).abs().max().item<double>());
  }
  const GradcheckFunction gradient = [&](const std::vector<Tensor>& arguments) {
    return gradients_at(arguments, true);
  };
  return check(gradient, all, options, /*constants_too=*/true);
}

}  // namespace tern::autograd
