#include <tern/backends/cuda/device/cudnn/convolution.h>

#include <memory>
#include <optional>
#include <vector>

#include <tern/backends/cuda/device/cudnn/convolution_graph.h>
#include <tern/backends/cuda/device/cudnn/plans.h>

namespace tern::cuda::device::cudnn {

bool convolve(const ConvolutionArgs& args, KernelContext& context) {
  if ((args.options & kWithoutCudnn) != 0) return false;
  const std::optional<Problem> problem = problem_of(args);
  if (!problem) return false;
  const auto make_call = [&] {
    return Call{problem->key(), [&] { return std::make_shared<ConvolutionGraph>(*problem); },
                [&](std::vector<Buffer>& buffers) {
                  const auto [x, w, y] = buffers_of(args);
                  buffers = {{kXId, x}, {kWId, w}, {kYId, y}};
                  return true;
                },
                (args.options & kFastestConvolution) != 0,
                "convolution without cuDNN: no memory for its workspace"};
  };
  return run(make_call, context);
}

}  // namespace tern::cuda::device::cudnn
