#include <tern/nn/containers/functional_module.h>

namespace tern::nn {

FunctionalImpl::FunctionalImpl(Function function) : function_(std::move(function)) {}

Tensor FunctionalImpl::forward(Tensor input) { return function_(std::move(input)); }

void FunctionalImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::Functional()";
}

}  // namespace tern::nn
