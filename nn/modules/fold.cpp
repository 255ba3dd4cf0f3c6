#include <tern/nn/functional/fold.h>
#include <tern/nn/modules/fold.h>

namespace tern::nn {

namespace {

template <class Options>
void print_blocks(std::ostream& stream, const Options& options) {
  stream << "kernel_size=" << options.kernel_size() << ", dilation=" << options.dilation()
         << ", padding=" << options.padding() << ", stride=" << options.stride() << ')';
}

}  // namespace

void FoldImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::Fold(output_size=" << options.output_size() << ", ";
  print_blocks(stream, options);
}
Tensor FoldImpl::forward(const Tensor& input) { return functional::fold(input, options); }

void UnfoldImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::Unfold(";
  print_blocks(stream, options);
}
Tensor UnfoldImpl::forward(const Tensor& input) { return functional::unfold(input, options); }

}  // namespace tern::nn
