#include <tern/core/ops/cudnn.h>

namespace tern::backends {

constinit CudnnSettings cudnn;

}  // namespace tern::backends
