#include <tern/core/autograd/grad_mode.h>
#include <tern/core/tensor/detail/inference.h>

namespace tern {
namespace {
thread_local bool grad_mode = true;
}  // namespace

bool GradMode::is_enabled() { return grad_mode; }
void GradMode::set_enabled(StrictBool enabled) { grad_mode = enabled; }
bool GradMode::records() { return grad_mode && !detail::in_inference_mode; }

InferenceMode::InferenceMode(StrictBool enabled)
    : grad_mode_(!enabled), previous_(detail::in_inference_mode) {
  detail::in_inference_mode = enabled;
}
InferenceMode::~InferenceMode() { detail::in_inference_mode = previous_; }
bool InferenceMode::is_enabled() { return detail::in_inference_mode; }

}  // namespace tern
