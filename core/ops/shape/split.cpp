#include <algorithm>

#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// Ops that return several views at once.

namespace tern {
namespace {

using Pieces = std::vector<Tensor>;

// The rule of all pieces: joins their gradients, with zeros for a piece without a gradient.
class PiecesBackward final : public autograd::NamedNode {
 public:
  using Join = Tensor (*)(TensorList, StrictInt);

  PiecesBackward(const char* name, const Tensor& self, std::int64_t dim, Join join)
      : NamedNode(name, edges_, 1), edges_{autograd::gradient_edge(self)}, dim_(dim), join_(join) {}

  void run(const Tensor* gradients, Tensor* results, autograd::EdgeSet /*wanted*/) override {
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

 private:
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

void check_has_dims(const char* name, const Tensor& self) {
  TERN_CHECK(self.dim() > 0, Error, name, " expects at least a 1-dimensional tensor, got sizes ",
             self.sizes());
}

// Returns elements [start, start + length) of dimension `dim`.
Tensor piece_of(const Tensor& self, std::size_t dim, std::int64_t start, std::int64_t length) {
  DimVector sizes = self.self().sizes;
  sizes[dim] = length;
  return autograd::as_piece(
      self, detail::make_alias(self, sizes, self.strides(),
                               self.storage_offset() + start * self.strides()[dim]));
}

// Cuts dimension `dim` into pieces of equal size.
Pieces equal_pieces(const Tensor& self, std::int64_t split_size, std::int64_t dim) {
  check_has_dims("split", self);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  const std::int64_t size = self.sizes()[d];
  TERN_CHECK(split_size >= 0, Error,
             "split expects split_size be non-negative, but got split_size=", split_size);
  TERN_CHECK(split_size > 0 || size == 0, Error,
             "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  Pieces pieces;
  std::int64_t start = 0;
  do {
    const std::int64_t length = std::min(split_size, size - start);
    pieces.push_back(piece_of(self, d, start, length));
    start += length;
  } while (start < size);
  return pieces_of("SplitBackward0", self, static_cast<std::int64_t>(d), cat, std::move(pieces));
}

Pieces sized_pieces(const Tensor& self, IntArrayRef split_sizes, std::int64_t dim) {
  check_has_dims("split", self);
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  const std::int64_t size = self.sizes()[d];
  std::int64_t rest = size;
  for (const std::int64_t length : split_sizes) {
    TERN_CHECK(length >= 0, Error,
               "split_with_sizes expects split_sizes have only non-negative entries, but got "
               "split_sizes=",
               split_sizes);
    rest = length > rest ? -1 : rest - length;
    if (rest < 0) break;
  }
  TERN_CHECK(rest == 0, ShapeError, "split_with_sizes expects split_sizes to sum exactly to ", size,
             " (input tensor's size at dimension ", d, "), but got split_sizes=", split_sizes);
  Pieces pieces;
  std::int64_t start = 0;
  for (const std::int64_t length : split_sizes) {
    pieces.push_back(piece_of(self, d, start, length));
    start += length;
  }
  return pieces_of("SplitWithSizesBackward0", self, static_cast<std::int64_t>(d), cat,
                   std::move(pieces));
}

}  // namespace

std::vector<Tensor> split(const Tensor& self, IntList split_size, StrictInt dim) {
  TERN_OP("split", self);
  return split_size.is_integer() ? equal_pieces(self, split_size.integer(), dim)
                                 : sized_pieces(self, split_size.list(), dim);
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, StrictInt dim) {
  TERN_OP("split_with_sizes", self);
  return sized_pieces(self, split_sizes, dim);
}

std::vector<Tensor> chunk(const Tensor& self, StrictInt chunks, StrictInt dim) {
  TERN_OP("chunk", self);
  TERN_CHECK(chunks > 0, Error, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  check_has_dims("chunk", self);
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

namespace {

// Cuts a dimension before each index; a negative index counts from the end.
Pieces cut_at(const Tensor& self, IntArrayRef indices, std::int64_t dim) {
  Pieces pieces;
  std::int64_t start = 0;
  for (const std::int64_t index : indices) {
    pieces.push_back(self.slice(dim, start, index));
    start = index;
  }
  pieces.push_back(self.slice(dim, start));
  return pieces;
}

// Cuts a dimension into pieces whose sizes differ by at most 1.
Pieces cut_evenly(const Tensor& self, std::int64_t sections, std::int64_t dim) {
  TERN_CHECK(sections > 0, Error, "number of sections must be larger than 0, got ", sections);
  const std::int64_t size = self.size(dim);
  Pieces pieces;
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < sections; ++i) {
    const std::int64_t end = start + size / sections + (i < size % sections ? 1 : 0);
    pieces.push_back(self.slice(dim, start, end));
    start = end;
  }
  return pieces;
}

void check_can_cut(const Tensor& self) {
  TERN_CHECK(self.dim() > 0, Error,
             "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
}

// hsplit, vsplit and dsplit, which differ in the dimension.
Pieces cut_dim(const char* name, const Tensor& self, std::int64_t fewest_dims, std::int64_t dim,
               const IntList& cuts) {
  TERN_CHECK(self.dim() >= fewest_dims, Error, name, " requires a tensor with at least ",
             fewest_dims, " dimension", fewest_dims > 1 ? "s" : "", ", but got a tensor with ",
             self.dim(), " dimensions!");
  if (!cuts.is_integer()) return cut_at(self, cuts.list(), dim);
  const std::int64_t size = self.size(dim), count = cuts.integer();
  TERN_CHECK(count != 0 && (count == -1 || size % count == 0), Error, name,
             " attempted to split along dimension ", dim, ", but the size of the dimension ", size,
             " is not divisible by the split_size ", count, "!");
  return cut_evenly(self, count, dim);
}

}  // namespace

std::vector<Tensor> tensor_split(const Tensor& self, IntList indices_or_sections, StrictInt dim) {
  TERN_OP("tensor_split", self);
  check_can_cut(self);
  const std::int64_t d = wrap_dim(dim, self.dim());
  return indices_or_sections.is_integer() ? cut_evenly(self, indices_or_sections.integer(), d)
                                          : cut_at(self, indices_or_sections.list(), d);
}

std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& cuts, StrictInt dim) {
  TERN_OP("tensor_split", self, cuts);
  check_can_cut(self);
  const std::int64_t d = wrap_dim(dim, self.dim());
  TERN_CHECK(cuts.is_cpu(), DeviceError,
             "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on ",
             cuts.device());
  TERN_CHECK(cuts.dtype() == kLong, DTypeError,
             "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
             cuts.scalar_type());
  TERN_CHECK(cuts.dim() <= 1, ShapeError,
             "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
             "one-dimensional tensor, but got a tensor with ",
             cuts.dim(), " dims");
  if (cuts.dim() == 0) return cut_evenly(self, cuts.item<std::int64_t>(), d);
  return cut_at(self, cuts.to_vector<std::int64_t>(), d);
}

std::vector<Tensor> hsplit(const Tensor& self, IntList indices_or_sections) {
  TERN_OP("hsplit", self);
  return cut_dim("torch.hsplit", self, 1, self.dim() == 1 ? 0 : 1, indices_or_sections);
}

std::vector<Tensor> vsplit(const Tensor& self, IntList indices_or_sections) {
  TERN_OP("vsplit", self);
  return cut_dim("torch.vsplit", self, 2, 0, indices_or_sections);
}

std::vector<Tensor> dsplit(const Tensor& self, IntList indices_or_sections) {
  TERN_OP("dsplit", self);
  return cut_dim("torch.dsplit", self, 3, 2, indices_or_sections);
}

}  // namespace tern
