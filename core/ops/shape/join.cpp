#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::Edge;

// cat skips 1-d tensors without elements; their gradient has the size [0].
bool is_skipped(const Tensor& tensor) { return tensor.dim() == 1 && tensor.numel() == 0; }

// The rule of cat and stack: each input gets its part of the gradient.
class JoinBackward final : public autograd::NamedNode {
 public:
  JoinBackward(const char* name, TensorList tensors, std::int64_t dim, bool stacks)
      : JoinBackward(edges_of(tensors), name, dim) {
    if (stacks) return;
    for (const Tensor& tensor : tensors) {
      lengths_.push_back(is_skipped(tensor) ? -1 : tensor.size(dim));
    }
  }

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet wanted) override {
    const Tensor& g = gradients[0];
    if (!g.defined()) return;
    std::int64_t start = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const std::int64_t length = lengths_.empty() ? 0 : lengths_[i];
      if (edges_[i].function && wanted.has(i)) {
        results[i] = lengths_.empty() ? g.select(dim_, static_cast<std::int64_t>(i))
                     : length < 0     ? g.new_zeros({0})
                                      : g.narrow(dim_, start, length);
      }
      start += std::max<std::int64_t>(length, 0);
    }
  }

 private:
  JoinBackward(std::vector<Edge> edges, const char* name, std::int64_t dim)
      : NamedNode(name, edges.data(), edges.size()), edges_(std::move(edges)), dim_(dim) {}

  static std::vector<Edge> edges_of(TensorList tensors) {
    std::vector<Edge> edges;
    for (const Tensor& tensor : tensors) edges.push_back(autograd::gradient_edge(tensor));
    return edges;
  }

  std::vector<Edge> edges_;  // moved in: the base class points to the same array
  std::int64_t dim_;
  std::vector<std::int64_t> lengths_;  // cat: sizes along dim, -1 where skipped; stack: empty
};

Tensor recorded(const char* name, const Tensor& out, TensorList tensors, std::int64_t dim,
                bool stacks) {
  const auto tracked = [&](const Tensor& tensor) { return autograd::needs_grad(tensor, out); };
  if (std::any_of(tensors.begin(), tensors.end(), tracked)) {
    autograd::set_history(
        out, IntrusivePtr<autograd::Node>(new JoinBackward(name, tensors, dim, stacks)));
  }
  return out;
}

// Returns the memory format of the result of cat: that of all inputs, if they agree.
MemoryFormat common_format(TensorList tensors) {
  const MemoryFormat format = tensors[0].suggest_memory_format();
  const auto differs = [&](const Tensor& tensor) {
    return tensor.suggest_memory_format() != format;
  };
  return std::any_of(tensors.begin(), tensors.end(), differs) ? MemoryFormat::Contiguous : format;
}

// Returns the result of cat without history, and the dimension along which it joined.
std::pair<Tensor, std::size_t> joined(TensorList tensors, StrictInt dim, MemoryFormat format) {
  const Tensor* first = nullptr;  // the first tensor with the shape of the result
  ScalarType dtype = tensors[0].dtype();
  for (const Tensor& tensor : tensors) {
    TERN_CHECK(tensor.dim() > 0, ShapeError, "zero-dimensional tensor (at position ",
               &tensor - tensors.begin(), ") cannot be concatenated");
    detail::check_same_device("cat", {&tensors[0], &tensor}, {"tensors", "tensors"});
    dtype = promote_types(dtype, tensor.dtype());
    if (first == nullptr && !is_skipped(tensor)) first = &tensor;
  }
  const bool all_skipped = first == nullptr;  // then any dimension is valid
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
  Tensor out = detail::make_tensor(sizes, format, dtype, first->device());
  std::int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) continue;
    DimVector part = sizes;
    part[d] = tensor.sizes()[d];
    detail::copy_elements(detail::make_alias(out, part, out.strides(), start * out.strides()[d]),
                          tensor);
    start += part[d];
  }
  return {std::move(out), d};
}

}  // namespace

Tensor cat(TensorList tensors, StrictInt dim) {
  TERN_OP("cat");
  TERN_AUTOCAST(kWidest, kUnchanged, cat, tensors, dim);
  detail::check_all_defined(tensors);
  TERN_CHECK(!tensors.empty(), Error, "torch.cat(): expected a non-empty list of Tensors");
  const auto [out, d] = joined(tensors, dim, common_format(tensors));
  return recorded("CatBackward0", out, tensors, static_cast<std::int64_t>(d),
                  /*stacks=*/false);
}

Tensor stack(TensorList tensors, StrictInt dim) {
  TERN_OP("stack");
  TERN_AUTOCAST(kWidest, kUnchanged, stack, tensors, dim);
  detail::check_all_defined(tensors);
  TERN_CHECK(!tensors.empty(), Error, "stack expects a non-empty TensorList");
  const std::int64_t at = wrap_dim(dim, tensors[0].dim() + 1);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TERN_CHECK(tensors[i].sizes() == tensors[0].sizes(), ShapeError,
               "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
               " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
  }
  std::vector<Tensor> rows;
  {
    const NoGradGuard no_grad;
    for (const Tensor& tensor : tensors) rows.push_back(tensor.unsqueeze(at));
  }
  return recorded("StackBackward0", joined(rows, at, MemoryFormat::Contiguous).first, tensors, at,
                  /*stacks=*/true);
}

// The other joins, made of cat.

namespace {

using Shaped = std::vector<Tensor> (*)(TensorList);

std::vector<Tensor> shaped_list(const char* name, TensorList tensors, Shaped shape) {
  detail::check_all_defined(tensors);
  TERN_CHECK(!tensors.empty(), Error, name, " expects a non-empty TensorList");
  return shape(tensors);
}

}  // namespace

Tensor hstack(TensorList tensors) {
  TERN_OP("hstack");
  const std::vector<Tensor> parts = shaped_list("hstack", tensors, atleast_1d);
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
  TERN_OP("vstack");
  return cat(shaped_list("vstack", tensors, atleast_2d), 0);
}

Tensor dstack(TensorList tensors) {
  TERN_OP("dstack");
  return cat(shaped_list("dstack", tensors, atleast_3d), 2);
}

Tensor column_stack(TensorList tensors) {
  TERN_OP("column_stack");
  const auto as_columns = [](TensorList list) {
    std::vector<Tensor> columns;
    for (const Tensor& tensor : list) {
      columns.push_back(tensor.dim() < 2 ? tensor.reshape({tensor.numel(), 1}) : tensor);
    }
    return columns;
  };
  return cat(shaped_list("column_stack", tensors, as_columns), 1);
}

}  // namespace tern
