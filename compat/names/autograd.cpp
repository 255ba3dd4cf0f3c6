#include <tern/compat/names/autograd.h>

namespace tern::compat {

void set_history(const std::vector<Tensor>& tensors, const IntrusivePtr<autograd::Node>& node) {
  for (const Tensor& tensor : tensors) torch::autograd::set_history(tensor, node);
}

std::vector<Tensor> passed_on(const std::vector<Tensor>& inputs,
                              const IntrusivePtr<autograd::Node>& node) {
  std::vector<Tensor> outputs;
  outputs.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    outputs.push_back(input.defined() ? input.clone().detach() : Tensor());
  }
  if (GradMode::is_enabled() && torch::autograd::any_variable_requires_grad(inputs)) {
    node->set_next_edges(autograd::collect_next_edges(inputs));
    set_history(outputs, node);
  }
  return outputs;
}

}  // namespace tern::compat
