#pragma once

// The one header that users include.

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/graphed_step.h>
#include <tern/core/autograd/anomaly.h>
#include <tern/core/autograd/autocast.h>
#include <tern/core/autograd/autograd.h>
#include <tern/core/autograd/checkpoint.h>
#include <tern/core/autograd/function.h>
#include <tern/core/autograd/gradcheck.h>
#include <tern/core/autograd/saved_tensor_hooks.h>
#include <tern/core/base/error.h>
#include <tern/core/base/exact_products.h>
#include <tern/core/base/flush_denormal.h>
#include <tern/core/base/packed_weights.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/base/version.h>
#include <tern/core/base/warning.h>
#include <tern/core/distributed/distributed.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/finfo.h>
#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/data/data.h>
#include <tern/nn/nn.h>
#include <tern/nn/optim/optim.h>
#include <tern/serialization/checkpoint.h>
#include <tern/serialization/distributed.h>
#include <tern/serialization/state_file.h>
