// Compiled for size.

#include <algorithm>
#include <vector>

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/ops.h>

// A lookup is the kernel of index_select, and its gradient the kernel of index_add.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

/// What the gradient of a table depends on, beside the gradients of the rows.
struct TableGradient {
  std::int64_t rows, padding_idx;  // no row is named by a padding_idx out of range
  bool scales_by_freq;
};

void check_table(const Tensor& weight, bool sparse) {
  TERN_CHECK(weight.dim() == 2, ShapeError, "'weight' must be 2-D, got sizes ", weight.sizes());
  TERN_CHECK(!sparse, NotImplementedError,
             "sparse gradients are not supported: tern has no sparse tensors, got sparse = true");
}

void check_integers(const char* op, const char* name, const Tensor& tensor) {
  TERN_CHECK(tensor.dtype() == kLong || tensor.dtype() == kInt, DTypeError,
             "Expected tensor for argument #1 '", name,
             "' to have one of the following scalar types: Long, Int; but got ",
             tensor.scalar_type(), " instead (while checking arguments for ", op, ")");
}

/// Returns indices as a contiguous vector of int64.
Tensor flat_indices(const Tensor& indices) {
  return indices.detach().to(kLong).contiguous().view({indices.numel()});
}

/// Adds up the gradients of looked-up rows in a table of zeros.
Tensor add_into_table(const Tensor& rows, const Tensor& flat, const TableGradient& table) {
  Tensor terms = rows;
  if (table.scales_by_freq) {
    Tensor counts = zeros({table.rows}, flat.options());
    counts.index_add_(0, flat, ones_like(flat));
    terms = rows / counts.index_select(0, flat).unsqueeze(1);
  }
  Tensor result = rows.new_zeros({table.rows, rows.size(1)});
  result.index_add_(0, flat, terms);
  if (table.padding_idx >= 0 && table.padding_idx < table.rows) {
    result.select(0, table.padding_idx).zero_();
  }
  return result;
}

Tensor look_up(const Tensor& weight, const Tensor& indices) {
  const Tensor flat = flat_indices(indices);
  const std::int64_t rows = weight.size(0), dim = weight.size(1), count = flat.numel();
  DimVector sizes = indices.self().sizes;
  sizes.push_back(dim);
  Tensor out = detail::make_tensor(sizes, weight.dtype(), weight.device());
  if (out.numel() == 0) detail::check_index_range(flat, rows);
  detail::run_index("embedding", kernels::IndexOp::kSelect, weight.detach().contiguous(),
                    out.detach().view({count, dim}), flat, 0, count, rows);
  return out;
}

enum class BagMode : std::uint8_t { kSum, kMean, kMax };

/// Which bag each index of a call belongs to.
struct Bags {
  std::int64_t count = 0;
  bool drops = false;       // some index may belong to no bag; then it belongs to bag `count`
  std::int64_t length = 0;  // of all bags, if the host can see that it is one
  Tensor of = {};           // [indices]
  Tensor sizes = {};        // [count]
  Tensor chosen = {};       // [count, dim]: the index of the row that is the maximum

  /// Returns the bags without their tensors, which the rules keep as saved tensors.
  Bags without_tensors() const { return {count, drops, length}; }
  /// Returns the bags with the given tensors, unpacked from saved tensors.
  Bags with(const Tensor& of_index, const Tensor& of_bag, const Tensor& maxima = {}) const {
    return {count, drops, length, of_index, of_bag, maxima};
  }
};

/// Returns the offsets; none if they are not on the host. Throws unless they are in order.
std::vector<std::int64_t> read_offsets(const Tensor& offsets, std::int64_t indices,
                                       bool includes_last) {
  TERN_CHECK(!includes_last || offsets.numel() >= 1, Error,
             "include_last_offset: number of offsets should be at least 1, got 0");
  if (offsets.numel() == 0 || !offsets.is_cpu()) return {};
  std::vector<std::int64_t> values = offsets.to(kLong).to_vector<std::int64_t>();
  TERN_CHECK(values.front() == 0, Error,
             "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
             "position 0. However, got ",
             values.front());
  TERN_CHECK(values.back() <= indices, Error, "offsets[-1] can not be greater than input's length ",
             indices, " but got offsets[-1] of ", values.back());
  for (std::size_t i = 1; i < values.size(); ++i) {
    TERN_CHECK(values[i - 1] <= values[i], Error, "offsets must not decrease, got ", values[i],
               " after ", values[i - 1]);
  }
  return values;
}

/// Returns the length of the bags, 0 if they have several lengths.
std::int64_t common_length(const std::vector<std::int64_t>& starts, std::int64_t count,
                           std::int64_t indices) {
  if (starts.empty() || indices % count != 0) return 0;
  const std::int64_t length = indices / count;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] != static_cast<std::int64_t>(i) * length) return 0;
  }
  return length;
}

Bags make_bags(const Tensor& flat, const Tensor& offsets, bool includes_last,
               const std::optional<std::int64_t>& padding_idx) {
  const std::int64_t indices = flat.numel();
  const std::vector<std::int64_t> starts = read_offsets(offsets, indices, includes_last);
  const bool ends_early = includes_last && (starts.empty() || starts.back() != indices);
  Bags bags;
  bags.count = offsets.numel() - (includes_last ? 1 : 0);
  bags.drops = ends_early || padding_idx || bags.count == 0;
  bags.length = bags.drops ? 0 : common_length(starts, bags.count, indices);
  // The bag of an index is the number of offsets up to it, less one.
  Tensor marks = zeros({indices + 1}, flat.options());
  marks.index_add_(0, offsets, ones_like(offsets));
  bags.of = marks.cumsum(0).narrow(0, 0, indices) - 1;
  if (offsets.numel() == 0) bags.of.zero_();
  if (padding_idx) bags.of.masked_fill_(flat == *padding_idx, bags.count);
  bags.sizes = zeros({bags.count + 1}, flat.options());
  bags.sizes = bags.sizes.index_add_(0, bags.of, ones_like(flat)).narrow(0, 0, bags.count);
  return bags;
}

/// Writes the maximum of each bag into `out`, which holds zeros, and returns the indices of its
/// rows.
Tensor maximum_of_bags(const Tensor& rows, const Tensor& flat, const Bags& bags, Tensor& out) {
  if (bags.length > 0) {
    Tensor places;
    std::tie(out, places) = rows.view({bags.count, bags.length, rows.size(1)}).max(1);
    return flat.view({bags.count, bags.length}).gather(1, places);
  }
  out.index_reduce_(0, bags.of, rows, "amax", /*include_self=*/false);
  const Tensor is_maximum = logical_or(rows == out.index_select(0, bags.of), isnan(rows));
  const std::int64_t none = flat.numel();
  const Tensor places = arange(none, flat.options())
                            .unsqueeze(1)
                            .expand(rows.sizes())
                            .masked_fill(logical_not(is_maximum), none);
  Tensor first = full(out.sizes(), none, flat.options());
  first.index_reduce_(0, bags.of, places, "amin");
  const Tensor names = cat({flat, zeros({1}, flat.options())});  // 0 for an empty bag
  return names.index_select(0, first.flatten()).view(out.sizes()).narrow(0, 0, bags.count);
}

/// Returns the gradient of each looked-up row of a sum or mean.
Tensor gradient_of_rows(const Tensor& g, const Bags& bags, BagMode mode) {
  const Tensor terms = mode == BagMode::kMean ? g / bags.sizes.clamp_min(1).unsqueeze(1) : g;
  const Tensor by_bag = bags.drops ? cat({terms, g.new_zeros({1, g.size(1)})}) : terms;
  return by_bag.index_select(0, bags.of);
}

Tensor gradient_of_maximum(const Tensor& g, const Bags& bags, std::int64_t rows) {
  const Tensor terms = g.masked_fill((bags.sizes == 0).unsqueeze(1), 0);
  return g.new_zeros({rows, g.size(1)}).scatter_add_(0, bags.chosen, terms);
}

Tensor combine(const Tensor& weight, const Tensor& flat, const Tensor& factors, BagMode mode,
               Bags& bags) {
  const std::int64_t count = flat.numel(), dim = weight.size(1);
  Tensor out = weight.new_zeros({bags.count + (bags.drops ? 1 : 0), dim});
  if (mode == BagMode::kMax) {
    bags.chosen = maximum_of_bags(weight.detach().index_select(0, flat), flat, bags, out);
  } else {
    // The CPU adds rows while they are in the cache, but sums of narrow numbers are rounded once.
    constexpr std::int64_t kCached = 65536;
    const bool at_once = !weight.is_cpu() || weight.element_size() < 4 || count * dim <= kCached;
    const std::int64_t step = at_once ? count : std::max<std::int64_t>(kCached / dim, 1);
    for (std::int64_t i = 0; i < count; i += step) {
      const auto piece = [&](const Tensor& all) {
        return all.narrow(0, i, std::min(step, count - i));
      };
      Tensor rows = weight.detach().index_select(0, piece(flat));
      if (factors.defined()) rows.mul_(piece(factors.detach()).unsqueeze(1));
      out.index_add_(0, piece(bags.of), rows);
    }
  }
  if (bags.drops) out = out.narrow(0, 0, bags.count).clone();
  if (mode == BagMode::kMean) out.div_(bags.sizes.clamp_min(1).unsqueeze(1));
  return out;
}

}  // namespace

Tensor embedding(const Tensor& weight, const Tensor& indices, StrictInt padding_idx,
                 StrictBool scale_grad_by_freq, StrictBool sparse) {
  TERN_OP("embedding", weight, indices);
  check_table(weight, sparse);
  check_integers("embedding", "indices", indices);
  detail::check_same_device("_index_select", {&weight, &indices}, {"self", "index"});
  Tensor out = look_up(weight, indices);
  if (!needs_grad(weight)) return out;
  const TableGradient table{weight.size(0), padding_idx, scale_grad_by_freq};
  return record(
      "EmbeddingBackward0", out,
      wrt(
          weight,
          [table](const Tensor& g, const Tensor& at) {
            return add_into_table(g.reshape({at.numel(), g.size(-1)}), flat_indices(at), table);
          },
          indices));
}

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets,
    StrictBool scale_grad_by_freq, StrictInt mode, StrictBool sparse,
    const Tensor& per_sample_weights, StrictBool include_last_offset,
    std::optional<StrictInt> padding_idx) {
  TERN_OP("embedding_bag", weight, indices, offsets);
  check_table(weight, sparse);
  TERN_CHECK(mode >= 0 && mode <= 2, Error, "`mode` must be sum, mean, or max, got ", mode);
  const auto kind = static_cast<BagMode>(std::int64_t{mode});
  check_integers("embedding_bag", "indices", indices);
  check_integers("embedding_bag", "offsets", offsets);
  TERN_CHECK(weight.is_floating_point(), DTypeError,
             "Expected tensor for argument #1 'weight' to have one of the following scalar types: "
             "Half, BFloat16, Float, Double; but got ",
             weight.scalar_type(), " instead (while checking arguments for embedding_bag)");
  TERN_CHECK(indices.dim() == 1, ShapeError,
             "input has to be a 1D Tensor, but got Tensor of "
             "dimension ",
             indices.dim());
  TERN_CHECK(offsets.dim() == 1, ShapeError,
             "offsets has to be a 1D Tensor, but got Tensor of "
             "dimension ",
             offsets.dim());
  const std::int64_t rows = weight.size(0);
  std::optional<std::int64_t> padding;
  if (padding_idx) {
    TERN_CHECK(*padding_idx >= -rows && *padding_idx < rows, IndexError,
               "padding_idx must be within the number of embeddings, ", -rows, " through ",
               rows - 1, ", but got ", *padding_idx);
    padding = *padding_idx < 0 ? *padding_idx + rows : std::int64_t{*padding_idx};
  }
  TERN_CHECK(!scale_grad_by_freq || kind != BagMode::kMax, Error,
             "max mode does not support scaling the gradient by the frequency");
  const Tensor& factors = per_sample_weights;
  if (factors.defined()) {
    TERN_CHECK(kind == BagMode::kSum, Error,
               "per_sample_weights only supported with mode='sum', got mode ", mode);
    TERN_CHECK(factors.dtype() == weight.dtype(), DTypeError,
               "Expected tensor for argument #1 'weight' to have the same type as tensor for "
               "argument #1 'per_sample_weights'; but type ",
               weight.scalar_type(), " does not equal ", factors.scalar_type());
    TERN_CHECK(factors.sizes() == indices.sizes(), ShapeError, "If per_sample_weights (",
               factors.sizes(), ") is not null, then it must have the same shape as the input (",
               indices.sizes(), ")");
  }
  detail::check_same_device("_embedding_bag", {&weight, &indices, &offsets, &factors},
                            {"weight", "indices", "offsets", "per_sample_weights"});
  const Tensor flat = flat_indices(indices);
  Bags bags = make_bags(flat, flat_indices(offsets), include_last_offset, padding);
  Tensor out = combine(weight, flat, factors, kind, bags);
  const auto results = [&](const Tensor& result) {
    return std::tuple(result, bags.of, bags.sizes,
                      bags.chosen.defined() ? bags.chosen : bags.sizes.clone());
  };
  if (!needs_grad(weight, factors)) return results(out);
  const TableGradient table{rows, -1, scale_grad_by_freq};
  const bool has_factors = factors.defined();
  const Bags rest = bags.without_tensors();
  return results(record(
      "EmbeddingBagBackward0", out,
      wrt(
          weight,
          [table, rest, kind, has_factors](const Tensor& g, const Tensor& at, const Tensor& w,
                                           const Tensor& of, const Tensor& sizes,
                                           const Tensor& chosen) {
            const Bags all = rest.with(of, sizes, chosen);
            if (kind == BagMode::kMax) return gradient_of_maximum(g, all, table.rows);
            const Tensor terms = gradient_of_rows(g, all, kind);
            return add_into_table(has_factors ? terms * w.unsqueeze(1) : terms, at, table);
          },
          flat, has_factors ? factors : flat, bags.of, bags.sizes, bags.chosen),
      wrt(
          factors,
          [rest, kind](const Tensor& g, const Tensor& at, const Tensor& w, const Tensor& of,
                       const Tensor& sizes) {
            return (gradient_of_rows(g, rest.with(of, sizes), kind) * w.index_select(0, at)).sum(1);
          },
          flat, weight, bags.of, bags.sizes)));
}

Tensor one_hot(const Tensor& input, StrictInt num_classes) {
  TERN_OP("one_hot", input);
  TERN_CHECK(input.dtype() == kLong, DTypeError,
             "one_hot is only applicable to index tensor of type LongTensor, got ",
             input.scalar_type());
  std::int64_t classes = num_classes;
  TERN_CHECK(input.numel() > 0 || classes > 0, Error,
             "Can not infer total number of classes from empty tensor, got sizes ", input.sizes(),
             " and num_classes = ", classes);
  if (input.numel() > 0 && (classes == -1 || input.is_cpu())) {
    const auto first = input.min().item<std::int64_t>(), last = input.max().item<std::int64_t>();
    TERN_CHECK(first >= 0, Error, "Class values must be non-negative, got ", first);
    TERN_CHECK(classes == -1 || last < classes, Error,
               "Class values must be smaller than num_classes, got ", last,
               " for num_classes = ", classes);
    if (classes == -1) classes = last + 1;
  }
  DimVector sizes = input.self().sizes;
  sizes.push_back(classes);
  return zeros(sizes, input.options()).scatter_(-1, input.unsqueeze(-1), 1);
}

}  // namespace tern
