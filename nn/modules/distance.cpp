#include <tern/nn/detail/printing.h>
#include <tern/nn/modules/distance.h>

namespace tern::nn {

CosineSimilarityImpl::CosineSimilarityImpl(const CosineSimilarityOptions& options_)
    : options(options_) {}

void CosineSimilarityImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(
      stream, {"tern::nn::CosineSimilarity(dim=", options.dim(), ", eps=", options.eps(), ')'});
}

Tensor CosineSimilarityImpl::forward(const Tensor& x1, const Tensor& x2) {
  return functional::cosine_similarity(x1, x2, options);
}

PairwiseDistanceImpl::PairwiseDistanceImpl(const PairwiseDistanceOptions& options_)
    : options(options_) {}

void PairwiseDistanceImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::PairwiseDistance(p=", options.p(), ", eps=", options.eps(),
                            ", keepdim=", detail::text_of_bool(options.keepdim()), ')'});
}

Tensor PairwiseDistanceImpl::forward(const Tensor& x1, const Tensor& x2) {
  return functional::pairwise_distance(x1, x2, options);
}

}  // namespace tern::nn
