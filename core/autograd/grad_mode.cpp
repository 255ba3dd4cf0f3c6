#include <tern/core/autograd/grad_mode.h>

namespace tern {
namespace {
thread_local bool grad_mode = true;
}  // namespace

bool GradMode::is_enabled() { return grad_mode; }
void GradMode::set_enabled(StrictBool enabled) { grad_mode = enabled; }

}  // namespace tern
