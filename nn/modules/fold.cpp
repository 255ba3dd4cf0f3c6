#include <tern/nn/detail/printing.h>
#include <tern/nn/modules/fold.h>

namespace tern::nn {

namespace {

template <class Options>
void print_blocks(std::ostream& stream, const Options& options) {
  detail::print_to(stream,
                   {"kernel_size=", options.kernel_size(), ", dilation=", options.dilation(),
                    ", padding=", options.padding(), ", stride=", options.stride(), ')'});
}

}  // namespace

FoldImpl::FoldImpl(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
    : FoldImpl(FoldOptions(output_size, kernel_size)) {}
FoldImpl::FoldImpl(const FoldOptions& options_) : options(options_) {}
void FoldImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::Fold(output_size=", options.output_size(), ", "});
  print_blocks(stream, options);
}
Tensor FoldImpl::forward(const Tensor& input) { return functional::fold(input, options); }

UnfoldImpl::UnfoldImpl(ExpandingArray<2> kernel_size) : UnfoldImpl(UnfoldOptions(kernel_size)) {}
UnfoldImpl::UnfoldImpl(const UnfoldOptions& options_) : options(options_) {}
void UnfoldImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::Unfold(";
  print_blocks(stream, options);
}
Tensor UnfoldImpl::forward(const Tensor& input) { return functional::unfold(input, options); }

}  // namespace tern::nn
