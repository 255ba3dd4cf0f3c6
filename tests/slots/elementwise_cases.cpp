#include <algorithm>
#include <memory>
#include <string>

#include <tern/core/kernels/families/elementwise.h>

#include "cases.h"
#include "watch.h"

// Every elementwise op in every dtype, in rows, strided, broadcast, with numbers and in place.

namespace tern::slots {
namespace {

using namespace kernels;

using Dims = std::vector<std::int64_t>;

struct Layout {
  const char* name;
  Dims sizes, out, in[3];
  bool in_place = false;
  bool has_number = false;  // the last input is a number of the call
};

Tensor samples(ElementwiseOp op, ScalarType dtype, std::int64_t count, int input) {
  Tensor x = numbers({count}, dtype, -4, 4);
  const Pause pause;
  if (elementwise_info(op).has(ElementwiseInfo::kUnitInputs)) {
    return numbers({count}, dtype, 0.05, 0.95);
  }
  if (input == 1 && divides(op)) return is_floating_point(dtype) ? x : x.remainder(7) + 1;
  if (input == 1 && op == ElementwiseOp::pow && !is_floating_point(dtype)) return x.remainder(5);
  return x;
}

void check(ElementwiseOp op, ScalarType dtype, const Layout& layout) {
  const ElementwiseInfo& info = elementwise_info(op);
  const bool compares = info.kind == ElementwiseKind::kCompare;
  if (layout.in_place && (compares || op == ElementwiseOp::where_op)) return;
  if (layout.has_number && info.inputs < 2) return;
  const auto extent = [&](const Dims& strides) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) last += (layout.sizes[d] - 1) * strides[d];
    return last + 1;
  };
  ElementwiseArgs args{};
  args.op = op;
  args.dtype = dtype;
  args.inputs = info.inputs;
  args.ndim = static_cast<int>(layout.sizes.size());
  args.scale = {1, 1};
  std::copy(layout.sizes.begin(), layout.sizes.end(), args.sizes);
  std::copy(layout.out.begin(), layout.out.end(), args.out_strides);
  Tensor in[3];
  for (int k = 0; k < info.inputs; ++k) {
    const bool condition = op == ElementwiseOp::where_op && k == 0;
    in[k] = samples(op, condition ? kBool : dtype, extent(layout.in[k]), k);
    args.in[k] = in[k].data_ptr();
    std::copy(layout.in[k].begin(), layout.in[k].end(), args.in_strides[k]);
    if (layout.has_number && k == info.inputs - 1) {
      args.in[k] = nullptr;
      args.immediate[k] = {0.5, 1};
    }
  }
  Tensor out;
  {
    const Pause pause;
    out = tern::zeros({extent(layout.out)}, TensorOptions().dtype(compares ? kBool : dtype));
  }
  args.out = layout.in_place ? in[0].data_ptr() : out.data_ptr();
  label(std::string(info.name) + " " + dtype_info(dtype).name + ", " + layout.name);
  compare(args);
}

bool takes_dtype(ElementwiseKind kind, ScalarType dtype) {
  if (is_floating_point(dtype)) return kind != ElementwiseKind::kInteger;
  if (kind == ElementwiseKind::kFloat) return false;
  const bool any = kind == ElementwiseKind::kAny || kind == ElementwiseKind::kCompare;
  return any || dtype != kBool;
}

void elementwise_ops(const Sizes& sizes) {
  const std::int64_t n = sizes.row, a = sizes.side, b = sizes.side + 3;
  const Layout layouts[] = {
      {"row", {n}, {1}, {{1}, {1}, {1}}},
      {"in place", {n - 3}, {1}, {{1}, {1}, {1}}, true},
      {"a number", {n - 1}, {1}, {{1}, {1}, {1}}, false, true},
      {"transposed", {a, b}, {b, 1}, {{1, a}, {b, 1}, {1, a}}},
      {"rows and steps", {a, b}, {2 * b, 2}, {{b, 1}, {0, 1}, {1, 0}}},
  };
  for (int i = sizes.part; i < kElementwiseOps; i += sizes.parts) {
    const auto op = static_cast<ElementwiseOp>(i);
    for (const ScalarType dtype : kAllDtypes) {
      if (!takes_dtype(elementwise_info(op).kind, dtype)) continue;
      for (const Layout& layout : layouts) check(op, dtype, layout);
    }
  }
}

}  // namespace

const std::vector<Case>& elementwise_cases() {
  static const std::vector<Case> cases = {{Slot::elementwise, elementwise_ops}};
  return cases;
}

}  // namespace tern::slots
