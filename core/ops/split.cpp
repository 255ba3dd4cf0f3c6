#include <algorithm>

#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/record.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Ops that return several views at once.

namespace tern {
namespace {

using Pieces = std::vector<Tensor>;

// The rule of all pieces: joins their gradients, with zeros for a piece without a gradient.
class PiecesBackward final : public autograd::Node {
 public:
  using Join = Tensor (*)(TensorList, StrictInt);

  PiecesBackward(const char* name, const Tensor& self, std::int64_t dim, Join join)
      : Node(edges_, 1),
        name_(name),
        edges_{autograd::gradient_edge(self)},
        dim_(dim),
        join_(join) {}

  void apply(const Tensor* gradients, Tensor* results) override {
    Pieces pieces(gradients, gradients + output_count());
    const auto has_gradient = [](const Tensor& piece) { return piece.defined(); };
    if (std::none_of(pieces.begin(), pieces.end(), has_gradient)) return;
    for (std::uint32_t i = 0; i < output_count(); ++i) {
      const autograd::OutputInfo& info = output_info(i);
      if (pieces[i].defined()) continue;
      pieces[i] = zeros(info.sizes, TensorOptions(info.dtype).device(info.device));
    }
    results[0] = join_(pieces, dim_);
  }
  std::string name() const override { return name_; }

 private:
  const char* name_;
  autograd::Edge edges_[1];
  std::int64_t dim_;
  Join join_;
};

// Records views of `self` as the outputs of one rule.
Pieces pieces_of(const char* node, const Tensor& self, std::int64_t dim, PiecesBackward::Join join,
                 Pieces pieces) {
  if (!autograd::needs_grad(self)) return pieces;
  const IntrusivePtr<autograd::Node> rule(new PiecesBackward(node, self, dim, join));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    autograd::set_history(pieces[i], rule, static_cast<std::uint32_t>(i));
  }
  return pieces;
}

// Returns elements [start, start + length) of dimension `dim`.
Tensor piece_of(const Tensor& self, std::size_t dim, std::int64_t start, std::int64_t length) {
  DimVector sizes = self.self().sizes;
  sizes[dim] = length;
  return autograd::as_piece(
      self, detail::make_alias(self, sizes, self.strides(),
                               self.storage_offset() + start * self.strides()[dim]));
}

}  // namespace

std::vector<Tensor> split(const Tensor& self, StrictInt split_size, StrictInt dim) {
  TERN_OP("split", self);
  TERN_CHECK(self.dim() > 0, Error, "split expects at least a 1-dimensional tensor, got sizes ",
             self.sizes());
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  const std::int64_t size = self.sizes()[d];
  TERN_CHECK(split_size >= 0, Error,
             "split expects split_size be non-negative, but got split_size=", split_size);
  TERN_CHECK(split_size > 0 || size == 0, Error,
             "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  Pieces pieces;
  std::int64_t start = 0;
  do {
    const std::int64_t length = std::min<std::int64_t>(split_size, size - start);
    pieces.push_back(piece_of(self, d, start, length));
    start += split_size;
  } while (start < size);
  return pieces_of("SplitBackward0", self, static_cast<std::int64_t>(d), cat, std::move(pieces));
}

std::vector<Tensor> chunk(const Tensor& self, StrictInt chunks, StrictInt dim) {
  TERN_OP("chunk", self);
  TERN_CHECK(chunks > 0, Error, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  TERN_CHECK(self.dim() > 0, Error, "chunk expects at least a 1-dimensional tensor, got sizes ",
             self.sizes());
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  const std::int64_t size = self.sizes()[d];
  if (size != 0) return split(self, (size + chunks - 1) / chunks, dim);
  Pieces pieces;
  for (std::int64_t i = 0; i < chunks; ++i) pieces.push_back(piece_of(self, d, 0, 0));
  return pieces_of("SplitWithSizesBackward0", self, static_cast<std::int64_t>(d), cat,
                   std::move(pieces));
}

std::vector<Tensor> unbind(const Tensor& self, StrictInt dim) {
  TERN_OP("unbind", self);
  TERN_CHECK(self.dim() > 0, IndexError, "Dimension specified as ", dim,
             " but tensor has no dimensions");
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  DimVector sizes = self.self().sizes, strides = self.self().strides;
  const std::int64_t size = sizes[d], stride = strides[d];
  sizes.erase(d);
  strides.erase(d);
  Pieces pieces;
  for (std::int64_t i = 0; i < size; ++i) {
    pieces.push_back(autograd::as_piece(
        self, detail::make_alias(self, sizes, strides, self.storage_offset() + i * stride)));
  }
  return pieces_of("UnbindBackward0", self, static_cast<std::int64_t>(d), stack, std::move(pieces));
}

}  // namespace tern
