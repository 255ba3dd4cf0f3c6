#include <tern/core/ops/common/deterministic.h>

#include <atomic>

#include <tern/core/base/error.h>

namespace tern {
namespace {

enum class Determinism : unsigned char { kAny, kWarn, kRequired };
constinit std::atomic<Determinism> determinism = Determinism::kAny;

Determinism determinism_now() { return determinism.load(std::memory_order_relaxed); }

}  // namespace

void use_deterministic_algorithms(StrictBool mode, StrictBool warn_only) {
  determinism.store(!mode       ? Determinism::kAny
                    : warn_only ? Determinism::kWarn
                                : Determinism::kRequired,
                    std::memory_order_relaxed);
}

bool are_deterministic_algorithms_enabled() { return determinism_now() != Determinism::kAny; }

bool is_deterministic_algorithms_warn_only_enabled() {
  return determinism_now() == Determinism::kWarn;
}

void detail::alert_not_deterministic(const char* op) {
  TERN_CHECK(determinism_now() != Determinism::kRequired, Error, op,
             " does not have a deterministic implementation, but you set "
             "'torch.use_deterministic_algorithms(True)'. You can turn off determinism just for "
             "this operation, or you can use the 'warn_only=True' option, if that's acceptable for "
             "your application.");
}

}  // namespace tern
