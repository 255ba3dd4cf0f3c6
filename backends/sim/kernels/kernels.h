#pragma once

#include <tern/core/kernels/args.h>
#include <tern/core/kernels/slots.h>

// The oracle: kernels that are written to be read. Plain loops over every element, arithmetic in
// double (or int64 for int64 and bool), rounded to the dtype when the result is stored. They share
// no formula with the CPU backend, which is compared with them.

namespace tern::sim {

using namespace kernels;

/// Whether there is a kernel for the dtypes of these arguments; asked when a kernel is launched.
bool supports(const ElementwiseArgs& args);
bool supports(const CopyArgs& args);
bool supports(const FillArgs& args);
bool supports(const ArangeArgs& args);
bool supports(const ReduceArgs& args);
bool supports(const GemmArgs& args);
bool supports(const SoftmaxArgs& args);
bool supports(const LayerNormArgs& args);
bool supports(const BatchNormArgs& args);
bool supports(const IndexArgs& args);
bool supports(const RequireArgs& args);
bool supports(const RandomArgs& args);
bool supports(const AdamArgs& args);
bool supports(const SgdArgs& args);

/// What the slots do; core/kernels/args.h says what that is. All pointers are the kernels' own side
/// of device memory.
void elementwise(const ElementwiseArgs& args, KernelContext& context);
void copy(const CopyArgs& args, KernelContext& context);
void fill(const FillArgs& args, KernelContext& context);
void arange(const ArangeArgs& args, KernelContext& context);
void reduce(const ReduceArgs& args, KernelContext& context);
void gemm(const GemmArgs& args, KernelContext& context);
void softmax(const SoftmaxArgs& args, KernelContext& context);
void layer_norm(const LayerNormArgs& args, KernelContext& context);
void batch_norm(const BatchNormArgs& args, KernelContext& context);
void index(const IndexArgs& args, KernelContext& context);
void require(const RequireArgs& args, KernelContext& context);
void random(const RandomArgs& args, KernelContext& context);
void adam(const AdamArgs& args, KernelContext& context);
void sgd(const SgdArgs& args, KernelContext& context);

/// The kernels that launches run: those above.
const KernelTable& kernel_table();

}  // namespace tern::sim
