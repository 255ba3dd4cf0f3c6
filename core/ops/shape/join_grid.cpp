// Compiled for size.

#include <algorithm>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/view.h>

// Joins that arrange tensors in a matrix or a grid.

namespace tern {
namespace {

using autograd::Edge;

// The rows and columns of a tensor in block_diag.
struct Block {
  std::int64_t row, column, rows, columns;
};

// The rule of block_diag: each input gets its block of the gradient.
class BlockDiagBackward final : public autograd::Node {
 public:
  BlockDiagBackward(TensorList tensors, std::vector<Block> blocks)
      : BlockDiagBackward(edges_of(tensors), std::move(blocks)) {
    for (const Tensor& tensor : tensors) sizes_.push_back(tensor.self().sizes);
  }

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet wanted) override {
    if (!gradients[0].defined()) return;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (!edges_[i].function || !wanted.has(i)) continue;
      results[i] = block_of(gradients[0], blocks_[i]).reshape(sizes_[i]);
    }
  }
  std::string name() const override { return "BlockDiagBackward0"; }

  static Tensor block_of(const Tensor& whole, const Block& block) {
    return whole.narrow(0, block.row, block.rows).narrow(1, block.column, block.columns);
  }

 private:
  BlockDiagBackward(std::vector<Edge> edges, std::vector<Block> blocks)
      : Node(edges.data(), edges.size()), edges_(std::move(edges)), blocks_(std::move(blocks)) {}

  static std::vector<Edge> edges_of(TensorList tensors) {
    std::vector<Edge> edges;
    for (const Tensor& tensor : tensors) edges.push_back(autograd::gradient_edge(tensor));
    return edges;
  }

  std::vector<Edge> edges_;  // moved in: the base class points to the same array
  std::vector<Block> blocks_;
  std::vector<DimVector> sizes_;
};

}  // namespace

Tensor block_diag(TensorList tensors) {
  TERN_OP("block_diag");
  detail::check_all_defined(tensors);
  if (tensors.empty()) return empty({1, 0});
  const ScalarType dtype =
      detail::result_type(std::vector<detail::Operand>(tensors.begin(), tensors.end()));
  std::vector<Block> blocks;
  std::int64_t rows = 0, columns = 0;
  bool recorded = false, fits = true;
  for (const Tensor& tensor : tensors) {
    TERN_CHECK(tensor.dim() <= 2, ShapeError,
               "Input tensors must have 2 or fewer dimensions. Input ", blocks.size(), " has ",
               tensor.dim(), " dimensions");
    detail::check_same_device("block_diag", {&tensors[0], &tensor}, {"tensors", "tensors"});
    recorded = recorded || autograd::needs_grad(tensor);
    const Block block{rows, columns, tensor.dim() == 2 ? tensor.size(0) : 1,
                      tensor.dim() == 0 ? 1 : tensor.size(-1)};
    blocks.push_back(block);
    fits = fits && !__builtin_add_overflow(rows, block.rows, &rows) &&
           !__builtin_add_overflow(columns, block.columns, &columns);
  }
  TERN_CHECK(fits, ShapeError, "the result has too many rows or columns");
  Tensor out = zeros({rows, columns}, TensorOptions(dtype).device(tensors[0].device()));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const NoGradGuard no_grad;
    detail::copy_elements(BlockDiagBackward::block_of(out, blocks[i]), tensors[i]);
  }
  if (recorded) {
    autograd::set_history(
        out, IntrusivePtr<autograd::Node>(new BlockDiagBackward(tensors, std::move(blocks))));
  }
  return out;
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  TERN_OP("broadcast_tensors");
  detail::check_all_defined(tensors);
  DimVector sizes;
  for (const Tensor& tensor : tensors) sizes = broadcast_sizes(sizes, tensor.sizes());
  std::vector<Tensor> results;
  for (const Tensor& tensor : tensors) {
    results.push_back(tensor.sizes() == IntArrayRef(sizes) ? tensor : tensor.expand(sizes));
  }
  return results;
}

std::vector<Tensor> meshgrid(TensorList tensors, std::string_view indexing) {
  TERN_OP("meshgrid");
  detail::check_all_defined(tensors);
  TERN_CHECK(!tensors.empty(), Error, "meshgrid expects a non-empty TensorList");
  TERN_CHECK(indexing == "ij" || indexing == "xy", Error,
             "indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  DimVector sizes;
  for (const Tensor& tensor : tensors) {
    TERN_CHECK(tensor.dim() <= 1, ShapeError,
               "Expected 0D or 1D tensor in the tensor list but got sizes ", tensor.sizes());
    TERN_CHECK(tensor.dtype() == tensors[0].dtype(), DTypeError,
               "meshgrid expects all tensors to have the same dtype, got ",
               tensors[0].scalar_type(), " and ", tensor.scalar_type());
    detail::check_same_device("meshgrid", {&tensors[0], &tensor}, {"tensors", "tensors"});
    sizes.push_back(tensor.numel());
  }
  const bool swaps = indexing == "xy" && tensors.size() >= 2;
  if (swaps) std::swap(sizes[0], sizes[1]);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    DimVector own(sizes.size(), 1);
    own[swaps && i < 2 ? 1 - i : i] = tensors[i].numel();
    results.push_back(tensors[i].view(own).expand(sizes));
  }
  return results;
}

Tensor cartesian_prod(TensorList tensors) {
  TERN_OP("cartesian_prod");
  detail::check_all_defined(tensors);
  for (const Tensor& tensor : tensors) {
    TERN_CHECK(tensor.dim() == 1, ShapeError, "Expect a 1D vector, but got shape ", tensor.sizes());
  }
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns = meshgrid(tensors);
  for (Tensor& column : columns) column = column.flatten();
  return stack(columns, 1);
}

}  // namespace tern
