#pragma once

#include <atomic>

#include <tern/core/base/visibility.h>

namespace tern::backends {

/// How CUDA computes convolutions, recurrent layers and attention with NVIDIA's cuDNN, for the
/// whole program. Other devices ignore it. Example: tern::backends::cudnn.benchmark = true.
struct CudnnSettings {
  /// Whether to use cuDNN where it is installed. Without it, tern's own kernels compute.
  std::atomic<bool> enabled = true;
  /// Whether the first convolution of each shape times the algorithms and keeps the fastest. By
  /// default, cuDNN's heuristics choose. With it cuDNN also computes attention in float16 and
  /// bfloat16, for which it compiles kernels for each shape.
  std::atomic<bool> benchmark = false;
  /// Whether to use only algorithms that give the same bits each time. cuDNN has none for recurrent
  /// layers.
  std::atomic<bool> deterministic = false;
  /// Whether convolutions and recurrent layers of float32 may round their operands to TensorFloat32
  /// (10 bits of fraction), as they may in PyTorch.
  std::atomic<bool> allow_tf32 = true;
};
/// The settings: PyTorch's torch.backends.cudnn.
extern TERN_API CudnnSettings cudnn;

}  // namespace tern::backends
