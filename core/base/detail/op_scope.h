#pragma once

namespace tern::detail {

/// The public op that the user called on this thread, for error texts; null outside of ops. Hidden
/// visibility and the initial-exec TLS model let libtern read the pointer in one instruction.
extern constinit thread_local const char* running_op
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// Names the public op that runs on this thread while the scope lives. Ops that an op calls do not
/// change the name. See TERN_OP in core/ops/common/detail/op.h.
class OpScope {
 public:
  /// Sets the name unless an outer op has set one. `name` must be a string literal.
  explicit OpScope(const char* name) noexcept : outer_(running_op) {
    if (outer_ == nullptr) running_op = name;
  }
  ~OpScope() { running_op = outer_; }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

  /// Returns true for the op that the user called, false for an op that an op calls.
  bool is_outermost() const { return outer_ == nullptr; }

 private:
  const char* outer_;
};

}  // namespace tern::detail
