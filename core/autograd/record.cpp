#include <tern/core/autograd/record.h>

namespace tern::autograd::detail {

void RulesNode::connect(Edge& edge, const Tensor& input, const Tensor& out,
                        const Tensor* const* tensors, SavedTensor* saved, std::size_t count) {
  if (!input.defined()) return;
  edge = gradient_edge(input);
  if (!edge.function || count == 0) return;
  has_saved_ = true;
  for (std::size_t i = 0; i < count; ++i) {
    saved[i] = SavedTensor(*tensors[i], tensors[i]->is_same(out));
  }
}

void RulesNode::run(const Tensor* gradients, Tensor* results, EdgeSet wanted) {
  if (released_) throw_backward_twice();
  if (!gradients[0].defined()) return;
  for (std::size_t i = 0; i < next_edges().size(); ++i) {
    if (wanted.has(i)) results[i] = gradient_of(i, gradients[0]);
  }
}

void RulesNode::release_saved() {
  if (!has_saved_) return;  // can run again
  released_ = true;
  for (std::size_t i = 0; i < count_; ++i) saved_[i].reset();
}

}  // namespace tern::autograd::detail
