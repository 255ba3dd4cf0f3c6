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
section "Elementwise" $ops/unary.h $ops/elementwise.h
section "Comparisons" $ops/comparison.h
section "Reductions" $ops/reduce.h $ops/reduce_methods.inc
section "Matrix products" $ops/matmul.h
section "Linear algebra" $ops/linalg.h
section "Shapes and views" $ops/view.h $ops/view_methods.inc
section "Joining and indexing" $ops/index.h
section "Copies and conversions" $ops/copy.h $ops/copy_methods.inc
plain=1
section "Losses, dropout and normalisation, as functions" $ops/loss.h $ops/normalize.h
section "Layers: tern::nn" nn/modules/*.h
section "Containers: tern::nn" nn/containers/*.h nn/parallel/data_parallel.h
section "Functions of layers: tern::nn::functional" nn/functional/*.h
section "Initialisation: tern::nn::init" nn/init.h
section "Utilities: tern::nn::utils" nn/utils/*.h
section "Settings" $ops/matmul_precision.h $ops/print.h core/base/flush_denormal.h core/base/thread_pool.h \
  core/tensor/dtype.h core/tensor/options.h
section "Optimizers: tern::optim" nn/optim/*.h
