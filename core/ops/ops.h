#pragma once

// Every op.

#include <tern/core/ops/comparison.h>
#include <tern/core/ops/copy.h>
#include <tern/core/ops/creation.h>
#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/index.h>
#include <tern/core/ops/linalg.h>
#include <tern/core/ops/loss.h>
#include <tern/core/ops/matmul.h>
#include <tern/core/ops/matmul_precision.h>
#include <tern/core/ops/normalize.h>
#include <tern/core/ops/print.h>
#include <tern/core/ops/random.h>
#include <tern/core/ops/reduce.h>
#include <tern/core/ops/unary.h>
#include <tern/core/ops/view.h>
