#!/bin/sh
# Prints a page of all ops and layers, made of the headers. `make docs` puts it into the API reference.
set -eu
cd "$(dirname "$0")/../.."

# section HEADING FILE...
section() {
  heading=$1
  shift
  awk -v heading="$heading" -v plain="$plain" -f docs/api/ops.awk "$@"
}

cat <<'TEXT'
# Ops and layers

All that there is, made of the headers. Names and arguments are PyTorch's; what differs stands in
[pytorch-differences.md](docs/pytorch-differences.md). A function takes the tensor first,
`tern::sum(x, 1)`; a method is called on it, `x.sum(1)`; the form in place ends in `_` and changes it, `x.add_(1)`.
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
section "Linear algebra" $ops/linalg.h $ops/linalg_factor.h $ops/linalg_names.h
section "Names in tern::special" $ops/special_names.h
section "Shapes and views" $ops/view.h $ops/view_methods.inc
section "Rearranging elements" $ops/rearrange.h
section "Diagonals and triangles" $ops/diagonal.h
section "Joining" $ops/join.h
section "Copies and conversions" $ops/copy.h $ops/copy_methods.inc $ops/resize.h
printf '\n## Other names\n\n| name | the same as |\n| --- | --- |\n'
awk '!/^#/ { printf "| `%s` | `%s` |\n", $1, $2 }' $ops/aliases.txt
section "Indexing" $ops/index.h $ops/indexing.h $ops/scatter.h $ops/mask.h
plain=1
section "Derivatives: tern::autograd::functional" $ops/jacobian.h
section "Losses, dropout and normalisation, as functions" $ops/loss.h $ops/normalize.h \
  $ops/dropout.h
section "Layers: tern::nn" nn/modules/*.h
section "Containers: tern::nn" nn/containers/*.h nn/parallel/data_parallel.h
section "Functions of layers: tern::nn::functional" nn/functional/*.h
section "Initialisation: tern::nn::init" nn/init.h
section "Utilities: tern::nn::utils" nn/utils/*.h
section "Settings" $ops/matmul_precision.h $ops/print.h core/base/flush_denormal.h core/base/thread_pool.h \
  core/tensor/dtype.h core/tensor/options.h
section "Optimizers: tern::optim" nn/optim/*.h
