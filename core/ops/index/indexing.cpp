#include <algorithm>
#include <vector>

#include <tern/core/autograd/detail/view.h>
#include <tern/core/autograd/record.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/index/detail/index.h>
#include <tern/core/ops/index/detail/indices.h>
#include <tern/core/ops/index/detail/mask.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

// index and index_put: the elements of a view (indices.cpp) that masks and tensors of indices pick.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::apply_indices;
using detail::Indexed;
using detail::Indices;
using detail::Selector;
using kernels::IndexOp;

// The selectors of one call, ready for the kernels.
struct Selection {
  detail::AdvancedIndex index;
  // Set if one mask covers all dimensions, and `index.at` is not.
  detail::CountedMask mask;

  bool is_mask() const { return mask.mask.defined(); }
  // selector() and ends() are what the rules keep as saved tensors: the mask or the indices, which
  // may be the caller's, and the counts of the mask, which are undefined for indices.
  const Tensor& selector() const { return is_mask() ? mask.mask : index.at; }
  const Tensor& ends() const { return mask.ends; }
  // Returns the selection without its tensors.
  Selection without_tensors() const {
    return {{index.name, index.op, index.dims, {}, index.position, index.wraps},
            {{}, {}, mask.total}};
  }
  // Returns the selection with the given tensors, unpacked from saved tensors.
  Selection with(const Tensor& selector, const Tensor& ends) const {
    Selection all = *this;
    (selector.dtype() == kBool ? all.mask.mask : all.index.at) = selector;
    all.mask.ends = ends;
    return all;
  }
  DimVector result_sizes(IntArrayRef sizes) const {
    return is_mask() ? DimVector{mask.total} : index.result_sizes(sizes);
  }
};

void check_mask(const Tensor& view, const Selector& selector) {
  for (std::size_t d = 0; d < selector.tensor.sizes().size(); ++d) {
    TERN_CHECK(selector.tensor.sizes()[d] == view.sizes()[selector.dim + d], IndexError,
               "The shape of the mask ", selector.tensor.sizes(), " at index ", d,
               " does not match the shape of the indexed tensor ", view.sizes(), " at index ",
               selector.dim + d);
  }
}

// Broadcasts the tensors of indices against each other and joins them: [number, sizes...].
Tensor join_indices(const std::vector<Tensor>& indices) {
  if (indices.size() == 1) return indices[0].contiguous().unsqueeze(0);
  DimVector sizes;
  try {
    for (const Tensor& index : indices) sizes = broadcast_sizes(sizes, index.sizes());
  } catch (const ShapeError&) {
    std::string shapes;
    for (const Tensor& index : indices) {
      shapes += detail::text_of(shapes.empty() ? "" : ", ", index.sizes());
    }
    detail::raise<IndexError>(
        "shape mismatch: indexing tensors could not be broadcast together with shapes ", shapes);
  }
  std::vector<Tensor> expanded;
  expanded.reserve(indices.size());
  for (const Tensor& index : indices) expanded.push_back(index.expand(sizes));
  return stack(expanded);
}

Selection make_selection(const char* name, IndexOp op, const Tensor& view,
                         const std::vector<Selector>& selectors) {
  const NoGradGuard no_grad;
  Selection result{{name, op, {}, {}}, {}};
  std::vector<Tensor> indices;
  bool neighbours = true;
  std::size_t next = 0, covered = 0;
  for (const Selector& selector : selectors) {
    const Tensor tensor = selector.tensor.detach().to(view.device());
    const bool is_first = result.index.dims.empty();
    neighbours = neighbours && (is_first || selector.dim == next);
    if (is_first) result.index.position = selector.dim;
    const std::size_t count = detail::is_mask(tensor) ? tensor.sizes().size() : 1;
    result.index.dims.push_back({selector.dim, count});
    next = selector.dim + count;
    covered += count;
    if (!detail::is_mask(tensor)) {
      indices.push_back(tensor.to(kLong));
      continue;
    }
    check_mask(view, selector);
    detail::CountedMask counted =
        detail::count_mask(name, tensor.dtype() == kBool ? tensor : tensor != 0);
    if (selectors.size() == 1 && covered == view.sizes().size()) {
      result.mask = std::move(counted);
      return result;
    }
    indices.push_back(detail::mask_positions(name, counted).select(0, 0));
  }
  if (!neighbours) result.index.position = 0;
  result.index.at = join_indices(indices);
  return result;
}

Tensor put_selected(const Tensor& self, const Selection& selection, const Tensor& values,
                    bool accumulate, const Tensor& into = {});

Tensor get_selected(const Tensor& self, const Selection& selection) {
  Tensor out = selection.is_mask()
                   ? detail::select_masked(selection.index.name, self, selection.mask)
                   : detail::get_advanced(self, selection.index);
  if (!needs_grad(self)) return out;
  return record("IndexBackward0", out,
                wrt(
                    self,
                    [rest = selection.without_tensors(), shape = self.self().sizes](
                        const Tensor& g, const Tensor& selector, const Tensor& ends) {
                      return put_selected(g.new_zeros(shape), rest.with(selector, ends), g,
                                          /*accumulate=*/true);
                    },
                    selection.selector(), selection.ends()));
}

void put_selected_into(const Tensor& out, const Selection& selection, const Tensor& values,
                       bool accumulate) {
  TERN_CHECK(out.dtype() == values.dtype(), DTypeError,
             "Index put requires the source and destination dtypes match, got ", out.scalar_type(),
             " for the destination and ", values.scalar_type(), " for the source.");
  detail::check_same_device("index_put_", {&out, &values}, {"self", "value"});
  const DimVector sizes = selection.result_sizes(out.sizes());
  TERN_CHECK(is_expandable_to(values.sizes(), sizes), ShapeError,
             "shape mismatch: value tensor of shape ", values.sizes(),
             " cannot be broadcast to indexing result of shape ", IntArrayRef(sizes));
  const NoGradGuard no_grad;
  if (!selection.is_mask()) {
    detail::put_advanced(out, selection.index, values, accumulate);
    return;
  }
  Tensor source = values.detach();
  if (accumulate) {  // no element is named twice
    source = detail::select_masked(selection.index.name, out, selection.mask) + source;
  }
  if (source.numel() == 1 && !accumulate) {
    detail::run_elementwise({selection.index.name, kernels::ElementwiseOp::where_op, out.dtype()},
                            {selection.mask.mask, source.reshape({}), out.detach()}, out.detach());
    return;
  }
  detail::scatter_masked(selection.index.name, out, selection.mask, source.expand(sizes));
}

Tensor put_selected(const Tensor& self, const Selection& selection, const Tensor& values,
                    bool accumulate, const Tensor& into) {
  Tensor out = detail::into_or_copy(into, self);
  put_selected_into(out, selection, values, accumulate);
  if (!needs_grad(self, values)) return out;
  const Selection rest = selection.without_tensors();
  return record(
      "IndexPutBackward0", out,
      wrt(
          self,
          [rest, accumulate](const Tensor& g, const Tensor& selector, const Tensor& ends) {
            return accumulate ? g
                              : put_selected(g, rest.with(selector, ends), g.new_zeros({}), false);
          },
          selection.selector(), selection.ends()),
      wrt(
          values,
          [rest](const Tensor& g, const Tensor& selector, const Tensor& ends) {
            return get_selected(g, rest.with(selector, ends));
          },
          selection.selector(), selection.ends()));
}

// Another handle to all elements: a result of index() is never self.
Tensor alias_of(const Tensor& self) {
  Tensor out = autograd::as_view(self, detail::make_alias(self));
  if (!needs_grad(self)) return out;
  return record("AliasBackward0", out, wrt(self, [](const Tensor& g) { return g; }));
}

// Values may have more dimensions than the elements to be replaced if these have size 1.
Tensor without_leading_ones(const Tensor& values) {
  Tensor result = values;
  while (result.dim() > 0 && result.sizes()[0] == 1) result = result.squeeze(0);
  return result;
}

// One element for a mask takes the dtype of the tensor, as in masked_fill().
Tensor source_for(const Indexed& indexed, const Tensor& values, bool accumulate) {
  const std::vector<Selector>& selectors = indexed.selectors;
  const bool fills = !accumulate && values.numel() == 1 && selectors.size() == 1 &&
                     selectors[0].tensor.dtype() == kBool;
  return fills ? values.to(indexed.view.dtype()) : values;
}

Tensor& put_elements(Tensor& self, Indices indices, const Tensor& values, bool accumulate) {
  Indexed indexed = apply_indices(self, indices);
  Tensor& view = indexed.view;
  Tensor source = source_for(indexed, values, accumulate);
  if (source.dim() == 0 && source.is_cpu()) source = source.to(self.device());
  if (!indexed.selectors.empty()) {
    const Selection selection =
        make_selection("index_put_", IndexOp::kIndexPut, view, indexed.selectors);
    if (!selection.is_mask() || source.numel() > 1) detail::check_no_overlap(view, {&source});
    for (const Selector& selector : indexed.selectors) {
      if (!selection.is_mask()) detail::check_no_overlap(view, {&selector.tensor});
    }
    const DimVector sizes = selection.result_sizes(view.sizes());
    if (source.sizes().size() > sizes.size()) source = without_leading_ones(source);
    detail::overwrite_into(
        view,
        [&](const Tensor& x, const Tensor& out) {
          return put_selected(x, selection, source, accumulate, out);
        },
        source);
    return self;
  }
  if (source.sizes().size() > view.sizes().size()) source = without_leading_ones(source);
  if (accumulate) {
    view.add_(source);
  } else {
    view.copy_(source);
  }
  return self;
}

// Without indices that make views, the functional form has one node.
Tensor with_elements(const Tensor& self, Indices indices, const Tensor& values, bool accumulate) {
  Indexed indexed = apply_indices(self, indices);
  if (indexed.view.is_same(self) && !indexed.selectors.empty()) {
    const Selection selection =
        make_selection("index_put", IndexOp::kIndexPut, self, indexed.selectors);
    return put_selected(self, selection, source_for(indexed, values, accumulate), accumulate);
  }
  Tensor out = self.clone();
  return put_elements(out, indices, values, accumulate);
}

// A number takes the conversion of fill_().
Tensor one_element(const Tensor& self, const Scalar& value) {
  return detail::make_tensor({}, self.dtype(), self.device()).fill_(value);
}

void check_indices(const char* op, Indices indices) {
  TERN_CHECK(!indices.empty() || !detail::as_libtorch, Error,
             "Passing an empty index list to Tensor::", op, "() is not valid syntax");
}
}  // namespace

Tensor index(const Tensor& self, Indices indices) {
  TERN_OP("index", self);
  check_indices("index", indices);
  const Indexed indexed = apply_indices(self, indices);
  if (indexed.selectors.empty()) {
    return indexed.view.is_same(self) ? alias_of(self) : indexed.view;
  }
  return get_selected(indexed.view,
                      make_selection("index", IndexOp::kIndex, indexed.view, indexed.selectors));
}

Tensor index_put(const Tensor& self, Indices indices, const Tensor& values, StrictBool accumulate) {
  TERN_OP("index_put", self, indices, values);
  TERN_AUTOCAST(kUnchanged, kWidest, index_put, self, indices, values, accumulate);
  return with_elements(self, indices, values, accumulate);
}
Tensor index_put(const Tensor& self, Indices indices, const Scalar& value, StrictBool accumulate) {
  TERN_OP("index_put", self);
  TERN_AUTOCAST(kUnchanged, kWidest, index_put, self, indices, value, accumulate);
  return with_elements(self, indices, one_element(self, value), accumulate);
}
Tensor& index_put_(Tensor& self, Indices indices, const Tensor& values, StrictBool accumulate) {
  TERN_OP("index_put_", self, indices, values);
  check_indices("index_put_", indices);
  return put_elements(self, indices, values, accumulate);
}
Tensor& index_put_(Tensor& self, Indices indices, const Scalar& value, StrictBool accumulate) {
  TERN_OP("index_put_", self);
  check_indices("index_put_", indices);
  return put_elements(self, indices, one_element(self, value), accumulate);
}

// NOLINTNEXTLINE(readability-const-return-type)
const Tensor Tensor::operator[](const Tensor& index) const {
  TERN_OP("index", *this, index);
  return tern::index(*this, {index});
}

}  // namespace tern
