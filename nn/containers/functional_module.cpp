#include <tern/nn/containers/functional_module.h>

namespace tern::nn {

void FunctionalImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::Functional()";
}

}  // namespace tern::nn
