#include <algorithm>

#include <tern/core/autograd/autograd.h>
#include <tern/core/autograd/detail/engine.h>
#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/detail/pass_end.h>
#include <tern/core/autograd/record.h>
#include <tern/core/base/warning.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern::autograd {
namespace {

// Returns the gradient of `output` with which the pass starts: the caller's gradient, or 1.
Tensor start_gradient(const Tensor& output, const Tensor& given, std::size_t index) {
  if (!given.defined()) {
    TERN_CHECK(output.numel() == 1, Error,
               "grad can be implicitly created only for scalar outputs, got sizes ", output.sizes(),
               "; reduce it with mean() or sum(), or give backward() a gradient");
    return output.new_ones(output.sizes());
  }
  TERN_CHECK(given.sizes() == output.sizes(), ShapeError, "invalid gradient at index ", index,
             " - got ", given.sizes(), " but expected shape compatible with ", output.sizes());
  TERN_CHECK(given.device() == output.device(), DeviceError, "invalid gradient at index ", index,
             " - got a tensor on ", given.device(), " but expected one on ", output.device());
  return given.dtype() == output.dtype() ? given : given.to(output.dtype());
}

void start_all(const char* op, Engine& engine, const variable_list& outputs,
               const variable_list& gradients) {
  TERN_CHECK(gradients.empty() || gradients.size() == outputs.size(), Error, "got ", outputs.size(),
             " tensors and ", gradients.size(), " gradients");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    TERN_CHECK(outputs[i].defined(), Error, op, "(): element ", i,
               " of tensors is an undefined tensor");
    const Edge edge = gradient_edge(outputs[i]);
    TERN_CHECK(
        edge.function, Error, "element ", i,
        " of tensors does not require grad and does not have a grad_fn; it was computed under "
        "NoGradGuard, detached, or made of tensors that do not require grad");
    engine.start(edge, start_gradient(outputs[i], gradients.empty() ? Tensor() : gradients[i], i));
  }
}

}  // namespace

namespace detail {

void throw_backward_twice() {
  tern::detail::raise<Error>(
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed). Saved intermediate values of the graph are freed when you "
      "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
      "through the graph a second time or if you need to access saved tensors after calling "
      "backward.");
}

}  // namespace detail

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, std::optional<StrictBool> retain_graph,
                   StrictBool create_graph, StrictBool allow_unused) {
  TERN_CHECK(!inputs.empty(), Error, "grad requires non-empty inputs.");
  Engine engine(retain_graph.value_or(create_graph), create_graph);
  start_all("grad", engine, outputs, grad_outputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Edge edge = inputs[i].defined() ? gradient_edge(inputs[i]) : Edge();
    TERN_CHECK(edge.function, Error,
               "One of the differentiated Tensors does not require grad: element ", i,
               " of the input tensors does not require grad");
    engine.want(edge, i);
  }
  variable_list results(inputs.size());
  engine.execute(results);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TERN_CHECK(allow_unused || results[i].defined(), Error,
               "One of the differentiated Tensors appears to not have been used in the graph. Set "
               "allow_unused=True if this is the desired behavior. It is input ",
               i);
    // No rule ran if an output is also an input: its gradient is the caller's tensor with its
    // history.
    if (!create_graph && results[i].defined() && results[i].requires_grad()) {
      results[i] = results[i].detach();
    }
  }
  return results;
}

void backward(const variable_list& tensors, const variable_list& grad_tensors,
              std::optional<StrictBool> retain_graph, StrictBool create_graph,
              const variable_list& inputs) {
  if (create_graph) {
    tern::detail::warn(
        "Using backward() with create_graph=True will create a reference cycle between the "
        "parameter and its gradient which can cause a memory leak. We recommend using "
        "autograd.grad when creating the graph to avoid this.");
  }
  PassEnd end;
  if (inputs.empty()) {
    Engine engine(retain_graph.value_or(create_graph), create_graph);
    start_all("backward", engine, tensors, grad_tensors);
    variable_list none;
    engine.execute(none);
    end.complete();
    return;
  }
  const variable_list gradients =
      grad(tensors, inputs, grad_tensors, retain_graph, create_graph, /*allow_unused=*/true);
  const AutoGradMode mode(create_graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto is_same = [&](const Tensor& other) { return other.is_same(inputs[i]); };
    const auto here = inputs.begin() + static_cast<std::ptrdiff_t>(i);
    // An input that is listed twice gets its gradient only once.
    if (!gradients[i].defined() || std::any_of(inputs.begin(), here, is_same)) continue;
    Meta& meta = ensure_meta(inputs[i].self());
    if (!meta.slot) meta.slot = make_intrusive<GradSlot>();
    meta.slot->is_open = true;  // closed if this result of ops was a frozen leaf before
    const IntrusivePtr<Node> accumulator = make_accumulator(inputs[i], meta.slot);
    accumulator->run(&gradients[i], nullptr, {});
  }
  end.complete();
}

}  // namespace tern::autograd
