#include <tern/nn/parallel/scatter_gather.h>

#include <tern/core/kernels/device_traits.h>
#include <tern/core/ops/shape/join.h>

namespace tern::nn::parallel {

std::vector<Tensor> scatter(const Tensor& tensor, const std::vector<Device>& devices,
                            std::int64_t dim) {
  TERN_CHECK(tensor.dim() > 0, ShapeError,
             "scatter: expected a tensor with at least 1 dimension, got a 0-d tensor");
  std::vector<Tensor> pieces = tensor.chunk(static_cast<std::int64_t>(devices.size()), dim);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = pieces[i].to(devices[i], /*non_blocking=*/true);
  }
  return pieces;
}

Tensor gather(const std::vector<Tensor>& pieces, Device device, std::int64_t dim) {
  std::vector<Tensor> moved;
  const bool non_blocking = kernels::traits_of(device).queues_work;
  for (const Tensor& piece : pieces) {
    const Tensor here = piece.to(device, non_blocking);
    moved.push_back(here.dim() == 0 ? here.unsqueeze(0) : here);
  }
  return cat(moved, dim);
}

}  // namespace tern::nn::parallel
