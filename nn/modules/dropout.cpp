#include <tern/nn/detail/printing.h>
#include <tern/nn/functional/dropout.h>
#include <tern/nn/modules/dropout.h>

namespace tern::nn {

DropoutImpl::DropoutImpl(const DropoutOptions& options_) : options(options_) {
  DropoutImpl::reset();
}

void DropoutImpl::reset() {
  TERN_CHECK(options.p() >= 0 && options.p() <= 1, Error,
             "dropout probability has to be between 0 and 1, but got ", options.p());
}

void DropoutImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::Dropout(p=" << options.p()
         << ", inplace=" << detail::text_of_bool(options.inplace()) << ')';
}

Tensor DropoutImpl::forward(Tensor input) {
  return functional::dropout(std::move(input), functional::DropoutFuncOptions()
                                                   .p(options.p())
                                                   .training(is_training())
                                                   .inplace(options.inplace()));
}

}  // namespace tern::nn
