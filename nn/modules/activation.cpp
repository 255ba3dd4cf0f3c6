#include <tern/nn/functional/activation.h>
#include <tern/nn/modules/activation.h>

namespace tern::nn {

void ReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::ReLU(" << (options.inplace() ? "inplace=true" : "") << ')';
}
Tensor ReLUImpl::forward(Tensor input) { return functional::relu(std::move(input), options); }

void SigmoidImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::Sigmoid()"; }
Tensor SigmoidImpl::forward(Tensor input) { return sigmoid(std::move(input)); }

void TanhImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::Tanh()"; }
Tensor TanhImpl::forward(Tensor input) { return tanh(std::move(input)); }

}  // namespace tern::nn
