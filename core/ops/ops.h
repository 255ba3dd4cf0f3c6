#pragma once

// Every op.

#include <tern/core/ops/elementwise/activation.h>
#include <tern/core/ops/elementwise/comparison.h>
#include <tern/core/ops/nn/convolution.h>
#include <tern/core/ops/shape/copy.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/nn/cudnn.h>
#include <tern/core/ops/common/deterministic.h>
#include <tern/core/ops/shape/diagonal.h>
#include <tern/core/ops/reduce/difference.h>
#include <tern/core/ops/linalg/distance.h>
#include <tern/core/ops/nn/dropout.h>
#include <tern/core/ops/elementwise/elementwise.h>
#include <tern/core/ops/nn/embedding.h>
#include <tern/core/ops/create/fill.h>
#include <tern/core/ops/index/index.h>
#include <tern/core/ops/index/indexing.h>
#include <tern/core/ops/common/jacobian.h>
#include <tern/core/ops/shape/join.h>
#include <tern/core/ops/linalg/solve.h>
#include <tern/core/ops/linalg/factor.h>
#include <tern/core/ops/linalg/linalg_names.h>
#include <tern/core/ops/loss/loss.h>
#include <tern/core/ops/index/mask.h>
#include <tern/core/ops/linalg/matmul.h>
#include <tern/core/ops/linalg/matmul_precision.h>
#include <tern/core/ops/reduce/norm.h>
#include <tern/core/ops/nn/normalize.h>
#include <tern/core/ops/nn/pooling.h>
#include <tern/core/ops/common/print.h>
#include <tern/core/ops/linalg/products.h>
#include <tern/core/ops/create/random.h>
#include <tern/core/ops/shape/rearrange.h>
#include <tern/core/ops/reduce/sums.h>
#include <tern/core/ops/nn/resampling.h>
#include <tern/core/ops/shape/resize.h>
#include <tern/core/ops/reduce/scan.h>
#include <tern/core/ops/index/scatter.h>
#include <tern/core/ops/order/sort.h>
#include <tern/core/ops/elementwise/special.h>
#include <tern/core/ops/elementwise/special_functions.h>
#include <tern/core/ops/elementwise/special_names.h>
#include <tern/core/ops/reduce/statistics.h>
#include <tern/core/ops/elementwise/unary.h>
#include <tern/core/ops/shape/view.h>
#include <tern/generated/op_forms.h>  // from aliases.txt and out_forms.txt
#include <tern/generated/op_names.h>  // linalg::inv and so on
