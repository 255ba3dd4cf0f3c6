#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/shape.h>

namespace tern {
namespace {

using autograd::Edge;

// The rule of cat: each input gets its own part of the gradient back.
class CatBackward final : public autograd::Node {
 public:
  CatBackward(TensorList tensors, std::int64_t dim)
      : CatBackward(edges_of(tensors), tensors, dim) {}

  void apply(const Tensor* gradients, Tensor* results) override {
    if (!gradients[0].defined()) return;
    std::int64_t start = 0;
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      // Zero-size 1-d tensors were skipped by cat; their gradient has their own shape.
      if (edges_[i].node) {
        results[i] = lengths_[i] < 0 ? gradients[0].new_zeros({0})
                                     : gradients[0].narrow(dim_, start, lengths_[i]);
      }
      start += std::max<std::int64_t>(lengths_[i], 0);
    }
  }
  std::string name() const override { return "CatBackward0"; }

 private:
  CatBackward(std::vector<Edge> edges, TensorList tensors, std::int64_t dim)
      : Node(edges.data(), edges.size()), edges_(std::move(edges)), dim_(dim) {
    for (const Tensor& tensor : tensors) {
      const bool skipped = tensor.dim() == 1 && tensor.numel() == 0;
      lengths_.push_back(skipped ? -1 : tensor.size(dim));
    }
  }

  static std::vector<Edge> edges_of(TensorList tensors) {
    std::vector<Edge> edges;
    for (const Tensor& tensor : tensors) edges.push_back(autograd::gradient_edge(tensor));
    return edges;
  }

  std::vector<Edge> edges_;  // moved in: the base points to the same array
  std::int64_t dim_;
  std::vector<std::int64_t> lengths_;
};

void check_all_defined(TensorList tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TERN_CHECK(tensors[i].defined(), Error,
               "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument "
               "#0 'tensors', element ",
               i);
  }
}

bool is_skipped(const Tensor& tensor) { return tensor.dim() == 1 && tensor.numel() == 0; }

}  // namespace

Tensor cat(TensorList tensors, StrictInt dim) {
  TERN_OP("cat");
  check_all_defined(tensors);
  TERN_CHECK(!tensors.empty(), Error, "torch.cat(): expected a non-empty list of Tensors");
  const Tensor* first = nullptr;  // the first that has the shape of the result
  ScalarType dtype = tensors[0].dtype();
  bool recorded = false;
  for (const Tensor& tensor : tensors) {
    TERN_CHECK(tensor.dim() > 0, ShapeError, "zero-dimensional tensor (at position ",
               &tensor - tensors.begin(), ") cannot be concatenated");
    detail::check_same_device("cat", {&tensors[0], &tensor}, {"tensors", "tensors"});
    dtype = promote_types(dtype, tensor.dtype());
    recorded = recorded || autograd::needs_grad(tensor);
    if (first == nullptr && !is_skipped(tensor)) first = &tensor;
  }
  const bool all_skipped = first == nullptr;  // then any dimension will do
  if (all_skipped) first = &tensors[0];
  const auto d =
      all_skipped ? std::size_t{0} : static_cast<std::size_t>(wrap_dim(dim, first->dim()));
  DimVector sizes = first->self().sizes;
  sizes[d] = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    if (is_skipped(tensor)) continue;
    TERN_CHECK(tensor.dim() == first->dim(), ShapeError,
               "Tensors must have same number of dimensions: got ", first->dim(), " and ",
               tensor.dim());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      TERN_CHECK(k == d || tensor.sizes()[k] == sizes[k], ShapeError,
                 "Sizes of tensors must match except in dimension ", d, ". Expected size ",
                 sizes[k], " but got size ", tensor.sizes()[k], " for tensor number ", i,
                 " in the list.");
    }
    sizes[d] += tensor.sizes()[d];
  }
  Tensor out = detail::make_tensor(sizes, dtype, first->device());
  {
    const NoGradGuard no_grad;
    std::int64_t start = 0;
    for (const Tensor& tensor : tensors) {
      if (is_skipped(tensor)) continue;
      const std::int64_t length = tensor.sizes()[d];
      DimVector part = sizes;
      part[d] = length;
      detail::make_alias(out, part, out.strides(), start * out.strides()[d]).copy_(tensor);
      start += length;
    }
  }
  if (recorded) {
    autograd::set_history(
        out, IntrusivePtr<autograd::Node>(new CatBackward(tensors, static_cast<std::int64_t>(d))));
  }
  return out;
}

Tensor stack(TensorList tensors, StrictInt dim) {
  TERN_OP("stack");
  check_all_defined(tensors);
  TERN_CHECK(!tensors.empty(), Error, "stack expects a non-empty TensorList");
  const std::int64_t at = wrap_dim(dim, tensors[0].dim() + 1);
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TERN_CHECK(tensors[i].sizes() == tensors[0].sizes(), ShapeError,
               "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
               " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
    rows.push_back(tensors[i].unsqueeze(at));
  }
  return cat(rows, at);
}

}  // namespace tern
