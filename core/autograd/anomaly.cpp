#include <atomic>

#include <tern/core/autograd/anomaly.h>
#include <tern/core/autograd/detail/anomaly.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/running_module.h>
#include <tern/core/base/warning.h>

namespace tern::autograd {
namespace {
std::atomic<bool> anomaly_enabled{false}, anomaly_checks_nan{true};
}  // namespace

bool AnomalyMode::is_enabled() { return anomaly_enabled.load(std::memory_order_relaxed); }
bool AnomalyMode::should_check_nan() { return anomaly_checks_nan.load(std::memory_order_relaxed); }
void AnomalyMode::set_enabled(StrictBool enabled, StrictBool check_nan) {
  if (enabled && !is_enabled()) {
    tern::detail::warn(
        "This mode should be enabled only for debugging as the different tests will slow down your "
        "program execution.");
  }
  anomaly_enabled = enabled;
  anomaly_checks_nan = check_nan;
}

std::string running_text() {
  const std::string module = tern::detail::running_module_text();
  const char* const op = tern::detail::running_op;
  std::string text = op == nullptr ? std::string() : std::string("op ") + op;
  if (!module.empty()) text += (text.empty() ? "module " : " in module ") + module;
  return text;
}

void check_results(const Node& node, const Tensor* results) {
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < node.next_edges().size(); ++i) {
    if (!results[i].defined() || !results[i].isnan().any().item<bool>()) continue;
    const std::string& origin = node.origin();
    tern::detail::raise<Error>(
        "Function '", node.name(), "' returned nan values in its ", i, "th output. ",
        origin.empty() ? "Anomaly mode was not enabled when it was recorded; enable it there, too, "
                         "to see which op it was."
                       : "It was recorded by " + origin + ", whose result has the sizes ",
        origin.empty() ? "" : tern::detail::text_of(IntArrayRef(node.output_info(0).sizes)),
        origin.empty() ? "" : ".");
  }
}

}  // namespace tern::autograd
