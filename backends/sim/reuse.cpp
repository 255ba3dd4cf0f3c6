#include <tern/backends/sim/reuse.h>

namespace tern::sim {

bool Reuse::allows(const Stream& stream, const kernels::PluginBlock& block, const char* first,
                   const char* last) {
  std::erase_if(uses_, [](const Use& use) { return use.stream->is_done(use.position); });
  for (const Use& use : uses_) {
    const bool overlaps = use.first < last && first < use.last;
    if (overlaps && use.serial != block.serial && use.stream != &stream &&
        !stream.follows(*use.stream, use.position)) {
      return false;
    }
  }
  if (block.stream != &stream) {
    uses_.push_back({first, last, block.serial, &stream, stream.submitted() + 1});
  }
  return true;
}

Failure reused_too_early(const std::string& what) {
  return {
      StatusCode::kDeviceFault,
      "race: " + what +
          " is memory that was handed out again while work of another stream still uses it; the "
          "tensor that was there needed record_stream()"};
}

}  // namespace tern::sim
