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
section "Making tensors" $ops/creation.h $ops/creation_methods.inc
section "Random numbers" $ops/random.h $ops/random_methods.inc
section "Elementwise" $ops/unary.h $ops/special.h $ops/special_functions.h $ops/elementwise.h $ops/activation.h
section "Comparisons" $ops/comparison.h
section "Distances" $ops/distance.h
section "Sorting and order" $ops/sort.h
section "Reductions" $ops/reduce.h $ops/reduce_methods.inc $ops/norm.h
section "Running sums, products and extremes" $ops/scan.h
section "Statistics" $ops/statistics.h
section "Differences and integrals" $ops/difference.h
section "Matrix products" $ops/matmul.h $ops/products.h
section "Convolutions" $ops/convolution.h
section "Linear algebra" $ops/linalg.h $ops/linalg_factor.h $ops/linalg_names.h
plain=1
section "Names in tern::special" $ops/special_names.h
plain=""
section "Shapes and views" $ops/view.h $ops/view_methods.inc
section "Rearranging elements" $ops/rearrange.h
section "Diagonals and triangles" $ops/diagonal.h
section "Joining" $ops/join.h
section "Copies and conversions" $ops/copy.h $ops/fill.h $ops/copy_methods.inc $ops/resize.h
printf '\n## Other names\n\n| name | the same as |\n| --- | --- |\n'
awk '!/^#/ { printf "| `%s` | `%s` |\n", $1, $2 }' $ops/aliases.txt
section "Indexing" $ops/index.h $ops/indexing.h $ops/scatter.h $ops/mask.h $ops/embedding.h
section "Pooling" $ops/pooling.h
section "Resampling" $ops/resampling.h
section "Losses, dropout and normalisation, as functions" $ops/loss.h $ops/normalize.h \
  $ops/dropout.h
cat <<'TEXT'

## Autocast

What these ops do in a region of [mixed precision](mixed-precision.md): "lower" casts to the dtype of the region, "float32" to float32,
"widest" to float32 if an input is float32; "as its parts": the ops that it is made of have rules. All others run as they are.

| op | on the CPU | on CUDA |
| --- | --- | --- |
TEXT
awk -f docs/api/autocast.awk $ops/*.cpp | LC_ALL=C sort
plain=1
section "Derivatives: tern::autograd::functional" $ops/jacobian.h
section "Layers: tern::nn" nn/modules/*.h
section "Containers: tern::nn" nn/containers/*.h nn/parallel/data_parallel.h
section "Functions of layers: tern::nn::functional" nn/functional/*.h
section "Initialisation: tern::nn::init" nn/init.h
section "Utilities: tern::nn::utils" nn/utils/*.h
section "Settings" $ops/matmul_precision.h $ops/deterministic.h $ops/cudnn.h $ops/print.h core/base/flush_denormal.h core/base/thread_pool.h \
  core/tensor/dtype.h core/tensor/options.h
section "Optimizers: tern::optim" nn/optim/*.h
section "Schedules: tern::optim" nn/optim/schedulers/*.h
