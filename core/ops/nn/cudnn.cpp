#include <tern/core/ops/nn/cudnn.h>

namespace tern::backends {

constinit CudnnSettings cudnn;

}  // namespace tern::backends
