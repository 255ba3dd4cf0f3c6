#include "cases.h"

// Copies, indices and order.

namespace tern::slots {
namespace {

using indexing::Slice;
using kernels::Slot;

void copies(const Sizes& n) {
  for (const ScalarType from : kAllDtypes) {
    const Tensor row = numbers({n.row}, from, -90, 90);
    for (const ScalarType to : kAllDtypes) row.to(to);
    const Tensor matrix = numbers({n.side, n.side + 3}, from);
    matrix.t().contiguous();
    matrix.t().to(from == kFloat ? kHalf : kFloat);
    matrix.slice(1, 1, n.side, 2).contiguous();
    matrix.slice(0, 0, 1).expand({n.side, n.side + 3}).contiguous();
    Tensor target = numbers({n.side + 3, n.side}, from);
    target.t().copy_(matrix);
    target.view({-1}).slice(0, 1, n.side * n.side, 3).fill_(1);
    numbers({7, n.side, 5, 3}, from).permute({3, 1, 0, 2}).contiguous();
  }
}

void fills(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    const TensorOptions options = TensorOptions().dtype(dtype);
    tern::full({n.row}, 1, options);
    Tensor matrix = numbers({n.side, n.side + 1}, dtype);
    matrix.t().slice(0, 1, n.side, 2).fill_(1);
    matrix.slice(1, 1).fill_(0);
  }
}

void ranges(const Sizes& n) {
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt}) {
    tern::arange(0, n.side, 1, TensorOptions().dtype(dtype));
  }
  tern::arange(0, 0.25 * static_cast<double>(n.row), 0.25, TensorOptions().dtype(kFloat));
}

void index(const Sizes& n) {
  const Tensor rows = indices({n.side / 2}, n.side);
  const Tensor few = tern::randperm(n.side).slice(0, 0, n.side / 2);  // each index once
  for (const ScalarType dtype : kAllDtypes) {
    const Tensor x = numbers({3, n.side, n.side}, dtype);
    x.index_select(1, rows);
    x.index_select(2, rows);
    const Tensor each = indices({3, n.side / 2, n.side}, n.side);
    x.gather(1, each);
    if (dtype == kBool) continue;
    const Tensor source = numbers({3, n.side / 2, n.side}, dtype);
    x.index_add(1, rows, source);
    const Tensor once = few.view({1, -1, 1}).expand({3, n.side / 2, n.side}).contiguous();
    x.scatter(1, once, source);
    for (const bool in_order : {false, true}) {
      tern::use_deterministic_algorithms(in_order);
      if (in_order) x.scatter(1, each, source);
      x.scatter_add(1, each, source);
      for (const char* reduce : {"prod", "amax", "amin"}) x.scatter_reduce(1, each, source, reduce);
    }
    tern::use_deterministic_algorithms(false);
  }
}

void advanced_index(const Sizes& n) {
  const Tensor i = indices({n.side}, n.side), j = indices({n.side}, 7) - 7;
  const Tensor once = tern::randperm(n.side);
  for (const ScalarType dtype : kAllDtypes) {
    Tensor x = numbers({n.side, 7, 33}, dtype);
    x.index({i, j});
    x.permute({2, 0, 1}).index({Slice(), i, j});
    x.transpose(0, 2).index({Slice(), j});
    x.index_put_({once}, numbers({n.side, 7, 33}, dtype));
    x.index_put_({i}, numbers({}, dtype));
    if (dtype != kBool) x.index_put_({i, j}, numbers({n.side, 33}, dtype), true);
    tern::use_deterministic_algorithms(true);
    x.index_put_({i}, numbers({n.side, 7, 33}, dtype));
    tern::use_deterministic_algorithms(false);
    x.take(indices({n.side}, n.side * 7 * 33));
  }
}

void masks(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    const Tensor x = numbers({n.side, n.side}, dtype);
    const Tensor mask = numbers({n.side, n.side}, kBool);
    x.masked_select(mask);
    x.masked_scatter(mask, numbers({n.side, n.side}, dtype));
    tern::nonzero(x);
  }
  tern::nonzero(numbers({n.row}, kBool));
}

void triangles(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    Tensor x = numbers({2, n.side, n.side + 5}, dtype);
    x.tril(3);
    x.triu(-2);
    x.transpose(1, 2).tril();
    x.triu_(1);
  }
}

void sorts(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    numbers({n.row}, dtype).sort();
    const Tensor x = numbers({3, n.side, 33}, dtype);
    x.sort(1, true);
    x.argsort(2);
  }
}

void row_orders(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    tern::unique_dim(numbers({n.side, 3}, dtype == kFloat ? kChar : dtype), 0);
  }
}

void selections(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    if (dtype == kBool) continue;
    const Tensor x = numbers({2, n.side, 17}, dtype), row = numbers({n.row}, dtype);
    x.topk(5, 1);
    x.topk(7, 2, false);
    row.topk(100);
    x.kthvalue(3, 1);
    x.median(1);
    x.nanmedian(2);
    row.median();
    x.mode(1);
  }
}

void searches(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    if (dtype == kBool) continue;
    const Tensor sorted = std::get<0>(numbers({5, n.side}, dtype).sort());
    const Tensor x = numbers({5, n.side + 1}, dtype);
    tern::searchsorted(sorted, x);
    tern::searchsorted(sorted, x, true);
    tern::bucketize(x, sorted.select(0, 0));
  }
}

void pads(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    if (dtype == kBool) continue;
    const Tensor x = numbers({2, 3, n.plane, n.plane + 1}, dtype);
    tern::pad(x, {3, 2, 1, 4}, "replicate");
    tern::pad(x, {3, 2, 1, 4}, "circular");
    tern::pad(x, {3, 2, 1, 4}, "reflect");
  }
}

}  // namespace

const std::vector<Case>& shape_cases() {
  static const std::vector<Case> cases = {{Slot::copy, copies},
                                          {Slot::fill, fills},
                                          {Slot::arange, ranges},
                                          {Slot::index, index},
                                          {Slot::advanced_index, advanced_index},
                                          {Slot::mask, masks},
                                          {Slot::triangle, triangles},
                                          {Slot::sort, sorts},
                                          {Slot::order_rows, row_orders},
                                          {Slot::order_statistics, selections},
                                          {Slot::search, searches},
                                          {Slot::pad, pads}};
  return cases;
}

}  // namespace tern::slots
