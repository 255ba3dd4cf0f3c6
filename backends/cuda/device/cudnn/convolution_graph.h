#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tern/backends/cuda/device/cudnn/graph.h>
#include <tern/core/kernels/families/convolution.h>

namespace tern::cuda::device::cudnn {

using namespace kernels;

/// Everything that decides how cuDNN computes a convolution.
struct Problem {
  ConvolutionArgs numbers;  // without pointers
  std::int64_t alignment;
  std::int64_t behind[3];  // the zeros behind the input
  int first;               // the first dimension that is more than an extent of 1

  /// Returns what decides the plan.
  std::vector<std::int64_t> key() const;
};

struct Buffers {
  void *x, *w, *y;
};

/// The number of each tensor in a graph.
constexpr std::int64_t kXId = 1, kWId = 2, kYId = 3;

/// Returns the buffers of x, w and y, one of which is the result.
Buffers buffers_of(const ConvolutionArgs& args);

/// Returns nothing if cuDNN cannot describe the convolution.
std::optional<Problem> problem_of(const ConvolutionArgs& args);

/// The graph of a convolution.
class ConvolutionGraph final : public Graph {
 public:
  explicit ConvolutionGraph(const Problem& problem);

  bool make(Handle handle) override;

 protected:
  bool permits(Note note) const override;

 private:
  const ConvolutionArgs& a() const { return problem_.numbers; }
  bool has(std::int32_t option) const { return (a().options & option) != 0; }

  Problem problem_;
  Node x_, w_, y_, convolution_, operation_;
};

}  // namespace tern::cuda::device::cudnn
