#pragma once

#include <tern/core/kernels/slots.h>

// The CPU kernels, one function per slot. Everything in this folder is compiled once per
// instruction set; register.cpp holds the only symbol that leaves such an object.

namespace tern::cpu {

void elementwise(const kernels::ElementwiseArgs& args, kernels::KernelContext& context);
void copy(const kernels::CopyArgs& args, kernels::KernelContext& context);
void fill(const kernels::FillArgs& args, kernels::KernelContext& context);
void arange(const kernels::ArangeArgs& args, kernels::KernelContext& context);
void reduce(const kernels::ReduceArgs& args, kernels::KernelContext& context);
void gemm(const kernels::GemmArgs& args, kernels::KernelContext& context);
void softmax(const kernels::SoftmaxArgs& args, kernels::KernelContext& context);
void layer_norm(const kernels::LayerNormArgs& args, kernels::KernelContext& context);
void batch_norm(const kernels::BatchNormArgs& args, kernels::KernelContext& context);
void index(const kernels::IndexArgs& args, kernels::KernelContext& context);
void require(const kernels::RequireArgs& args, kernels::KernelContext& context);
void random(const kernels::RandomArgs& args, kernels::KernelContext& context);
void adam(const kernels::AdamArgs& args, kernels::KernelContext& context);
void sgd(const kernels::SgdArgs& args, kernels::KernelContext& context);

}  // namespace tern::cpu
