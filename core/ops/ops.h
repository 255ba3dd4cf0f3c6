#pragma once

// Every op.

#include <tern/core/ops/activation.h>
#include <tern/core/ops/comparison.h>
#include <tern/core/ops/convolution.h>
#include <tern/core/ops/copy.h>
#include <tern/core/ops/creation.h>
#include <tern/core/ops/cudnn.h>
#include <tern/core/ops/deterministic.h>
#include <tern/core/ops/diagonal.h>
#include <tern/core/ops/difference.h>
#include <tern/core/ops/distance.h>
#include <tern/core/ops/dropout.h>
#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/embedding.h>
#include <tern/core/ops/fill.h>
#include <tern/core/ops/index.h>
#include <tern/core/ops/indexing.h>
#include <tern/core/ops/jacobian.h>
#include <tern/core/ops/join.h>
#include <tern/core/ops/linalg.h>
#include <tern/core/ops/linalg_factor.h>
#include <tern/core/ops/linalg_names.h>
#include <tern/core/ops/loss.h>
#include <tern/core/ops/mask.h>
#include <tern/core/ops/matmul.h>
#include <tern/core/ops/matmul_precision.h>
#include <tern/core/ops/norm.h>
#include <tern/core/ops/normalize.h>
#include <tern/core/ops/pooling.h>
#include <tern/core/ops/print.h>
#include <tern/core/ops/products.h>
#include <tern/core/ops/random.h>
#include <tern/core/ops/rearrange.h>
#include <tern/core/ops/reduce.h>
#include <tern/core/ops/resampling.h>
#include <tern/core/ops/resize.h>
#include <tern/core/ops/scan.h>
#include <tern/core/ops/scatter.h>
#include <tern/core/ops/sort.h>
#include <tern/core/ops/special.h>
#include <tern/core/ops/special_functions.h>
#include <tern/core/ops/special_names.h>
#include <tern/core/ops/statistics.h>
#include <tern/core/ops/unary.h>
#include <tern/core/ops/view.h>
#include <tern/generated/op_forms.h>  // from aliases.txt and out_forms.txt
#include <tern/generated/op_names.h>  // linalg::inv and so on
