#!/bin/sh
# ops.sh FACTS: prints docs/ops.md, the page of all ops and layers, made of the headers, the examples
# and the file FACTS, which tests/ops/page_test.cpp makes of the records. `make ops-page` calls both.
set -eu
facts=$1
cd "$(dirname "$0")/../.."

# section HEADING FILE...
section() {
  heading=$1
  shift
  awk -v heading="$heading" -v plain="$plain" -f docs/api/ops.awk kind=facts "$facts" \
    kind=examples docs/api/examples/*.txt kind=differences docs/pytorch-differences.md kind=headers "$@"
}

cat <<'TEXT'
<!-- Made by `make ops-page` of the headers, the records of ops and docs/api/examples: change these. -->

# Ops and layers

All that there is. Names and arguments are PyTorch's. A function with an argument `self` is also a method of it: `x.sum(1)` is
`sum(x, 1)`. `add_` below `add` is the form in place, `x.add_(y)`. A list of numbers is written `{1, 2}`; `{}` leaves an optional
argument out. A function to which PyTorch gives an `out` also has a form that writes to a tensor, `add_out(out, x, y)`.

| column | what it says |
| --- | --- |
| dtypes | those that the op computes with, in some form of the call. "floating" are float64, float32, float16 and bfloat16; "integers" are int64, int32, int16, int8 and uint8; "all" are these and bool |
| gradient | "yes" is one of the first and of the second order; tests compare both with differences |
| devices | "all" are the CPU, [CUDA](gpu.md), [simulated devices](devices.md), and `meta` for shapes alone; "not meta": the shape depends on the elements |
| differs from PyTorch | the rows of [differences from PyTorch](pytorch-differences.md) that name the op |

A test measures dtypes and gradient: it calls the op with each dtype. Where there is nothing to compare, as for random numbers, the cells
are empty. A test also runs the lines of code below the tables, with `using namespace tern`. In all of them `x` is this matrix:

```cpp
const Tensor x = tensor({{10, 20, 30}, {40, 50, 60}});
std::cout << x << '\n';
```

```text
tensor([[10, 20, 30],
        [40, 50, 60]])
```
TEXT

plain=""
ops=core/ops
section "Making tensors" $ops/create/creation.h $ops/create/sequence.h $ops/create/creation_methods.inc
section "Random numbers" $ops/create/random.h $ops/create/random_integers.h $ops/create/sample.h $ops/create/random_methods.inc
section "Elementwise" $ops/elementwise/unary.h $ops/elementwise/special.h $ops/elementwise/special_functions.h $ops/elementwise/arithmetic.h $ops/elementwise/binary.h $ops/elementwise/bitwise.h $ops/elementwise/division.h $ops/elementwise/maximum.h $ops/elementwise/power.h $ops/elementwise/select.h $ops/elementwise/activation.h $ops/elementwise/gated_activation.h
section "Comparisons" $ops/elementwise/comparison.h
section "Distances" $ops/linalg/distance.h
section "Sorting and order" $ops/order/sort.h $ops/order/isin.h $ops/order/order_statistics.h $ops/order/quantile.h $ops/order/search.h $ops/order/unique.h
section "Reductions" $ops/reduce/sums.h $ops/nn/softmax.h $ops/reduce/extremes.h $ops/reduce/variance.h $ops/reduce/reduce_methods.inc $ops/reduce/norm.h $ops/linalg/matrix_norm.h
section "Running sums, products and extremes" $ops/reduce/scan.h
section "Statistics" $ops/reduce/statistics.h
section "Differences and integrals" $ops/reduce/difference.h
section "Matrix products" $ops/linalg/matmul.h $ops/linalg/addmm.h $ops/linalg/products.h $ops/linalg/einsum.h $ops/linalg/multi_dot.h
section "Convolutions" $ops/nn/convolution.h
section "Linear algebra" $ops/linalg/solve.h $ops/linalg/lu.h $ops/linalg/matrix_functions.h $ops/linalg/triangular.h $ops/linalg/factor.h $ops/linalg/rank.h $ops/linalg/roots.h $ops/linalg/linalg_names.h
plain=1
section "Names in tern::special" $ops/elementwise/special_names.h
plain=""
section "Shapes and views" $ops/shape/view.h $ops/shape/arrange_dims.h $ops/shape/as_strided.h $ops/shape/split.h $ops/shape/view_methods.inc
section "Rearranging elements" $ops/shape/rearrange.h $ops/nn/columns.h $ops/nn/padding.h $ops/nn/pixel_shuffle.h $ops/shape/view_scatter.h $ops/shape/combinations.h
section "Diagonals and triangles" $ops/shape/diagonal.h
section "Joining" $ops/shape/join.h $ops/shape/join_grid.h
section "Copies and conversions" $ops/shape/copy.h $ops/create/fill.h $ops/shape/copy_methods.inc $ops/shape/resize.h
printf '\n## Other names\n\n| name | the same as |\n| --- | --- |\n'
awk '!/^#/ { printf "| `%s` | `%s` |\n", $1, $2 }' $ops/aliases.txt
section "Indexing" $ops/index/index.h $ops/index/indexing.h $ops/index/scatter_reduce.h $ops/index/take.h $ops/index/scatter.h $ops/index/mask.h $ops/nn/embedding.h
section "Pooling" $ops/nn/pooling.h $ops/nn/adaptive_pooling.h
section "Resampling" $ops/nn/resampling.h $ops/nn/grid_sample.h
section "Losses, dropout and normalisation, as functions" $ops/loss/class_loss.h $ops/loss/ctc_loss.h $ops/loss/binary_cross_entropy.h $ops/loss/margin_loss.h $ops/loss/reduction.h $ops/loss/regression_loss.h $ops/nn/batch_norm.h $ops/nn/group_norm.h $ops/nn/layer_norm.h \
  $ops/nn/dropout.h
cat <<'TEXT'

## Autocast

What these ops do in a region of [mixed precision](mixed-precision.md): "lower" casts to the dtype of the region, "float32" to float32,
"widest" to float32 if an input is float32; "as its parts": the ops that it is made of have rules. All others run as they are.

| op | on the CPU | on CUDA |
| --- | --- | --- |
TEXT
awk -f docs/api/autocast.awk $ops/*/*.cpp | LC_ALL=C sort
plain=1
section "Derivatives: tern::autograd::functional" $ops/common/jacobian.h
section "Layers: tern::nn" nn/modules/*.h
section "Containers: tern::nn" nn/containers/*.h nn/parallel/data_parallel.h
section "Functions of layers: tern::nn::functional" nn/functional/*.h
section "Initialisation: tern::nn::init" nn/init.h
section "Utilities: tern::nn::utils" nn/utils/*.h
section "Settings" $ops/common/result_type.h $ops/linalg/matmul_precision.h $ops/common/deterministic.h $ops/nn/cudnn.h $ops/common/print.h core/base/flush_denormal.h core/base/thread_pool.h \
  core/tensor/dtype.h core/tensor/options.h
section "Optimizers: tern::optim" nn/optim/*.h
section "Schedules: tern::optim" nn/optim/schedulers/*.h
