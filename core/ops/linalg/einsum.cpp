// Compiled for size.

#include <algorithm>
#include <limits>
#include <vector>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/linalg/detail/einsum.h>
#include <tern/core/ops/ops.h>

// Contracts the operands of an equation pairwise, each pair as a batch of products of matrices.

namespace tern {
namespace {

using Labels = std::vector<int>;

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// A tensor whose dimensions have labels, each at most once.
struct Labelled {
  Tensor tensor;
  Labels labels;

  std::int64_t dim_of(int label) const {
    return std::find(labels.begin(), labels.end(), label) - labels.begin();
  }
  std::int64_t size_of(const Labels& some) const {
    std::int64_t size = 1;
    for (const int label : some) size *= tensor.size(dim_of(label));
    return size;
  }
  Tensor in_order(const Labels& order) const {
    DimVector dims;
    for (const int label : order) dims.push_back(dim_of(label));
    return tensor.permute(dims);
  }
};

// Takes the diagonal over labels that repeat.
Labelled without_repeats(const Tensor& tensor, const Labels& labels) {
  Labelled result{tensor, {}};
  DimVector sizes, strides;
  for (std::size_t d = 0; d < labels.size(); ++d) {
    const auto dim = static_cast<std::int64_t>(d);
    if (has(result.labels, labels[d])) {
      strides[static_cast<std::size_t>(result.dim_of(labels[d]))] += tensor.stride(dim);
      continue;
    }
    result.labels.push_back(labels[d]);
    sizes.push_back(tensor.size(dim));
    strides.push_back(tensor.stride(dim));
  }
  if (result.labels.size() != labels.size()) {
    result.tensor = tensor.as_strided(sizes, strides, tensor.storage_offset());
  }
  return result;
}

// Drops dimensions of size 1 that broadcast.
Labelled without_broadcasts(Labelled operand, const std::vector<std::int64_t>& sizes) {
  for (std::size_t d = operand.labels.size(); d-- > 0;) {
    const auto dim = static_cast<std::int64_t>(d);
    if (operand.tensor.size(dim) == sizes[static_cast<std::size_t>(operand.labels[d])]) continue;
    operand.tensor = operand.tensor.squeeze(dim);
    operand.labels.erase(operand.labels.begin() + dim);
  }
  return operand;
}

// Sums over the labels that `is_summed` selects.
template <class Predicate>
Labelled sum_over(const Labelled& operand, const Predicate& is_summed) {
  Labelled result{operand.tensor, {}};
  DimVector dims;
  for (std::size_t d = 0; d < operand.labels.size(); ++d) {
    if (is_summed(operand.labels[d])) {
      dims.push_back(static_cast<std::int64_t>(d));
    } else {
      result.labels.push_back(operand.labels[d]);
    }
  }
  if (!dims.empty()) result.tensor = operand.tensor.sum(dims, false);
  return result;
}

// Multiplies without a sum, as broadcasting does.
Labelled multiply_elements(const Labelled& a, const Labelled& b, const Labels& result) {
  const auto aligned = [&](const Labelled& operand) {
    Labels own;
    for (const int label : result) {
      if (has(operand.labels, label)) own.push_back(label);
    }
    Tensor tensor = operand.in_order(own);
    for (std::size_t d = 0; d < result.size(); ++d) {
      if (!has(own, result[d])) tensor = tensor.unsqueeze(static_cast<std::int64_t>(d));
    }
    return tensor;
  };
  return {aligned(a) * aligned(b), result};
}

// Multiplies two operands and sums over the labels of both that are not in `kept`.
Labelled contract(const Labelled& first, const Labelled& second, const Labels& kept) {
  const auto only_in = [&](const Labelled& other) {
    return [&](int label) { return !has(kept, label) && !has(other.labels, label); };
  };
  const Labelled a = sum_over(first, only_in(second)), b = sum_over(second, only_in(first));
  Labels batch, rows, columns, inner;
  for (const int label : a.labels) {
    (!has(b.labels, label) ? rows : has(kept, label) ? batch : inner).push_back(label);
  }
  for (const int label : b.labels) {
    if (!has(a.labels, label)) columns.push_back(label);
  }
  const auto joined = [](Labels labels, const Labels& more) {
    labels.insert(labels.end(), more.begin(), more.end());
    return labels;
  };
  const Labels result = joined(joined(batch, rows), columns);
  if (inner.empty()) return multiply_elements(a, b, result);
  // Autocast gives the factors of the product one dtype.
  const bool is_cast = detail::autocast_mode.reaches_inner_ops;
  TERN_CHECK(is_cast || a.tensor.dtype() == b.tensor.dtype(), DTypeError, "expected scalar type ",
             a.tensor.scalar_type(), " but found ", b.tensor.scalar_type());
  const std::int64_t count = a.size_of(batch), m = a.size_of(rows), k = a.size_of(inner),
                     n = b.size_of(columns);
  const Tensor left = a.in_order(joined(joined(batch, rows), inner));
  const Tensor right = b.in_order(joined(joined(batch, inner), columns));
  const Tensor product = batch.empty()
                             ? left.reshape({m, k}).mm(right.reshape({k, n}))
                             : left.reshape({count, m, k}).bmm(right.reshape({count, k, n}));
  DimVector sizes;
  for (const int label : result) {
    const Labelled& owner = has(a.labels, label) ? a : b;
    sizes.push_back(owner.tensor.size(owner.dim_of(label)));
  }
  return {product.reshape(sizes), result};
}

// The pair that is contracted next: the number of multiplications, then the size of the result.
class Contractions {
 public:
  Contractions(std::vector<Labelled> operands, const detail::EinsumEquation& equation)
      : operands_(std::move(operands)), equation_(equation) {}

  std::size_t size() const { return operands_.size(); }
  const Labelled& result() const { return operands_.front(); }

  void contract_pair(std::size_t i, std::size_t j) {
    Labelled product = contract(operands_[i], operands_[j], kept_behind(i, j));
    operands_.erase(operands_.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
    operands_.erase(operands_.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
    operands_.push_back(std::move(product));
  }

  void contract_cheapest() {
    std::size_t best_i = 0, best_j = 1;
    if (size() > 2) {
      auto best = std::pair(std::numeric_limits<double>::infinity(), 0.0);
      for (std::size_t j = 1; j < size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
          const auto cost = cost_of(i, j);
          if (!(cost < best)) continue;
          best = cost;
          best_i = i, best_j = j;
        }
      }
    }
    contract_pair(best_i, best_j);
  }

 private:
  // The labels that the output or another operand needs.
  Labels kept_behind(std::size_t i, std::size_t j) const {
    Labels kept = equation_.output;
    for (std::size_t o = 0; o < size(); ++o) {
      if (o == i || o == j) continue;
      kept.insert(kept.end(), operands_[o].labels.begin(), operands_[o].labels.end());
    }
    return kept;
  }

  std::pair<double, double> cost_of(std::size_t i, std::size_t j) const {
    const Labels kept = kept_behind(i, j);
    double multiplications = 1, elements = 1;
    const auto add = [&](int label) {
      const auto size = static_cast<double>(equation_.sizes[static_cast<std::size_t>(label)]);
      multiplications *= size;
      if (has(kept, label)) elements *= size;
    };
    for (const int label : operands_[i].labels) add(label);
    for (const int label : operands_[j].labels) {
      if (!has(operands_[i].labels, label)) add(label);
    }
    return {multiplications, elements};
  }

  std::vector<Labelled> operands_;
  const detail::EinsumEquation& equation_;
};

void contract_along(IntArrayRef path, Contractions& contractions) {
  const std::size_t expected = contractions.size() == 1 ? 2 : 2 * (contractions.size() - 1);
  TERN_CHECK(path.size() == expected, Error,
             "expected contraction path given in path parameter to have size ", expected,
             " but got ", path.size());
  for (std::size_t step = 0; contractions.size() > 1; step += 2) {
    const std::int64_t i = path[step], j = path[step + 1];
    const auto count = static_cast<std::int64_t>(contractions.size());
    TERN_CHECK(i >= 0 && i < count && j >= 0 && j < count, Error, "invalid contraction (", i, ", ",
               j, ") operand index is out of bounds");
    TERN_CHECK(i != j, Error, "invalid contraction (", i, ", ", j,
               ") cannot contract an operand with itself");
    contractions.contract_pair(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  }
}

}  // namespace

Tensor einsum(std::string_view text, TensorList tensors, IntArrayRef path) {
  TERN_OP("einsum");
  TERN_AUTOCAST(kUnchanged, kLower, einsum, text, tensors, path);
  TERN_AUTOCAST_INNER_OPS();
  detail::check_all_defined(tensors);
  for (const Tensor& tensor : tensors) {
    detail::check_same_device("einsum", {&tensors[0], &tensor}, {"operands", "operands"});
  }
  const detail::EinsumEquation equation(text, tensors);
  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    operands.push_back(
        without_broadcasts(without_repeats(tensors[i], equation.operands[i]), equation.sizes));
  }
  Contractions contractions(std::move(operands), equation);
  if (!path.empty()) {
    contract_along(path, contractions);
  } else {
    while (contractions.size() > 1) contractions.contract_cheapest();
  }
  const auto is_summed = [&](int label) { return !has(equation.output, label); };
  const Labelled& last = contractions.result();
  const bool has_sum = std::any_of(last.labels.begin(), last.labels.end(), is_summed);
  const Labelled result = sum_over(last, is_summed);
  const bool is_in_order = result.labels == equation.output;
  if (is_in_order && (tensors.size() > 1 || has_sum)) return result.tensor;
  const Tensor ordered = result.in_order(equation.output);
  return tensors.size() == 1 || ordered.grad_fn() == nullptr ? ordered
                                                             : ordered.reshape(ordered.sizes());
}

}  // namespace tern
