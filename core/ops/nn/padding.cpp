// Compiled for size.

#include <algorithm>

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/padding.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// pad() in modes that repeat elements of the input. Padding is linear: the gradient is the adjoint,
// whose gradient is padding again.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace {

using kernels::PadMode;

struct PadNames {
  const char* mode;
  const char* kernels[3];  // PyTorch's, by the number of padded dimensions
  const char* nodes[3];
  const char* adjoint_nodes[3];
};
constexpr PadNames kPadNames[] = {
    {"reflect",
     {"reflection_pad1d", "reflection_pad2d", "reflection_pad3d"},
     {"ReflectionPad1DBackward0", "ReflectionPad2DBackward0", "ReflectionPad3DBackward0"},
     {"ReflectionPad1DBackwardBackward0", "ReflectionPad2DBackwardBackward0",
      "ReflectionPad3DBackwardBackward0"}},
    {"replicate",
     {"replication_pad1d", "replication_pad2d", "replication_pad3d"},
     {"ReplicationPad1DBackward0", "ReplicationPad2DBackward0", "ReplicationPad3DBackward0"},
     {"ReplicationPad1DBackwardBackward0", "ReplicationPad2DBackwardBackward0",
      "ReplicationPad3DBackwardBackward0"}},
    {"circular",
     {"circular_pad1d", "circular_pad2d", "circular_pad3d"},
     {"CircularPad1DBackward0", "CircularPad2DBackward0", "CircularPad3DBackward0"},
     {"CircularPad1DBackwardBackward0", "CircularPad2DBackwardBackward0",
      "CircularPad3DBackwardBackward0"}}};

/// One padded dimension: `size` elements with `before` and `after` new ones around.
struct PaddedDim {
  std::int64_t dim, before, after, size;

  /// Returns the new elements on one side.
  Tensor added(const Tensor& out, bool is_after) const {
    return is_after ? out.narrow(dim, before + size, after) : out.narrow(dim, 0, before);
  }
  /// Returns the elements that the new ones on one side repeat.
  Tensor source(const Tensor& out, bool is_after, PadMode mode) const {
    const std::int64_t count = is_after ? after : before, end = before + size;
    switch (mode) {
      case PadMode::kReflect:
        return out.narrow(dim, is_after ? end - 1 - count : before + 1, count);
      case PadMode::kReplicate:
        return out.narrow(dim, is_after ? end - 1 : before, 1);
      default:
        return out.narrow(dim, is_after ? before : end - count, count);
    }
  }
};

/// How an input is padded.
class Padding {
 public:
  Padding(const Tensor& input, IntArrayRef pad, PadMode mode)
      : mode_(mode), rank_(pad.size() / 2), sizes_(input.sizes()) {
    for (const std::int64_t number : pad) {
      crop_.push_back(std::min<std::int64_t>(number, 0));
      uncrop_.push_back(-crop_.back());
    }
    if (mode != PadMode::kCircular) {
      format_ = detail::image_format(input, static_cast<int>(rank_));
    }
    const DimVector center = mode == PadMode::kCircular ? cropped(sizes_) : sizes_;
    for (std::size_t i = 0; i < rank_; ++i) {
      const std::size_t d = sizes_.size() - 1 - i;
      dims_.push_back({static_cast<std::int64_t>(d), std::max<std::int64_t>(pad[2 * i], 0),
                       std::max<std::int64_t>(pad[2 * i + 1], 0), center[d]});
    }
  }

  /// Returns the padded input.
  Tensor apply(const Tensor& input) const {
    const Tensor center = mode_ == PadMode::kCircular ? cropped(input) : input;
    DimVector sizes = center.self().sizes;
    kernels::PadArgs args{mode_, input.dtype(), 1, {1, 1, 1}, {}, {1, 1, 1}, nullptr, nullptr};
    for (std::size_t i = 0; i < rank_; ++i) {
      const PaddedDim& d = dims_[i];
      args.sizes[2 - i] = d.size;
      args.before[2 - i] = d.before;
      args.out_sizes[2 - i] = sizes[static_cast<std::size_t>(d.dim)] += d.before + d.after;
    }
    for (std::size_t d = 0; d < sizes.size() - rank_; ++d) args.outer *= sizes[d];
    const Tensor out = detail::make_tensor(sizes, input.dtype(), input.device());
    if (out.numel() != 0) {
      const Tensor dense = center.contiguous();
      args.in = dense.data_ptr();
      args.out = out.data_ptr();
      kernels::run("pad", out.device(), out.dtype(), args);
    }
    return mode_ == PadMode::kCircular ? out : detail::in_format(cropped(out), format_);
  }

  /// Returns the gradient of the input for the gradient `g` of the result.
  Tensor apply_adjoint(const Tensor& g) const {
    const Tensor sums = mode_ == PadMode::kCircular ? g.clone(MemoryFormat::Contiguous)
                                                    : constant_pad_nd(g, uncrop_);
    if (sums.numel() != 0) {
      for (std::size_t i = rank_; i-- > 0;) {
        for_each_side(center_of(sums, i + 1), i, [&](const Tensor& added, const Tensor& source) {
          switch (mode_) {
            case PadMode::kReflect:
              source.add_(added.flip(dims_[i].dim));
              break;
            case PadMode::kReplicate:
              source.add_(added.sum(dims_[i].dim, true));
              break;
            default:
              source.add_(added);
          }
        });
      }
    }
    const Tensor center = center_of(sums, 0);
    return mode_ == PadMode::kCircular
               ? constant_pad_nd(center, uncrop_)
               : detail::in_format(center.clone(MemoryFormat::Contiguous), format_);
  }

  const char* node() const { return names().nodes[rank_ - 1]; }
  const char* adjoint_node() const { return names().adjoint_nodes[rank_ - 1]; }
  const PadNames& names() const { return kPadNames[static_cast<int>(mode_)]; }

  void check(const Tensor& input) const;

 private:
  DimVector cropped(DimVector sizes) const {
    for (std::size_t i = 0; i < crop_.size(); ++i) sizes[sizes.size() - 1 - i / 2] += crop_[i];
    return sizes;
  }
  Tensor cropped(const Tensor& tensor) const {
    const bool crops = std::any_of(crop_.begin(), crop_.end(), [](auto n) { return n != 0; });
    return crops ? constant_pad_nd(tensor, crop_) : tensor;
  }
  /// Returns the part of `out` that is filled when `filled` dimensions are.
  Tensor center_of(const Tensor& out, std::size_t filled) const {
    Tensor center = out;
    for (std::size_t i = filled; i < rank_; ++i) {
      center = center.narrow(dims_[i].dim, dims_[i].before, dims_[i].size);
    }
    return center;
  }
  /// Calls `fn` with the new elements of dimension i and with those that they repeat.
  template <class Fn>
  void for_each_side(const Tensor& part, std::size_t i, const Fn& fn) const {
    for (const bool is_after : {false, true}) {
      if ((is_after ? dims_[i].after : dims_[i].before) == 0) continue;
      fn(dims_[i].added(part, is_after), dims_[i].source(part, is_after, mode_));
    }
  }

  PadMode mode_;
  MemoryFormat format_ = MemoryFormat::Contiguous;  // of input and result
  std::size_t rank_;                                // the number of padded dimensions
  DimVector sizes_;                                 // of the input
  DimVector crop_, uncrop_;
  std::vector<PaddedDim> dims_;  // the last dimension first
};

void Padding::check(const Tensor& input) const {
  const std::size_t least = rank_ + 1;
  if (mode_ != PadMode::kCircular) {
    const DimVector& sizes = sizes_;
    const bool is_batch = sizes.size() > least;
    TERN_CHECK(std::find(sizes.begin() + (is_batch ? 1 : 0), sizes.end(), 0) == sizes.end(),
               ShapeError, "Expected ", least, "D or ", least + 1,
               "D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
               "input, but got: ",
               input.sizes());
    TERN_CHECK(input.dtype() != kBool, NotImplementedError, '"', names().kernels[rank_ - 1],
               "\" not implemented for 'Bool'");
  }
  for (std::size_t i = 0; i < rank_; ++i) {
    const PaddedDim& d = dims_[i];
    const std::int64_t removed = uncrop_[2 * i] + uncrop_[2 * i + 1];
    const std::int64_t size = input.size(d.dim);
    if (mode_ == PadMode::kCircular) {
      TERN_CHECK(removed <= size && d.before <= d.size && d.after <= d.size, ShapeError,
                 removed > size ? "Negative padding value is resulting in an empty dimension"
                                : "Padding value causes wrapping around more than once.",
                 " Got padding (", d.before - uncrop_[2 * i], ", ", d.after - uncrop_[2 * i + 1],
                 ") at dimension ", d.dim, " of input ", input.sizes());
      continue;
    }
    TERN_CHECK(mode_ != PadMode::kReflect || (d.before < size && d.after < size), ShapeError,
               "Argument #", 4 + 2 * i,
               ": Padding size should be less than the corresponding input dimension, but got: "
               "padding (",
               d.before - uncrop_[2 * i], ", ", d.after - uncrop_[2 * i + 1], ") at dimension ",
               d.dim, " of input ", input.sizes());
    const std::int64_t result = size + d.before + d.after - removed;
    TERN_CHECK(result >= 1, ShapeError, "input (", "WHD"[i], ": ", size,
               ") is too small. Calculated output ", "WHD"[i], ": ", result);
  }
}

Tensor padded(const Tensor& input, const Padding& padding);

Tensor unpadded(const Tensor& g, const Padding& padding) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = padding.apply_adjoint(g);
  }
  if (!needs_grad(g)) return out;
  return record(padding.adjoint_node(), out,
                wrt(g, [padding](const Tensor& gg) { return padded(gg, padding); }));
}

Tensor padded(const Tensor& input, const Padding& padding) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = padding.apply(input);
  }
  if (!needs_grad(input)) return out;
  return record(padding.node(), out,
                wrt(input, [padding](const Tensor& g) { return unpadded(g, padding); }));
}

}  // namespace

Tensor pad(const Tensor& input, IntArrayRef pad, std::string_view mode,
           std::optional<double> value) {
  TERN_OP("pad", input);
  // PyTorch has a rule for the kernels of these modes alone.
  TERN_AUTOCAST_IF(mode == "replicate" || (mode == "reflect" && pad.size() <= 4), kFloat32,
                   kUnchanged, tern::pad, input, pad, mode, value);
  TERN_CHECK(pad.size() % 2 == 0, ShapeError, "Padding length must be divisible by 2");
  const std::size_t dims = input.sizes().size(), rank = pad.size() / 2;
  TERN_CHECK(rank <= dims, ShapeError,
             "Padding length should be less than or equal to two times the input dimension but got "
             "padding length ",
             pad.size(), " and input of dimension ", dims);
  if (mode == "constant") return constant_pad_nd(input, pad, value.value_or(0));
  TERN_CHECK(value.value_or(0) == 0, Error, "Padding mode \"", mode,
             "\" doesn't take in value argument");
  TERN_CHECK(rank >= 1 && rank <= 3 && (dims == rank + 1 || dims == rank + 2), NotImplementedError,
             "Padding size ", pad.size(), " is not supported for ", dims,
             "D input tensor.\nSupported combinations for non-constant padding:\n"
             "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
             "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
             "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)");
  for (const PadMode each : {PadMode::kReflect, PadMode::kReplicate, PadMode::kCircular}) {
    if (mode != kPadNames[static_cast<int>(each)].mode) continue;
    const Padding padding(input, pad, each);
    padding.check(input);
    return padded(input, padding);
  }
  detail::raise<NotImplementedError>("Unrecognised padding mode ", mode);
}

Tensor constant_pad_nd(const Tensor& input, IntArrayRef pad, const Scalar& value) {
  TERN_OP("constant_pad_nd", input);
  TERN_CHECK(pad.size() % 2 == 0, ShapeError, "Length of pad must be even but instead it equals ",
             pad.size());
  TERN_CHECK(pad.size() <= 2 * input.sizes().size(), ShapeError,
             "Length of pad should be no more than twice the number of dimensions of the input. "
             "Pad length is ",
             pad.size(), " while the input has ", input.dim(), " dimensions.");
  DimVector sizes = input.self().sizes, part = input.self().sizes;  // of the result, of the copy
  DimVector back;                                                   // the pad of the gradient
  std::int64_t from = input.storage_offset();
  DimVector starts(sizes.size(), 0);
  bool grows = false;
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::size_t d = sizes.size() - 1 - i;
    const std::int64_t before = pad[2 * i], after = pad[2 * i + 1], size = sizes[d];
    const bool is_valid =
        before >= -size && after >= -size &&
        std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0) >= -size &&
        !__builtin_add_overflow(sizes[d], before, &sizes[d]) &&
        !__builtin_add_overflow(sizes[d], after, &sizes[d]);
    TERN_CHECK(is_valid, ShapeError, "The input size ", size, ", plus padding ", before, " and ",
               after, ", resulted in an invalid output size. Check dimension ", d,
               " of your input.");
    part[d] = size + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0);
    if (before < 0 && part[d] != 0) from -= before * input.strides()[d];
    starts[d] = std::max<std::int64_t>(before, 0);
    grows = grows || before > 0 || after > 0;
    back.push_back(-before);
    back.push_back(-after);
  }
  // Without new elements, the result is a clone of a part.
  Tensor out = detail::make_tensor(sizes,
                                   grows ? format_strides(sizes, input.suggest_memory_format())
                                         : preserved_strides(sizes, input.strides()),
                                   input.dtype(), input.device());
  {
    const NoGradGuard no_grad;
    if (grows) out.fill_(value);
    std::int64_t to = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) to += starts[d] * out.strides()[d];
    if (out.numel() != 0 && checked_numel(part) != 0) {
      detail::copy_elements(detail::make_alias(out, part, out.strides(), to),
                            detail::make_alias(input, part, input.strides(), from));
    }
  }
  if (!needs_grad(input)) return out;
  return record("ConstantPadNdBackward0", out,
                wrt(input, [back](const Tensor& g) { return constant_pad_nd(g, back); }));
}

}  // namespace tern
